/** Which of the languages that models were made for a text is in. */
import { ENGLISH, isInNoneKnown, toldLanguage } from '../../languages/language.js';
import type { LanguageEntry, LanguagesModel } from './format.js';
import { tell } from './tell.js';

/** Units that tell the script of a text whose language is told by nothing else. */
const LOOKED_AT = 400;
/** Letters of a script that tell it. Han characters say more than letters do. */
const FEWEST = 4;
const FEWEST_HAN = 2;
/** Letters that say as much as a character of Chinese, Japanese or Korean. */
const LETTERS_A_CHARACTER = 2;

const SCRIPTS = ['Latin', 'Cyrillic', 'Arabic', 'Devanagari', 'Chinese', 'Japanese', 'Korean'] as const;
const RANGES: readonly (readonly [script: number, from: number, to: number])[] = [
  [0, 0xc0, 0x24f],
  [0, 0x1e00, 0x1eff],
  [1, 0x400, 0x52f],
  [2, 0x620, 0x6ff],
  [3, 0x900, 0x97f],
  [4, 0x3400, 0x9fff],
  [5, 0x3041, 0x30ff],
  [6, 0xac00, 0xd7a3],
];
/** By unit: 1 and the place of its script. */
const SCRIPT_AT = new Uint8Array(65536);
for (const [script, from, to] of RANGES) SCRIPT_AT.fill(script + 1, from, to + 1);
SCRIPT_AT.fill(1, 65, 91).fill(1, 97, 123);
const counts = new Int32Array(SCRIPTS.length + 1);

/** Letters that tell languages of one script apart. Small and large ones count alike. */
const TELLING = {
  /** of Ukrainian, which Russian has not, and the other way round */
  ukrainian: 'іїєґ',
  russian: 'ыэё',
  /** of Bulgarian, where Russian has `ы`, too */
  bulgarian: 'ъ',
  /** of further languages in Cyrillic */
  cyrillic: 'ўјљњћђџѓќѕәғқңөұүһҳӣӯ',
  /** of Persian and Urdu */
  persian: '\u067e\u0686\u0698\u06af\u0679\u0688\u0691\u06ba\u06be\u06cc\u06d2',
  /** of Marathi */
  devanagari: 'ळ',
} as const;
const MARKS = Object.keys(TELLING) as (keyof typeof TELLING)[];
/** By unit: 1 and the place of what it tells. */
const MARK_AT = new Uint8Array(65536);
for (const [i, mark] of MARKS.entries())
  for (const letter of TELLING[mark] + TELLING[mark].toUpperCase()) MARK_AT[letter.charCodeAt(0)] = i + 1;
const marks = new Int32Array(MARKS.length + 1);
const many = (mark: keyof typeof TELLING): number => marks[MARKS.indexOf(mark) + 1]!;
/** Of so many letters one is of Persian, at least, where a text is. */
const LETTERS_A_MARK = 30;

/** What Marathi and Nepali have in most sentences. */
const NOT_HINDI = /(?:^|\s)(?:आहे|छ|छन्)(?=[।\s])/;

export interface WhichLanguage {
  /** as `toldLanguage` names it; '' where a text is in English, or in none */
  foreign: string;
  /** what models there are for it */
  entry: LanguageEntry | undefined;
  /** the language is that of a part of it, and the rest is judged as English */
  alsoEnglish: boolean;
}

/** `models`: those of other languages, which are asked for only where a text may be in one. */
export function whichLanguage(text: string, models: () => LanguagesModel): WhichLanguage {
  const foreign = toldLanguage(text);
  if (foreign === ENGLISH) return { foreign: '', entry: undefined, alsoEnglish: false };
  if (foreign === '' && text.length >= LONG) return ofPieces(text, models);
  return { foreign, entry: entryOf(nameOf(text, foreign, models), models), alsoEnglish: false };
}

const entryOf = (name: string, models: () => LanguagesModel): LanguageEntry | undefined =>
  name === '' ? undefined : models().header.languages.find((each) => each.name === name);

function nameOf(text: string, foreign: string, models: () => LanguagesModel): string {
  // Before most of a text may stand a notice or a path in Latin letters.
  const script = OF_MANY.has(foreign) ? foreign : scriptOf(text);
  if (script === '') return foreign;
  if (script !== 'Latin')
    return foreign === '' || foreign === script ? ofScript(piecesIn(text, script), script) : foreign;
  const model = models().tell;
  // Words that stand in most sentences are alike in some languages that are alike.
  if (foreign !== '' && !model.languages.includes(foreign)) return foreign;
  return tell(model, text) || foreign;
}

/** A text of so many units is told by pieces of it: a manual begins with a notice or a heading, and has commands and names between. */
const LONG = 450;
const LONGER = 1200;
const PIECE = 160;
/** The order in which pieces are told: those that come first lie far apart. */
const FEW = [0, 1, 2];
const MANY = [1, 3, 5, 0, 2, 4, 6];
/** Of no document in English, there were so many pieces that are told as another language. */
const FEWEST_PIECES = 2;

