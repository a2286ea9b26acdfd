/** What stands around a name and its value: whether they are configuration, and whether they are of something else. */
import type { SecretValue, ValueName } from './values.js';

const [SPACE, DASH] = [32, 45] as const;
/** Whether a line of `.npmrc` names a registry and a credential, as in `//npm.test/:_authToken=`. */
export function isOfRegistry(text: string, { start }: ValueName): boolean {
  return text.startsWith('/:_', start - 2);
}

/** So far around a name its context is looked at. */
export const NEAR = 48;

/** A line before or behind one of a result, in the reports of tests: `PASS: name`. */
const RESULT = 200;
const RESULT_BEFORE = /(?:^|\n)X?(?:PASS|FAIL|SKIP|UNTESTED|UNSUPPORTED|UNRESOLVED): [^\n]*\n$/;
const RESULT_BEHIND = /^[^\n]*\nX?(?:PASS|FAIL|SKIP|UNTESTED|UNSUPPORTED|UNRESOLVED): /;

/** Whether `pass` is one of two results, a file has a checksum, or an image of a project the token. */
export function isCounted(text: string, { start, end }: ValueName): boolean {
  const near = text.slice(Math.max(0, start - NEAR), end + NEAR);
  const name = text.slice(start, end);
  if (/^pass$/i.test(name) && /\bfail/i.test(near)) return true;
  if (
    name === 'PASS' &&
    (RESULT_BEFORE.test(text.slice(Math.max(0, start - RESULT), start)) ||
      RESULT_BEHIND.test(text.slice(end, end + RESULT)))
  )
    return true;
  return text[start - 1] === '/' || /badge|\.svg\?/i.test(text.slice(Math.max(0, start - NEAR), start));
}

/** Whether the value is long, and one of those that a sealed manifest has encrypted. */
export function isSealed(text: string, { start }: ValueName, value: SecretValue): boolean {
  return value.end - value.start > 128 && /encrypted_?data["']?:/i.test(text.slice(Math.max(0, start - 2000), start));
}

/** Whether the name and the value are two of a list of names, which begin alike. */
export function isOfList(text: string, { start, joint }: ValueName, value: SecretValue): boolean {
  return joint === 'comma' && value.quoted && text.startsWith(text.slice(value.start, value.start + 2), start);
}

/** Whether words before the string say that it is an id or a checksum. */
export function isToldByWord(text: string, start: number): boolean {
  if (
    /\b(?:commit|hash|sha-?\d+|checksum|digest|fingerprint|revision)\b/i.test(
      text.slice(Math.max(0, start - NEAR), start),
    )
  )
    return true;
  return /(?:commit|sha-?\d*|hash|md5|checksum|digest|rev(?:ision)?|etag|id|fingerprint|integrity|version)\W{0,4}(?:W\/\W{0,2})?$/i.test(
    text.slice(Math.max(0, start - 24), start),
  );
}

/** Whether a line has a name and a value alone, or sets a variable of the environment. */
export function isConfigured(text: string, name: ValueName, { start, end }: SecretValue): boolean {
  if (isOfRegistry(text, name)) return true;
  if (/(?:^|\n)[ \t]{1,30}(?:value|default):[ \t]{1,4}$/.test(text.slice(Math.max(0, start - 50), start))) return true;
  if (/parametervalue=$/i.test(text.slice(Math.max(0, start - 15), start))) return true;
  const before = text.slice(Math.max(0, name.start - 40), name.start);
  const behind = text.charCodeAt(end);
  const ends = Number.isNaN(behind) || behind === 10 || behind === 13;
  if (ends && /(?:^|\n)[ \t]{0,30}(?:- |export |set |ENV |ARG |-e |--env )?[ \t"']{0,3}$/.test(before)) return true;
  return isVariable(text, name.start, start);
}

/** Whether the name is one of a variable of the environment, without a space to its value. */
export const isVariable = (text: string, name: number, value: number): boolean =>
  /^[A-Z][A-Z0-9_]*=["']?$/.test(text.slice(name, value));

/** Whether the name is one of an option: `--password=`, `-Dpassword=`, `-e ansible_password=`. */
export const isOption = (text: string, { start }: ValueName): boolean =>
  text.charCodeAt(start) === DASH
    ? text.charCodeAt(start - 1) <= SPACE
    : /\s(?:-e |--?var[= ]["']?|--set(?:-string)? )$/.test(text.slice(Math.max(0, start - 14), start));

/** Names of users with their passwords. */
export const LOGIN_NAME = /(?:(?<!o)auth|creds?|credentials?|salt|pepper)$/i;
