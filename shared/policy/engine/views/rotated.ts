/** Text in ROT13: English whose letters are turned by half of the alphabet. */
import { isFrequent, letterOf } from './pairs.js';
import type { Payload } from './payload.js';

/** Letters in a hundred of English, a to z. */
const FREQUENCIES = [
  8.2, 1.5, 2.8, 4.3, 12.7, 2.2, 2, 6.1, 7, 0.15, 0.8, 4, 2.4, 6.7, 7.5, 1.9, 0.1, 6, 6.3, 9.1, 2.8, 1, 2.4, 0.15, 2,
  0.07,
];
/** By unit: how much more a letter speaks for ROT13 than for plain text, in eighths of a nat. */
const LEANING = leanings();
/** As much as about eight letters give. */
const TURNED = 48;

function leanings(): Int8Array {
  const table = new Int8Array(128);
  for (let letter = 0; letter < 26; letter++) {
    const lean = Math.round(8 * Math.log(FREQUENCIES[(letter + 13) % 26]! / FREQUENCIES[letter]!));
    table[97 + letter] = table[65 + letter] = Math.max(-24, Math.min(24, lean));
  }
  return table;
}

/** A stretch of ROT13 has so many characters, and goes on by as many while these read so, too. */
const STRETCH = 1024;
/** Behind its last one, for what ends there. */
const BEHIND = 256;

/** Whether a text may have a sentence in ROT13: told by each eighth letter. */
export function mayBeTurned(text: string): boolean {
  let score = 0;
  for (let i = 0; i < text.length; i += 8) {
    const code = text.charCodeAt(i);
    if (code > 127) continue;
    score = Math.max(0, score + LEANING[code]!);
    if (score >= TURNED / 2) return true;
  }
  return false;
}

/** The same of a text of ASCII in bytes, which may have few words of it, told by each other letter, as {@link rotatedIn} is. */
export function leansToTurned(bytes: Uint8Array, from: number, to: number): boolean {
  let score = 0;
  for (let i = from; i < to; i += 2) {
    score += LEANING[bytes[i]!]!;
    if (score >= TURNED) return true;
    if (score < 0) score = 0;
  }
  return false;
}

/** The stretches of `text` that read as ROT13, turned back. */
export function rotatedIn(text: string): Payload[] {
  const found: Payload[] = [];
  let score = 0;
  let start = 0;
  // Every other letter says enough.
  for (let i = 0; i < text.length; i += 2) {
    const code = text.charCodeAt(i);
    if (code > 127) continue;
    score += LEANING[code]!;
    if (score > 0 && score < TURNED) continue;
    if (score > 0 && readsTurned(text, start, Math.min(i + AHEAD, text.length))) {
      const end = turnedEnd(text, start);
      const said = text.slice(start, end).replace(/[a-z]+/gi, turnedWord);
      found.push({ view: 'decoded', start, end, text: said, inPlace: true });
      i = end - 1;
    }
    score = 0;
    start = i + 1;
  }
  return found;
}

function turnedEnd(text: string, start: number): number {
  let end = start + STRETCH;
  while (end < text.length && readsTurned(text, end, Math.min(end + STRETCH, text.length))) end += STRETCH;
  return Math.min(end + BEHIND, text.length);
}

/** So far behind what leans to ROT13 is it held against English. */
const AHEAD = 32;

/**
 * Whether most pairs of letters from `from` to `to` are English ones once they are turned back, and more of them than as they stand.
 * Other languages and some words lean to ROT13, too: of English comments, 3 % have such a stretch.
 */
function readsTurned(text: string, from: number, to: number): boolean {
  const { pairs, plain, turned } = pairsIn(text, from, to);
  return turned > plain && turned * 2 >= pairs;
}

/** How many pairs of letters there are, and how many of them are frequent in English: as they stand, and turned back. */
function pairsIn(text: string, from: number, to: number): { pairs: number; plain: number; turned: number } {
  let [pairs, plain, turned] = [0, 0, 0];
  let before = -1;
  for (let i = from; i < to; i++) {
    const letter = letterOf(text.charCodeAt(i));
    if (letter >= 0 && before >= 0) {
      pairs++;
      plain += isFrequent(before, letter);
      turned += isFrequent((before + 13) % 26, (letter + 13) % 26);
    }
    before = letter;
  }
  return { pairs, plain, turned };
}

/** A word of a stretch, turned back where it does not read better as it stands: a stretch ends behind its last word that is turned. */
function turnedWord(word: string): string {
  const { plain, turned } = pairsIn(word, 0, word.length);
  return turned < plain ? word : word.replace(/./g, turnedLetter);
}

function turnedLetter(letter: string): string {
  const code = letter.charCodeAt(0);
  const base = code & 96;
  return String.fromCharCode(base + 1 + ((code - base - 1 + 13) % 26));
}