/** Of 100 characters so many, at least, are Latin letters that English has not. The beginning of a text says so. */
const OWN_LETTERS = 1;
const BEGINNING = 4000;
function hasOwnLetters(text: string): boolean {
  const part = text.slice(0, BEGINNING);
  return (part.match(/[\u00c0-\u024f\u1e00-\u1eff]/g)?.length ?? 0) * 100 >= OWN_LETTERS * part.length;
}

/** What stands in place of the name of a language that nobody knows here. */
const UNKNOWN = 'the language of the text';

/**
 * By the language of most pieces that are told as one. It is that of the text where it is that of more than half; of sentences without a word that is known,
 * where it is that of all, and letters that English has not say so, too: those of Latvian are told as Spanish and as Indonesian, all of Basque as the latter.
 */
function ofPieces(text: string, models: () => LanguagesModel): WhichLanguage {
  const isUnknown = isInNoneKnown(text);
  const pieces = text.length < LONGER ? FEW : MANY;
  const votes = new Map<string, number>();
  for (const [n, i] of pieces.entries()) {
    // Most long texts are in no other language: these cost no more than short ones.
    if (n === FEW.length && votes.size === 0) break;
    const from = wordFrom(text, Math.floor(((i + 0.5) * (text.length - PIECE)) / pieces.length));
    const name = nameOf(text.slice(from, from + PIECE), '', models);
    if (name !== '') votes.set(name, (votes.get(name) ?? 0) + 1);
  }
  const [name, most] = [...votes].reduce((best, each) => (each[1] > best[1] ? each : best), ['', 0]);
  if (isUnknown && (most < pieces.length || !hasOwnLetters(text)))
    return { foreign: UNKNOWN, entry: undefined, alsoEnglish: false };
  if (most < FEWEST_PIECES) return { foreign: '', entry: undefined, alsoEnglish: false };
  const isMost = 2 * most > pieces.length;
  return { foreign: isMost ? name : '', entry: entryOf(name, models), alsoEnglish: !isMost };
}

/** Units that a word is looked for in. */
const LONGEST_WORD = 20;

/** Where the next word begins. */
function wordFrom(text: string, at: number): number {
  for (let i = at; i < at + LONGEST_WORD; i++) if (text.charCodeAt(i) <= 32) return i + 1;
  return at;
}

/** The script of most letters at the beginning of a text; '' where there are too few. */
function scriptOf(text: string): string {
  counts.fill(0);
  const to = Math.min(text.length, LOOKED_AT);
  for (let i = 0; i < to; i++) counts[SCRIPT_AT[text.charCodeAt(i)]!]!++;
  // A character says as much as some letters do.
  for (let script = 5; script < counts.length; script++) counts[script]! *= LETTERS_A_CHARACTER;
  // Kana and Han together are Japanese.
  if (counts[6]! > 0) {
    counts[6]! += counts[5]!;
    counts[5] = 0;
  }
  let best = 1;
  for (let script = 2; script < counts.length; script++) if (counts[script]! > counts[best]!) best = script;
  return counts[best]! >= (best === 5 || best === 6 ? LETTERS_A_CHARACTER * FEWEST_HAN : FEWEST)
    ? SCRIPTS[best - 1]!
    : '';
}

/** Scripts of several languages, of which there are models for some. */
const OF_MANY: ReadonlySet<string> = new Set(['Cyrillic', 'Arabic', 'Devanagari']);

/** What begins with the first letter of the script, and as much of the middle of a long text. */
function piecesIn(text: string, script: string): string {
  const place = SCRIPTS.indexOf(script as (typeof SCRIPTS)[number]) + 1;
  let from = 0;
  while (from < text.length && SCRIPT_AT[text.charCodeAt(from)] !== place) from++;
  const middle = Math.max(from + LOOKED_AT, text.length >> 1);
  return text.slice(from, from + LOOKED_AT) + text.slice(middle, middle + LOOKED_AT);
}

/** The language of a text in a script; that of the script where it is none that there are models for. */
function ofScript(text: string, script: string): string {
  if (!OF_MANY.has(script)) return script;
  marks.fill(0);
  for (let i = 0; i < text.length; i++) marks[MARK_AT[text.charCodeAt(i)]!]!++;
  if (script === 'Arabic') return LETTERS_A_MARK * many('persian') > text.length ? 'Persian' : script;
  if (script === 'Devanagari') return many('devanagari') > 0 || NOT_HINDI.test(text) ? script : 'Hindi';
  if (many('cyrillic') > 0) return script;
  if (many('ukrainian') > many('russian') + many('bulgarian')) return 'Ukrainian';
  return many('bulgarian') > many('russian') ? script : 'Russian';
}
