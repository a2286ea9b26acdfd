/** Words that a term of the bundles is found in, and that are ordinary ones where they stand: in another language, or with its marks. */
import { dataLines } from '../../../data-file.js';
import type { Find, SentPlace } from '../../engine/probes/probe.js';
import { inTrie } from '../../engine/probes/terms/units.js';
import { compatible, fold } from '../../engine/views/normalise.js';
import { isAcronym } from './acronyms.js';
import type { BundleTerm } from './bundles.js';
import { isCode, isOfAddress } from './code.js';
import { languageAround, type SentenceLanguage } from './languages.js';

/** Letters of a word on either side of a find that are read. */
const AROUND = 32;
/** And so much of the find itself: a letter may be repeated thousands of times. */
const MOST_READ = 256;
const LETTER = /[\p{L}\p{M}]/u;
const CYRILLIC = /\p{Script=Cyrillic}/u;
const OTHER_SCRIPT = /(?!\p{Script=Cyrillic})\p{L}/u;
const MARK = /\p{M}/u;
/** Letters of languages whose marks are not apart. */
const WITH_STROKES = /[æœøłđßŋı]/i;
/** Of a shorter root, marks make another word. */
const LONG_ROOT = 4;
/** Stands for all languages. */
const ALL = 'all';
/** The sign may be read as a letter of the word. */
const CALCULATED = /^\w?[+*-]\d/;
/** In other languages, single words of these count only as they are known everywhere. */
const WORDS_OF_ENGLISH = ['profanity', 'slurs', 'sexual', 'insults'];

/** Ordinary words: folded words, and pieces of words, each with the languages that have it. */
interface Neighbours {
  words: ReadonlyMap<string, readonly string[]>;
  pieces: readonly (readonly [piece: string, codes: readonly string[]])[];
}

let known: Neighbours | undefined;

function neighbours(): Neighbours {
  if (known) return known;
  const words = new Map<string, readonly string[]>();
  for (const line of dataLines('policy/detectors/terms/bundles/neighbours')) {
    const [listed, codes] = line.split(': ') as [words: string, codes: string];
    for (const word of listed.split(', ')) words.set(word, [...(words.get(word) ?? []), ...codes.split(' ')]);
  }
  const pieces = [...words].filter(([word]) => word.startsWith('*'));
  known = { words, pieces: pieces.map(([piece, codes]) => [piece.slice(1, -1), codes]) };
  return known;
}

/** Languages in which a word is an ordinary one. */
function languagesOf(word: string): readonly string[] {
  const { words, pieces } = neighbours();
  return words.get(word) ?? pieces.find(([piece]) => word.includes(piece))?.[1] ?? [];
}

/** Whether `find` of `term` is what the term means. Its language is asked for only where that may say no. */
export function isMeant(find: Find, term: BundleTerm, place: SentPlace): boolean {
  if (isCode(find, place) || isOfAddress(find, place) || isAcronym(find, place)) return false;
  const { sent, start, end } = place;
  const piece = compatible(sent.slice(start, Math.min(end, start + MOST_READ)));
  const isCyrillic = CYRILLIC.test(piece) && !OTHER_SCRIPT.test(piece);
  if (isCyrillic !== (term.language === 'ru')) return false;
  if (isLaughter(piece, term)) return false;
  const [from, to] = wordAround(sent, start, end);
  const language = (): SentenceLanguage => languageAround(sent, from, to);
  const isPhrase = /\s/.test(piece);
  // Marks over marks are of no language.
  const isMarked = (MARK.test(piece.normalize('NFD')) || WITH_STROKES.test(piece)) && !MARK.test(piece);
  const ordinary = languagesOf(fold(compatible(sent.slice(from, Math.min(to, from + MOST_READ)))));
  if (ordinary.some((code) => code === ALL || language().codes.has(code))) return false;
  // What Danes and Swedes call a variable.
  if (ordinary.length > 0 && CALCULATED.test(sent.slice(end - 1, end + 2))) return false;
  if (term.language !== 'en') return isForeign(term, { isPhrase, isMarked, language });
  if (isPhrase) return true;
  const letters = lettersOf(piece);
  if (isMarked && !(letters.includes(term.root) && mayHide(term) && language().codes.size === 0)) return false;
  const isPlain = undoubled(letters).includes(undoubled(term.root));
  if (term.form === 'within' && (isPlain || find.view === 'masked' || find.view === 'leetspeak')) return true;
  return !WORDS_OF_ENGLISH.includes(term.bundle) || !language().sure;
}

/** One letter over and over, more often than a term of one letter has it: Brazilians laugh so. */
const isLaughter = (piece: string, { root }: BundleTerm): boolean =>
  /^(.)\1+$/.test(root) && piece.length > root.length;

/** Whether marks on its letters hide it, rather than make another word of it. */
const mayHide = ({ root, form }: BundleTerm): boolean => root.length >= LONG_ROOT && form !== 'whole';

interface ForeignFind {
  isPhrase: boolean;
  isMarked: boolean;
  language(): SentenceLanguage;
}

/** The same of a term of another language than English. */
function isForeign({ own, marks, language: code }: BundleTerm, { isPhrase, isMarked, language }: ForeignFind): boolean {
  if (!isPhrase && isMarked && marks === 'none' && code !== 'ru') return false;
  if (marks === 'always' && !isMarked) return false;
  if (own || (marks === 'needed' && !isMarked)) return language().codes.has(code);
  if (isPhrase) return true;
  const { sure, codes } = language();
  return !sure || codes.has(code);
}

const lettersOf = (piece: string): string => inTrie(fold(piece)).replace(/[^a-z]/g, '');
const undoubled = (letters: string): string => letters.replace(/(.)\1+/g, '$1');

/** Where the word begins and ends that holds what is at `start` to `end`. */
function wordAround(text: string, start: number, end: number): [from: number, to: number] {
  let from = start;
  while (from > 0 && start - from < AROUND && LETTER.test(text[from - 1]!)) from--;
  let to = end;
  while (to < text.length && to - end < AROUND && LETTER.test(text[to]!)) to++;
  return [from, to];
}
