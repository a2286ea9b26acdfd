/**
 * Text that people do not see: Unicode tag characters, bytes in variation selectors, bits in zero-width characters, and directions that
 * are overridden. Each is a run of the text, with what it says where that can be decoded.
 */
import type { Payload } from './payload.js';

/** What is hidden, and how. Names of finds of `invisible_text`. */
export const CARRIERS = ['tags', 'selectors', 'zero_width', 'bidi'] as const;
export type Carrier = (typeof CARRIERS)[number];

export interface Hidden extends Payload {
  carrier: Carrier;
}

/** Cheap: whether there may be anything. Ordinary emoji and texts of other scripts have some of these characters as well. */
const MAY_HIDE = /[\u200b-\u200f\u202a-\u202e\u2060-\u2064\u2066-\u2069\ufeff\u180e]|[\ufe00-\ufe0f]|\udb40/;

/**
 * A flag of a part of a country: a black flag, a code as tags, and the end of tags. Those that fonts have are these of the United Kingdom
 * (Unicode Technical Standard 51, Annex B), of the states of the USA and of the provinces of Canada. Other codes spell words.
 */
const FLAG = /\u{1f3f4}([\u{e0061}-\u{e007a}]{4,5})\u{e007f}/gu;
const FLAG_CODE = /^(?:gb(?:eng|nir|sct|wls)|(?:ca|us)[a-z]{2})$/;
const TAGS = /[\u{e0000}-\u{e007f}]+/gu;
/** Two and more variation selectors in a row: no character takes more than one. */
const SELECTORS = /[\ufe00-\ufe0f\u{e0100}-\u{e01ef}]{2,}/gu;
const MIN_RUN = 3;
const ZERO_WIDTH = new RegExp(`[\\u200b-\\u200d\\u2060-\\u2064\\ufeff\\u180e]{${MIN_RUN},}`, 'g');
/** Fewer splits than this are left behind by editors. */
const MIN_SPLITS = 3;
/** Further runs of one kind are one: each is looked at, and a text of many costs no more than a long one. */
const MAX_RUNS = 16;

const mayHide = (text: string): boolean => MAY_HIDE.test(text);

/** What is hidden in `text`, in the order of the carriers. Linear in its length. */
export function hiddenIn(text: string): Hidden[] {
  if (!mayHide(text)) return [];
  return [tagsIn(text), selectorsIn(text), zeroWidthIn(text), overridesIn(text)].flatMap(joined);
}

/** At most {@link MAX_RUNS}: those behind are one run, which says what they say, a line each. */
function joined(runs: readonly Hidden[]): readonly Hidden[] {
  if (runs.length <= MAX_RUNS) return runs;
  const rest = runs.slice(MAX_RUNS - 1);
  const text = rest.map((run) => run.text).join('\n');
  return [...runs.slice(0, MAX_RUNS - 1), { ...rest[0]!, end: rest.at(-1)!.end, text }];
}

const runOf = (carrier: Carrier, start: number, length: number, text: string): Hidden => ({
  carrier,
  view: 'hidden',
  start,
  end: start + length,
  text,
});

function tagsIn(text: string): Hidden[] {
  // Flags keep their length, so that offsets hold.
  const without = text.replace(FLAG, (flag, code: string) =>
    FLAG_CODE.test(saidByTags(code)) ? ' '.repeat(flag.length) : flag,
  );
  return Array.from(without.matchAll(TAGS), ({ 0: run, index }) => runOf('tags', index, run.length, saidByTags(run)));
}

function saidByTags(run: string): string {
  let said = '';
  // The second half of each pair says which one it is.
  for (let i = 1; i < run.length; i += 2) {
    const code = run.charCodeAt(i) - 0xdc00;
    if (code >= 32 && code < 127) said += String.fromCharCode(code);
  }
  return said;
}

function selectorsIn(text: string): Hidden[] {
  return Array.from(text.matchAll(SELECTORS), ({ 0: run, index }) =>
    runOf('selectors', index, run.length, textOf(bytesOfSelectors(run))),
  );
}

function bytesOfSelectors(run: string): number[] {
  const bytes: number[] = [];
  for (let i = 0; i < run.length; i++) {
    const unit = run.charCodeAt(i);
    // U+FE00 to U+FE0F are the first 16. The others are pairs, from U+E0100 on.
    if (unit >= 0xfe00) bytes.push(unit - 0xfe00);
    else bytes.push(run.charCodeAt(++i) - 0xdd00 + 16);
  }
  return bytes;
}

function zeroWidthIn(text: string): Hidden[] {
  const runs = Array.from(text.matchAll(ZERO_WIDTH), ({ 0: run, index }) =>
    runOf('zero_width', index, run.length, bitsOf(run)),
  );
  const { count, start, end, said } = splitsIn(text);
  return count < MIN_SPLITS ? runs : [...runs, runOf('zero_width', start, end - start, bitsOf(said))];
}

const isZeroWidth = (unit: number): boolean =>
  unit >= 0x180e &&
  ((unit >= 0x200b && unit <= 0x200d) || (unit >= 0x2060 && unit <= 0x2064) || unit === 0xfeff || unit === 0x180e);
/** A character of ASCII that is seen. */
const isSeen = (unit: number): boolean => unit > 32 && unit < 127;
const ZERO_WIDTH_SPACE = 0x200b;
/** Behind such a character of ASCII, one zero-width space lets a long address or name go on in the next line. */
const isMark = (unit: number): boolean => !isDigit(unit) && !isLetter(unit | 32);
const isDigit = (unit: number): boolean => unit >= 48 && unit <= 57;
const isLetter = (small: number): boolean => small >= 97 && small <= 122;

