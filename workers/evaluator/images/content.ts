/** What a thread makes of gathered images: the content that the engine evaluates, the row of history, the note. */
import type { ArtifactContent } from '../../../shared/api/types.js';
import { type HashIndex, hashIndex } from '../../../shared/pdq/hash-index.js';
import { pdqFromHex } from '../../../shared/pdq/pdq.js';
import type { ImageContent, Search, Verdict } from '../../../shared/policy/types.js';
import type { SharedList } from '../../images/known-lists/known-lists.js';
import type { GatheredImage } from '../../images/pipeline.js';
import type { RowImage } from '../../rows/row-types.js';

export type LookedAt = Extract<GatheredImage, { ok: true }>;
export type NotLookedAt = Extract<GatheredImage, { ok: false }>;

/** Lists of known hashes by name. */
export type Indexes = ReadonlyMap<string, HashIndex>;

const MOST_KEPT = 64;
/** The worker keeps an unused list for as long. */
const KEPT_MS = 3_600_000;
const kept = new Map<string, { generation: number; index: HashIndex; used: number }>();
setInterval(() => forgetUnused(performance.now()), KEPT_MS / 6).unref();

/** Forgets lists that have not been used for an hour. Their memory is free once the worker has forgotten them, too. */
export function forgetUnused(now: number): void {
  for (const [name, { used }] of kept) if (now - used > KEPT_MS) kept.delete(name);
}

/** The lists, ready to be searched on this thread. */
export function indexesOf(lists: readonly SharedList[]): Indexes {
  return new Map(
    lists.map(({ name, generation, data }) => {
      let known = kept.get(name);
      if (known?.generation !== generation) {
        if (kept.size >= MOST_KEPT) kept.clear();
        known = { generation, index: hashIndex(data), used: 0 };
        kept.set(name, known);
      }
      known.used = performance.now();
      return [name, known.index];
    }),
  );
}

/**
 * An image as the engine sees it. A list is searched with the hashes of the image turned and mirrored in all eight ways. So an image is
 * found even if it was turned, or if the maker of the list ignored its orientation. Lists are searched only when the engine asks:
 * an entry has the lists of all of its images.
 */
export function imageContent({ properties, hash, reading }: LookedAt, indexes: Indexes): ImageContent {
  const hashes = hash.hashes.map((hex) => pdqFromHex(hex)!);
  const lists = new Map<string, Search>();
  for (const [name, index] of indexes) {
    lists.set(name, (maxDistance) => index.nearestOf(hashes, maxDistance)?.distance ?? null);
  }
  const { kind, width, height, bytes, animated, hasGps } = properties;
  const { text, scores } = reading;
  return { kind, width, height, bytes, animated, hasGps, quality: hash.quality, lists, text, scores };
}

/** The note of a verdict on images. Where policies were not evaluated since images were not read, it says why. */
export function verdictNote({ note, unknown }: Verdict, images: readonly (GatheredImage | undefined)[]): string {
  if (unknown === 0) return note;
  const reasons = new Set(images.flatMap((image) => (image?.ok ? image.reading.notes : [])));
  return [note, ...reasons].join('; ');
}

/** What history keeps of an image; `session`: internal id of the session check it belongs to, or empty. */
export function rowImage(image: GatheredImage | undefined, session: string): RowImage {
  const none = { kind: '', width: 0, height: 0, bytes: 0, hash: '', quality: 0, fetchMs: 0, decodeMs: 0 };
  if (!image) return { ...none, internalSessionId: session };
  const { fetchMs, decodeMs } = image;
  if (!image.ok) return { ...none, bytes: image.bytes, fetchMs, decodeMs, internalSessionId: session };
  const { kind, width, height, bytes } = image.properties;
  const { quality, hashes } = image.hash;
  return { kind, width, height, bytes, hash: hashes[0]!, quality, fetchMs, decodeMs, internalSessionId: session };
}

/**
 * What history keeps as the content of an image: everything but its data. Hash and properties have columns of their own. Where content is
 * `masked`, its address is not kept, which leads to the image.
 */
export function shownContent({ kind, url, mime_type, name }: ArtifactContent, masked = false): string {
  const address = masked ? undefined : (url ?? undefined);
  return JSON.stringify({ kind, url: address, mime_type: mime_type ?? undefined, name: name ?? undefined });
}

/** The note of an image whose evaluation threw, although it could be looked at. */
export const IMAGE_NOT_EVALUATED = 'the image could not be evaluated';
