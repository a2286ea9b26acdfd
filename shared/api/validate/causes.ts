/** What an event may declare as its causes: a parent and links (decisions, Events). */
import { isUuid } from '../../ids.js';
import { LIMITS } from '../limits.js';
import { CHECKABLE_FIELDS, type EventInput, type EventReference } from '../types.js';
import type { EventPass } from './event-pass.js';
import { addIdIssue, causeKey } from './issues.js';
import { charactersExceed, isId } from './measure.js';
import { checkMisplaced, type FieldHints, IN_LINK, IN_PARENT } from './misplaced.js';

/** Whether an event has a parent or links. */
export const declaresCauses = ({ parent, links }: Pick<EventInput, 'parent' | 'links'>): boolean =>
  parent != null || (links != null && links.length > 0);

/** Checks the parent and the links of an event. */
export function checkDeclarations(pass: EventPass, event: EventInput, index: number): void {
  if (event.parent != null) {
    pass.declared++;
    checkTarget(pass, event.parent, index, { path: `${pass.path(index)}.parent`, places: IN_PARENT });
  }
  if (event.links) {
    const path = `${pass.path(index)}.links`;
    if (event.links.length > LIMITS.linksPerEvent) {
      pass.issues.add(path, 'too_many', `expected at most ${LIMITS.linksPerEvent} links`);
      return;
    }
    pass.declared += event.links.length;
    for (let i = 0; i < event.links.length; i++) {
      const link = event.links[i]!;
      checkTarget(pass, link, index, { path: `${path}[${i}]`, places: IN_LINK });
      if (
        typeof link === 'object' &&
        typeof link.relation === 'string' &&
        charactersExceed(link.relation, LIMITS.relationCharacters)
      ) {
        const message = `expected at most ${LIMITS.relationCharacters} characters`;
        pass.issues.add(`${path}[${i}].relation`, 'too_long', message);
      }
    }
  }
  if (pass.declared > LIMITS.declarationsPerBatch) {
    pass.issues.add('events', 'too_many', `expected at most ${LIMITS.declarationsPerBatch} parents and links in all`);
  }
}

/** `target`: an id is that of an event in the run of the event that declares it. */
function checkTarget(
  pass: EventPass,
  target: EventReference | string,
  index: number,
  { path, places }: { path: string; places: FieldHints },
): void {
  if (typeof target === 'string') {
    if (!isId(target)) addIdIssue(pass.issues, path);
    noteCause(pass, { event_id: target }, index);
    return;
  }
  checkMisplaced(pass.issues, target, path, places);
  const { event_id: event, run_id: run, internal_event_id: internal } = target;
  const byCaller = typeof event === 'string';
  if (byCaller === (typeof internal === 'string')) {
    const expected = 'expected either event_id (with run_id, if it is another run) or internal_event_id';
    pass.issues.add(path, 'reference', expected);
    return;
  }
  if (byCaller && !isId(event)) addIdIssue(pass.issues, `${path}.event_id`);
  if (typeof run === 'string' && !isId(run)) addIdIssue(pass.issues, `${path}.run_id`);
  if (typeof internal === 'string' && !isUuid(internal)) {
    pass.issues.add(`${path}.internal_event_id`, 'uuid', 'expected a UUID');
  }
  noteCause(pass, target, index);
}

/** Notes a declared cause that is not in the batch: only the stores can tell whether it exists. */
function noteCause(pass: EventPass, target: EventReference, index: number): void {
  const effect = pass.events[index]!;
  // A reference is not an event of its own, so its causes are not kept.
  if (!hasContent(effect)) return;
  const internal = target.internal_event_id?.toLowerCase() ?? '';
  const event = target.event_id ?? '';
  const run = internal === '' ? (target.run_id ?? effect.run_id ?? pass.runId) : '';
  // A generated run has no earlier events outside the batch.
  if (internal === '' && (run === '' || isInBatch(pass, index, run, event))) return;
  const key = causeKey(run, event, internal);
  pass.causes ??= new Set();
  if (pass.causes.has(key) || pass.causes.size >= LIMITS.declarationsPerBatch) return;
  pass.causes.add(key);
  pass.input.causes ??= [];
  pass.input.causes.push({ run_id: run, event_id: event, internal_event_id: internal });
}

/** Whether an event has something to check. */
export function hasContent(event: EventInput): boolean {
  const fields = event as unknown as Record<string, unknown>;
  return CHECKABLE_FIELDS[event.type].some((field) => fields[field] !== null && fields[field] !== undefined);
}

/** Whether an event with content before event `index` has these ids. */
export function isInBatch(pass: EventPass, index: number, run: string, event: string): boolean {
  for (let i = index - 1; i >= 0; i--) {
    const earlier = pass.events[i]!;
    if (earlier.event_id !== event || pass.input.eventIds[i] === null) continue;
    if ((earlier.run_id ?? pass.runId) === run) return true;
  }
  return false;
}
