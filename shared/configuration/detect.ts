/** The grammar of `detect`: any, all and not over detectors. */

import { SECRET_RULE_NAMES } from '../policy/detectors/secrets/rules.js';
import { compilePattern } from '../policy/engine/probes/pattern.js';
import { foldTerm } from '../policy/engine/views/normalise.js';
import { contextOf, DETECTOR_SOURCES, type DetectorKind } from '../policy/expression.js';
import { readImageHash, readImageProperties, readOnnx } from './detect-image.js';
import {
  type Cursor,
  choiceOf,
  clip,
  complain,
  type Fields,
  fieldsOf,
  isAbsent,
  listOf,
  numberOf,
  suggestion,
  textOf,
} from './fields.js';
import { type Detect, PII_ENTITIES, VIEWS } from './types.js';

const MAX_DEPTH = 16;
const MAX_BRANCHES = 256;
const MAX_TERMS = 100_000;
const MAX_PATTERNS = 256;
export const MAX_CONTEXT = 50;

/** Detectors of the grammar that this version does not have. */
const FUTURE = ['invisible_text', 'injection', 'classifier', 'llm'] as const;
/** Where the grammar has terms from, and this version does not. */
const FUTURE_TERMS = ['file', 'bundle'];

const DETECTORS: Readonly<Record<DetectorKind, (cursor: Cursor, depth: number) => Detect>> = {
  terms: readTerms,
  regex: readRegex,
  pii: readPii,
  secrets: readSecrets,
  image_hash: readImageHash,
  image_properties: readImageProperties,
  image_text: readImageText,
  onnx: readOnnx,
};
const WORDS = ['any', 'all', 'not', ...Object.keys(DETECTORS)];

/** What stands in for an expression that was reported. */
const NOTHING: Detect = { any: [] };

export function readDetect(cursor: Cursor, depth = 1): Detect {
  const { value, report, path } = cursor;
  if (depth > MAX_DEPTH) {
    complain(cursor, `expected at most ${MAX_DEPTH} levels of any, all and not`);
    return NOTHING;
  }
  const shape = `expected an object with exactly one of ${WORDS.join(', ')}`;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    complain(cursor, isAbsent(cursor) ? `is required: ${shape}` : shape);
    return NOTHING;
  }
  const keys = Object.keys(value);
  if (keys.length !== 1) {
    complain(cursor, `${shape}, found ${keys.length === 0 ? 'none' : keys.map(clip).join(', ')}`);
    return NOTHING;
  }
  const word = keys[0]!;
  const inner: Cursor = { report, path: [...path, word], value: (value as Record<string, unknown>)[word] };
  if (word === 'any' || word === 'all') return readBranches(inner, word, depth);
  if (word === 'not') return { not: readDetect(inner, depth + 1) };
  if (Object.hasOwn(DETECTORS, word)) return DETECTORS[word as DetectorKind](inner, depth);
  const known = (FUTURE as readonly string[]).includes(word);
  report.add(
    inner.path,
    known
      ? `this version does not have the detector "${word}"; it has ${Object.keys(DETECTORS).join(', ')}`
      : `unknown detector "${clip(word)}"${suggestion(word, WORDS)}`,
    'key',
  );
  return NOTHING;
}

function readBranches(cursor: Cursor, word: 'any' | 'all', depth: number): Detect {
  const branches = listOf(cursor, MAX_BRANCHES, (item) => readDetect(item, depth + 1));
  const empty = isAbsent(cursor) || (Array.isArray(cursor.value) && cursor.value.length === 0);
  if (empty) complain(cursor, `expected a list of at least one expression under ${word}`);
  return word === 'any' ? { any: branches } : { all: branches };
}

function readContext(fields: Fields): number {
  return numberOf(fields.get('context'), { default: 0, min: 0, max: MAX_CONTEXT });
}

function readTerms(cursor: Cursor): Detect {
  const fields = fieldsOf(cursor, ['list', 'match', 'views', 'context'], FUTURE_TERMS);
  if (!fields) return NOTHING;
  for (const key of FUTURE_TERMS) {
    if (fields.has(key)) {
      cursor.report.add([...cursor.path, key], `this version does not read terms from a ${key}; give a list`, 'key');
    }
  }
  const views = listOf(fields.get('views'), VIEWS.length, (item) => choiceOf(item, VIEWS));
  const list = listOf(fields.get('list'), MAX_TERMS, (item) => readTerm(item));
  const given = fields.get('list').value;
  const absent = given === undefined || given === null || (Array.isArray(given) && given.length === 0);
  if (absent && !fields.has('file') && !fields.has('bundle')) {
    complain(fields.get('list'), 'is required: expected a list of at least one word or phrase');
  }
  return {
    terms: {
      list: [...new Set(list)],
      match: choiceOf(fields.get('match'), ['word', 'substring'] as const, 'word'),
      views: views.length === 0 ? ['folded'] : [...new Set(views)],
      context: readContext(fields),
    },
  };
}

