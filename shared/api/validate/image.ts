/**
 * Checks an image as sent (2.6). Only mistakes that the JSON shows are a 400. Bytes that are not an image, or an address
 * that cannot be reached, are found later and make a `failed` artifact.
 */
import { createIs, createValidate } from 'typia';
import { LIMITS } from '../limits.js';
import type { ArtifactContent } from '../types.js';
import { addTypia, type Issues } from './issues.js';
import { charactersExceed, textExceeds } from './measure.js';

const isContent = createIs<ArtifactContent>();
const explainContent = createValidate<ArtifactContent>();

/** Where the image is sent. In an event, `data` has the smaller limit of inline content (section 8). */
export type ContentPlace = 'event' | 'elsewhere';

/** Checks an image at `path`. */
export function checkArtifactContent(issues: Issues, content: unknown, path: string, place: ContentPlace): void {
  if (!isContent(content)) {
    addTypia(issues, path, explainContent(content));
    return;
  }
  const { url, data } = content;
  const byUrl = typeof url === 'string';
  if (byUrl === (typeof data === 'string')) {
    issues.add(path, 'source', `expected exactly one of url and data, found ${byUrl ? 'both' : 'neither'}`);
    return;
  }
  if (byUrl) checkUrl(issues, url, `${path}.url`);
  else checkData(issues, data!, `${path}.data`, place);
  for (const key of ['name', 'mime_type'] as const) {
    const value = content[key];
    if (typeof value === 'string' && charactersExceed(value, LIMITS.nameCharacters)) {
      issues.add(`${path}.${key}`, 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
    }
  }
}

function checkUrl(issues: Issues, url: string, path: string): void {
  if (url.length > LIMITS.urlCharacters) {
    issues.add(path, 'too_long', `expected at most ${LIMITS.urlCharacters} characters`);
    return;
  }
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:' && parsed?.protocol !== 'https:') {
    issues.add(path, 'url', 'expected an absolute URL that begins with http:// or https://');
  }
}

function checkData(issues: Issues, data: string, path: string, place: ContentPlace): void {
  if (place === 'event') {
    if (!textExceeds(data, LIMITS.contentBytes)) return;
    const message = `expected at most ${LIMITS.contentBytes} bytes; a larger image goes by url, or to POST /api/artifact`;
    issues.add(path, 'content_too_large', message);
  } else if (data.length > LIMITS.imageDataCharacters) {
    issues.add(path, 'content_too_large', `expected base64 of at most ${LIMITS.imageBytes} bytes`);
  }
}
