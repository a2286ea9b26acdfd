/** Checks of single values. Each returns the value; where it is wrong, it reports what was expected and returns a default. */
import { editDistance } from '../../edit-distance.js';
import { isUuid } from '../../ids.js';
import type { JsonSchema, Shape } from './shape.js';
import type { ConfigurationPath } from './source.js';

export interface Finding {
  path: ConfigurationPath;
  message: string;
  at: 'key' | 'value';
}

/** The files that a configuration names, by their names. Each function throws an error that says why the file cannot be read. */
export interface Files {
  /** text of a file of terms */
  terms(name: string): string;
  /** what a configuration keeps of a model that `weir train` made */
  model(name: string): ReadModelFile;
}

export interface ReadModelFile {
  /** of the bytes of the file, lower-case hexadecimal */
  sha256: string;
  labels: readonly string[];
}

/** What an entry of a file may leave out. */
export interface ShortForms {
  /** the only team; undefined: there are several, or none */
  team: string | undefined;
}

export interface FindingsReport {
  /** absent: there are no files to read */
  readonly files?: Files | undefined;
  /** absent: nothing may be left out, as in a version that is stored, which has everything written out */
  readonly short?: ShortForms | undefined;
  readonly findings: readonly Finding[];
  /** A message that is expensive to make is a function, called only while findings are collected. */
  add(path: ConfigurationPath, message: string | (() => string), at?: 'key' | 'value'): void;
}

/** More problems than this are not collected. The first ones say enough. */
const MAX_FINDINGS = 200;

export function createReport(files?: Files): FindingsReport {
  const findings: Finding[] = [];
  return {
    files,
    short: files && { team: undefined },
    findings,
    add(path, message, at = 'value') {
      if (findings.length >= MAX_FINDINGS) return;
      findings.push({ path, message: typeof message === 'string' ? message : message(), at });
    },
  };
}

/** A value, where it is, and where problems with it are reported. */
export interface Cursor {
  report: FindingsReport;
  value: unknown;
  path: ConfigurationPath;
  /** present where there is no value: what the reader asks of one is noted here, and nothing is reported */
  shape?: Shape | undefined;
}

/** Collects what the readers ask of a file, in place of problems. */
export const shapeReport = (): FindingsReport => ({ short: { team: undefined }, findings: [], add: () => undefined });

/** The fields of an object. */
export interface ObjectFields {
  /** field `key`; `null` and absent are the same */
  get(key: string): Cursor;
  has(key: string): boolean;
}

export function complain(cursor: Cursor, message: string | (() => string)): undefined {
  cursor.report.add(cursor.path, message);
  return undefined;
}

export function isAbsent(cursor: Cursor): boolean {
  if (cursor.shape) {
    cursor.shape.maybe();
    return false;
  }
  return cursor.value === undefined || cursor.value === null;
}

/** Reports that there is no value. `expected` completes "expected …". */
export function requireGiven(cursor: Cursor, expected: string): void {
  if (cursor.shape) cursor.shape.must();
  else if (isAbsent(cursor)) complain(cursor, `is required: expected ${expected}`);
}

/** What is checked of the value by code of its own: the schema has it from here. */
export function noteShape({ shape }: Cursor, schema: JsonSchema): void {
  shape?.is(schema);
}

function nameOf(value: unknown): string {
  if (value === null || value === undefined) return 'nothing';
  if (Array.isArray(value)) return 'a list';
  return typeof value === 'object' ? 'an object' : `a ${typeof value}`;
}

/** The object at `cursor` with keys among `known`. Other keys are reported; the caller reports those of `refused`. */
export function fieldsOf(
  cursor: Cursor,
  known: readonly string[],
  refused: readonly string[] = [],
): ObjectFields | undefined {
  const { value, report, path, shape } = cursor;
  if (shape) return shapesOf(cursor, shape, known);
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    return complain(cursor, `expected an object with ${known.join(', ')}, found ${nameOf(value)}`);
  }
  const own = value as Record<string, unknown>;
  for (const key of Object.keys(own)) {
    if (known.includes(key) || refused.includes(key)) continue;
    report.add([...path, key], () => `unknown key "${clip(key)}"${suggestion(key, known)}`, 'key');
  }
  return {
    get: (key) => ({ report, path: [...path, key], value: Object.hasOwn(own, key) ? own[key] : undefined }),
    has: (key) => Object.hasOwn(own, key) && own[key] !== null && own[key] !== undefined,
  };
}

