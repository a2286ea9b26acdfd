/** Marks that are typed in several ways: apostrophes, and the hyphens and underscores that join words. */
import { isSignAt, isWordAt } from './characters.js';

const APOSTROPHE = 39;
const HYPHEN = 45;
const UNDERSCORE = 95;

/** Acute and grave accents that stand alone, modifier letters, quotation marks and primes. */
export const APOSTROPHES = "'`\u00b4\u02b9\u02bb\u02bc\u02bd\u02c8\u055a\u2018\u2019\u201b\u2032\uff07";
/** A long dash parts sentences, so it is none. */
export const HYPHENS = '-\u05be\u2010\u2011\u2012\u2013\u2212\ufe63\uff0d';

const PLAIN = new Map<number, number>();
for (const each of APOSTROPHES) PLAIN.set(each.charCodeAt(0), APOSTROPHE);
for (const each of HYPHENS) PLAIN.set(each.charCodeAt(0), HYPHEN);

/** The typewriter's form of an apostrophe or hyphen; any other unit as it is. */
export function plainMark(unit: number): number {
  if (unit < 128) return unit === 96 ? APOSTROPHE : unit;
  return PLAIN.get(unit) ?? unit;
}

/** Whether a hyphen or underscore at `index` stands behind a letter, a digit or a vowel sign. */
export function isBehindWord(text: string, index: number): boolean {
  const mark = plainMark(text.charCodeAt(index));
  return (mark === HYPHEN || mark === UNDERSCORE) && isOfWord(text, index - 1);
}

/** Whether a hyphen or underscore at `index` joins two words. */
export const isJoin = (text: string, index: number): boolean => isBehindWord(text, index) && isOfWord(text, index + 1);

const isOfWord = (text: string, index: number): boolean => isWordAt(text, index) || isSignAt(text, index);

/** A term with typewriter's marks, and with a space for each hyphen and underscore that joins two words. */
export function withPlainMarks(term: string): string {
  let plain = '';
  for (let i = 0; i < term.length; i++) {
    plain += isJoin(term, i) ? ' ' : String.fromCharCode(plainMark(term.charCodeAt(i)));
  }
  return plain;
}
