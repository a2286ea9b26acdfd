/** What the references and the declared causes of a request name: an earlier event in it, or one that only the stores can tell. */
import { LIMITS } from '../limits.js';
import { EVENT_TYPES } from '../types.js';
import { type Cause, type CheckInput, causeKey } from '../validate/issues.js';
import { placeOf, request, slots, type Target, targetAt, textAt } from './slots.js';

export type Resolved = Pick<CheckInput, 'references' | 'referred'> & { causes?: Cause[] };

/** Of the request that was read last; undefined where a reference has no event or no run. */
export function resolved(body: Buffer): Resolved | undefined {
  const ids: (string | null)[] = [];
  const runs: string[] = [];
  let generates = false;
  for (let i = 0; i < request.events; i++) {
    const { id, run, isReference } = slots[i]!;
    ids.push(isReference ? null : textAt(body, id));
    runs.push(textAt(body, placeOf(run, request.run)));
    generates ||= !isReference && runs[i] === '';
  }

  /** Whether an event with content before event `index` has these ids. */
  function isBefore(index: number, run: string, event: string): boolean {
    for (let i = index - 1; i >= 0; i--) if (ids[i] === event && runs[i] === run) return true;
    return false;
  }

  const made: Resolved = { references: [], referred: [] };
  const known = new Set<string>();
  function noteCause(index: number, { event: named, run: ofRun, internal: id }: Target): void {
    const internal = textAt(body, id).toLowerCase();
    const event = textAt(body, named);
    const run = internal === '' ? textAt(body, ofRun) || runs[index]! : '';
    // A generated run has no earlier events outside the request.
    if (internal === '' && (run === '' || isBefore(index, run, event))) return;
    const key = causeKey(run, event, internal);
    if (known.has(key) || known.size >= LIMITS.declarationsPerBatch) return;
    known.add(key);
    made.causes ??= [];
    made.causes.push({ run_id: run, event_id: event, internal_event_id: internal });
  }

  /** False: it names no event, or no run. */
  function noteReference(index: number): boolean {
    const { id, session: own, type, parent, links } = slots[index]!;
    const run = runs[index]!;
    if (id.end < 0 || (run === '' && !generates)) return false;
    const event = textAt(body, id);
    const session = textAt(body, placeOf(own, request.session));
    const named = { index, type: EVENT_TYPES[type]!, run_id: run, event_id: event, external_session_id: session };
    made.referred.push(parent >= 0 || links > 0 ? { ...named, declares: true } : named);
    if (run !== '' && !isBefore(index, run, event)) made.references.push({ index, run_id: run, event_id: event });
    return true;
  }

  for (let i = 0; i < request.events; i++) {
    const { isReference, parent, firstLink, links } = slots[i]!;
    // A reference is not an event of its own, so its causes are not kept.
    if (isReference) {
      if (!noteReference(i)) return undefined;
      continue;
    }
    if (parent >= 0) noteCause(i, targetAt(parent));
    for (let link = firstLink; link < firstLink + links; link++) noteCause(i, targetAt(link));
  }
  return made;
}
