/** Trains the tagger of names. The same lists, sentences, data and seed give the same bytes. */
import { NAME_FEATURES_VERSION } from '../../../shared/policy/detectors/pii/names/features.js';
import { readNames, writeNames } from '../../../shared/policy/detectors/pii/names/file.js';
import { NAME_ENTITIES, type NameModel, tag } from '../../../shared/policy/detectors/pii/names/tagger.js';
import { MAX_TOKENS, newTokens, readTokens, type Tokens } from '../../../shared/policy/detectors/pii/names/tokens.js';
import { buildLexicon } from '../../../shared/policy/models/lexicon.js';
import { calibrate, type Raw } from '../fit/calibrate.js';
import { quantise } from '../fit/quantise.js';
import { dataTexts, hashesOfData } from '../ordinary/ordinary.js';
import { createRandom } from '../random.js';
import { createTexts, isPlain, type NamedText } from './examples.js';
import { createFitter } from './fit.js';
import { buildNameLexicon, WordCounts } from './lexicon.js';
import { readNameTexts } from './texts.js';

export interface NameOptions {
  data: string;
  seed: number;
  /** texts that are made to learn from */
  texts: number;
}

/** Texts that are made to calibrate by. */
const CALIBRATED = 20_000;
const MOST_PLAIN = 60_000;

export function trainNames({ data, seed, texts: count }: NameOptions, report: (line: string) => void): Uint8Array {
  const started = performance.now();
  const say = (line: string): void =>
    report(`${((performance.now() - started) / 1000).toFixed(1).padStart(6)} s  ${line}`);
  const texts = readNameTexts();
  const ordinary = (['trained', 'tuned', 'kept'] as const).flatMap((side) => dataTexts(data, side, seed));
  const counts = new WordCounts();
  for (const { text } of ordinary) counts.add(text);
  const entries = buildNameLexicon(texts.lists, counts);
  const isCommon = (word: string): boolean =>
    (counts.lower.get(word) ?? 0) >= 5 && counts.lower.get(word)! > 3 * (counts.capital.get(word) ?? 0);
  const plain = ordinary
    .flatMap(({ text }) => text.split(/(?<=[.!?])\s+|\n+/))
    .filter((sentence) => isPlain(sentence, isCommon))
    .slice(0, MOST_PLAIN);
  say(`${entries.hashes.length} words, ${plain.length} plain sentences`);
  const random = createRandom(seed);
  const make = createTexts(texts, plain, random);
  const fitter = createFitter(buildLexicon(entries.hashes, entries.packed), random);
  learn(fitter, make, count, say);
  const { bytes: weights, scales } = quantise(fitter.values, { lanes: 1, labels: 1, clips: [CLIP] });
  const file = (calibration: [number, number][]): Uint8Array =>
    writeNames({
      header: {
        features: NAME_FEATURES_VERSION,
        step: Number(scales[0]!.toPrecision(6)),
        transitions: Array.from(fitter.transitions, (value) => Math.round(value * 1e4) / 1e4),
        calibration,
        words: entries.hashes.length,
        seed,
        data: hashesOfData(data),
      },
      ...entries,
      weights,
    });
  const plainCalibration = NAME_ENTITIES.map((): [number, number] => [1, 0]);
  const { model } = readNames(file(plainCalibration));
  const calibration = calibrationOf(model, make);
  say('calibrated');
  return file(calibration);
}

function learn(
  fitter: ReturnType<typeof createFitter>,
  make: () => NamedText,
  count: number,
  say: (line: string) => void,
): void {
  const tokens = newTokens();
  const tags = new Uint8Array(MAX_TOKENS + 1);
  let [loss, read] = [0, 0];
  for (let n = 1; n <= count; n++) {
    const named = make();
    eachPassage(named, tokens, tags, () => {
      loss += fitter.learn(tokens, tags);
      read += tokens.count;
    });
    if (n % Math.ceil(count / 10) === 0) {
      say(`${n} texts, loss of a token ${(loss / read).toFixed(4)}`);
      [loss, read] = [0, 0];
    }
  }
}

/** Calls `visit` for each passage of a text, with the tags of its tokens. */
export function eachPassage({ text, spans }: NamedText, tokens: Tokens, tags: Uint8Array, visit: () => void): void {
  for (let at = 0; at < text.length; ) {
    at = readTokens(text, at, tokens);
    let last = -1;
    for (let i = 0; i < tokens.count; i++) {
      const start = tokens.start[i]!;
      const own = spans.findIndex((span) => start >= span.start && start < span.end);
      tags[i] = own < 0 ? 0 : 2 * spans[own]!.entity + (own === last ? 2 : 1);
      last = own;
    }
    visit();
  }
}

/** Weights beyond this share of the largest are cut off: they are few, and all others get finer steps. */
const CLIP = 0.5;

/** Sides count alike in what is fitted. Of what is found in texts of others, about nine of ten are right. */
const PRIOR = Math.log(9);

/** By entity: how likely what is so far above none is one, by texts that nothing was learned from. */
function calibrationOf(model: NameModel, make: () => NamedText): [number, number][] {
  const tokens = newTokens();
  const tags = new Uint8Array(MAX_TOKENS + 1);
  const raw: Raw[][] = NAME_ENTITIES.map(() => []);
  for (let n = 0; n < CALIBRATED; n++) {
    eachPassage(make(), tokens, tags, () => {
      for (const { entity, first, last, margin } of tag(tokens, model)) {
        let isRight = false;
        for (let i = first; i <= last; i++) isRight ||= tags[i] === 2 * entity + 1 || tags[i] === 2 * entity + 2;
        raw[entity]!.push({ raw: margin, value: isRight ? 1 : 0, weight: 1 });
      }
    });
  }
  return raw.map((scores) => {
    // Of addresses, hardly any is wrong; what is no more than none is even so.
    scores.push({ raw: 0, value: 0, weight: 1 }, { raw: 0, value: 1, weight: 1 });
    const { slope, offset } = calibrate(scores);
    return [Number(slope.toPrecision(6)), Number((offset + PRIOR).toPrecision(6))];
  });
}
