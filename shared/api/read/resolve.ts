/** What the references and the declared causes of a request name: an earlier event in it, or one that only the stores can tell. */
import { LIMITS } from '../limits.js';
import { EVENT_TYPES } from '../types.js';
import { type Cause, type CheckInput, causeKey } from '../validate/issues.js';
import { type CauseTarget, isSameText, placeOf, request, slots, type TextPlace, targetAt, textAt } from './slots.js';

export type Resolved = Pick<CheckInput, 'references' | 'referred'> & { causes?: Cause[] };

/** Of the request that was read last; undefined where a reference has no event or no run. */
export function resolved(body: Buffer): Resolved | undefined {
  const made: Resolved = { references: [], referred: [] };
  const known = new Set<string>();
  const generates = someRunIsGenerated();
  for (let i = 0; i < request.events; i++) {
    const { isReference, parent, firstLink, links } = slots[i]!;
    // A reference is not an event of its own, so its causes are not kept.
    if (isReference) {
      if (!noteReference(made, body, i, generates)) return undefined;
      continue;
    }
    if (parent >= 0) noteCause(made, known, i, targetAt(parent));
    for (let link = firstLink; link < firstLink + links; link++) noteCause(made, known, i, targetAt(link));
  }
  return made;
}

const runOf = (index: number): TextPlace => placeOf(slots[index]!.run, request.run);

function someRunIsGenerated(): boolean {
  for (let i = 0; i < request.events; i++) if (!slots[i]!.isReference && runOf(i).end < 0) return true;
  return false;
}

function noteCause(
  made: Resolved,
  known: Set<string>,
  index: number,
  { event, run: named, internal }: CauseTarget,
): void {
  const isNamed = internal.end < 0;
  const run = named.end < 0 ? runOf(index) : named;
  // A generated run has no earlier events outside the request. Mostly the cause is in the request: then nothing is made of it.
  if (isNamed && (run.end < 0 || isBefore(index, run, event))) return;
  const { body } = request;
  const cause = {
    run_id: isNamed ? textAt(body, run) : '',
    event_id: textAt(body, event),
    internal_event_id: textAt(body, internal).toLowerCase(),
  };
  const key = causeKey(cause.run_id, cause.event_id, cause.internal_event_id);
  if (known.has(key) || known.size >= LIMITS.declarationsPerBatch) return;
  known.add(key);
  made.causes ??= [];
  made.causes.push(cause);
}

/** False: it names no event, or no run. */
function noteReference(made: Resolved, body: Buffer, index: number, generates: boolean): boolean {
  const { id, session: own, type, parent, links } = slots[index]!;
  const run = runOf(index);
  if (id.end < 0 || (run.end < 0 && !generates)) return false;
  const names = { run_id: textAt(body, run), event_id: textAt(body, id) };
  const session = textAt(body, placeOf(own, request.session));
  const named = { index, type: EVENT_TYPES[type]!, ...names, external_session_id: session };
  made.referred.push(parent >= 0 || links > 0 ? { ...named, declares: true } : named);
  if (run.end >= 0 && !isBefore(index, run, id)) made.references.push({ index, ...names });
  return true;
}

/** Whether an event with content before event `index` has these ids. */
function isBefore(index: number, run: TextPlace, event: TextPlace): boolean {
  for (let i = index - 1; i >= 0; i--) {
    const { id, isReference } = slots[i]!;
    if (!isReference && isSameText(id, event) && isSameText(runOf(i), run)) return true;
  }
  return false;
}
