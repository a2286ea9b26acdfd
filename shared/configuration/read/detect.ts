/** The grammar of `detect`: any, all, not and escalate over the detectors of the registry. */

import { leavesOf } from '../../policy/detect-expression.js';
import { type Detector, sourcesOf } from '../../policy/detectors/detector.js';
import {
  DETECTOR_NAMES,
  DETECTORS,
  type Detect,
  type DetectorName,
  type DetectorParameters,
  detectorOf,
  isDetectorName,
  looksAt,
  SCORING,
} from '../../policy/detectors/registry.js';
import {
  type Cursor,
  clip,
  complain,
  fieldsOf,
  isAbsent,
  listOf,
  noteShape,
  numberOf,
  requireGiven,
  suggestion,
} from './fields.js';
import type { Shape } from './shape.js';

const MAX_DEPTH = 16;
const MAX_BRANCHES = 256;

const WORDS = ['any', 'all', 'not', 'escalate', ...DETECTOR_NAMES];
const SHAPE = `expected an object with exactly one of ${WORDS.join(', ')}`;

/** Stands in for an expression that was reported. */
const NOTHING: Detect = { any: [] };

export function readDetect(cursor: Cursor, depth = 1): Detect {
  const { value, report, path } = cursor;
  if (cursor.shape) return noteDetect(cursor, cursor.shape);
  if (depth > MAX_DEPTH) {
    complain(cursor, `expected at most ${MAX_DEPTH} levels of any, all, not and escalate`);
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
  if (word === 'escalate') return readEscalation(inner, depth);
  return readLeaf(inner, word, depth);
}

/** One key of each word, with what it takes. */
function noteDetect(cursor: Cursor, shape: Shape): Detect {
  shape.must();
  shape.named('detect', (inner) => {
    const fields = fieldsOf({ ...cursor, shape: inner }, WORDS)!;
    noteOne(inner);
    for (const word of ['any', 'all']) readBranches(fields.get(word), word, 1);
    readDetect(fields.get('not'));
    readEscalation(fields.get('escalate'), 1);
    for (const name of DETECTOR_NAMES) readLeaf(fields.get(name), name, 1);
  });
  return NOTHING;
}

/** An object with one of its keys. */
function noteOne(shape: Shape): void {
  shape.is({ minProperties: 1, maxProperties: 1 });
  shape.free();
}

function readBranches(cursor: Cursor, word: string, depth: number): Detect[] {
  const branches = listOf(cursor, MAX_BRANCHES, (item) => readDetect(item, depth + 1));
  noteShape(cursor, { minItems: 1 });
  const empty = isAbsent(cursor) || (Array.isArray(cursor.value) && cursor.value.length === 0);
  if (empty) complain(cursor, `expected a list of at least one expression under ${word}`);
  return branches;
}

const SCORE = { default: 0, min: 0, max: 1, integer: false } as const;

function readEscalation(cursor: Cursor, depth: number): Detect {
  const fields = fieldsOf(cursor, ['from', 'below', 'above', 'to']);
  if (!fields) return NOTHING;
  const [from, below, above] = [fields.get('from'), fields.get('below'), fields.get('above')];
  for (const each of [below, above]) requireGiven(each, 'a number from 0 to 1');
  const band = { below: numberOf(below, SCORE), above: numberOf(above, SCORE) };
  if (!isAbsent(below) && !isAbsent(above) && band.above >= band.below) complain(above, 'expected less than below');
  const cheap = readOne(from, SCORING, 'a detector of texts that gives scores', depth);
  const to = readOne(fields.get('to'), TEXT_DETECTORS, 'one detector of texts', depth);
  if (to && 'onnx' in to && !looksAt(to).includes('text')) {
    complain(fields.get('to'), 'expected a detector of texts: onnx needs source: text');
  }
  if (!cheap || !to) return NOTHING;
  const [[word, { threshold: _, ...parameters }]] = Object.entries(cheap) as [[string, Scoring]];
  const [given] = Object.values(from.value as object) as [Partial<Scoring> | null];
  const own = given?.threshold != null ? 'threshold' : 'thresholds';
  if (given?.threshold != null || Object.keys(parameters.thresholds ?? {}).length > 0) {
    complain(from, `expected no ${own}: below and above stand in its place`);
  }
  return { escalate: { from: { [word]: parameters } as DetectorParameters, ...band, to } };
}

/** Parameters that detectors with scores may have. */
interface Scoring {
  threshold?: number;
  thresholds?: object;
}

const TEXT_DETECTORS = DETECTOR_NAMES.filter((name) => sourcesOf(DETECTORS[name]).includes('text'));

/** A detector that is one of `names`. */
function readOne(
  cursor: Cursor,
  names: readonly DetectorName[],
  what: string,
  depth: number,
): DetectorParameters | undefined {
  const { value } = cursor;
  if (cursor.shape) {
    cursor.shape.must();
    const fields = fieldsOf(cursor, names)!;
    noteOne(cursor.shape);
    for (const name of names) readLeaf(fields.get(name), name, depth);
    return undefined;
  }
  const [word, ...rest] = Object.keys(typeof value === 'object' && value !== null ? value : {});
  if (word === undefined || rest.length > 0 || !(names as readonly string[]).includes(word)) {
    return complain(cursor, `${isAbsent(cursor) ? 'is required: ' : ''}expected ${what}: ${names.join(', ')}`);
  }
  return readDetect(cursor, depth + 1) as DetectorParameters;
}

function readLeaf(cursor: Cursor, word: string, depth: number): Detect {
  if (isDetectorName(word)) {
    const detector: Detector<object> = DETECTORS[word];
    if (cursor.shape) return noteLeaf(cursor, word, detector);
    const parameters = detector.read(cursor, (inner) => readTexts(inner, depth + 1));
    return parameters ? ({ [word]: parameters } as Detect) : NOTHING;
  }
  cursor.report.add(cursor.path, `unknown detector "${clip(word)}"${suggestion(word, WORDS)}`, 'key');
  return NOTHING;
}

function noteLeaf(cursor: Cursor, word: string, { help, read }: Detector<object>): Detect {
  cursor.shape?.named(word, (shape) => {
    read({ ...cursor, shape }, (inner) => readDetect(inner));
    shape.is({ description: `fires on ${help}` });
  });
  return NOTHING;
}

/** An expression that only detectors of texts may be in. */
function readTexts(cursor: Cursor, depth: number): Detect {
  const detect = readDetect(cursor, depth);
  const stray = leavesOf<DetectorParameters>(detect).leaves.find((leaf) => !looksAt(leaf).includes('text'));
  if (!stray) return detect;
  complain(cursor, `expected text detectors only, found ${detectorOf(stray).name}`);
  return NOTHING;
}
