/**
 * Cuts a text into tokens: words, numbers, single signs and line breaks, with what the tagger is told of each. The tokens of a passage stand
 * in lists that are written again by the next one, since to make an object of each takes longer than the rest.
 */
import { unitTable } from '../../../engine/unit-table.js';

/** Tokens of a passage at most: what is longer is cut, at the end of a sentence where there is one. */
export const MAX_TOKENS = 256;
/** From here on, a passage ends with its sentence. */
const ENOUGH_TOKENS = 160;
/** Longer words are code. */
const MAX_WORD = 40;

/** How a token is written. */
export const SHAPES = {
  lower: 0,
  capital: 1,
  capitals: 2,
  initial: 3,
  mixed: 4,
  inner: 5,
  digits: 6,
  letters: 7,
  sign: 8,
  line: 9,
  code: 10,
  other: 11,
  hyphen: 12,
} as const;

/** How the words of a sentence are written: as usual, without capitals, in capitals alone, most of them with a capital. */
export const MODES = { usual: 0, lower: 1, capitals: 2, title: 3 } as const;

export interface Tokens {
  count: number;
  /** in UTF-16 units of the text */
  start: Int32Array;
  end: Int32Array;
  /** hash of the word in small letters without accents; digits are alike */
  word: Int32Array;
  shape: Uint8Array;
  /** hashes of the first three letters, and of the last two and three */
  first3: Int32Array;
  last2: Int32Array;
  last3: Int32Array;
  /** 1 where a sentence, a line or a value begins */
  begins: Uint8Array;
  mode: Uint8Array;
}

export const newTokens = (): Tokens => ({
  count: 0,
  start: new Int32Array(MAX_TOKENS + 1),
  end: new Int32Array(MAX_TOKENS + 1),
  word: new Int32Array(MAX_TOKENS + 1),
  shape: new Uint8Array(MAX_TOKENS + 1),
  first3: new Int32Array(MAX_TOKENS + 1),
  last2: new Int32Array(MAX_TOKENS + 1),
  last3: new Int32Array(MAX_TOKENS + 1),
  begins: new Uint8Array(MAX_TOKENS + 1),
  mode: new Uint8Array(MAX_TOKENS + 1),
});

const [SPACE, LOWER, UPPER, DIGIT, SIGN, BREAK, OTHER] = [0, 1, 2, 3, 4, 5, 6] as const;
const [HYPHEN, DOT, AT, UNDERSCORE, BACKSLASH, COLON, SLASH] = [45, 46, 64, 95, 92, 58, 47] as const;
const APOSTROPHES = [39, 0x2019];

/** By unit: its kind, and its small letter without accents. */
let kinds: Uint8Array | undefined;
let folded: Uint16Array;

/** Short words behind which a dot ends no sentence, and their hashes. */
const ABBREVIATED =
  'mr mrs ms mx dr prof st sr jr hr fr mme mlle sig dott ing inc ltd co corp no nr vs etc ave blvd rd apt dept gen col sgt capt rev hon';
let abbreviated: ReadonlySet<number>;

/** Takes some milliseconds, once. */
function prepare(): Uint8Array {
  if (kinds) return kinds;
  const made = unitTable(SIGN, [
    [/[\p{L}\p{M}]+/gu, OTHER],
    [/\p{Nd}+/gu, DIGIT],
    [/\p{Ll}+/gu, LOWER],
    [/[\p{Lu}\p{Lt}]+/gu, UPPER],
    [/\s+/g, SPACE],
    [/\n/g, BREAK],
  ]);
  folded = Uint16Array.from(made, (kind, unit) =>
    kind === UPPER || kind === LOWER ? foldedUnit(String.fromCharCode(unit)) : unit,
  );
  kinds = made;
  abbreviated = new Set(ABBREVIATED.split(' ').map(hashOfWord));
  return made;
}

function foldedUnit(text: string): number {
  const plain = text.toLowerCase().normalize('NFD');
  return plain.charCodeAt(0);
}

const FIRST = 0x811c9dc5 | 0;
const nextHash = (hash: number, unit: number): number => Math.imul(hash ^ unit, 0x01000193);

/** The hash of a word as {@link Tokens} have it. */
export function hashOfWord(word: string): number {
  prepare();
  let hash = FIRST;
  for (let i = 0; i < word.length; i++) hash = nextHash(hash, readUnit(word.charCodeAt(i)));
  return hash;
}

const readUnit = (unit: number): number => (kinds![unit] === DIGIT ? 48 : folded[unit]!);

