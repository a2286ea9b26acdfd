/** Which of many short texts stand at a place, by their first two characters. */

export interface LiteralIndex<T> {
  /** Calls `visit` for each item whose literal is at `at`. */
  at(text: string, at: number, visit: (item: T, literal: string) => void): void;
}

const SIZE = 1024;
const slotOf = (first: number, second: number): number => (first * 31 + second) & (SIZE - 1);

/** `items`, each with its literals. */
export function indexLiterals<T>(items: readonly (readonly [T, readonly string[]])[]): LiteralIndex<T> {
  const slots: ({ item: T; literal: string }[] | undefined)[] = new Array(SIZE);
  const short: { item: T; literal: string }[] = [];
  for (const [item, literals] of items) {
    for (const literal of literals) {
      if (literal.length < 2) {
        short.push({ item, literal });
        continue;
      }
      const slot = slotOf(literal.charCodeAt(0), literal.charCodeAt(1));
      const known = slots[slot];
      if (known) known.push({ item, literal });
      else slots[slot] = [{ item, literal }];
    }
  }
  return {
    at(text, at, visit) {
      for (const { item, literal } of short) if (text.startsWith(literal, at)) visit(item, literal);
      if (at + 1 >= text.length) return;
      const here = slots[slotOf(text.charCodeAt(at), text.charCodeAt(at + 1))];
      if (!here) return;
      for (const { item, literal } of here) if (text.startsWith(literal, at)) visit(item, literal);
    },
  };
}
