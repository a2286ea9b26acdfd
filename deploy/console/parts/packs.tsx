/** The packs that ship with Weir, and how often each is right. `build.mjs` reads both from `deploy/packs`. */
import type { VNode } from 'preact';
import { Columns, numberOf, percentOf, Scroll, Severity } from './words.js';

interface PackFigure {
  flagged: number;
  of: number;
}

interface ShippedPack {
  name: string;
  version: number;
  title: string;
  /** of ordinary texts, which should not be flagged */
  policies: readonly (PackFigure & { name: string; severity: string })[];
  /** of texts of a kind */
  cases: readonly (PackFigure & { texts: string })[];
}

declare const WEIR_PACKS: readonly ShippedPack[];

export const Packs = (): VNode => (
  <>
    <h2>Packs</h2>
    <p>Policies that ship with Weir. A configuration names a pack, and its policies hold.</p>
    {WEIR_PACKS.map((pack) => (
      <Pack key={pack.name} of={pack} />
    ))}
  </>
);

const Pack = ({ of: { name, version, title, policies, cases } }: { of: ShippedPack }): VNode => (
  <details>
    <summary>
      {title} <code>{name}</code> <small>version {version}</small>
    </summary>
    <Scroll label={`Policies of ${title}`}>
      <table>
        <Columns names={['Policy', 'Severity', 'Ordinary texts that it flags', 'Share']} />
        <tbody>
          {policies.map((policy) => (
            <tr key={policy.name}>
              <th scope="row">{policy.name}</th>
              <td>
                <Severity of={policy.severity} />
              </td>
              <Cells of={policy} />
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
    <Scroll label={`Cases of ${title}`}>
      <table>
        <caption>The pack as a whole, on texts that it was made with sight of</caption>
        <Columns names={['Texts', 'Flagged', 'Share']} />
        <tbody>
          {cases.map((one) => (
            <tr key={one.texts}>
              <th scope="row">{one.texts}</th>
              <Cells of={one} />
            </tr>
          ))}
        </tbody>
      </table>
    </Scroll>
  </details>
);

const Cells = ({ of: { flagged, of } }: { of: PackFigure }): VNode => (
  <>
    <td>
      {numberOf(flagged)} of {numberOf(of)}
    </td>
    <td>{percentOf(flagged, of)}</td>
  </>
);
