/** What values beside a name look like: passwords as people choose and programs make them, and tokens. */
import type { NameKind } from './names.js';
import { isContent, isDescription, isExample, isMethod, isPlaceholder, isReference } from './placeholders.js';
import { entropyOf, wordinessOf } from './randomness.js';

export interface SpokenSecret {
  /** where the name and the credential stand */
  name: { start: number; end: number };
  start: number;
  end: number;
  kind: NameKind;
  /** something between the two says that the one is the other */
  told: boolean;
}

/** A value in prose, with what ends a sentence or a mark behind it. Sticky: set where it starts. */
export const VALUE = /[^\s\ufffd"'`<>|“”»\u0e00-\u0eff\u3000-\u9fff\uac00-\ud7a3\uff00-\uffef]{6,300}/y;

/** Addresses, paths, files, dates, versions, amounts, options, and what programs call. */
const OTHER_VALUE =
  /^(?:pk_(?:live|test)_|sha-?\d{1,3}[:-]|md5:|[A-Za-z_$][\w$.]*\[|[^,]{0,12},[A-Za-z_$][\w$.]*[:=(]|[^\s\]]*\]\(|[a-z][a-z0-9+.-]*:\/\/|[~.]{0,2}\/|[A-Za-z]:\\|--?[a-z]|#[\w-]+$|\d[\d.,:%/-]*[a-z]{0,7}[.!]?$|v?\d+(?:\.\d+)+|[\w.+-]+@[\w-]+\.[a-z.]{2,}$|[a-z][\w:]*[.(][a-z_$]|[a-z_]+=\S*$|0x[\da-f]{1,16}$|\w+\(|[\w-]+\.(?:js|ts|json|ya?ml|txt|md|pem|crt|py|go|rb|php|html?|env|conf|cfg)$)/i;
/** Of a pattern. */
const CLASS = /a-z|A-Z|0-9[\]_/!]/;
const isNone = (value: string): boolean =>
  isReference(value) ||
  isDescription(value) ||
  OTHER_VALUE.test(value) ||
  CLASS.test(value) ||
  isMethod(value) ||
  isContent(value);

/** Longer ones are keys, or encrypted. */
export const LONGEST_PASSWORD = 128;

/** `told`: something says that it is one. Then a word with a digit is enough; else it mixes cases or has a symbol. */
export function isPassword(value: string, told: boolean): boolean {
  if (value.length > LONGEST_PASSWORD || isNone(value) || (told ? isPlaceholder(value) : isExample(value)))
    return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  const hasLetter = /\p{L}/u.test(value);
  const mixed = /[A-Z]/.test(value) && /[a-z]/.test(value);
  const symbol = /[!@#$%^&*+=~?\\[\]{}]/.test(value);
  if (told && /^\p{L}{2,}[!@#$%^&*~]\p{L}{3,}$/u.test(value) && value.length >= 8) return true;
  if (told) return hasLetter && (digits > 0 ? value.length >= 6 : symbol && mixed && value.length >= 8);
  if (value.length < 8 || digits === 0 || !hasLetter || !(mixed || symbol)) return false;
  // Names end with digits; what is random has them within.
  return wordinessOf(value) < (/\d+[A-Za-z]+/.test(value) && mixed ? 0.65 : 0.5);
}

/** Words and what people put behind them: `Maple2020`, `silverTiger85!`. */
const CHOSEN =
  /^(?=.{8,40}$)(?=.*\p{Ll})(?=.*\p{Lu})[\p{L}\d@$!#%&*._-]*\p{L}(?:\d{2,8}[!@#$%&*?+]{0,3}|\d[!@#$%&*?+]{1,3}|[@#$%&*_-]\d{1,6}[!@#$%&*?+]{0,3})$/u;
/** Words with a number between them, as managers of passwords make them: `blue-Horse-72-staple`. */
const WORDS = /^(?=.*\d)(?=.*[A-Z])[A-Za-z]{3,12}(?:[-_.][A-Za-z\d]{1,12}){2,5}$/;
/** A word with a number behind or within it, or small letters and digits at random. */
const WORD_AND_NUMBER = /^(?:\p{Ll}{4,16}\d{2,8}|(?=.{7,24}$)\p{Ll}{1,8}\d{1,3}\p{Ll}{2,12}\d{0,4})[!@#$%&*?+]{0,3}$/u;
export const isWordWithNumber = (value: string): boolean =>
  (WORD_AND_NUMBER.test(value) || (/^(?=.*\d)[a-z\d]{10,40}$/.test(value) && wordinessOf(value) < 0.5)) &&
  !isNone(value);
/** Words and numbers with joints: `gast-2291`, `N4s_keller`. */
const JOINED = /^(?=\D{0,24}\d)[A-Za-z]{1,12}\d{0,4}[A-Za-z]{0,12}(?:[-_][A-Za-z\d]{1,12}){1,4}$/;
export const isJoined = (value: string): boolean =>
  value.length >= 7 && JOINED.test(value) && !isNone(value) && !isExample(value);
export const isChosen = (value: string): boolean =>
  (CHOSEN.test(value) || WORDS.test(value)) && !isNone(value) && !isExample(value);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `named`: the name is one of credentials alone, so a UUID may be one, too. */
export function isToken(value: string, named: boolean): boolean {
  if (value.length < 16 || !/^[\w+/=.~%:-]+$/.test(value) || isNone(value) || isExample(value)) return false;
  if (UUID.test(value)) return named;
  const digits = value.match(/\d/g)?.length ?? 0;
  const letters = value.match(/[A-Za-z]/g)?.length ?? 0;
  if (letters < 4 || digits < (value.length >= 24 && wordinessOf(value) < 0.35 ? 1 : 2)) return false;
  return entropyOf(value) >= 3 && (/^[0-9a-f-]+$/i.test(value) || wordinessOf(value) < 0.5);
}