function shapesOf({ report, path }: Cursor, shape: Shape, known: readonly string[]): ObjectFields {
  const shapes = shape.object(known);
  return {
    get: (key) => ({ report, path, value: undefined, shape: shapes.get(key) }),
    has(key) {
      shapes.get(key)?.maybe();
      return true;
    },
  };
}

export interface TextRule {
  /** used when absent; without it the field is required */
  default?: string;
  max?: number;
  pattern?: RegExp;
  /** completes "expected …" */
  expected?: string;
}

export function textOf(cursor: Cursor, rule: TextRule = {}): string {
  const { max = 256, expected = `a text of 1 to ${max} characters` } = rule;
  if (cursor.shape) return noteText(cursor.shape, rule, max);
  if (isAbsent(cursor)) {
    if (rule.default !== undefined) return rule.default;
    complain(cursor, `is required: expected ${expected}`);
    return '';
  }
  const { value } = cursor;
  if (typeof value !== 'string') {
    const hint = typeof value === 'number' || typeof value === 'boolean' ? '; put it in quotes' : '';
    complain(cursor, `expected ${expected}, found ${nameOf(value)}${hint}`);
    return '';
  }
  if (value.length < 1 || value.length > max || (rule.pattern && !rule.pattern.test(value))) {
    complain(cursor, `expected ${expected}`);
  }
  return value;
}

function noteText(shape: Shape, { default: fallback, pattern, expected }: TextRule, max: number): string {
  const form = pattern ? { pattern: pattern.source } : {};
  shape.is({ type: 'string', minLength: 1, maxLength: max, ...form, ...(expected ? { description: expected } : {}) });
  if (fallback === undefined) shape.asked();
  else shape.maybe();
  return fallback ?? '';
}

/** Of what people read in lists and reports: it must not act on a terminal, end a line or turn the direction of writing. */
export const NAME_RULE = {
  pattern: /^[^\p{Cc}\p{Zl}\p{Zp}\p{Bidi_Control}]*$/u,
  expected:
    'a text of 1 to 256 characters on one line, without control characters and those that turn the direction of writing',
};

/** A name as {@link NAME_RULE} says. A version that is stored is read as it is: it was taken under the rules of its time. */
export const readName = (cursor: Cursor): string => textOf(cursor, cursor.report.files ? NAME_RULE : {});

export const ID_RULE = {
  max: 128,
  pattern: /^[A-Za-z0-9._:-]{1,128}$/,
  expected: 'an id of 1 to 128 letters, digits, ".", "_", ":" or "-"',
};

/** The team of an entry. */
export function readOwner(fields: ObjectFields): string {
  const cursor = fields.get('team');
  const { short } = cursor.report;
  if (!short || !isAbsent(cursor)) return textOf(cursor, ID_RULE);
  if (short.team === undefined) {
    complain(cursor, 'is required: expected the id of a team; it may be left out only where there is one team');
  }
  return short.team ?? '';
}

const UUID_PATTERN = '^[0-9a-fA-F]{8}(-[0-9a-fA-F]{4}){3}-[0-9a-fA-F]{12}$';

export function readUuid(cursor: Cursor): string {
  const id = textOf(cursor, { max: 36, expected: 'a UUID' });
  noteShape(cursor, { pattern: UUID_PATTERN });
  if (id !== '' && !isUuid(id)) complain(cursor, 'expected a UUID, such as 6f1c0f0e-52a1-4c3e-9d3b-0b6a3c1f7a10');
  return id.toLowerCase();
}

export function numberOf(
  cursor: Cursor,
  rule: { default: number; min: number; max: number; integer?: boolean },
): number {
  if (cursor.shape) {
    const { min: minimum, max: maximum, default: fallback } = rule;
    cursor.shape.is({ type: rule.integer === false ? 'number' : 'integer', minimum, maximum, default: fallback });
    cursor.shape.maybe();
    return fallback;
  }
  if (isAbsent(cursor)) return rule.default;
  const { value } = cursor;
  const whole = rule.integer === false || Number.isInteger(value);
  if (typeof value === 'number' && whole && value >= rule.min && value <= rule.max) return value;
  complain(
    cursor,
    `expected ${rule.integer === false ? 'a number' : 'a whole number'} from ${rule.min} to ${rule.max}`,
  );
  return rule.default;
}

