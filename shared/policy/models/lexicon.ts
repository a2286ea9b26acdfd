/** The classes of words, by a hash of 32 bits of their codes: an open-addressed table. */

/** `packed` classes of a word: the class in the low 6 bits, the class of injection in 5 above them, that of harm in the upper 5. */
export interface ClassLexicon {
  /** hashes, 0 where a slot is empty; a power of two of slots, at most half of them full */
  slots: Int32Array;
  packed: Uint16Array;
  /** a bit for some bits of each hash: tells of most words that they are not there, from little memory */
  bits: Uint8Array;
}

/** What a lexicon is built of, and what a file has of it. */
export interface LexiconEntries {
  /** of the words */
  hashes: Int32Array;
  /** by hash: its classes */
  packed: Uint16Array;
}

const FILTER_BYTES = 1 << 16;

const FIRST = 0x811c9dc5 | 0;

/** The hash of a word begins with this. */
export const startHash = (): number => FIRST;
/** The hash with one more code. */
export const nextHash = (hash: number, code: number): number => Math.imul(hash ^ code, 0x01000193);
/** 0 marks an empty slot. */
const keyOf = (hash: number): number => (hash === 0 ? 1 : hash);
const slotOf = (hash: number, mask: number): number => (hash ^ (hash >>> 15)) & mask;

const byteOf = (key: number): number => (key >>> 3) & (FILTER_BYTES - 1);

/** Equal hashes have the classes of the first. */
export function buildLexicon(hashes: ArrayLike<number>, packed: ArrayLike<number>): ClassLexicon {
  let size = 16;
  while (size < hashes.length * 2) size *= 2;
  const bits = new Uint8Array(FILTER_BYTES);
  const lexicon = { slots: new Int32Array(size), packed: new Uint16Array(size), bits };
  for (let i = 0; i < hashes.length; i++) {
    const key = keyOf(hashes[i]! | 0);
    let slot = slotOf(key, size - 1);
    while (lexicon.slots[slot] !== 0 && lexicon.slots[slot] !== key) slot = (slot + 1) & (size - 1);
    if (lexicon.slots[slot] === key) continue;
    lexicon.slots[slot] = key;
    lexicon.packed[slot] = packed[i]!;
    bits[byteOf(key)] = bits[byteOf(key)]! | (1 << (key & 7));
  }
  return lexicon;
}

/** The lexicon that was built last, and how many words it was built of. */
let last: { lexicon: ClassLexicon; words: number } | undefined;

/** The lexicon of these words. Models that one version of Weir trained have the same words, so they share it and its features. */
export function sharedLexicon({ hashes, packed }: LexiconEntries): ClassLexicon {
  const words = hashes.length;
  if (last?.words === words && holds(last.lexicon, hashes, packed)) return last.lexicon;
  const lexicon = buildLexicon(hashes, packed);
  last = { lexicon, words };
  return lexicon;
}

function holds(lexicon: ClassLexicon, hashes: Int32Array, packed: Uint16Array): boolean {
  for (let i = 0; i < hashes.length; i++) if (classesOf(lexicon, hashes[i]!) !== packed[i]) return false;
  return true;
}

/** Whether the filter of a lexicon knows that a word is not in it. */
export function isUnknown(bits: Uint8Array, hash: number): boolean {
  const key = keyOf(hash);
  return (bits[byteOf(key)]! & (1 << (key & 7))) === 0;
}

/** The packed classes of a word, 0 for a word that is not in the lexicon. */
export function classesOf({ slots, packed, bits }: ClassLexicon, hash: number): number {
  if (isUnknown(bits, hash)) return 0;
  const key = keyOf(hash);
  const mask = slots.length - 1;
  let slot = slotOf(key, mask);
  for (;;) {
    const found = slots[slot]!;
    if (found === key) return packed[slot]!;
    if (found === 0) return 0;
    slot = (slot + 1) & mask;
  }
}

/** Of a word in a file: a hash of four bytes and classes of two. */
const BYTES_A_WORD = 6;
/** No file of 4 MB has more. */
const MOST_WORDS = 699_050;

/** Bytes of the section of a file that has so many words: the hashes, then the classes. */
export const lexiconSize = (words: number): number => words * BYTES_A_WORD;

/** What was expected of a number of words that no lexicon has. */
export const expectedWords = (words: unknown): string | undefined =>
  Number.isInteger(words) && (words as number) >= 0 && (words as number) <= MOST_WORDS
    ? undefined
    : `words from 0 to ${MOST_WORDS}`;

export function lexiconSection({ hashes, packed }: LexiconEntries): Uint8Array {
  const bytes = new Uint8Array(lexiconSize(hashes.length));
  new Int32Array(bytes.buffer, 0, hashes.length).set(hashes);
  new Uint16Array(bytes.buffer, hashes.byteLength).set(packed);
  return bytes;
}

/** The entries are not copied. */
export function readLexicon({ buffer, byteOffset, length }: Uint8Array): LexiconEntries {
  const words = length / BYTES_A_WORD;
  return {
    hashes: new Int32Array(buffer, byteOffset, words),
    packed: new Uint16Array(buffer, byteOffset + words * 4, words),
  };
}
