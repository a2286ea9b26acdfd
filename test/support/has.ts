import assert from 'node:assert/strict';

type Some<T> = { [K in keyof T]?: T[K] | undefined };

/** Checks that `actual` has the properties that `expected` names, with these values; `about` is shown where one differs. */
export function assertHas<T extends object>(
  actual: T | null | undefined,
  expected: Some<T>,
  about?: string,
): asserts actual is T {
  const names = Object.keys(expected) as (keyof T)[];
  const found = Object.fromEntries(names.map((name) => [name, actual?.[name]]));
  assert.deepEqual({ about, ...found }, { about, ...expected });
}