export function flagOf(cursor: Cursor, fallback: boolean): boolean {
  noteShape(cursor, { type: 'boolean', default: fallback });
  if (isAbsent(cursor)) return fallback;
  if (typeof cursor.value === 'boolean') return cursor.value;
  complain(cursor, 'expected true or false');
  return fallback;
}

export function choiceOf<T extends string>(cursor: Cursor, choices: readonly T[], fallback?: T): T {
  if (cursor.shape) {
    cursor.shape.is({ enum: [...choices], ...(fallback === undefined ? {} : { default: fallback }) });
    if (fallback === undefined) cursor.shape.asked();
    else cursor.shape.maybe();
    return fallback ?? choices[0]!;
  }
  if (isAbsent(cursor) && fallback !== undefined) return fallback;
  const { value } = cursor;
  if (typeof value === 'string' && (choices as readonly string[]).includes(value)) return value as T;
  complain(cursor, () => {
    const hint = typeof value === 'string' ? suggestion(value, choices) : '';
    return `expected one of ${choices.join(', ')}${hint}`;
  });
  return fallback ?? choices[0]!;
}

/** Items of the list at `cursor`, each read by `read`; an absent list is empty. */
export function listOf<T>(cursor: Cursor, max: number, read: (item: Cursor) => T | undefined): T[] {
  if (cursor.shape) {
    cursor.shape.maybe();
    read({ report: cursor.report, value: undefined, path: cursor.path, shape: cursor.shape.items(max) });
    return [];
  }
  if (isAbsent(cursor)) return [];
  const { value, report, path } = cursor;
  if (!Array.isArray(value)) {
    complain(cursor, `expected a list, found ${nameOf(value)}`);
    return [];
  }
  if (value.length > max) {
    complain(cursor, `expected at most ${max} items, found ${value.length}`);
    return [];
  }
  const items: T[] = [];
  for (let i = 0; i < value.length; i++) {
    const item = read({ report, value: value[i] as unknown, path: [...path, i] });
    if (item !== undefined) items.push(item);
  }
  return items;
}

/** As {@link listOf}, where one item may stand without a list. */
export function listOrText<T>(cursor: Cursor, max: number, read: (item: Cursor) => T | undefined): T[] {
  if (cursor.shape) {
    cursor.shape.maybe();
    read({ ...cursor, shape: cursor.shape.form() });
    return listOf({ ...cursor, shape: cursor.shape.form() }, max, read);
  }
  if (typeof cursor.value !== 'string') return listOf(cursor, max, read);
  const item = read(cursor);
  return item === undefined ? [] : [item];
}

/** As {@link listOf}; undefined where `word` stands in place of the list. */
export function listOrWord<T>(
  cursor: Cursor,
  word: string,
  max: number,
  read: (item: Cursor) => T | undefined,
): T[] | undefined {
  if (cursor.shape) {
    cursor.shape.maybe();
    cursor.shape.form().is({ const: word });
    return listOf({ ...cursor, shape: cursor.shape.form() }, max, read);
  }
  return cursor.value === word ? undefined : listOf(cursor, max, read);
}

export function clip(text: string): string {
  return text.length > 60 ? `${text.slice(0, 60)}…` : text;
}

/** No suggestion is made where there are more names, because comparing each takes thousands of steps. */
const MOST_KNOWN = 500;

/** `; did you mean "…"?` when one of `known` is close to `word`. */
export function suggestion(word: string, known: readonly string[]): string {
  if (word.length > 60 || known.length > MOST_KNOWN) return '';
  const allowed = Math.max(1, Math.floor(word.length / 3));
  let best = '';
  let least = allowed + 1;
  for (const candidate of known) {
    // The distance is at least the difference of the lengths.
    if (Math.abs(candidate.length - word.length) >= least) continue;
    const distance = editDistance(word.toLowerCase(), candidate.toLowerCase());
    if (distance < least) {
      least = distance;
      best = candidate;
    }
  }
  return best === '' ? '' : `; did you mean "${best}"?`;
}
