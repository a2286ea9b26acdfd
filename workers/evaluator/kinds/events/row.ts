/** Evaluates an event, and makes the row that history keeps of it. */

import type { SentReference } from '../../../../shared/api/results/reference.js';
import { Paused } from '../../../../shared/policy/engine/long-scans.js';
import { evaluateEvent, evaluateImageEvent, evaluateLostImageEvent } from '../../../../shared/policy/evaluate.js';
import type { Plan } from '../../../../shared/policy/plan.js';
import type { EventContent, Verdict } from '../../../../shared/policy/types.js';
import { NO_VERDICT } from '../../../../shared/policy/verdict.js';
import { NOTHING_STORED } from '../../../rows/columns.js';
import type { RowItem, RowLink } from '../../../rows/row-types.js';
import { type Entry, failClosed } from '../../draft.js';
import { IMAGE_NOT_EVALUATED, imageContent, rowImage, verdictNote } from '../../images/content.js';
import { NO_TAGS } from '../tags.js';
import { linksOf } from './causes.js';
import type { SentEvent } from './sent.js';

const NO_LINKS: readonly RowLink[] = [];

/** Made by a function: to copy an object of so many members takes longer. */
const newRow = (verdict: Verdict, note: string): RowItem => ({
  item: 0,
  type: '',
  field: '',
  role: '',
  name: '',
  stored: NOTHING_STORED,
  eventId: '',
  runId: '',
  externalSessionId: '',
  externalArtifactId: '',
  content: '',
  metadata: '',
  tags: NO_TAGS,
  userId: '',
  userEmail: '',
  status: 'completed',
  note,
  links: NO_LINKS,
  verdict,
  explained: '',
  flagged: null,
});

/** What an event is evaluated with. With `plan` null nothing is evaluated: it fails with `failure`. */
interface EventEvaluation {
  plan: Plan | null;
  entry: Entry;
  failure: string;
}

/** `before`: earlier texts of its conversation. */
export function textRow(evaluating: EventEvaluation, content: EventContent, before: readonly string[]): RowItem {
  return evaluatedRow(evaluating, content, evaluateEvent, before);
}

/**
 * The row of an artifact event. If its image could not be looked at, the event fails with the reason. If the team fails closed, the
 * policies for it are flagged then, as they are in a session.
 */
export function imageRow(evaluating: EventEvaluation, content: EventContent, item: number): RowItem {
  const { plan, entry } = evaluating;
  const { gathered, indexes } = entry;
  const image = gathered.images?.[item];
  const failure = evaluating.failure || (image?.ok === false ? image.note : IMAGE_NOT_EVALUATED);
  const row = evaluatedRow({ plan, entry, failure }, content, (of, scope) =>
    image?.ok ? evaluateImageEvent(of, scope, content, imageContent(image, indexes)) : NO_VERDICT,
  );
  if (row.verdict !== NO_VERDICT) row.note = verdictNote(row.verdict, [image]);
  else if (row.flagged === true && !image?.ok) {
    row.verdict = evaluatedRow({ plan, entry, failure }, content, evaluateLostImageEvent).verdict;
  }
  row.image = rowImage(image, '');
  return row;
}

type Evaluate = typeof evaluateEvent;

const NO_TEXTS: readonly string[] = [];

/**
 * With `plan` null, and where `evaluate` returns {@link NO_VERDICT}, the event fails with `failure`. `evaluate` is no closure where it
 * need not be: one that is made for each event is compiled in each.
 */
function evaluatedRow(
  { plan, entry: { header }, failure }: EventEvaluation,
  content: EventContent,
  evaluate: Evaluate,
  before: readonly string[] = NO_TEXTS,
): RowItem {
  let verdict = NO_VERDICT;
  let note = failure;
  if (plan !== null) {
    try {
      verdict = evaluate(plan, { team: header.team, environment: header.scope }, content, before);
      if (verdict !== NO_VERDICT) note = verdict.note;
    } catch (error) {
      if (error instanceof Paused) throw error;
      // A bug in a detector must not make the other events of the batch fail, nor read as clean.
      note = 'the event could not be evaluated';
    }
  }
  const failed = verdict === NO_VERDICT || (verdict.notEvaluated > 0 && !verdict.flagged);
  const row = newRow(verdict, note);
  row.type = content.type;
  row.field = content.field;
  row.role = content.role;
  row.name = content.name;
  row.status = failed ? 'failed' : 'completed';
  row.flagged = failed ? failClosed(plan, header) : verdict.flagged;
  return row;
}

/** Fills in what identifies an event. */
export function nameRow(row: RowItem, event: SentEvent, named: SentReference): void {
  row.item = named.item;
  row.eventId = named.eventId;
  row.runId = named.runId;
  row.externalSessionId = named.externalSessionId;
  row.stored = event.stored;
  row.externalArtifactId = event.externalArtifactId;
  if (event.causes) row.links = linksOf(event.causes, named.runId);
}
