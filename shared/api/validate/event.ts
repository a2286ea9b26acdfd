/**
 * What types alone do not say about an event: lengths, characters, which content field each type takes, what a reference
 * must and may have (2.7, section 8, and the decisions on events). One pass over the keys that are there.
 */
import { LIMITS } from '../limits.js';
import { STORED_TEXTS, type StoredTexts } from '../requests.js';
import { CHECKABLE_FIELDS } from '../types.js';
import { checkDeclarations, hasContent } from './causes.js';
import type { EventPass } from './event-pass.js';
import { checkArtifactContent } from './image.js';
import { addIdIssue, type Issues } from './issues.js';
import { charactersExceed, isId, valueExceeds } from './measure.js';
import { isImagePart } from './media-within.js';
import { checkMisplaced, IN_EVENT, IN_EVENT_CONTENT, misplaced } from './misplaced.js';

const isStoredText = (key: string): key is keyof StoredTexts => (STORED_TEXTS as readonly string[]).includes(key);

/** Checks event `index`. */
export function checkEvent(pass: EventPass, index: number): void {
  const event = pass.events[index]!;
  let field = '';
  let fields = 0;
  let unknown = false;
  let empty = '';
  for (const key in event) {
    switch (key) {
      case 'type':
      case 'role':
      case 'parent':
      case 'links':
        break;
      case 'content':
      case 'arguments':
      case 'output':
      case 'definition':
      case 'input':
      case 'instructions':
      case 'state':
        if (event[key] === null || event[key] === undefined) {
          empty = key;
          break;
        }
        field = key;
        fields++;
        checkContent(pass, index, key);
        break;
      case 'event_id':
      case 'run_id':
        if (typeof event[key] === 'string' && !isId(event[key])) addIdIssue(pass.issues, `${pass.path(index)}.${key}`);
        break;
      case 'environment_id':
        checkEnvironment(pass, event.environment_id, `${pass.path(index)}.environment_id`);
        break;
      case 'metadata':
        if (event.metadata) checkMetadata(pass, index);
        break;
      case 'external_session_id':
      case 'external_artifact_id':
      case 'name':
        checkName(pass, event[key], index, key);
        break;
      default: {
        if (isStoredText(key)) {
          checkName(pass, event[key], index, key);
          break;
        }
        const found = misplaced(pass.issues, event, key, { path: pass.path(index), places: IN_EVENT[event.type] });
        if (!found) unknown = true;
      }
    }
  }
  if (event.parent != null || event.links) checkDeclarations(pass, event, index);
  if (fields === 0) checkReference(pass, index, { unknown, empty });
  else checkContentEvent(pass, index, field, fields);
}

function checkMetadata(pass: EventPass, index: number): void {
  if (!exceeds(pass, index, 'metadata', LIMITS.metadataBytes)) return;
  const message = `expected at most ${LIMITS.metadataBytes} bytes of compact JSON`;
  pass.issues.add(`${pass.path(index)}.metadata`, 'too_large', message);
}

function checkName(pass: EventPass, value: string | null | undefined, index: number, key: string): void {
  if (typeof value !== 'string' || !charactersExceed(value, LIMITS.nameCharacters)) return;
  const message = `expected at most ${LIMITS.nameCharacters} characters`;
  pass.issues.add(`${pass.path(index)}.${key}`, 'too_long', message);
}

/** Checks the run id at the top of the body, and returns it or ''. */
export function topRunId(issues: Issues, value: string | null | undefined): string {
  if (typeof value !== 'string') return '';
  if (!isId(value)) addIdIssue(issues, 'run_id');
  return value;
}

/** A request has one environment, which may be named in several places. */
export function checkEnvironment(
  pass: Pick<EventPass, 'issues' | 'scope'>,
  value: string | null | undefined,
  path: string,
): void {
  if (typeof value !== 'string') return;
  if (value === '') pass.issues.add(path, 'too_short', 'expected at least 1 character');
  else if (pass.scope === '') pass.scope = value;
  else if (pass.scope !== value) {
    pass.issues.add(path, 'conflict', 'expected the same environment everywhere in one request');
  }
}

function exceeds(pass: EventPass, index: number, key: ContentField | 'metadata', limit: number): boolean {
  if (pass.bodyBytes <= limit) return false;
  return valueExceeds(pass.events[index]![key], limit, pass.sources[index]?.get(key));
}