/** Reads the passage that begins at `from` into `tokens`; returns where the next one begins. */
export function readTokens(text: string, from: number, tokens: Tokens): number {
  const table = prepare();
  tokens.count = 0;
  let sentence = 0;
  let begins = 1;
  let i = from;
  while (i < text.length) {
    const unit = text.charCodeAt(i);
    const kind = table[unit]!;
    if (kind === SPACE) {
      i++;
      continue;
    }
    const at = tokens.count;
    if (kind === BREAK) {
      const behind = endOfBreaks(text, i, table);
      if (at > 0) addSign(tokens, { start: i, end: i + 1, unit: 10, shape: SHAPES.line });
      setMode(tokens, sentence);
      sentence = tokens.count;
      begins = 1;
      i = behind.end;
      if ((behind.breaks > 1 && at > 0) || tokens.count >= ENOUGH_TOKENS) return i;
      continue;
    }
    tokens.begins[at] = begins;
    begins = 0;
    if (kind === SIGN) {
      if (isWithinCode(text, i, unit, table)) i = addCode(text, i, tokens);
      else {
        addSign(tokens, { start: i, end: i + 1, unit, shape: SHAPES.sign });
        i++;
        if (endsSentence(unit, tokens)) {
          setMode(tokens, sentence);
          sentence = tokens.count;
          begins = 1;
          if (tokens.count >= ENOUGH_TOKENS) return i;
        } else if (at === 0 || tokens.begins[at] === 1) begins = 1;
      }
    } else i = addWord(text, i, tokens);
    if (tokens.count === MAX_TOKENS) break;
  }
  setMode(tokens, sentence);
  return i;
}

/** Behind the white space at `i`, with the line breaks in it. */
function endOfBreaks(text: string, i: number, table: Uint8Array): { end: number; breaks: number } {
  let breaks = 0;
  let end = i;
  for (; end < text.length; end++) {
    const kind = table[text.charCodeAt(end)]!;
    if (kind === BREAK) breaks++;
    else if (kind !== SPACE) break;
  }
  return { end, breaks };
}

interface TokenSign {
  start: number;
  end: number;
  unit: number;
  shape: number;
}

function addSign(tokens: Tokens, { start, end, unit, shape }: TokenSign): void {
  const at = tokens.count++;
  tokens.start[at] = start;
  tokens.end[at] = end;
  // Hyphens, quotes and apostrophes of all kinds are alike.
  const alike = unit >= 0x2010 && unit <= 0x2015 ? HYPHEN : unit >= 0x2018 && unit <= 0x201f ? 34 : unit;
  const hash = nextHash(FIRST, alike);
  tokens.word[at] = hash;
  tokens.shape[at] = shape;
  tokens.first3[at] = hash;
  tokens.last2[at] = hash;
  tokens.last3[at] = hash;
}

/** Whether a sentence ends with the sign that was added last: not behind an initial or an abbreviation. */
function endsSentence(unit: number, { count, word, shape, end, start }: Tokens): boolean {
  if (unit === 33 || unit === 63) return true;
  if (unit !== DOT || count < 2 || end[count - 2] !== start[count - 1]) return unit === DOT;
  return shape[count - 2] !== SHAPES.initial && !abbreviated.has(word[count - 2]!);
}

/** Whether the sign joins what stands before and behind it to a name of a program, an address on the web or of e-mail. */
function isWithinCode(text: string, i: number, unit: number, table: Uint8Array): boolean {
  if (i === 0 || i + 1 >= text.length) return unit === AT;
  const before = table[text.charCodeAt(i - 1)]!;
  const behind = table[text.charCodeAt(i + 1)]!;
  const isBetween = before !== SPACE && before !== BREAK && behind !== SPACE && behind !== BREAK;
  if (unit === AT || unit === UNDERSCORE || unit === BACKSLASH) return isBetween && before !== SIGN;
  if (unit === DOT) return behind === LOWER && before !== SIGN && before !== SPACE && before !== BREAK;
  return unit === COLON && text.charCodeAt(i + 1) === SLASH && text.charCodeAt(i + 2) === SLASH;
}

/** The rest of the code at `i`, together with the tokens that it follows without a space. */
function addCode(text: string, i: number, tokens: Tokens): number {
  const table = kinds!;
  let start = i;
  while (tokens.count > 0 && tokens.end[tokens.count - 1] === start && isOfCode(text, start - 1)) {
    tokens.count--;
    start = tokens.start[tokens.count]!;
  }
  let end = i + 1;
  while (end < text.length && isOfCode(text, end) && table[text.charCodeAt(end)]! !== SPACE) end++;
  const last = text.charCodeAt(end - 1);
  if (end - 1 > i && (last === DOT || last === COLON)) end--;
  addSign(tokens, { start, end, unit: 0, shape: SHAPES.code });
  return end;
}

/** Whether what stands at `i` may be within code: no white space, quote, bracket, comma or semicolon. */
function isOfCode(text: string, i: number): boolean {
  const unit = text.charCodeAt(i);
  const kind = kinds![unit]!;
  if (kind === SPACE || kind === BREAK) return false;
  return kind !== SIGN || !'"\'`()[]{}<>,;|=“”‘’'.includes(text[i]!);
}

