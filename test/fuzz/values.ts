/** Values that break things: what generators and mutations are made of. */
import fc from 'fast-check';
import { CARD, KEY } from '../e2e/configuration.ts';

/** Stands in what callers send and the service does not know: nothing may keep it, and no error may repeat it. */
export const UNKNOWN = 'weirfuzzunknown';
/** Stands in content and metadata, which are kept as sent; no error may repeat it either. */
export const KEPT = 'weirfuzzkept';

export const OWN_NAMES = ['__proto__', 'constructor', 'toString', 'hasOwnProperty', 'prototype', 'valueOf', 'length'];

const ID_CHARACTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789._:-';
export const idText = (minLength: number, maxLength: number): fc.Arbitrary<string> =>
  fc.string({ unit: fc.constantFrom(...ID_CHARACTERS), minLength, maxLength });

/** Ids of runs and events (2.7), mostly few, so that they recur. */
export const id: fc.Arbitrary<string> = fc.oneof(
  { weight: 5, arbitrary: fc.integer({ min: 0, max: 400 }).map((n) => `fuzz-${n}`) },
  { weight: 2, arbitrary: fc.constantFrom(...OWN_NAMES) },
  { weight: 2, arbitrary: idText(1, 20) },
  { weight: 1, arbitrary: fc.constantFrom('a'.repeat(128), '..', '.', '-', ':', '0', '__defineGetter__') },
);

export const hostileText: fc.Arbitrary<string> = fc.oneof(
  fc.constantFrom(
    '\u0000',
    '\ud800',
    'a\udc00b',
    '\u202e',
    '\ufeff',
    '',
    ' ',
    '\r\n\r\n',
    '"',
    '\\',
    '💣',
    '%00',
    '\u2028',
  ),
  fc.string({ unit: 'binary', maxLength: 12 }),
  fc.string({ unit: 'grapheme', maxLength: 12 }),
);

/** External ids: at most 256 characters of anything. */
export const name: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: fc.integer({ min: 0, max: 200 }).map((n) => `name-${n}`) },
  { weight: 2, arbitrary: hostileText.filter((text) => text !== '') },
  { weight: 1, arbitrary: fc.constantFrom('n'.repeat(256), '💣'.repeat(256), ...OWN_NAMES) },
);

/** What is checked: now and then something that a policy flags. */
export const text: fc.Arbitrary<string> = fc.oneof(
  { weight: 4, arbitrary: hostileText.map((each) => `${KEPT} ${each}`) },
  {
    weight: 2,
    arbitrary: fc.constantFrom(CARD, 'open sesame', 'hush hush', 'for nothing', 'a@example.org', 'o\u0301pen sesame'),
  },
  { weight: 1, arbitrary: fc.string({ unit: 'grapheme', maxLength: 200 }) },
  { weight: 1, arbitrary: fc.constantFrom('', 'x'.repeat(5000)) },
);

const key = fc.oneof(fc.constantFrom(...OWN_NAMES, 'user', 'tier', '', '0'), hostileText);

/** Any JSON value, keys of every object's prototype included. */
export const json: fc.Arbitrary<unknown> = fc.letrec((tie) => ({
  leaf: fc.oneof(
    text,
    fc.integer(),
    fc.double({ noNaN: true, noDefaultInfinity: true }),
    fc.boolean(),
    fc.constant(null),
    fc.constantFrom(Number.MAX_SAFE_INTEGER, -0, 1e308, 5e-324),
  ),
  value: fc.oneof({ depthSize: 'small' }, tie('leaf'), fc.array(tie('value'), { maxLength: 4 }), tie('object')),
  object: fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map(asObject),
})).value;

/** An object with these entries as its own properties, `__proto__` too. */
export function asObject(entries: readonly (readonly [string, unknown])[]): Record<string, unknown> {
  const object: Record<string, unknown> = {};
  for (const [name, value] of entries) {
    Object.defineProperty(object, name, { value, enumerable: true, configurable: true, writable: true });
  }
  return object;
}

export const metadata: fc.Arbitrary<Record<string, unknown>> = fc.oneof(
  fc.array(fc.tuple(key, json), { maxLength: 4 }).map(asObject),
  fc.record({ user: fc.record({ tier: fc.constantFrom('free', 'trial', 'paid'), id: name }), level: fc.integer() }),
);

/** Values of a wrong kind, size or shape for nearly every field. */
export const wrong: fc.Arbitrary<unknown> = fc.oneof(
  fc.constantFrom<unknown>(null, true, 0, -1, 1e308, [], {}, [[]], [null], '', Number.MAX_SAFE_INTEGER),
  fc.constantFrom(...OWN_NAMES, KEPT, `${KEPT} with a space`, `${KEPT}/../..`),
  hostileText.map((each) => KEPT + each),
  fc.constantFrom(128, 129, 256, 257, 64, 65).map((length) => KEPT.padEnd(length, 'x')),
  fc.constantFrom(256, 257).map((length) => '💣'.repeat(length)),
  fc.constantFrom(62, 63, 64, 65, 66, 500).map(nested),
  fc.constantFrom(256 * 1024, 256 * 1024 + 1).map((length) => 'y'.repeat(length)),
  fc.constantFrom(0, 50, 51, 100, 101, 501, 1001).map((length) => Array.from({ length }, () => ({ event_id: 'e' }))),
  fc.constantFrom(0, 51, 101, 1001).map((length) => Array.from({ length }, () => KEPT)),
  json,
);

function nested(depth: number): unknown {
  let value: unknown = 1;
  for (let i = 0; i < depth; i++) value = i % 2 === 0 ? [value] : { a: value };
  return value;
}

/** Ids that the service made, of both teams, learned while it runs. */
export interface Pool {
  add(kind: PoolKind, value: string): void;
  /** one of those known, by any number; '' when there is none */
  pick(kind: PoolKind, index: number): string;
}
export type PoolKind = 'event' | 'session' | 'foreign-event' | 'foreign-session';

const POOL_SIZE = 500;

export function createPool(): Pool {
  const values = new Map<PoolKind, string[]>();
  let added = 0;
  return {
    add(kind, value) {
      const list = values.get(kind) ?? [];
      values.set(kind, list);
      if (list.length < POOL_SIZE) list.push(value);
      else list[added++ % POOL_SIZE] = value;
    },
    pick(kind, index) {
      const list = values.get(kind);
      return list?.[index % list.length] ?? '';
    },
  };
}

/** Keys that stand in the configuration, or do not. */
export const WRONG_KEYS = [KEY.narrow, KEY.globex, `${KEY.acme}x`, '', 'wk_', UNKNOWN, 'é', 'a b'];
