/** Makes labelled texts: sentences whose slots are filled, among real ones that have no names. */
import type { TrainingRandom } from '../random.js';
import { type Culture, createSlots, type SlotPiece } from './slots.js';
import type { NameTexts } from './texts.js';

export interface NamedText {
  text: string;
  /** UTF-16 units, in their order */
  spans: { start: number; end: number; entity: number }[];
}

const SLOT = /\{([a-z]+(?: [a-z]+)*(?::[a-z]+)?)\}/g;
const CHOICE = /\[([^[\]]*\|[^[\]]*)\]/g;
const OTHER_LANGUAGES = 0.16;

/** `plain`: real sentences without names. */
export function createTexts(texts: NameTexts, plain: readonly string[], random: TrainingRandom): () => NamedText {
  const { pick, chance, below } = random;
  const slots = createSlots(texts.lists, random);
  const english = texts.sections.filter(({ language }) => language === 'en');
  const others = texts.sections.filter(({ language }) => language !== 'en');
  const total = english.reduce((sum, { weight, sentences }) => sum + weight * sentences.length, 0);

  const drawn = (): string => {
    let at = below(total);
    for (const { weight, sentences } of english) {
      if (at < weight * sentences.length) return sentences[Math.floor(at / weight)]!;
      at -= weight * sentences.length;
    }
    return '';
  };
  const filled = (sentence: string, culture: Culture | undefined): SlotPiece[] => {
    const chosen = sentence.replace(CHOICE, (_, words: string) => pick(words.split('|')));
    const pieces: SlotPiece[] = [];
    let behind = 0;
    for (const match of chosen.matchAll(SLOT)) {
      pieces.push({ text: chosen.slice(behind, match.index) }, ...slots.make(match[1]!, culture));
      behind = match.index + match[0].length;
    }
    pieces.push({ text: chosen.slice(behind) });
    return pieces;
  };
  const sentence = (): SlotPiece[] => {
    const kind = below(100);
    if (kind < 24) return [{ text: written(pick(plain)) }];
    if (kind >= 100 * (1 - OTHER_LANGUAGES)) {
      const { language, sentences } = pick(others);
      return filled(pick(sentences), language as Culture);
    }
    const one = drawn();
    const pieces = filled(one, undefined);
    if (chance(0.08) && /\w[.!?]$/.test(one)) pieces.at(-1)!.text = pieces.at(-1)!.text.slice(0, -1);
    return pieces;
  };
  /** A real sentence, at times as a heading or with a capital somewhere: a capital alone makes no name. */
  const written = (text: string): string => {
    const kind = below(100);
    if (kind < 9)
      return text
        .replace(
          /(?<![\p{L}'’])\p{L}{4,}|(?<![\p{L}'’])\p{L}+$/gu,
          (word) => word.slice(0, 1).toUpperCase() + word.slice(1),
        )
        .replace(/[.!?]$/, '');
    if (kind < 13) return text.toUpperCase();
    if (kind < 24)
      return text.replace(/(?<=\s)\p{Ll}{3,}/gu, (word) =>
        chance(0.12) ? word.slice(0, 1).toUpperCase() + word.slice(1) : word,
      );
    if (kind < 28) return text.replace(/(?<=\s)\p{Ll}{3,}/gu, (word) => (chance(0.15) ? word.toUpperCase() : word));
    return text;
  };
  return () => {
    const pieces: SlotPiece[] = [];
    const count = 1 + (chance(0.4) ? 1 + below(2) : 0);
    for (let i = 0; i < count; i++) {
      if (i > 0) pieces.push({ text: pick([' ', ' ', ' ', '\n', '\n\n']) });
      pieces.push(...sentence());
    }
    const kind = below(100);
    if (kind < 12) return joined(pieces, (text) => text.toLowerCase());
    return kind < 15 ? joined(pieces, (text) => text.toUpperCase()) : joined(pieces, (text) => text);
  };
}

function joined(pieces: readonly SlotPiece[], write: (text: string) => string): NamedText {
  let text = '';
  const spans: NamedText['spans'] = [];
  for (const { text: piece, entity } of pieces) {
    const start = text.length;
    text += write(piece);
    if (entity !== undefined) spans.push({ start, end: text.length, entity });
  }
  return { text, spans };
}

const SIGNS = /[^\p{L}\p{M}\p{N}\s]/u;

/** Whether a sentence has no capital but the first, whose word is usually small: so it has no name. */
export function isPlain(sentence: string, isCommon: (word: string) => boolean): boolean {
  if (sentence.length < 12 || sentence.length > 240 || /[{}[\]\n|]/.test(sentence)) return false;
  const words = sentence
    .split(/\s+/)
    .map((word) => word.replace(new RegExp(`^${SIGNS.source}+|${SIGNS.source}+$`, 'gu'), ''));
  return words.every((word, i) => word === '' || /^I(['’]\w+)?$/.test(word) || isSmall(word, i === 0, isCommon));
}

function isSmall(word: string, isFirst: boolean, isCommon: (word: string) => boolean): boolean {
  const small = word.toLowerCase();
  if (/\p{L}/u.test(word) && !isCommon(small.replace(/['’].*$/, ''))) return false;
  return small === word || (isFirst && /^\p{Lu}\p{Ll}*$/u.test(word.replace(/['’].*$/, '')));
}
