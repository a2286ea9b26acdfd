/**
 * Members of a message, of its parts and of its calls that have no content (decisions, Session check). The list is short and
 * closed: every other member is read. What stands deeper, such as in the arguments of a call, has no such members.
 */
import { readTokens, skipValue } from '../../json.js';

/** Members that are kept for the caller, whatever they hold. */
const KEPT: ReadonlySet<string> = new Set(['metadata']);

/** Ids, kinds, times and counts. They have no content where they look like it. */
const MARKS: ReadonlySet<string> = new Set([
  'id',
  'type',
  'role',
  'object',
  'index',
  'status',
  'state',
  'model',
  'call_id',
  'tool_call_id',
  'toolCallId',
  'tool_use_id',
  'toolUseId',
  'finish_reason',
  'stop_reason',
  'created',
  'created_at',
  'createdAt',
  'timestamp',
  'expires_at',
  'cache_control',
  'usage',
  'logprobs',
  'response_metadata',
]);
const LONGEST_MARK = 256;

/** What a model or its provider has signed or encrypted. It is as long as they like. */
const SEALED: ReadonlySet<string> = new Set([
  'signature',
  'encrypted_content',
  'encrypted_index',
  'thoughtSignature',
  'thought_signature',
]);

/** A word, an id, a time, base64: no space, no quote, nothing but ASCII. */
const LOOKS_LIKE_ONE = /^[\w.:/+=|-]*$/;

/** Whether the member `name`, whose value is at `at` of `json`, has no content. */
export function hasNoContent(name: string, json: string, at: number): boolean {
  if (KEPT.has(name)) return true;
  const sealed = SEALED.has(name);
  if (!sealed && !MARKS.has(name)) return false;
  const most = sealed ? Number.POSITIVE_INFINITY : LONGEST_MARK;
  let none = true;
  readTokens(json.slice(at, skipValue(json, at)), (text) => {
    none &&= text.length <= most && LOOKS_LIKE_ONE.test(text);
  });
  return none;
}

/** The same of a parsed value that is no object or list with something in it: those must be read as they were sent. */
export function saysNothing(name: string, value: unknown): boolean {
  if (value == null || typeof value === 'boolean' || value === '' || KEPT.has(name)) return true;
  if (typeof value === 'object') return Object.keys(value).length === 0;
  if (!MARKS.has(name)) return SEALED.has(name) && LOOKS_LIKE_ONE.test(String(value));
  return typeof value === 'number' || (String(value).length <= LONGEST_MARK && LOOKS_LIKE_ONE.test(String(value)));
}

/** Whether the name of a member is one that programs give, and no text. Others are read. */
export const isMemberName = (name: string): boolean => MEMBER_NAME.test(name) && !LONG_NUMBER.test(name);
const MEMBER_NAME = /^[A-Za-z_$][\w$]{0,31}$/;
const LONG_NUMBER = /\d{4}/;
