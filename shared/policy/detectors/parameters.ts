/** Readers of parameters that several detectors have. */
import {
  type Cursor,
  complain,
  fieldsOf,
  isAbsent,
  listOf,
  noteShape,
  numberOf,
  type ObjectFields,
  textOf,
} from '../../configuration/read/fields.js';
import { compilePattern } from '../engine/probes/pattern.js';

const MAX_PATTERNS = 256;
const MAX_CONTEXT = 50;

export const CONTEXT_HELP = `earlier texts of the conversation that are looked at too, 0 to ${MAX_CONTEXT} [0]`;

/** Lists and models are files in a folder of the operator. The name is no path, so that it cannot leave the folder. */
export const FILE_NAME = {
  pattern: /^[a-z0-9][a-z0-9_.-]{0,63}$/,
  expected: 'a name of a-z, 0-9, ".", "_" and "-", 64 at most',
};

/** The fields at `cursor`, which are those that `parameters` has help for. */
export function parametersAt(
  cursor: Cursor,
  { parameters }: { parameters: object },
  refused?: readonly string[],
): ObjectFields | undefined {
  const fields = fieldsOf(cursor, Object.keys(parameters), refused);
  if (cursor.shape) {
    for (const [key, help] of Object.entries(parameters as Record<string, string>)) {
      noteShape(fields!.get(key), { description: help });
    }
  }
  return fields;
}

export function readContext(fields: ObjectFields): number {
  return numberOf(fields.get('context'), { default: 0, min: 0, max: MAX_CONTEXT });
}

/** Reports a list that is absent or empty. */
export function requireSome(cursor: Cursor, expected: string): void {
  const { value } = cursor;
  if (cursor.shape) {
    cursor.shape.must();
    cursor.shape.is({ minItems: 1 });
    return;
  }
  if (isAbsent(cursor) || (Array.isArray(value) && value.length === 0))
    complain(cursor, `is required: expected ${expected}`);
}

export function readPatterns(cursor: Cursor, flags: string): string[] {
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

/** Least score of a find, where a policy has none. */
export const DEFAULT_THRESHOLD = 0.5;

export const readThreshold = (cursor: Cursor): number =>
  numberOf(cursor, { default: DEFAULT_THRESHOLD, min: 0, max: 1, integer: false });
