/** Looks at a stream (decisions, Streams): the window of a text that goes on, by the policies that its check would have. */

import { deploymentSelections } from '../../../shared/policy/deployment.js';
import { forget, type LongScans, newScans, rewind } from '../../../shared/policy/engine/long-scans.js';
import { selectionOfEvent } from '../../../shared/policy/evaluate.js';
import type { Plan, Selection, TeamPlan } from '../../../shared/policy/plan.js';
import { lookAtStream, type StreamLook, windowStart } from '../../../shared/policy/stream.js';
import type { LookAnswer, LookHeader, TextOffset } from '../../../shared/streams/looks.js';
import type { WorkHeader } from '../../../shared/streams/work.js';
import type { Entry } from '../draft.js';
import { type Slice, WHOLE } from '../slice.js';

/** A look that is evaluated in slices. */
export interface BegunLook {
  plan: Plan;
  header: WorkHeader & { look: LookHeader };
  text: string;
  scans: LongScans;
  made: LookAnswer | undefined;
}

export const isLook = (header: WorkHeader): header is BegunLook['header'] =>
  header.look !== undefined && header.look.tried === undefined;

export function beginLook(plan: Plan, header: BegunLook['header'], { body }: Pick<Entry, 'body'>): BegunLook {
  const text = Buffer.from(body.buffer, body.byteOffset, body.length).toString('utf8');
  return { plan, header, text, scans: newScans(WHOLE), made: undefined };
}

/** Throws a `Paused` where the slice ends within it. */
export function evaluateLook(look: BegunLook, slice: Slice): void {
  const { text, header, scans } = look;
  scans.turn = slice;
  rewind(scans);
  const { whole, safe, looked } = header.look;
  const selected = selectionFor(look.plan, header);
  const found: StreamLook = selected
    ? lookAtStream(selected.team, selected.selection, { text, whole, safe, looked }, scans)
    : { flagged: [], safe: text.length, looked, delayed: [] };
  forget(scans);
  const start = found.flagged.length > 0 ? 0 : windowStart(text, found.safe);
  look.made = { ...found, safe: offsetAt(text, found.safe), next: offsetAt(text, start) };
}

/** What its check selects; undefined: no condition matches. */
function selectionFor(
  plan: Plan,
  { kind, team: id, scope, look: { role, metadata } }: BegunLook['header'],
): { team: TeamPlan; selection: Selection } | undefined {
  const output = role === 'assistant' || role.startsWith('assistant-');
  if (kind === 'session') {
    const { team, of } = deploymentSelections(plan, { team: id, deployment: scope }, output ? 'output' : 'input');
    return { team, selection: of('text') };
  }
  const facts = metadata === '' ? {} : (JSON.parse(metadata) as Record<string, unknown>);
  const content = {
    type: 'message',
    field: 'content',
    role: output ? 'assistant' : 'user',
    name: '',
    metadata: facts,
  } as const;
  return selectionOfEvent(plan, { team: id, environment: scope }, content);
}

function offsetAt(text: string, units: number): TextOffset {
  const before = text.slice(0, units);
  const bytes = Buffer.byteLength(before);
  if (bytes === units) return { units, points: units, bytes };
  let points = 0;
  for (const _ of before) points++;
  return { units, points, bytes };
}
