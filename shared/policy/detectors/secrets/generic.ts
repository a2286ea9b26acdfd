/** Judges values by their names, and by how random they are. */

import type { NameKind } from './names.js';
import { isContent, isDescription, isExample, isMethod, isOpenPgp, isReference } from './placeholders.js';
import { isId } from './prefixed.js';
import { entropyOf, wordinessOf } from './randomness.js';
import type { ValueRule } from './rule.js';
import type { Joint } from './values.js';

const rule = (name: string, what: string): ValueRule => ({
  kind: 'value',
  name,
  provider: '–',
  what,
  group: 'generic',
  score: 0.5,
});

export const GENERIC: readonly ValueRule[] = [
  rule('assigned-password', 'values of names such as `password`, `passwd` and `DB_PASS`, random or not'),
  rule('assigned-secret', 'values of names such as `secret`, `api_key` and `credentials`'),
  rule('assigned-token', 'random values of names such as `token`'),
  rule('assigned-key', 'random values of names such as `key` and `auth`'),
  rule('assigned-login', 'users and passwords of names such as `BASIC_AUTH`: `user:…`'),
  rule('encoded-basic-auth', 'user and password in Base64, as in the configuration of Docker'),
  rule('hex-string', 'random hexadecimal digits in quotes'),
  rule('base64-string', 'random Base64 in quotes'),
];
export type GenericName =
  | 'assigned-password'
  | 'assigned-secret'
  | 'assigned-token'
  | 'assigned-key'
  | 'assigned-login'
  | 'encoded-basic-auth'
  | 'hex-string'
  | 'base64-string';

/** A value, how it stands in the text, and what its name says. */
export interface Candidate {
  value: string;
  kind: NameKind;
  joint: Joint;
  quoted: boolean;
  /** the name and the value are all of their line, or the name is in upper case and no space is around the operator */
  configured: boolean;
  /** the name is one of a variable of the environment, and nothing is around the operator: `DB_PASSWORD=` */
  variable?: boolean;
  /** the name is one of an option of a command: `--password=` */
  option?: boolean;
  /** the name is one of a user and a password: `BASIC_AUTH` */
  login?: boolean;
}

