/**
 * Members of a message, of its parts and of its calls that have no content (decisions, Session check). The list is short and
 * closed: every other member is read. What stands deeper, such as in the arguments of a call, has no such members.
 */
import { readTokens, skipValue } from '../../json.js';

/** Ids, kinds and times. They have no content where they look like it. */
const MARKS: ReadonlySet<string> = new Set(
  (
    'id type role object index status state model call_id tool_call_id toolCallId tool_use_id toolUseId ' +
    'finish_reason stop_reason created created_at createdAt timestamp expires_at'
  ).split(' '),
);
/** What a provider reports of a call: ids, kinds, times and counts of any names. */
const REPORTS: ReadonlySet<string> = new Set(['cache_control', 'usage', 'response_metadata']);
const LONGEST_MARK = 256;

/** The tokens of a text that is read where it stands, with numbers of each. A token is no more than a word, with space around it. */
const TOKENS = 'logprobs';
const LOOKS_LIKE_TOKEN = /^\s*\S*\s*$/;

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
  const sealed = SEALED.has(name);
  if (name !== TOKENS && !REPORTS.has(name)) {
    // An id or a signature has no members.
    if (json[at] === '{' || !(sealed || MARKS.has(name))) return false;
  }
  const most = sealed ? Number.POSITIVE_INFINITY : LONGEST_MARK;
  const looks = name === TOKENS ? LOOKS_LIKE_TOKEN : LOOKS_LIKE_ONE;
  let none = true;
  readTokens(json.slice(at, skipValue(json, at)), (text) => {
    none &&= text.length <= most && looks.test(text);
  });
  return none;
}

/** The same of a parsed value that is no object or list with something in it: those must be read as they were sent. */
export function saysNothing(name: string, value: unknown): boolean {
  if (value == null || typeof value === 'boolean' || value === '') return true;
  if (typeof value === 'object') return Object.keys(value).length === 0;
  if (SEALED.has(name)) return LOOKS_LIKE_ONE.test(String(value));
  if (!MARKS.has(name) && !REPORTS.has(name) && name !== TOKENS) return false;
  return typeof value === 'number' || (String(value).length <= LONGEST_MARK && LOOKS_LIKE_ONE.test(String(value)));
}

/** Whether the name of a member is one that programs give, and no text. Others are read. */
export const isMemberName = (name: string): boolean => MEMBER_NAME.test(name) && !LONG_NUMBER.test(name);
const MEMBER_NAME = /^[A-Za-z_$][\w$]{0,31}$/;
const LONG_NUMBER = /\d{4}/;
