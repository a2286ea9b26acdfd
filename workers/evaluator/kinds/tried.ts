/** What a try is answered: the verdict of its check, with what detectors scored and which conditions matched. */
import type { ArtifactRequest, EventRequest, SessionRequest } from '../../../shared/api/types.js';
import { baseRole } from '../../../shared/api/validate/session.js';
import type { Configuration, PolicyConfiguration } from '../../../shared/configuration/types.js';
import { MAX_CONDITION_STEPS } from '../../../shared/policy/condition-steps.js';
import { deploymentSelections } from '../../../shared/policy/deployment.js';
import type { Resources } from '../../../shared/policy/detectors/detector.js';
import { selectionOfEvent } from '../../../shared/policy/evaluate.js';
import type { Plan, Selection } from '../../../shared/policy/plan.js';
import { type AskedOf, scoresOfImage, scoresOfText, type TriedScore } from '../../../shared/policy/tried-scores.js';
import type { Source } from '../../../shared/policy/types.js';
import { type TriedCondition, type TriedVerdict, tryAnswerBytes } from '../../../shared/streams/tries.js';
import type { RowItem } from '../../rows/row-types.js';
import type { Draft, Entry } from '../draft.js';
import { restricted } from './artifact.js';
import { readBody } from './body.js';
import { keptMetadata, readContent } from './events/content.js';

/** What a thread has of the version that something is tried with. */
export interface TriedPolicies {
  plan: Plan;
  /** of the team, with what is edited */
  configuration: Configuration;
  policies: ReadonlyMap<string, PolicyConfiguration>;
  resources: Resources;
}

/** The scores of a try have so many rows at most. */
const MOST_SCORES = 1000;
const NOTHING_SPENT = { evaluating: 0, images: 0, asking: 0 };

/** The answer, without what it took. */
export function triedBytes(of: TriedPolicies, entry: Entry, draft: Draft): Buffer {
  const since = performance.now();
  const row = draft.rows[0]!;
  const selections = selectionsFor(of.plan, entry, row);
  const { conditions, steps } = conditionsFor(of.plan, entry, row);
  const verdict: TriedVerdict = {
    flagged: row.status === 'failed' && row.flagged !== true ? null : row.flagged,
    note: draft.error && row.note === '' ? draft.error.message : row.note,
    policies: row.verdict.policies,
    explained: row.explained,
    shadow: shadowOf(of, row),
    scores: withEvidence(scoresFor(of, entry, { row, selections }), row).slice(0, MOST_SCORES),
    conditions,
    steps,
    beside: 0,
  };
  verdict.beside = Math.round((performance.now() - since) * 1000);
  return tryAnswerBytes({ verdict, cost: NOTHING_SPENT });
}

type TriedSelections = Partial<Record<Source, Selection>>;

/** What is selected for the item; nothing where no condition matches. */
function selectionsFor(plan: Plan, { header, body }: Entry, row: RowItem): TriedSelections {
  const { kind, team, scope } = header;
  if (kind === 'event' || kind === 'events') {
    const selected = selectionOfEvent(plan, { team, environment: scope }, contentOf(row))?.selection;
    return selected ? { [selected.source]: selected } : {};
  }
  const { value } = readBody(body);
  const restrict = restricted(value as SessionRequest | ArtifactRequest);
  const role = kind === 'session' ? (value as SessionRequest).messages.at(-1)!.role : (value as ArtifactRequest).role;
  const direction = baseRole(role ?? 'user') === 'assistant' ? 'output' : 'input';
  const { of } = deploymentSelections(plan, { team, deployment: scope, restrict }, direction);
  return kind === 'session' ? { text: of('text'), image: of('image') } : { image: of('image') };
}

const contentOf = ({ type, field, role, name, metadata }: RowItem) =>
  ({ type, field, role, name, metadata: keptMetadata(metadata).value }) as Parameters<typeof selectionOfEvent>[2];

function conditionsFor(
  plan: Plan,
  { header: { kind, team, scope } }: Entry,
  row: RowItem,
): { conditions: TriedCondition[]; steps: number } {
  const environment = kind === 'event' ? plan.teams.get(team)?.environments.get(scope) : undefined;
  const left = { left: MAX_CONDITION_STEPS };
  const { metadata, ...event } = contentOf(row);
  const conditions = (environment?.conditions ?? []).map(({ id, name, always, condition }): TriedCondition => {
    return { id, name, matched: always || condition.matches(metadata, event, left) };
  });
  return { conditions, steps: Math.round(MAX_CONDITION_STEPS - Math.max(0, left.left)) };
}

function shadowOf({ policies }: TriedPolicies, { verdict: { shadow } }: RowItem): TriedVerdict['shadow'] {
  const flagged = new Set(shadow?.violations.map(({ id }) => id));
  return (shadow?.evaluated ?? []).map((id) => {
    return { id, name: policies.get(id)?.name ?? '', flagged: flagged.has(id) };
  });
}

function scoresFor(
  { plan, policies, resources }: TriedPolicies,
  { header, body, gathered }: Entry,
  { row, selections }: { row: RowItem; selections: TriedSelections },
): TriedScore[] {
  const of = (source: Source): PolicyConfiguration[] => {
    const { selected = [], shadow } = selections[source] ?? {};
    const ids = [...selected, ...(shadow?.selected ?? [])].map(({ policy }) => policy.id);
    return ids.flatMap((id) => policies.get(id) ?? []);
  };
  const asked: AskedOf = {
    questions: plan.teams.get(header.team)!.questions,
    answers: gathered.answers?.get(row.item),
  };
  const said = row.type === 'artifact' ? undefined : textOf(header.kind === 'event', body, row);
  const texts = said ? scoresOfText(of('text'), { ...said, source: 'text' }, asked, resources) : [];
  const images = Object.values(gathered.images ?? {}).flatMap((image) =>
    image.ok ? scoresOfImage(of('image'), image.reading, resources) : [],
  );
  return [...texts, ...images];
}

/** What was checked. */
function textOf(isEvent: boolean, body: Uint8Array, { field, content }: RowItem): ReturnType<typeof readContent> {
  if (!isEvent) return { text: content };
  const { event } = readBody(body).value as EventRequest;
  return readContent(content, typeof (event as unknown as Record<string, unknown>)[field] === 'string');
}

/** What was found together with earlier texts may have scored more than the text by itself. */
function withEvidence(scores: TriedScore[], { verdict: { violations } }: RowItem): TriedScore[] {
  const found = new Map<string, number>();
  for (const { id, evidence } of violations) {
    for (const { detector, source, score = 1 } of evidence) {
      const key = JSON.stringify([id, detector, source]);
      found.set(key, Math.max(score, found.get(key) ?? 0));
    }
  }
  return scores.map((one) => {
    const more = found.get(JSON.stringify([one.policy, one.detector, one.source])) ?? 0;
    return one.score !== null && more > one.score ? { ...one, score: more } : one;
  });
}