/** Adds the word or number at `i`; returns where it ends. */
function addWord(text: string, i: number, tokens: Tokens): number {
  const table = kinds!;
  const at = tokens.count++;
  let [uppers, lowers, digits, others, hyphens, inner] = [0, 0, 0, 0, 0, 0];
  let [hash, first3, a, b, c] = [FIRST, FIRST, 0, 0, 0];
  let end = i;
  let last: number = SIGN;
  for (; end < text.length; end++) {
    const unit = text.charCodeAt(end);
    let kind = table[unit]!;
    if (kind === SIGN) {
      if (!joins(text, end, unit)) break;
      if (unit === HYPHEN) hyphens++;
      kind = SIGN;
    } else if (kind === SPACE || kind === BREAK) break;
    if (kind === UPPER) {
      uppers++;
      if (last === LOWER) inner++;
    } else if (kind === LOWER) lowers++;
    else if (kind === DIGIT) digits++;
    else if (kind === OTHER) others++;
    last = kind;
    const code = kind === DIGIT ? 48 : folded[unit]!;
    hash = nextHash(hash, code);
    if (end - i < 3) first3 = hash;
    [a, b, c] = [b, c, code];
  }
  const first = table[text.charCodeAt(i)]!;
  tokens.start[at] = i;
  tokens.end[at] = end;
  tokens.word[at] = hash;
  tokens.first3[at] = first3;
  tokens.last2[at] = nextHash(nextHash(FIRST, b), c);
  tokens.last3[at] = nextHash(nextHash(nextHash(FIRST, a), b), c);
  tokens.shape[at] = shapeOf({ uppers, lowers, digits, others, hyphens, inner, first, length: end - i });
  return end;
}

/** Whether a hyphen or an apostrophe joins letters. That of "'s" and of French and Italian articles does not. */
function joins(text: string, at: number, unit: number): boolean {
  const table = kinds!;
  if (at + 1 >= text.length) return false;
  const behind = table[text.charCodeAt(at + 1)]!;
  const before = table[text.charCodeAt(at - 1)]!;
  if (unit === HYPHEN) return isCased(before) && isCased(behind);
  if (!APOSTROPHES.includes(unit) || !isCased(before) || !isCased(behind)) return false;
  if ((text.charCodeAt(at + 1) | 32) === 115 && !isLetterAt(text, at + 2)) return false;
  // "O'Brien" is one word, and "l'avenue" two.
  return !(before === LOWER && (at < 2 || !isLetterAt(text, at - 2)));
}

const isCased = (kind: number): boolean => kind === LOWER || kind === UPPER || kind === OTHER;
const isLetterAt = (text: string, at: number): boolean => at < text.length && isCased(kinds![text.charCodeAt(at)]!);

interface WordUnits {
  uppers: number;
  lowers: number;
  digits: number;
  others: number;
  hyphens: number;
  /** capitals behind a small letter */
  inner: number;
  /** kind of the first unit */
  first: number;
  length: number;
}

function shapeOf({ uppers, lowers, digits, others, hyphens, inner, first, length }: WordUnits): number {
  if (length > MAX_WORD) return SHAPES.code;
  if (digits > 0) return uppers + lowers + others === 0 ? SHAPES.digits : SHAPES.letters;
  if (others > 0) return SHAPES.other;
  if (uppers === 0) return SHAPES.lower;
  if (lowers === 0) return uppers === 1 ? SHAPES.initial : SHAPES.capitals;
  if (first !== UPPER) return SHAPES.mixed;
  if (hyphens > 0) return SHAPES.hyphen;
  return inner > 0 ? SHAPES.inner : uppers === 1 ? SHAPES.capital : SHAPES.mixed;
}

/** Sets how the words from `from` on are written. */
function setMode(tokens: Tokens, from: number): void {
  const { count, shape, start, end, mode } = tokens;
  let [capital, lower, capitals, long] = [0, 0, 0, 0];
  for (let i = from; i < count; i++) {
    const own = shape[i]!;
    if (own === SHAPES.lower) {
      lower++;
      if (end[i]! - start[i]! > 3) long++;
    } else if (own === SHAPES.capitals) capitals++;
    else if (own === SHAPES.capital || own === SHAPES.inner || own === SHAPES.hyphen) capital++;
  }
  let said: number = MODES.usual;
  if (capital === 0 && lower === 0 && capitals > 1) said = MODES.capitals;
  else if (capital === 0 && capitals === 0) said = MODES.lower;
  else if (capital > 2 && long * 4 < capital) said = MODES.title;
  for (let i = from; i < count; i++) mode[i] = said;
}
