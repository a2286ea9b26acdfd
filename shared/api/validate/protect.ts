/** Validates the body of `POST /api/protect/check`: a session check whose id of the chat may have another name (2.9). */
import { renaming } from '../session-name.js';
import type { Issue } from '../types.js';
import { type CheckInput, createIssues, type Issues, type Validation } from './issues.js';
import { type TextLimits, validateSession } from './validate.js';

type ProtectMembers = Record<string, unknown>;

export function validateProtect(
  body: unknown,
  bytes?: number,
  json: string = JSON.stringify(body),
  limits?: TextLimits,
): Validation {
  const isObject = typeof body === 'object' && body !== null && !Array.isArray(body);
  const { external_id: alias, include_policy_names: names, ...rest } = (isObject ? body : {}) as ProtectMembers;
  if (!isObject) return validateSession(body, bytes, json, limits);
  const issues = createIssues();
  const named = readNames(names, issues);
  const own = rest.external_session_id ?? undefined;
  const given = alias ?? undefined;
  if (own !== undefined && given !== undefined && own !== given) {
    issues.add('external_id', 'conflict', 'is another name of external_session_id, which has another value');
  }
  const renamed = own === undefined && given !== undefined;
  const session = renamed ? { ...rest, external_session_id: given } : rest;
  const made = validateSession(session, bytes, json, limits);
  if (!made.ok)
    return { ok: false, issues: [...made.issues.map((issue) => (renamed ? asSent(issue) : issue)), ...issues.list] };
  if (issues.list.length > 0) return { ok: false, issues: issues.list };
  const { joins } = made.value;
  const value: CheckInput = {
    ...made.value,
    ...(joins && renamed ? { joins: { ...joins, field: 'external_id' } } : {}),
    asked: { of: 'protect', names: named },
  };
  return { ok: true, value: renamed ? { ...value, session: withId(json, given as string) } : value };
}

const asSent = (issue: Issue): Issue =>
  issue.path === 'external_session_id' ? { ...issue, path: 'external_id' } : issue;

/** Python callers send a boolean as text. */
function readNames(value: unknown, issues: Issues): boolean {
  if (value === undefined || value === null || typeof value === 'boolean') return value === true;
  const lower = typeof value === 'string' ? value.toLowerCase() : '';
  if (lower === 'true' || lower === 'false') return lower === 'true';
  issues.add('include_policy_names', 'type', 'expected boolean');
  return false;
}

/** The body with the id by the name that a session check has. */
function withId(json: string, id: string): string {
  const { from, to, text } = renaming(json, id);
  return `${json.slice(0, from)}${text}${json.slice(to)}`;
}
