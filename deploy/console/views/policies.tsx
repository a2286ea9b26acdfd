/** The policies of a team, the versions of the configuration with what each has changed, and the packs that there are. */
import type { VNode } from 'preact';
import type {
  ChangedEntry,
  ConfigurationVersion,
  ConfigurationVersions,
  ConfiguredPolicies,
  ConfiguredPolicy,
  VersionChanges,
} from '../../../shared/api/configuration.js';
import { goTo, linkTo, type ViewPlace } from '../address.js';
import type { Api } from '../api.js';
import { Answer, useAsked } from '../asked.js';
import { Choice } from '../parts/filter.js';
import { Packs } from '../parts/packs.js';
import { Columns, Facts, numberOf, Scroll, Severity, Time } from '../parts/words.js';

interface PolicyViewProps {
  api: Api;
  place: ViewPlace;
}

export const Policies = (props: PolicyViewProps): VNode => (
  <>
    <h1>Policies</h1>
    <Configured {...props} />
    <Versions {...props} />
    {props.place.query.changes && <Changes {...props} version={props.place.query.changes} />}
    <Packs />
  </>
);

function Configured({ api, place: { view, query } }: PolicyViewProps): VNode {
  const { after } = query;
  const asked = useAsked(after ?? '', 0, () => api.get<ConfiguredPolicies>('/api/configuration/policies', { after }));
  return (
    <Answer of={asked}>
      {({ version, policies, next }) => (
        <>
          <p>As version {version} has them, which is the active one.</p>
          {policies.length === 0 && <p>The team has no policies.</p>}
          {policies.map((policy) => (
            <Policy key={policy.policy_id} of={policy} />
          ))}
          <p class="row">
            {after && <a href={linkTo(view, { ...query, after: '' })}>First policies</a>}
            {next && <a href={linkTo(view, { ...query, after: next })}>More policies</a>}
          </p>
        </>
      )}
    </Answer>
  );
}

function Policy({ of: policy }: { of: ConfiguredPolicy }): VNode {
  const { policy_id: id, policy_name: name, severity, action, direction, sources, events, mode, detect, cut } = policy;
  return (
    <details>
      <summary>
        {name} <Severity of={severity} /> {mode === 'shadow' && <small>in the shadow</small>}
      </summary>
      <Facts
        of={[
          ['Id', id],
          ['Mode', mode === 'shadow' ? 'in the shadow: only counted' : 'live'],
          ['Action', action],
          ['Direction', direction],
          ['Sources', sources.join(', ')],
          ['Events', events === null ? 'all' : events.join(', ')],
          ...(policy.unknown_language ? [['In a language that it does not know', 'the check fails'] as const] : []),
        ]}
      />
      <Scroll label={`Detectors of ${name}`}>
        <pre>{JSON.stringify(detect, undefined, 2)}</pre>
      </Scroll>
      {cut && <p class="note">Long lists and texts are cut off here.</p>}
    </details>
  );
}

function Versions({ api, place: { view, query } }: PolicyViewProps): VNode {
  const { before } = query;
  const asked = useAsked(before ?? '', 0, () =>
    api.get<ConfigurationVersions>('/api/configuration/versions', { before }),
  );
  return (
    <>
      <h2>Versions</h2>
      <Answer of={asked}>
        {({ versions, next }) => (
          <>
            <Scroll label="Versions">
              <table>
                <Columns names={['Version', 'Applied', 'Changes', 'By', 'Message']} />
                <tbody>
                  {versions.map((one) => (
                    <Version key={one.version} of={one} place={{ view, query }} />
                  ))}
                </tbody>
              </table>
            </Scroll>
            <p class="row">
              {before && <a href={linkTo(view, { ...query, before: '' })}>Newest versions</a>}
              {next && <a href={linkTo(view, { ...query, before: `${next}` })}>Older versions</a>}
            </p>
          </>
        )}
      </Answer>
    </>
  );
}

function Version({ of: one, place: { view, query } }: { of: ConfigurationVersion; place: ViewPlace }): VNode {
  const { version, active, applied_at: at, changes, summary, by, host, message } = one;
  return (
    <tr>
      <th scope="row">
        {version}
        {active && ', active'}
      </th>
      <td>{at ? <Time at={at} /> : 'not noted'}</td>
      <td>
        {changes === 0 && 'none of this team'}
        {changes === null && 'not known: the version before is not kept'}
        {summary && <a href={linkTo(view, { ...query, changes: `${version}`, from: '' })}>{summary}</a>}
      </td>
      <td>{[by, host].filter(Boolean).join('@')}</td>
      <td>{message}</td>
    </tr>
  );
}

function Changes({ api, place: { view, query }, version }: PolicyViewProps & { version: string }): VNode {
  const { from } = query;
  const path = `/api/configuration/versions/${encodeURIComponent(version)}`;
  const asked = useAsked(`${version} ${from ?? ''}`, 0, () => api.get<VersionChanges>(path, { from }));
  // Those that there may be: an earlier one that is not kept is answered so.
  const earlier = Array.from({ length: Math.min(19, Math.max(0, Number(version) - 1)) }, (_, i) => {
    const number = `${Number(version) - 1 - i}`;
    return [number, `version ${number}`] as const;
  });
  return (
    <section aria-label={`Changes of version ${version}`}>
      <h3>What version {version} has changed</h3>
      <div class="row">
        <Choice
          label="Compared with"
          value={from ?? ''}
          options={[['', 'the one before'], ...earlier]}
          onChange={(chosen) => goTo(view, { ...query, from: chosen })}
        />
      </div>
      <Answer of={asked}>{(changes) => <ChangeList of={changes} />}</Answer>
    </section>
  );
}

const SIGNS = { added: '+', changed: '~', removed: '−' } as const;

function ChangeList({ of: { from, summary, changes, left_out: left } }: { of: VersionChanges }): VNode {
  return (
    <>
      <p>
        {from === null ? 'No earlier version is kept, so all of it is new.' : `Since version ${from}.`}{' '}
        {summary === '' ? 'Nothing of this team has changed.' : summary}
      </p>
      <ul class="changes">
        {changes.map((entry, i) => (
          <Change key={i} of={entry} />
        ))}
      </ul>
      {left > 0 && <p class="note">{numberOf(left)} more lines: weir config diff has them.</p>}
    </>
  );
}

const Change = ({ of: { section, what, title, fields } }: { of: ChangedEntry }): VNode => (
  <li>
    <span aria-hidden="true">{SIGNS[what]}</span> {section}: <strong>{title}</strong> {what}
    {fields.length > 0 && (
      <ul>
        {fields.map((field, i) => (
          <li key={i}>
            <code>{field}</code>
          </li>
        ))}
      </ul>
    )}
  </li>
);
