/**
 * Images that were fetched before, by URL. The origin is asked each time, and a cached image is used only when it answers 304.
 * So the address check, the consent of the origin and changes of the image count each time. The least recently used image is
 * dropped first. Keys are hashes, because the query string of a URL may be a secret.
 */
import { createHash } from 'node:crypto';

export interface CachedImage {
  bytes: Buffer;
  /** request headers that ask whether the image has changed */
  validators: { 'if-none-match'?: string; 'if-modified-since'?: string };
}

export interface FetchCache {
  get(url: string): CachedImage | undefined;
  set(url: string, bytes: Buffer, headers: CacheHeaders): void;
  delete(url: string): void;
  /** images that are held, and their bytes */
  size(): { entries: number; bytes: number };
}

/** The response headers that decide whether an image is kept. */
export interface CacheHeaders {
  etag?: string | undefined;
  lastModified?: string | undefined;
  cacheControl?: string | undefined;
  vary?: string | undefined;
}

export interface CacheLimits {
  entries: number;
  bytes: number;
}

/** Longer validators are not kept. */
const MAX_VALIDATOR = 1024;

export function createFetchCache(limits: CacheLimits): FetchCache {
  const entries = new Map<string, CachedImage>();
  let bytes = 0;

  function drop(key: string): void {
    const entry = entries.get(key);
    if (!entry) return;
    bytes -= entry.bytes.byteLength;
    entries.delete(key);
  }

  return {
    get(url) {
      const key = keyOf(url);
      const entry = entries.get(key);
      if (!entry) return undefined;
      entries.delete(key);
      entries.set(key, entry);
      return entry;
    },
    set(url, image, headers) {
      const key = keyOf(url);
      drop(key);
      const validators = validatorsOf(headers);
      if (!validators || limits.entries < 1 || image.byteLength > limits.bytes) return;
      entries.set(key, { bytes: image, validators });
      bytes += image.byteLength;
      for (const oldest of entries.keys()) {
        if (entries.size <= limits.entries && bytes <= limits.bytes) break;
        drop(oldest);
      }
    },
    delete: (url) => drop(keyOf(url)),
    size: () => ({ entries: entries.size, bytes }),
  };
}

const keyOf = (url: string): string => createHash('sha256').update(url).digest('base64');

/** The validators of an answer; undefined if it has none, or if a shared cache must not keep it. */
function validatorsOf(headers: CacheHeaders): CachedImage['validators'] | undefined {
  const directives = (headers.cacheControl ?? '').split(',').map((part) => part.trim().toLowerCase());
  if (directives.some((directive) => /^(no-store|private)($|=)/.test(directive))) return undefined;
  if (headers.vary?.includes('*')) return undefined;
  const { etag, lastModified } = headers;
  if (etag !== undefined && etag.length <= MAX_VALIDATOR) return { 'if-none-match': etag };
  if (lastModified !== undefined && lastModified.length <= MAX_VALIDATOR) return { 'if-modified-since': lastModified };
  return undefined;
}
