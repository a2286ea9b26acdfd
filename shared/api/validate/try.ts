/** Validates what is tried: the request of a check, and beside it what is edited. */
import { eachMember, nameOf, skipValue, valueStart } from '../../json.js';
import { LIMITS } from '../limits.js';
import { readEvent } from '../read/events.js';
import { bareInput, type CheckInput, createIssues, type TriedInput, type Validation } from './issues.js';
import { deeperThan } from './measure.js';
import { issuesOfEvent, type TextLimits, validateArtifact, validateSession } from './validate.js';

/** By kind of check: the field that only its request has. */
const FIELDS = { event: 'event', session: 'messages', artifact: 'content' } as const;
const KINDS = Object.keys(FIELDS) as (keyof typeof FIELDS)[];
const EDITED: ReadonlySet<string> = new Set(['policies', 'conditions']);

/** `json`: the body as sent. */
export function validateTry(
  body: unknown,
  bodyBytes: number = Number.MAX_SAFE_INTEGER,
  json: string = JSON.stringify(body),
  limits?: TextLimits,
): Validation {
  const issues = createIssues();
  const refused: Validation = { ok: false, issues: issues.list };
  if (typeof body !== 'object' || body === null || Array.isArray(body)) {
    issues.add('', 'type', 'expected object');
    return refused;
  }
  if (deeperThan(body, LIMITS.jsonDepth)) {
    issues.add('', 'too_deep', `expected at most ${LIMITS.jsonDepth} levels of nesting`);
    return refused;
  }
  const given = body as Record<string, unknown>;
  const kinds = KINDS.filter((kind) => given[FIELDS[kind]] !== undefined && given[FIELDS[kind]] !== null);
  const [kind] = kinds;
  if (kind === undefined || kinds.length > 1) {
    issues.add('', kind === undefined ? 'required' : 'conflict', 'expected exactly one of event, messages and content');
    return refused;
  }
  if (kind !== 'event' && given.conditions != null) {
    issues.add('conditions', 'conflict', 'belongs to an event: chats and images have no conditions');
    return refused;
  }
  const { item, edits } = parted(json);
  const checked = validated(kind, { item, bodyBytes, limits });
  if (!checked.ok) return checked;
  const { scope, images, policies, policiesField, messageBytes } = checked.value;
  if (kind === 'event' && checked.value.eventIds[0] === null) {
    issues.add('event', 'required', 'expected content to check: a reference to an earlier event has none');
    return refused;
  }
  const input: CheckInput = { ...bareInput(), scope, images, policies, policiesField, tried: { kind, item, edits } };
  return { ok: true, value: messageBytes === undefined ? input : { ...input, messageBytes } };
}

interface TriedItem {
  item: string;
  bodyBytes: number;
  limits: TextLimits | undefined;
}

function validated(kind: TriedInput['kind'], { item, bodyBytes, limits }: TriedItem): Validation {
  const value = JSON.parse(item) as unknown;
  if (kind === 'session') return validateSession(value, bodyBytes, item, limits);
  if (kind === 'artifact') return validateArtifact(value, bodyBytes, item);
  const read = readEvent(Buffer.from(item));
  if (read) return { ok: true, value: read };
  const issues = issuesOfEvent(value, bodyBytes, item);
  if (issues.length === 0) issues.push({ path: '', code: 'type', message: 'does not have the expected shape' });
  return { ok: false, issues };
}

/** What is edited, of a body as sent; '' for nothing. */
export const editsIn = (json: string): string => parted(json).edits;

/** The body without what is edited, and that alone. */
function parted(json: string): { item: string; edits: string } {
  const [item, edits]: [string[], string[]] = [[], []];
  eachMember(json, valueStart(json), (start, name) => {
    const end = skipValue(json, start);
    (EDITED.has(nameOf(json, name)) ? edits : item).push(json.slice(name, end));
    return end;
  });
  return { item: `{${item.join(',')}}`, edits: edits.length === 0 ? '' : `{${edits.join(',')}}` };
}
