/** Splits names into queries. Callers' ids are bound parameters, whose size ClickHouse limits. */

/** The URL with all parameters is limited too, to 1 MiB: two such parameters fit, with every byte as `%XX`. */
const MOST_BYTES = 120 * 1024;
const MOST = 500;
const QUOTES_AND_COMMA = 3;

/**
 * Splits `all` in order into parts for one query each: at most 500, and at most the 128 KiB that ClickHouse takes in a parameter
 * (`http_max_field_value_size`). `texts` returns the texts of one, each for another array parameter.
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

/** Size in an array parameter: quoted, and with a backslash before these characters. */
const sizeOf = (text: string): number =>
  Buffer.byteLength(text) + (text.match(/['\\\t\n\r]/g)?.length ?? 0) + QUOTES_AND_COMMA;