function readTerm(cursor: Cursor): string {
  const term = textOf(cursor, { expected: 'a word or phrase of 1 to 256 characters' });
  if (term !== '' && foldTerm(term) === '') {
    complain(cursor, 'expected a word or phrase with at least one visible character');
  }
  return term;
}

function readPatterns(cursor: Cursor, flags: string): string[] {
  return listOf(cursor, MAX_PATTERNS, (item) => {
    const pattern = textOf(item, { max: 100_000, expected: 'a pattern in RE2 syntax' });
    if (pattern === '') return undefined;
    try {
      compilePattern(pattern, flags);
    } catch (error) {
      complain(item, (error as Error).message);
    }
    return pattern;
  });
}

function readRegex(cursor: Cursor): Detect {
  const fields = fieldsOf(cursor, ['patterns', 'flags', 'context']);
  if (!fields) return NOTHING;
  const raw = fields.get('flags');
  let flags = typeof raw.value === 'string' && raw.value === '' ? '' : textOf(raw, { default: '', expected: FLAGS });
  if (!/^[ims]{0,3}$/.test(flags) || new Set(flags).size !== flags.length) {
    complain(raw, `expected ${FLAGS}`);
    flags = '';
  }
  const patterns = readPatterns(fields.get('patterns'), flags);
  const given = fields.get('patterns').value;
  if (given === undefined || given === null || (Array.isArray(given) && given.length === 0)) {
    complain(fields.get('patterns'), 'is required: expected a list of at least one pattern');
  }
  return { regex: { patterns, flags, context: readContext(fields) } };
}
const FLAGS = 'flags among i (any case), m (^ and $ at lines), s (dot matches line breaks), each at most once';

function readPii(cursor: Cursor): Detect {
  const fields = fieldsOf(cursor, ['entities', 'threshold', 'context']);
  if (!fields) return NOTHING;
  const entities = listOf(fields.get('entities'), 100, (item) => choiceOf(item, PII_ENTITIES));
  const given = fields.get('entities').value;
  if (given === undefined || given === null || (Array.isArray(given) && given.length === 0)) {
    complain(fields.get('entities'), `is required: expected a list of ${PII_ENTITIES.join(', ')}`);
  }
  const threshold = numberOf(fields.get('threshold'), { default: 0.5, min: 0, max: 1, integer: false });
  return { pii: { entities: [...new Set(entities)], threshold, context: readContext(fields) } };
}

function readSecrets(cursor: Cursor): Detect {
  const fields = fieldsOf(isAbsent(cursor) ? { ...cursor, value: {} } : cursor, ['rules', 'allow', 'context']);
  if (!fields) return NOTHING;
  const known = ['all', ...SECRET_RULE_NAMES];
  const given = fields.get('rules');
  const rules =
    given.value === 'all' ? ['all'] : listOf(given, known.length, (item) => choiceOf(item, known) as string);
  return {
    secrets: {
      rules: rules.length === 0 || rules.includes('all') ? ['all'] : [...new Set(rules)],
      allow: readPatterns(fields.get('allow'), ''),
      context: readContext(fields),
    },
  };
}

/** `image_text`: an expression over text detectors, judged on the text that is read from an image. */
function readImageText(cursor: Cursor, depth: number): Detect {
  const fields = fieldsOf(cursor, ['detect']);
  if (!fields) return NOTHING;
  const inner = fields.get('detect');
  const detect = readDetect(inner, depth + 1);
  const stray = imageDetectorIn(detect);
  if (stray !== undefined) complain(inner, `expected text detectors only, found ${stray}`);
  else if (contextOf(detect) > 0) complain(inner, 'expected no context: a text in an image has no earlier texts');
  return { image_text: { detect } };
}

function imageDetectorIn(detect: Detect): string | undefined {
  if ('any' in detect) return detect.any.map(imageDetectorIn).find((each) => each !== undefined);
  if ('all' in detect) return detect.all.map(imageDetectorIn).find((each) => each !== undefined);
  if ('not' in detect) return imageDetectorIn(detect.not);
  return Object.keys(detect).find((kind) => DETECTOR_SOURCES[kind as DetectorKind] === 'image');
}