type ContentField = 'content' | 'arguments' | 'output' | 'definition' | 'input' | 'instructions' | 'state';

/** Functions take and return numbers and booleans, too. Their JSON is what is checked. */
const isReturned = (key: ContentField): boolean => key === 'arguments' || key === 'output';

function checkContent(pass: EventPass, index: number, key: ContentField): void {
  const event = pass.events[index]!;
  const value = event[key];
  if (!CHECKABLE_FIELDS[event.type].includes(key)) {
    const message = `is not a field of ${event.type} events, expected one of: ${CHECKABLE_FIELDS[event.type].join(', ')}`;
    pass.issues.add(`${pass.path(index)}.${key}`, 'unexpected', message);
  } else if (event.type === 'artifact') {
    checkArtifactContent(pass.issues, value, `${pass.path(index)}.content`, 'event');
    checkMisplaced(pass.issues, value, `${pass.path(index)}.content`, IN_EVENT_CONTENT);
  } else if (typeof value !== 'string' && typeof value !== 'object' && !isReturned(key)) {
    pass.issues.add(`${pass.path(index)}.${key}`, 'type', 'expected string, object or array');
  } else if (exceeds(pass, index, key, LIMITS.contentBytes)) {
    const message = `expected at most ${LIMITS.contentBytes} bytes`;
    pass.issues.add(`${pass.path(index)}.${key}`, 'content_too_large', message);
  } else if (event.type === 'message' && Array.isArray(value)) checkParts(pass, value, `${pass.path(index)}.content`);
}

/** Only text is checked in a message event, so an image in its parts would pass as clean (decisions, Events). */
function checkParts(pass: EventPass, parts: readonly unknown[], path: string): void {
  for (let i = 0; i < parts.length && !pass.issues.full(); i++) {
    if (!isImagePart(parts[i])) continue;
    const message = 'images are not checked within a message event; send each in an event of type artifact';
    pass.issues.add(`${path}[${i}]`, 'unsupported_content_part', message);
  }
}

function checkContentEvent(pass: EventPass, index: number, field: string, fields: number): void {
  const event = pass.events[index]!;
  if (fields > 1) {
    pass.issues.add(`${pass.path(index)}.${field}`, 'conflict', 'expected at most one content field in an event');
  }
  if (event.type === 'message' && (event.role === null || event.role === undefined)) {
    pass.issues.add(
      `${pass.path(index)}.role`,
      'required',
      'is required on a message event with content, expected "user" or "assistant"',
    );
  }
}

/**
 * An event without content is a reference. A misspelt content field must not make one (decisions, General), nor may a message whose
 * content got lost. `unknown`: it has a field that is not known; `empty`: a content field that is null, '' if there is none.
 */
function checkReference(pass: EventPass, index: number, { unknown, empty }: { unknown: boolean; empty: string }): void {
  const event = pass.events[index]!;
  if (unknown) {
    // The key is text of the caller, so the message does not repeat it.
    const message = `has no content field (expected one of: ${CHECKABLE_FIELDS[event.type].join(', ')}) but a field that is not known; an event without content is a reference and carries known fields only`;
    pass.issues.add(pass.path(index), 'unknown_field', message);
    return;
  }
  if (empty !== '' && event.role != null) {
    const message = 'is null in an event with a role; expected content, or a reference without role';
    pass.issues.add(`${pass.path(index)}.${empty}`, 'required', message);
    return;
  }
  const id = event.event_id;
  const run = event.run_id ?? pass.runId;
  if (typeof id !== 'string') {
    const message = `is required on an event without content (which of ${CHECKABLE_FIELDS[event.type].join(', ')} was meant?)`;
    pass.issues.add(`${pass.path(index)}.event_id`, 'required', message);
    return;
  }
  if (run === '' && !hasGeneratedRun(pass)) {
    pass.issues.add(`${pass.path(index)}.run_id`, 'required', 'is required on an event without content');
    return;
  }
}

/** Whether a run is generated for the batch: some event with content names none. */
const hasGeneratedRun = ({ events, runId }: EventPass): boolean =>
  runId === '' && events.some((event) => event.run_id == null && hasContent(event));
