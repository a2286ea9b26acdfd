// Credentials of made-up content. They are put together here, so that no whole one stands in the sources.

export type Kind = 'hex' | 'alnum' | 'lower' | 'upper' | 'word' | 'base64' | 'letters' | 'digits' | 'base32';

const ALPHABETS: Record<Kind, string> = {
  hex: '0123456789abcdef',
  alnum: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  lower: 'abcdefghijklmnopqrstuvwxyz0123456789',
  upper: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789',
  word: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789',
  base64: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/',
  letters: 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz',
  digits: '0123456789',
  base32: 'ABCDEFGHIJKLMNOPQRSTUVWXYZ234567',
};

export interface Generator {
  /** `n` characters of a kind */
  some(kind: Kind, n: number): string;
  uuid(): string;
  /** a number from 0 to `most` - 1 */
  below(most: number): number;
  /** replaces `{hex:32}`, `{uuid}` and the like */
  fill(form: string): string;
}

/** The same characters for the same seed (mulberry32). */
export function generator(seed: number): Generator {
  let state = seed >>> 0;
  const next = (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let t = Math.imul(state ^ (state >>> 15), 1 | state);
    t = (t + Math.imul(t ^ (t >>> 7), 61 | t)) ^ t;
    return ((t ^ (t >>> 14)) >>> 0) / 2 ** 32;
  };
  const below = (most: number): number => Math.floor(next() * most);
  const some = (kind: Kind, n: number): string =>
    Array.from({ length: n }, () => ALPHABETS[kind][Math.floor(next() * ALPHABETS[kind].length)]).join('');
  const uuid = (): string => [8, 4, 4, 4, 12].map((n) => some('hex', n)).join('-');
  const fill = (form: string): string =>
    form.replace(/\{uuid\}/g, uuid).replace(/\{(\w+):(\d+)\}/g, (_, kind: Kind, n) => some(kind, Number(n)));
  return { some, uuid, below, fill };
}
