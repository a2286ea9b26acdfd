/** What a chunk of a model's stream says: texts that go on, texts as a whole, and what ends. */

/**
 * A stream has parts: the text, each tool call, the reasoning. Each is a text of its own, in pieces. Parts have names of the guard's own,
 * with a slash at the end of each level, so that `0/` begins all parts of choice 0.
 */
export interface ChunkTexts {
  adds: PartText[];
  /** Texts that are repeated as a whole: what of them was not in pieces is new. */
  wholes: (PartText & {
    /** false: the pieces may have been spelled in another way, so it is new only where there were none */
    exact: boolean;
  })[];
  /** how the names of parts begin that end with this chunk */
  ends: string[];
}

export interface PartText {
  part: string;
  text: string;
}

export const TEXT_PART = 'text/';

/** A reader of chunks; undefined for chunks of kinds that it does not know. It may remember what came before. */
export type ChunkShape = (chunk: Record<string, unknown>) => ChunkTexts | undefined;

export const nothing = (): ChunkTexts => ({ adds: [], wholes: [], ends: [] });

export const isRecord = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Objects of a list, and of anything else none. */
export const recordsOf = (value: unknown): Record<string, unknown>[] =>
  Array.isArray(value) ? value.filter(isRecord) : [];

/** Adds the texts among `texts`, by part. */
export function addTexts(reading: ChunkTexts, texts: Readonly<Record<string, unknown>>): void {
  for (const [part, text] of Object.entries(texts)) {
    if (typeof text === 'string' && text !== '') reading.adds.push({ part, text });
  }
}

/** JSON of a value that may not be a text; undefined for what has none. */
export function textOfValue(value: unknown): string | undefined {
  if (typeof value === 'string' || value === undefined || value === null) return value ?? undefined;
  try {
    return JSON.stringify(value);
  } catch {
    return undefined;
  }
}
