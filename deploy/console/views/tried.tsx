/** What a try was answered: the verdict of each policy, where it fires, scores beside thresholds, conditions and cost. */
import type { VNode } from 'preact';
import { useEffect, useRef } from 'preact/hooks';
import type { EventPolicyResult, PolicyEvidence, PolicyResult } from '../../../shared/api/responses.js';
import type { TryResult, TryScore } from '../../../shared/api/try.js';
import { Marked, type NumberedFind } from '../parts/marked.js';
import { Columns, Facts, numberOf, Scroll, Severity, Verdict } from '../parts/words.js';

/** A find, and what it was found in; undefined: that is no text that was sent. */
interface PlacedFind {
  number: number;
  evidence: PolicyEvidence;
  place: string;
  text: string | undefined;
}

interface JudgedPolicy {
  id: string;
  result: EventPolicyResult | PolicyResult;
  finds: PlacedFind[];
}

/** `content`: what was checked, which paths lead into. */
export function Tried({ result, content }: { result: TryResult; content: unknown }): VNode {
  const heading = useRef<HTMLHeadingElement>(null);
  useEffect(() => heading.current?.focus(), [result]);
  const { flagged, note, policies, shadow, scores, conditions } = result;
  const judged = judgedIn(policies, content);
  const nameOf = (id: string): string =>
    policies[id]?.name ?? shadow.find((one) => one.policy_id === id)?.policy_name ?? id;
  return (
    <>
      <h2 ref={heading} tabIndex={-1}>
        What a check would answer <Verdict flagged={flagged} alone={note !== undefined} />
      </h2>
      {note && <p class="note">{note}</p>}
      <Places judged={judged} />
      <h2>Policies</h2>
      {judged.length === 0 && <p>No policy has judged it.</p>}
      {judged.map((one) => (
        <Policy key={one.id} of={one} />
      ))}
      {shadow.length > 0 && (
        <>
          <h3>In the shadow</h3>
          <ul>
            {shadow.map(({ policy_id, policy_name, flagged }) => (
              <li key={policy_id}>
                {policy_name} <Verdict flagged={flagged} />
              </li>
            ))}
          </ul>
        </>
      )}
      {scores.length > 0 && <Scores scores={scores} nameOf={nameOf} />}
      {conditions.length > 0 && (
        <>
          <h2>Conditions</h2>
          <ul>
            {conditions.map(({ id, name, matched }) => (
              <li key={id}>
                {name} <small>{id}</small>:{' '}
                {matched === null ? 'took too many steps' : matched ? 'matched' : 'did not match'}
              </li>
            ))}
          </ul>
        </>
      )}
      <Cost cost={result.cost} conditions={conditions.length > 0} />
    </>
  );
}

function judgedIn(policies: TryResult['policies'], content: unknown): JudgedPolicy[] {
  let number = 0;
  return Object.entries(policies)
    .sort(([, a], [, b]) => Number(b.flagged) - Number(a.flagged))
    .map(([id, result]) => {
      const finds = (result.evidence ?? []).map((evidence): PlacedFind => {
        const text = evidence.source === 'text' ? textAt(content, evidence) : undefined;
        return { number: ++number, evidence, place: evidence.path ?? '', text };
      });
      return { id, result, finds };
    });
}

/** What a JSON Pointer leads to, where that is a text. */
function textAt(content: unknown, { path, index }: PolicyEvidence): string | undefined {
  if (path !== undefined && index !== undefined) return undefined;
  let value = content;
  for (const step of (path ?? '').split('/').slice(1)) {
    if (typeof value !== 'object' || value === null) return undefined;
    value = (value as Record<string, unknown>)[step.replaceAll('~1', '/').replaceAll('~0', '~')];
  }
  return typeof value === 'string' ? value : undefined;
}

/** Each text in which something was found, with all that was found in it. */
function Places({ judged }: { judged: readonly JudgedPolicy[] }): VNode | null {
  const places = new Map<string, { text: string; finds: NumberedFind[] }>();
  for (const { number, evidence, place, text } of judged.flatMap(({ finds }) => finds)) {
    if (text === undefined) continue;
    const known = places.get(place) ?? { text, finds: [] };
    known.finds.push({ number, start: evidence.start, end: evidence.end });
    places.set(place, known);
  }
  if (places.size === 0) return null;
  return (
    <>
      <h2>Where</h2>
      {[...places].map(([place, { text, finds }]) => (
        <Scroll key={place} label={place === '' ? 'The text' : `The text at ${place}`}>
          {place !== '' && <small>{place}</small>}
          <Marked text={text} finds={finds} />
        </Scroll>
      ))}
    </>
  );
}

