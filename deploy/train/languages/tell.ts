/** Trains what tells languages in Latin letters apart, by pieces of texts of each of them, and of English and code. */
import { join } from 'node:path';
import {
  TELL_BUCKETS,
  TELL_LANES,
  tellBuckets,
  tellFeatures,
  tellRoot,
} from '../../../shared/policy/models/languages/tell.js';
import { quantise, rounded } from '../fit/quantise.js';
import { readJsonLines } from '../json-lines.js';
import { packageTexts } from '../ordinary/ordinary.js';
import { createRandom, shuffle, type TrainingRandom } from '../random.js';
import { LANGUAGES } from './list.js';
import type { LanguageExample } from './targets.js';

/** Languages in other scripts are told by these. Hindi is written in Latin letters, too. */
const OTHER_SCRIPTS = new Set(['ru', 'uk', 'zh', 'ja', 'ko', 'ar']);
const OTHER_LETTERS = /[\u0400-\uffff]/;
export const TOLD_LANGUAGES: readonly string[] = [
  'English',
  ...LANGUAGES.filter(({ code }) => !OTHER_SCRIPTS.has(code)).map(({ name }) => name),
];

/** Data in English. */
const ENGLISH = ['ordinary', 'talk_pages', 'davidson', 'toxic_comments', 'task_dialogues'];
/** Pieces of a language that are learned from, and of English. */
const PIECES = 8000;
const ENGLISH_PIECES = 50_000;
const MOST_WORDS = 12;
const EPOCHS = 3;
const RATE = 0.5;
/** The share of the largest weight at which larger ones are cut off. */
const CLIP = 0.5;

export interface TellTable {
  bytes: Uint8Array;
  scale: number;
  bias: number[];
}

/** Phrases of manuals say little: half of their words are of programs. */
export function trainTell(data: string, examples: readonly LanguageExample[], seed: number): TellTable {
  const random = createRandom(seed ^ 0x7e11);
  const pieces: [lane: number, text: string][] = [];
  for (const text of sampleOf(englishTexts(data, seed), ENGLISH_PIECES, random))
    pieces.push([0, pieceOf(text, random)]);
  for (let lane = 1; lane < TOLD_LANGUAGES.length; lane++) {
    const language = LANGUAGES.findIndex(({ name }) => name === TOLD_LANGUAGES[lane]);
    const own = examples
      .filter(({ language: at, source, text }) => at === language && source !== 'manual' && !OTHER_LETTERS.test(text))
      .map(({ text }) => text);
    for (const text of sampleOf(own, PIECES, random)) pieces.push([lane, pieceOf(text, random)]);
  }
  const { values, bias } = fit(shuffle(pieces, random), random);
  const { bytes, scales } = quantise(values, { lanes: 1, labels: 1, clips: [CLIP] });
  return { bytes, scale: rounded(scales[0]!), bias: Array.from(bias.subarray(0, TOLD_LANGUAGES.length), rounded) };
}

function englishTexts(data: string, seed: number): string[] {
  const rows = ENGLISH.flatMap((file) => readJsonLines(join(data, `${file}.jsonl.gz`), undefined, false).rows);
  const sentences = readJsonLines(join(data, 'ordinary_languages.jsonl.gz'), undefined, false).rows;
  return [
    ...rows.map(({ text }) => text),
    ...sentences.filter(({ language }) => language === 'English').map(({ text }) => text),
    ...packageTexts('trained', seed).map(({ text }) => text),
  ];
}

/** As many, some of them more than once where there are fewer. */
const sampleOf = (texts: readonly string[], many: number, random: TrainingRandom): string[] =>
  texts.length === 0 ? [] : Array.from({ length: many }, () => random.pick(texts));

/** A few words in a row. */
function pieceOf(text: string, random: TrainingRandom): string {
  const words = text.split(/\s+/);
  const many = 1 + random.below(MOST_WORDS);
  const from = random.below(Math.max(1, words.length - many + 1));
  return words.slice(from, from + many).join(' ');
}

interface TellWeights {
  values: Float32Array;
  bias: Float64Array;
}

/** Softmax regression by AdaGrad. */
function fit(pieces: readonly (readonly [number, string])[], random: TrainingRandom): TellWeights {
  const values = new Float32Array(TELL_BUCKETS * TELL_LANES);
  const squares = new Float32Array(TELL_BUCKETS * TELL_LANES).fill(0.01);
  const bias = new Float64Array(TELL_LANES);
  const lanes = TOLD_LANGUAGES.length;
  const errors = new Float64Array(lanes);
  const order = Int32Array.from(pieces.keys());
  for (let epoch = 0; epoch < EPOCHS; epoch++) {
    const rate = RATE * (1 - epoch / EPOCHS);
    for (const place of shuffle(order, random)) {
      const [lane, text] = pieces[place]!;
      const n = tellFeatures(text);
      if (n === 0) continue;
      const root = tellRoot(n);
      let total = 0;
      for (let k = 0; k < lanes; k++) {
        let sum = 0;
        for (let i = 0; i < n; i++) sum += values[tellBuckets[i]! * TELL_LANES + k]!;
        errors[k] = Math.exp(Math.min(30, sum * root + bias[k]!));
        total += errors[k]!;
      }
      for (let k = 0; k < lanes; k++) {
        const error = errors[k]! / total - (k === lane ? 1 : 0);
        bias[k]! -= 0.01 * rate * error;
        if (Math.abs(error) < 0.002) continue;
        const gradient = error * root;
        for (let i = 0; i < n; i++) {
          const at = tellBuckets[i]! * TELL_LANES + k;
          squares[at]! += gradient * gradient;
          values[at]! -= (rate * gradient) / Math.sqrt(squares[at]!);
        }
      }
    }
  }
  return { values, bias };
}
