/** Fits the weights of the tagger: a linear chain, by the gradient of the likelihood of the tags of each passage (CRF), with AdaGrad. */
import { BUCKETS, FEATURES, featuresAt, readClasses } from '../../../shared/policy/detectors/pii/names/features.js';
import { LANES, mayFollow, TAGS } from '../../../shared/policy/detectors/pii/names/tagger.js';
import { MAX_TOKENS, type Tokens } from '../../../shared/policy/detectors/pii/names/tokens.js';
import type { ClassLexicon } from '../../../shared/policy/models/lexicon.js';
import type { TrainingRandom } from '../random.js';

export interface ChainWeights {
  /** by bucket and lane */
  values: Float32Array;
  /** by tag and the one that follows */
  transitions: Float64Array;
}

const RATE = 0.12;
/** Share of the features of a token that are left out, so that none is relied on alone. */
const DROPPED = 0.15;
const IMPOSSIBLE = -1e4;

export interface Fitter extends ChainWeights {
  /** Learns from a passage; returns its loss. */
  learn(tokens: Tokens, tags: Uint8Array): number;
}

export function createFitter(lexicon: ClassLexicon, random: TrainingRandom): Fitter {
  const values = new Float32Array(BUCKETS * LANES);
  const squares = new Float32Array(BUCKETS * LANES).fill(1e-2);
  const transitions = new Float64Array(TAGS * TAGS);
  const transitionSquares = new Float64Array(TAGS * TAGS).fill(1);
  for (let from = 0; from < TAGS; from++) {
    for (let to = 0; to < TAGS; to++) if (!mayFollow(to, from)) transitions[from * TAGS + to] = IMPOSSIBLE;
  }
  const classes = new Uint16Array(MAX_TOKENS + 1);
  const buckets = new Int32Array((MAX_TOKENS + 1) * FEATURES);
  const emissions = new Float64Array((MAX_TOKENS + 1) * TAGS);
  const forward = new Float64Array((MAX_TOKENS + 1) * TAGS);
  const backward = new Float64Array((MAX_TOKENS + 1) * TAGS);
  const row = new Int32Array(FEATURES);

  const emit = (tokens: Tokens): void => {
    const { count } = tokens;
    readClasses(tokens, lexicon, classes);
    for (let i = 0; i < count; i++) {
      featuresAt(tokens, classes, i, row);
      emissions.fill(0, i * TAGS, (i + 1) * TAGS);
      for (let f = 0; f < FEATURES; f++) {
        const bucket = random.next() < DROPPED ? -1 : row[f]!;
        buckets[i * FEATURES + f] = bucket;
        if (bucket < 0) continue;
        for (let lane = 0; lane < LANES; lane++) emissions[i * TAGS + lane + 1]! += values[bucket * LANES + lane]!;
      }
      // All are there where it is used.
      for (let lane = 1; lane < TAGS; lane++) emissions[i * TAGS + lane]! /= 1 - DROPPED;
    }
  };
  const sumOf = (of: (tag: number) => number): number => {
    let most = Number.NEGATIVE_INFINITY;
    for (let tag = 0; tag < TAGS; tag++) most = Math.max(most, of(tag));
    let sum = 0;
    for (let tag = 0; tag < TAGS; tag++) sum += Math.exp(of(tag) - most);
    return most + Math.log(sum);
  };
  const chain = (count: number): number => {
    for (let own = 0; own < TAGS; own++) forward[own] = emissions[own]! + transitions[own]!;
    for (let i = 1; i < count; i++) {
      for (let own = 0; own < TAGS; own++) {
        forward[i * TAGS + own] =
          emissions[i * TAGS + own]! +
          sumOf((from) => forward[(i - 1) * TAGS + from]! + transitions[from * TAGS + own]!);
      }
    }
    for (let own = 0; own < TAGS; own++) backward[(count - 1) * TAGS + own] = 0;
    for (let i = count - 2; i >= 0; i--) {
      for (let own = 0; own < TAGS; own++) {
        backward[i * TAGS + own] = sumOf(
          (to) => transitions[own * TAGS + to]! + emissions[(i + 1) * TAGS + to]! + backward[(i + 1) * TAGS + to]!,
        );
      }
    }
    return sumOf((tag) => forward[(count - 1) * TAGS + tag]!);
  };
  const move = (at: number, gradient: number): void => {
    squares[at]! += gradient * gradient;
    values[at]! -= (RATE * gradient) / Math.sqrt(squares[at]!);
  };
  const learnEmissions = (count: number, tags: Uint8Array, all: number): void => {
    for (let i = 0; i < count; i++) {
      for (let own = 1; own < TAGS; own++) {
        const share = Math.exp(forward[i * TAGS + own]! + backward[i * TAGS + own]! - all);
        const gradient = share - Number(tags[i] === own);
        if (Math.abs(gradient) < 1e-4) continue;
        for (let f = 0; f < FEATURES; f++) {
          const bucket = buckets[i * FEATURES + f]!;
          if (bucket >= 0) move(bucket * LANES + own - 1, gradient);
        }
      }
    }
  };
  const learnTransitions = (count: number, tags: Uint8Array, all: number): void => {
    const gradients = new Float64Array(TAGS * TAGS);
    for (let i = 1; i < count; i++) {
      for (let from = 0; from < TAGS; from++) {
        for (let to = 0; to < TAGS; to++) {
          const at = from * TAGS + to;
          if (transitions[at] === IMPOSSIBLE) continue;
          gradients[at]! += Math.exp(
            forward[(i - 1) * TAGS + from]! +
              transitions[at]! +
              emissions[i * TAGS + to]! +
              backward[i * TAGS + to]! -
              all,
          );
        }
      }
      gradients[tags[i - 1]! * TAGS + tags[i]!]! -= 1;
    }
    for (let at = 0; at < gradients.length; at++) {
      const gradient = gradients[at]!;
      if (gradient === 0) continue;
      transitionSquares[at]! += gradient * gradient;
      transitions[at]! -= (RATE * gradient) / Math.sqrt(transitionSquares[at]!);
    }
  };
  return {
    values,
    transitions,
    learn(tokens, tags) {
      const { count } = tokens;
      if (count === 0) return 0;
      emit(tokens);
      const all = chain(count);
      let own = emissions[tags[0]!]! + transitions[tags[0]!]!;
      for (let i = 1; i < count; i++)
        own += emissions[i * TAGS + tags[i]!]! + transitions[tags[i - 1]! * TAGS + tags[i]!]!;
      learnEmissions(count, tags, all);
      learnTransitions(count, tags, all);
      return all - own;
    },
  };
}