function Policy({ of: { result, finds } }: { of: JudgedPolicy }): VNode {
  const { name, flagged, severity } = result;
  const chosen = 'enabled_by_conditions' in result ? (result.enabled_by_conditions ?? []) : [];
  return (
    <section class={flagged ? 'judged flagged' : 'judged'} aria-label={name}>
      <h3>
        {name} {severity && <Severity of={severity} />} <Verdict flagged={flagged} />
      </h3>
      {chosen.length > 0 && <p>Chosen by {chosen.map((condition) => condition.name).join(', ')}.</p>}
      {finds.length > 0 && (
        <ol class="evidence">
          {finds.map(({ number, evidence, text }) => (
            <li key={number} value={number}>
              <code>{evidence.detector}</code> in view <code>{evidence.view}</code>
              {evidence.score !== undefined && <> {evidence.score.toFixed(2)}</>}{' '}
              <small>
                {evidence.source === 'image' ? 'in the image ' : ''}
                {evidence.path ? `at ${evidence.path} ` : ''}
                {evidence.end > evidence.start ? `from ${evidence.start} to ${evidence.end}` : 'in all of it'}
              </small>
              {text !== undefined && <span class="unseen">: {text.slice(evidence.start, evidence.end)}</span>}
            </li>
          ))}
        </ol>
      )}
    </section>
  );
}

const shown = (score: number | null): string => (score === null ? '–' : score.toFixed(2));

function Scores({ scores, nameOf }: { scores: readonly TryScore[]; nameOf(id: string): string }): VNode {
  return (
    <>
      <h2>Scores beside thresholds</h2>
      <Scroll label="Scores">
        <table>
          <Columns names={['Detector', 'Score', 'Fires from', 'Outcome', 'Policy']} />
          <tbody>
            {scores.map(({ policy_id, detector, source, score, threshold, asks_from }, i) => (
              <tr key={i}>
                <th scope="row">
                  <code>{detector}</code>
                  {source === 'image' && <small> image</small>}
                </th>
                <td>{score === null ? 'none' : shown(score)}</td>
                <td>
                  {shown(threshold)}
                  {asks_from !== undefined && <small> asks another from {shown(asks_from)}</small>}
                </td>
                <td>
                  {score !== null && threshold !== null && (
                    <>
                      <Bar score={score} threshold={threshold} /> {score >= threshold ? 'fires' : 'does not fire'}
                    </>
                  )}
                </td>
                <td>{nameOf(policy_id)}</td>
              </tr>
            ))}
          </tbody>
        </table>
      </Scroll>
      {scores.some(({ score }) => score === null) && (
        <p>
          <small>
            No score: the detector could not run, does not know the language, or was not asked since others had decided.
          </small>
        </p>
      )}
    </>
  );
}

const Bar = ({ score, threshold }: { score: number; threshold: number }): VNode => (
  <svg class="bar" viewBox="0 0 100 10" preserveAspectRatio="none" aria-hidden="true">
    <rect class="all" width="100" height="10" />
    <rect class={score >= threshold ? 'flagged' : 'under'} width={score * 100} height="10" />
    <rect class="threshold" x={Math.min(98, threshold * 100)} width="2" height="10" />
  </svg>
);

function Cost({ cost, conditions }: { cost: TryResult['cost']; conditions: boolean }): VNode {
  const ms = (microseconds: number): string => `${(microseconds / 1000).toFixed(microseconds < 10_000 ? 2 : 0)} ms`;
  const facts: [name: string, value: string][] = [['Evaluating', ms(cost.evaluation_us)]];
  if (cost.images_us > 0) facts.push(['Images', ms(cost.images_us)]);
  if (cost.asking_us > 0) facts.push(['Backends and models', ms(cost.asking_us)]);
  if (conditions) {
    const steps = `${numberOf(cost.condition_steps)} of ${numberOf(cost.most_condition_steps)}`;
    facts.push(['Steps of conditions', steps]);
  }
  return (
    <>
      <h2>Cost</h2>
      <Facts of={facts} />
    </>
  );
}
