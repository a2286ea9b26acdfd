/** What a validator takes, and what it refuses with which issues. */
import assert from 'node:assert/strict';
import type { Issue } from '#weir/shared/api/types';
import type { CheckInput, validateSession } from '#weir/shared/api/validate/validate';

export type Json = Record<string, unknown>;
export type Validator = typeof validateSession;

export const KIB_256 = 256 * 1024;

/** Issues as `path code`. */
export function issuesOf(validate: Validator, body: unknown, json = JSON.stringify(body) ?? ''): string[] {
  const result = validate(body, Buffer.byteLength(json), json);
  return result.ok ? [] : result.issues.map(({ path, code }) => `${path} ${code}`);
}

export interface Judge {
  /** What is found in a body that must be taken. */
  good(body: unknown): CheckInput;
  /** The issues of a body that must be refused: `expected`, each as `path code`. */
  bad(body: unknown, ...expected: string[]): Issue[];
}

export function judgeOf(validate: Validator): Judge {
  return {
    good(body) {
      const result = validate(body, Buffer.byteLength(JSON.stringify(body)));
      assert.deepEqual(result.ok ? [] : result.issues, []);
      assert.ok(result.ok);
      // The length only saves measuring. The result is the same with and without it.
      assert.deepEqual(validate(body), result);
      return result.value;
    },
    bad(body, ...expected) {
      const result = validate(body, Buffer.byteLength(JSON.stringify(body) ?? ''));
      assert.ok(!result.ok, 'expected to be refused');
      const found = result.issues.map(({ path, code }) => `${path} ${code}`);
      assert.deepEqual(found, expected);
      return result.issues;
    },
  };
}

/** The same for one part of a body: `within` makes the body around it, and paths of issues begin below `prefix`. */
export function partOf<T>({ good, bad }: Judge, prefix: string, within: (part: T) => unknown) {
  return {
    good: (part: T): CheckInput => good(within(part)),
    bad: (part: T, ...expected: string[]): Issue[] => bad(within(part), ...expected.map((one) => prefix + one)),
  };
}
