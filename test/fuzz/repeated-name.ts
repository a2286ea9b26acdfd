/** A name that stands twice in an object of the body, which every route must refuse. */
import fc from 'fast-check';
import type { Mutation } from './mutations.ts';

/** An object and its first name. Within strings the quote is escaped. */
const FIRST_NAME = /\{("(?:[^"\\]|\\.)*"):/g;

/** Names the first member of an object twice. */
const twice = (where: number, written: (name: string) => string): Mutation => ({
  name: 'a name twice',
  apply(request) {
    if (request.method !== 'POST' || request.headers.some(([header]) => header === 'Transfer-Encoding')) return;
    request.edits.push((body) => {
      const text = body.toString();
      const found = [...text.matchAll(FIRST_NAME)];
      const place = found[where % Math.max(1, found.length)];
      if (!place) return body;
      request.repeats = true;
      const at = place.index + 1;
      return Buffer.from(`${text.slice(0, at)}${written(place[1]!)}:null,${text.slice(at)}`);
    });
  },
});

/** A name with its first letter, if that is ASCII, as an escape. */
const escaped = (name: string): string =>
  name.replace(/^"([a-zA-Z_])/, (_, letter: string) => `"\\u${letter.charCodeAt(0).toString(16).padStart(4, '0')}`);

export const repeatedName: fc.Arbitrary<Mutation> = fc
  .tuple(
    fc.nat({ max: 9999 }),
    fc.constantFrom((name: string) => name, escaped),
  )
  .map(([where, written]) => twice(where, written));
