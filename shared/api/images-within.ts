/**
 * Images in content that is checked as text: parts of messages, results of tools. Nobody looks at them there, so they are
 * refused or counted, never passed over in silence (decisions, Events).
 */
import { looksLikeJson, readTokens } from '../json.js';

const IMAGE_PARTS: ReadonlySet<string> = new Set([
  'image',
  'image_url',
  'input_image',
  'output_image',
  'image_file',
  'image-url',
  'image_generation_call',
  'artifact',
]);
const MEDIA_TYPES = ['mime_type', 'mimeType', 'media_type', 'mediaType'];

/** What an object has that is the value of a member `image`. */
const IMAGE_DATA = ['url', 'uri', 'data', 'bytes', 'base64', 'b64_json', 'source', 'file_id'];

type Fields = Record<string, unknown>;

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Whether an element of a list of content parts is an image, in one of the shapes that model APIs and MCP give it. */
export function isImagePart(part: unknown): boolean {
  if (!isObject(part)) return false;
  return (typeof part.type === 'string' && IMAGE_PARTS.has(part.type)) || isImage(part);
}

/** An object that is an image wherever it stands: by its own word, by that of its data, or because it has one as a member. */
function isImage(value: Fields): boolean {
  const { type } = value;
  if (typeof type === 'string' && IMAGE_PARTS.has(type)) {
    return type !== 'artifact' || (isObject(value.content) && value.content.kind === 'image');
  }
  return hasImage(value) || MEDIA_TYPES.some((name) => isImageType(value[name]));
}

function hasImage({ image, image_url: url }: Fields): boolean {
  if (typeof url === 'string' ? url !== '' : isObject(url)) return true;
  return isObject(image) && IMAGE_DATA.some((name) => name in image);
}

const isImageType = (media: unknown): boolean => typeof media === 'string' && media.toLowerCase().startsWith('image/');

/** How many images are in `value`, an outermost one counted once. `source`: its JSON, or the string itself. */
export function imagesWithin(value: unknown, source: string): number {
  // Nearly all content has none, and one look at its text says so.
  return mayNameImage(source) ? imagesIn(value, 0) : 0;
}

/** Whether a text may speak of an image. Names of types are written in one of these ways; looking for them costs less than any case would. */
export const mayNameImage = (text: string): boolean =>
  text.includes('image') || text.includes('IMAGE') || text.includes('Image');

const DATA_IMAGE = /data:image\//gi;

/** A body has at most 64 levels; JSON in a string has any number. */
const MOST_LEVELS = 200;

function imagesIn(value: unknown, depth: number): number {
  if (typeof value === 'string') return imagesInString(value, depth);
  if (typeof value !== 'object' || value === null || depth > MOST_LEVELS) return 0;
  if (!Array.isArray(value) && isImage(value as Fields)) return 1;
  let images = 0;
  for (const inner of Object.values(value)) images += imagesIn(inner, depth + 1);
  return images;
}

function imagesInString(text: string, depth: number): number {
  if (!mayNameImage(text)) return 0;
  if (looksLikeJson(text) && readTokens(text, () => {})) {
    try {
      return imagesIn(JSON.parse(text), depth + 1);
    } catch {
      // Nearly JSON: what is left is to look for images in its text.
    }
  }
  return text.match(DATA_IMAGE)?.length ?? 0;
}

/** Said of content whose images nobody looked at; empty where there are none. */
export function imagesNote(images: number): string {
  if (images === 0) return '';
  return images === 1
    ? '1 image within the content was not looked at'
    : `${images} images within the content were not looked at`;
}
