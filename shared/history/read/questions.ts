/** How much one question asks for: ids of callers are bound parameters, which have bounds of their own. */

/** Bound also by the address that holds them all, which may have 1 MiB: two such parameters, every byte as `%XX`, fit. */
const MOST_BYTES = 120 * 1024;
const MOST = 500;
const QUOTES_AND_COMMA = 3;

/**
 * `all` in parts, in order, each for a question of its own: at most 500, and no more than ClickHouse takes in one parameter,
 * which is 128 KiB (`http_max_field_value_size`). `texts`: what one puts into array parameters, each into another.
 */
export function inQuestions<T>(all: readonly T[], texts: (one: T) => readonly string[]): T[][] {
  const parts: T[][] = [];
  let part: T[] = [];
  let bytes = 0;
  for (const one of all) {
    const size = Math.max(...texts(one).map(sizeOf));
    if (part.length === 0 || part.length === MOST || bytes + size > MOST_BYTES) {
      part = [];
      parts.push(part);
      bytes = 0;
    }
    part.push(one);
    bytes += size;
  }
  return parts;
}

/** As it stands in an array: quoted, and these with a backslash before them. */
const sizeOf = (text: string): number =>
  Buffer.byteLength(text) + (text.match(/['\\\t\n\r]/g)?.length ?? 0) + QUOTES_AND_COMMA;
