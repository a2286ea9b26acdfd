/** The grammar of `detect`: any, all and not over the detectors of the registry. */

import { type Detector, sourcesOf } from '../policy/detectors/detector.js';
import { DETECTOR_NAMES, DETECTORS, type Detect, detectorOf, isDetectorName } from '../policy/detectors/registry.js';
import { leavesOf } from '../policy/expression.js';
import { type Cursor, clip, complain, isAbsent, listOf, suggestion } from './fields.js';

const MAX_DEPTH = 16;
const MAX_BRANCHES = 256;

const WORDS = ['any', 'all', 'not', ...DETECTOR_NAMES];
const SHAPE = `expected an object with exactly one of ${WORDS.join(', ')}`;

/** Stands in for an expression that was reported. */
const NOTHING: Detect = { any: [] };

export function readDetect(cursor: Cursor, depth = 1): Detect {
  const { value, report, path } = cursor;
  if (depth > MAX_DEPTH) {
    complain(cursor, `expected at most ${MAX_DEPTH} levels of any, all and not`);
    return NOTHING;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    complain(cursor, isAbsent(cursor) ? `is required: ${SHAPE}` : SHAPE);
    return NOTHING;
  }
  const keys = Object.keys(value);
  if (keys.length !== 1) {
    complain(cursor, `${SHAPE}, found ${keys.length === 0 ? 'none' : keys.map(clip).join(', ')}`);
    return NOTHING;
  }
  const word = keys[0]!;
  const inner: Cursor = { report, path: [...path, word], value: (value as Record<string, unknown>)[word] };
  if (word === 'any') return { any: readBranches(inner, word, depth) };
  if (word === 'all') return { all: readBranches(inner, word, depth) };
  if (word === 'not') return { not: readDetect(inner, depth + 1) };
  return readLeaf(inner, word, depth);
}

function readBranches(cursor: Cursor, word: string, depth: number): Detect[] {
  const branches = listOf(cursor, MAX_BRANCHES, (item) => readDetect(item, depth + 1));
  const empty = isAbsent(cursor) || (Array.isArray(cursor.value) && cursor.value.length === 0);
  if (empty) complain(cursor, `expected a list of at least one expression under ${word}`);
  return branches;
}

function readLeaf(cursor: Cursor, word: string, depth: number): Detect {
  if (isDetectorName(word)) {
    const detector: Detector<object> = DETECTORS[word];
    const parameters = detector.read(cursor, (inner) => readTexts(inner, depth + 1));
    return parameters ? ({ [word]: parameters } as Detect) : NOTHING;
  }
  cursor.report.add(cursor.path, `unknown detector "${clip(word)}"${suggestion(word, WORDS)}`, 'key');
  return NOTHING;
}

/** An expression that only detectors of texts may be in. */
function readTexts(cursor: Cursor, depth: number): Detect {
  const detect = readDetect(cursor, depth);
  const stray = leavesOf(detect)
    .leaves.map(detectorOf)
    .find(({ detector }) => !sourcesOf(detector).includes('text'));
  if (!stray) return detect;
  complain(cursor, `expected text detectors only, found ${stray.name}`);
  return NOTHING;
}