export interface Judgement {
  rule: GenericName;
  score: number;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;
/** What is no credential by its form: addresses, paths, dates, versions, domains, colours, types, calls. */
const OTHER_FORM =
  /^(?:pk_(?:live|test)_|\D{0,6}\d{1,3}(?:[-~～到至]\d{1,3})?(?:位|文字|자|个|個|字符)|[a-z_]{2,20}(?::[\w,.]{1,20})?(?:\|[a-z_]{2,20}(?::[\w,.]{1,20})?){1,9}$|[a-z]\w*\.(?:text|value|val|data|body)$|\{[a-z]+$|[a-z][a-z0-9+.-]*:\/\/|--?[a-z]|scram-sha-\d|(?:latin|iso|utf|ucs|cp|windows)-?\d[\d-]{0,8}(?:$|[a-z]{2,3}\d?(?:$|_))|[a-z]+(?:_[a-z]+)+_?v?\d{1,2}$|[a-z][a-z-]*-\d+(?:\.\d+){1,3}$|[~.]{0,2}\/|\\|[A-Za-z]:\\|#[0-9a-f]{3,8}$|data:|sha\d{1,3}[-:]|md5[-:]|\d{4}-\d\d-\d\d|v?\d+(?:\.\d+){1,3}$|[\w.+-]+@[\w-]+\.[a-z.]{2,}$|(?:application|text|image|audio|video|multipart)\/|(?:https?|urn|mailto|tel|ssh-rsa|ssh-ed25519|ecdsa-sha2)\b)/i;
/** A path in a value: `users[0].password`, `users.*.token`. */
const PATH = /^[\w$]+(?:\.[\w$]+)*(?:\[[\d*]+\]|\.\*)[\w$.*[\]]*$/;
/** A regular expression. */
const PATTERN = /\(\?[:=!<]|\[[\^]?[a-z]-[a-z]|\\[dws][+*{]|\[0-9/i;
export function judge(candidate: Candidate): Judgement | undefined {
  const { value, kind } = candidate;
  if (kind === 'public' || OTHER_FORM.test(value) || isReference(value) || PATTERN.test(value)) return undefined;
  if (isContent(value) || PATH.test(value) || isMethod(value) || isDescription(value) || isExample(value))
    return undefined;
  if (kind === 'key' && isEncodedPair(value)) return { rule: 'encoded-basic-auth', score: 0.8 };
  if (candidate.login && isLogin(candidate)) return { rule: 'assigned-login', score: 0.6 };
  if (candidate.login && candidate.variable && value.length >= 8 && isDense(value))
    return { rule: 'assigned-key', score: 0.5 };
  switch (kind) {
    case 'password':
      return judged('assigned-password', passwordScore(candidate));
    case 'secret':
      return judged('assigned-secret', secretScore(candidate));
    case 'token':
      return judged('assigned-token', tokenScore(candidate));
    case 'key':
      return judged('assigned-key', keyScore(candidate)) ?? judgeString(candidate);
    default:
      return judgeString(candidate);
  }
}

const judged = (rule: GenericName, score: number): Judgement | undefined => (score > 0 ? { rule, score } : undefined);

const LOGIN = /^(?!anonymous)[\w.@+-]{2,64}:(?!\/\/)([^\s:]{6,64})$/;

/** Whether the value is a user and a password; it has a digit or a sign, but for what a variable of the environment has. */
function isLogin({ value, variable }: Candidate): boolean {
  const password = LOGIN.exec(value)?.[1];
  if (password === undefined || isReference(password) || isExample(password)) return false;
  return /\d|[^\w.-]/.test(password) || (variable === true && isOfWords(password, 2));
}

const DIGIT = /\d/;
const LETTER = /[A-Za-z\u0080-\uffff]/;
const SYMBOL = /[^A-Za-z0-9_.\-/:\u0080-\uffff]/;

/** Digits and letters, or letters in both cases, that are neither words nor uniform. */
function isRandom(value: string, most = 0.5): boolean {
  if (value.length < 10 || /\s/.test(value)) return false;
  const mixed =
    (DIGIT.test(value) && LETTER.test(value)) || (value.length >= 20 && /[a-z]/.test(value) && /[A-Z]/.test(value));
  if (!mixed && !(value.length >= 20 && LETTER.test(value) && wordinessOf(value) < 0.35)) return false;
  return entropyOf(value) >= (value.length < 16 ? 2.7 : 2.9) && wordinessOf(value) < most;
}

/** Letters of both cases at random, without a digit. */
const isRandomLetters = (value: string): boolean =>
  /^(?=.*[a-z].*[a-z])(?=.*[A-Z].*[A-Z])[A-Za-z]{12,64}$/.test(value) && wordinessOf(value) < 0.35;

/** Words with joints, as many at least. */
const isOfWords = (value: string, least: number): boolean =>
  value.length >= 8 &&
  !/^(?:read|write|case|not?|non|use|plain|self|auto|as|see|from|in|on|to|per|built|pre|ask|set|at)[-_.]/i.test(
    value,
  ) &&
  /^[A-Za-z]{2,16}(?:[-_.][A-Za-z]{2,16})+$/.test(value) &&
  value.split(/[-_.]/).length >= least;

const SINGLE_WORD = /^(?:[a-z]+|[A-Z]+|[A-Z][a-z]+)$/;
/** Words joined by separators or humps: how programs name things. */
const IDENTIFIER = /^[A-Za-z_$][A-Za-z0-9_$]*(?:[.\-:/][A-Za-z0-9_$]+)*$/;

function passwordScore({ value, joint, quoted, configured, variable, option }: Candidate): number {
  if (value.length > 128) return isRandom(value) ? 0.5 : 0;
  if (joint === 'call' || joint === 'space')
    return isRandom(value, 0.8) || (DIGIT.test(value) && LETTER.test(value) && value.length >= 6) ? 0.6 : 0;
  const strong = SYMBOL.test(value) || (DIGIT.test(value) && LETTER.test(value));
  if (quoted) {
    if (strong) return value.length >= 5 ? 0.7 : 0.4;
    if (!LETTER.test(value)) return value.length >= 6 ? 0.5 : 0.4;
    if (SINGLE_WORD.test(value)) return value.length >= 6 && joint === 'assign' ? 0.5 : 0.4;
    return isRandom(value) ||
      isRandomLetters(value) ||
      value.split(/[-_ ]/).length >= 4 ||
      (variable && (isOfWords(value, 2) || (value.length >= 8 && /[a-z][A-Z]/.test(value))))
      ? 0.5
      : 0.3;
  }
  if (strong) {
    if (value.length < 6) return 0.4;
    return configured || !IDENTIFIER.test(value) || isRandom(value, 0.6) ? 0.6 : 0.4;
  }
  if (!LETTER.test(value)) return configured && value.length >= 6 ? 0.5 : 0.3;
  if (
    (variable && isOfWords(value, 2)) ||
    ((variable || option) && value.length >= 8 && /[a-z][._-]?[A-Z]/.test(value))
  )
    return 0.5;
  return isRandomLetters(value) || (configured && SINGLE_WORD.test(value) && value.length >= 6) ? 0.5 : 0.3;
}

/** Letters, a digit, and a sign or the other case, in six characters or seven. */
const isDense = (value: string): boolean =>
  value.length >= 6 &&
  DIGIT.test(value) &&
  LETTER.test(value) &&
  (SYMBOL.test(value) || /[a-z].*[A-Z]|[A-Z].*[a-z]/.test(value));

/** Words and a number in both cases, as nobody names a thing: `maple-Syrup-81`. */
const isNumbered = (value: string): boolean =>
  /^(?=.*[a-z])(?=.*[a-z_-][A-Z])[A-Za-z]+(?:[-_][A-Za-z]+)+[-_]?\d{2,6}$/.test(value);

/** What a variable of the environment has for a secret: three words, or words and a number. */
const isPhrase = (value: string): boolean =>
  isOfWords(value, 3) || /^[A-Za-z]{3,16}(?:[-_.][A-Za-z]{2,16})*[-_.]?\d{2,8}$/.test(value);

function secretScore({ value, joint, quoted, configured, variable }: Candidate): number {
  if (UUID.test(value)) return 0.6;
  if (isRandom(value)) return quoted ? 0.7 : 0.6;
  const mixed = DIGIT.test(value) && LETTER.test(value);
  const named = IDENTIFIER.test(value) && wordinessOf(value) >= 0.6 && /[-_./:]|[a-z][A-Z]/.test(value);
  if (variable && named && isPhrase(value)) return 0.5;
  if (joint === 'call' || joint === 'space' || (named && !(quoted && isNumbered(value)))) return 0.3;
  if (quoted) {
    if (mixed || SYMBOL.test(value)) return value.length >= 8 ? 0.6 : isDense(value) ? 0.5 : 0.4;
    return SINGLE_WORD.test(value) && value.length >= 8 && joint === 'assign' ? 0.5 : 0.3;
  }
  if (variable && value.length >= 6 && (mixed || SYMBOL.test(value))) return 0.5;
  return mixed && value.length >= 8 && configured ? 0.5 : 0.3;
}

function tokenScore({ value, joint, quoted, configured, variable }: Candidate): number {
  if (UUID.test(value)) return 0.6;
  if (isRandom(value)) return quoted ? 0.65 : 0.6;
  const mixed = DIGIT.test(value) && LETTER.test(value);
  const chosen = /^[\w.-]*[!#$%&*+?@^~][\w.!#$%&*+?@^~-]*$/.test(value)
    ? variable || (quoted && joint === 'assign')
    : variable && isPhrase(value);
  if (chosen && value.length >= 8 && isDense(value)) return 0.5;
  return mixed && value.length >= 8 && (quoted || configured) && wordinessOf(value) < 0.6 ? 0.5 : 0.3;
}

function keyScore({ value, quoted }: Candidate): number {
  if (
    isId(value) ||
    isOpenPgp(value) ||
    UUID.test(value) ||
    value.length < 16 ||
    !DIGIT.test(value) ||
    !isRandom(value, 0.45)
  )
    return 0;
  return quoted ? 0.6 : 0.55;
}

/** A string that no name explains. */
function judgeString({ value, quoted }: Candidate): Judgement | undefined {
  if (!quoted || isId(value)) return undefined;
  const { length } = value;
  if (/^(?:[0-9a-f]+|[0-9A-F]+)$/.test(value)) {
    if (isOpenPgp(value)) return undefined;
    const is = length >= 32 && length <= 128 && DIGIT.test(value) && LETTER.test(value) && entropyOf(value) > 3;
    return is ? { rule: 'hex-string', score: 0.5 } : undefined;
  }
  if (length < 24 || length > 256 || !/^[A-Za-z0-9+/_-]+={0,2}$/.test(value) || UUID.test(value)) return undefined;
  if (!DIGIT.test(value) || !/[a-z].*[a-z]/.test(value) || !/[A-Z].*[A-Z]/.test(value)) return undefined;
  return wordinessOf(value) < 0.42 && entropyOf(value) >= (length < 40 ? 4 : 4.3)
    ? { rule: 'base64-string', score: 0.5 }
    : undefined;
}

/** Whether `value` is `user:password` in Base64. */
export function isEncodedPair(value: string): boolean {
  if (value.length < 12 || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) return false;
  const pair = Buffer.from(value, 'base64').toString('latin1');
  return (
    /^[\x21-\x39\x3b-\x7e]{1,128}:[\x20-\x7e]{3,256}$/.test(pair) && !isReference(pair.slice(pair.indexOf(':') + 1))
  );
}
