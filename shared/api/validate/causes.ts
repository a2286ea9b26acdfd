/** What an event may declare as its causes: a parent and links (decisions, Events). */
import { isUuid } from '../../ids.js';
import { LIMITS } from '../limits.js';
import { CHECKABLE_FIELDS, type EventInput, type EventReference } from '../types.js';
import type { EventPass } from './event-pass.js';
import { addIdIssue } from './issues.js';
import { charactersExceed, isId } from './measure.js';
import { checkMisplaced, type FieldHints, IN_LINK, IN_PARENT } from './misplaced.js';

/** Whether an event has a parent or links. */
export const declaresCauses = ({ parent, links }: Pick<EventInput, 'parent' | 'links'>): boolean =>
  parent != null || (links != null && links.length > 0);

/** Checks the parent and the links of an event. */
export function checkDeclarations(pass: EventPass, event: EventInput, index: number): void {
  if (event.parent != null) {
    pass.declared++;
    checkTarget(pass, event.parent, { path: `${pass.path(index)}.parent`, places: IN_PARENT });
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
      checkTarget(pass, link, { path: `${path}[${i}]`, places: IN_LINK });
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
  { path, places }: { path: string; places: FieldHints },
): void {
  if (typeof target === 'string') {
    if (!isId(target)) addIdIssue(pass.issues, path);
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
}

/** Whether an event has something to check. */
export function hasContent(event: EventInput): boolean {
  const fields = event as unknown as Record<string, unknown>;
  return CHECKABLE_FIELDS[event.type].some((field) => fields[field] !== null && fields[field] !== undefined);
}
