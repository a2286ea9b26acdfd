/**
 * Counts the values in a large body before it is parsed. Parsing costs time and memory by the number of values, not of bytes:
 * 32 MiB of empty objects would take a thread several seconds and a gigabyte. Small bodies are bounded by their size.
 */

import { stringEndIn } from '../../shared/json.js';

const QUOTE = 34;
const COMMA = 44;
const COLON = 58;
const OPEN_ARRAY = 91;
const CLOSE_ARRAY = 93;
const OPEN_OBJECT = 123;
const CLOSE_OBJECT = 125;

export interface Complexity {
  /** opening brackets, commas and colons: as many as values and names, except the first of each list */
  marks: number;
  /** levels of objects and arrays */
  depth: number;
}

/**
 * Measures JSON in pieces; other bytes give some figures, too. Takes time linear in the bytes and no memory. Stops as soon as either
 * figure exceeds `most`.
 */
export function complexityOf(pieces: readonly Buffer[], most: Complexity): Complexity {
  let marks = 0;
  let level = 0;
  let depth = 0;
  let inString = false;
  let at = 0;
  for (const bytes of pieces) {
    for (; at < bytes.length; at++) {
      if (inString) {
        at = stringEndIn(bytes, at);
        inString = at >= bytes.length;
        if (inString) break;
        continue;
      }
      switch (bytes[at]) {
        case QUOTE:
          inString = true;
          break;
        case OPEN_ARRAY:
        case OPEN_OBJECT:
          marks++;
          level++;
          if (level > depth) depth = level;
          break;
        case CLOSE_ARRAY:
        case CLOSE_OBJECT:
          level--;
          break;
        case COMMA:
        case COLON:
          marks++;
      }
      if (marks > most.marks || depth > most.depth) return { marks, depth };
    }
    at -= bytes.length;
  }
  return { marks, depth };
}
