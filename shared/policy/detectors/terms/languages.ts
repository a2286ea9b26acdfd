/** Which language a sentence is in, told by its frequent words and letters. Only sentences that a word was found in are looked at. */
import { dataLines } from '../../../data-file.js';

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

let known: ReadonlyMap<string, readonly string[]> | undefined;

/** By word: the languages that it tells. */
function stopWords(): ReadonlyMap<string, readonly string[]> {
  if (known) return known;
  const byWord = new Map<string, string[]>();
  for (const line of dataLines('policy/detectors/terms/bundles/stop_words')) {
    const [code, words] = line.split(': ') as [code: string, words: string];
    for (const word of new Set(words.split(' '))) byWord.set(word, [...(byWord.get(word) ?? []), code]);
  }
  known = byWord;
  return byWord;
}

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

function languageOf(sentence: string): SentenceLanguage {
  const counts = new Map<string, number>();
  const add = (code: string): unknown => counts.set(code, (counts.get(code) ?? 0) + 1);
  for (const [word] of sentence.toLowerCase().normalize('NFC').matchAll(WORDS)) {
    const codes = stopWords().get(word);
    if (codes) codes.forEach(add);
    else for (const code of lettersIn(word)) add(code);
  }
  const english = counts.get('en') ?? 0;
  counts.delete('en');
  const most = Math.max(0, ...counts.values());
  if (most <= english) return UNKNOWN;
  const codes = [...counts].filter(([, count]) => count === most).map(([code]) => code);
  return { codes: new Set(codes), sure: most >= 2 && most > 2 * english };
}

const ASCII = /^[a-z]+$/;

const lettersIn = (word: string): string[] =>
  ASCII.test(word) ? [] : Object.keys(LETTERS).filter((code) => LETTERS[code]!.test(word));
