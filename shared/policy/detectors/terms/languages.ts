/**
 * Which language a sentence is in, told by its frequent words and letters. Only sentences that a word was found in are looked at. One word
 * may tell it, where `languages/language.ts` asks for many of a text: a find that is ordinary in either language is none.
 */
import { firstOf, LANGUAGES, languagesOf } from '../../languages/words.js';

/** Characters on either side of a find that are read, at most to where its sentence begins and ends. */
const AROUND = 160;
/** A text that asks for more sentences has no language from there on, so what is found in it counts. */
const MOST_SENTENCES = 512;
const END = /[.!?\n。！？]/;
const WORDS = /\p{L}+/gu;

/** Letters of few languages. */
const LETTERS: Readonly<Record<string, RegExp>> = {
  vi: /[ăđơư\u1ea0-\u1ef9]/,
  ro: /[ășşțţ]/,
  pl: /[ąćęłńśźż]/,
  cs: /[ěřůťďňčšž]/,
  hr: /[čćđšž]/,
  tr: /[ğış]/,
  hu: /[őű]/,
  sv: /[åäö]/,
  da: /[åæø]/,
  no: /[åæø]/,
  de: /[äöüß]/,
  fr: /[çëîïûœ]/,
  es: /[ñ¿¡]/,
  pt: /[ãõç]/,
};

export interface SentenceLanguage {
  /** languages that tell most words, at least one and more than English does; English is none of them */
  codes: ReadonlySet<string>;
  /** so many words that it is surely none of English */
  sure: boolean;
}

const UNKNOWN: SentenceLanguage = { codes: new Set(), sure: false };

let looked = '';
let left = 0;
let last: { start: number; end: number; language: SentenceLanguage } | undefined;

/** The language of the sentence around `start` to `end`, whose own words do not count. */
export function languageAround(text: string, start: number, end: number): SentenceLanguage {
  if (text !== looked) [looked, left, last] = [text, MOST_SENTENCES, undefined];
  if (last?.start === start && last.end === end) return last.language;
  if (left-- <= 0) return UNKNOWN;
  const before = text.slice(Math.max(0, start - AROUND), start);
  const after = text.slice(end, end + AROUND);
  let from = before.length;
  while (from > 0 && !END.test(before[from - 1]!)) from--;
  const to = after.search(END);
  const language = languageOf(`${before.slice(from)} ${to < 0 ? after : after.slice(0, to)}`);
  last = { start, end, language };
  return language;
}

const AT_ENGLISH = 0;
const counts = new Uint16Array(LANGUAGES.length);

function languageOf(sentence: string): SentenceLanguage {
  counts.fill(0);
  for (const [word] of sentence.toLowerCase().normalize('NFC').matchAll(WORDS)) {
    for (let bits = languagesOf(word) || lettersIn(word); bits !== 0; bits &= bits - 1) counts[firstOf(bits)]!++;
  }
  const english = counts[AT_ENGLISH]!;
  counts[AT_ENGLISH] = 0;
  const most = Math.max(...counts);
  if (most <= english) return UNKNOWN;
  const codes = LANGUAGES.filter((_, i) => counts[i] === most).map(({ code }) => code);
  return { codes: new Set(codes), sure: most >= 2 && most > 2 * english };
}

const ASCII = /^[a-z]+$/;

/** The bits of the languages that have the letters of a word. */
function lettersIn(word: string): number {
  if (ASCII.test(word)) return 0;
  return LANGUAGES.reduce((bits, { code }, i) => (LETTERS[code]?.test(word) ? bits | (1 << i) : bits), 0);
}