interface Splits {
  count: number;
  /** where the first starts, and the last ends */
  start: number;
  end: number;
  /** all of them in a row */
  said: string;
}

/** Fewer zero-width characters than {@link MIN_RUN} between characters of ASCII, where no script has a use for them. */
function splitsIn(text: string): Splits {
  const splits: Splits = { count: 0, start: 0, end: 0, said: '' };
  for (let i = 1; i < text.length; i++) {
    if (!isZeroWidth(text.charCodeAt(i))) continue;
    const from = i;
    while (i < text.length && isZeroWidth(text.charCodeAt(i))) i++;
    const before = text.charCodeAt(from - 1);
    if (i - from >= MIN_RUN || !isSeen(before) || !isSeen(text.charCodeAt(i))) continue;
    if (i - from === 1 && text.charCodeAt(from) === ZERO_WIDTH_SPACE && isMark(before)) continue;
    if (splits.count++ === 0) splits.start = from;
    splits.end = i;
    splits.said += text.slice(from, i);
  }
  return splits;
}

const WORD_JOINER = '\u2060';
const MIN_BITS = 16;

/** What a run of zero-width characters says, if two of them stand for bits, the higher or the lower first; empty: it says nothing. */
function bitsOf(run: string): string {
  const all = new Set(run);
  if (all.size > 1) all.delete(WORD_JOINER);
  const kinds = [...all];
  if (kinds.length !== 2) return '';
  const bits: number[] = [];
  const [zero, one] = kinds.map((kind) => kind.charCodeAt(0));
  for (let i = 0; i < run.length; i++) {
    const unit = run.charCodeAt(i);
    if (unit === zero || unit === one) bits.push(unit === zero ? 0 : 1);
  }
  if (bits.length < MIN_BITS) return '';
  for (const turn of [0, 1]) {
    for (const size of [8, 7]) {
      const said = textOf(bytesOf(bits, size, turn));
      if (said !== '') return said;
    }
  }
  return '';
}

/** Bytes of `size` bits each; with `turn` 1, each bit is the other one. */
function bytesOf(bits: readonly number[], size: number, turn: number): number[] {
  const bytes: number[] = [];
  for (let i = 0; i + size <= bits.length; i += size) {
    let byte = 0;
    for (let n = i; n < i + size; n++) byte = byte * 2 + (bits[n]! ^ turn);
    bytes.push(byte);
  }
  return bytes;
}

/** Bytes as UTF-8; empty where they are no text. */
function textOf(bytes: readonly number[]): string {
  const text = Buffer.from(bytes).toString();
  let odd = 0;
  for (let i = 0; i < text.length; i++) if (isOdd(text.charCodeAt(i))) odd++;
  return text.length >= 2 && odd * 8 <= text.length ? text : '';
}

/** A control character, or what stands for bytes that are no UTF-8. */
const isOdd = (unit: number): boolean => unit < 32 || (unit >= 127 && unit < 160) || unit === 0xfffd;

const PARAGRAPH = /[^\n\r\u2029]*/g;
const RIGHT_TO_LEFT = /[\u0590-\u08ff\ufb1d-\ufdff\ufe70-\ufefc]/;
/** What a unit does to the direction of what follows. */
const [NOTHING, EMBEDS, OVERRIDES, ENDS_EMBEDDING, ISOLATES, ENDS_ISOLATE] = [0, 1, 2, 3, 4, 5] as const;
function effectOf(unit: number): number {
  if (unit < 0x202a || unit > 0x2069) return NOTHING;
  if (unit <= 0x202e) return unit >= 0x202d ? OVERRIDES : unit === 0x202c ? ENDS_EMBEDDING : EMBEDS;
  return unit < 0x2066 ? NOTHING : unit === 0x2069 ? ENDS_ISOLATE : ISOLATES;
}

/**
 * Directions that change what a reader sees: overrides, and embeddings or isolates that no one closes, within a paragraph that has no
 * letter of a script from right to left. What stands between an override and its end is what a machine reads.
 */
function overridesIn(text: string): Hidden[] {
  if (!/[\u202a-\u202e\u2066-\u2069]/.test(text)) return [];
  const found: Hidden[] = [];
  for (const { 0: paragraph, index } of text.matchAll(PARAGRAPH)) {
    const span = overrideIn(paragraph);
    if (span) found.push(runOf('bidi', index + span[0], span[1] - span[0], ''));
  }
  return found;
}

function overrideIn(paragraph: string): [number, number] | undefined {
  let [first, last] = [-1, -1];
  let [embeddings, isolates] = [0, 0];
  let isBroken = false;
  let overrides = false;
  for (let i = 0; i < paragraph.length; i++) {
    const effect = effectOf(paragraph.charCodeAt(i));
    if (effect === NOTHING) continue;
    if (first < 0) first = i;
    last = i;
    // Behind what ends more than was begun, nothing counts.
    if (isBroken) continue;
    overrides ||= effect === OVERRIDES;
    if (effect === EMBEDS || effect === OVERRIDES) embeddings++;
    else if (effect === ISOLATES) isolates++;
    else if (effect === ENDS_EMBEDDING) embeddings--;
    else isolates--;
    isBroken = embeddings < 0 || isolates < 0;
  }
  if (first < 0) return undefined;
  const balanced = embeddings === 0 && isolates === 0;
  // Applications close what they open. Isolates around a name in a text from left to right are usual.
  return balanced && !(overrides && !RIGHT_TO_LEFT.test(paragraph)) ? undefined : [first, last + 1];
}
