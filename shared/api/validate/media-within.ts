/**
 * Finds images, recordings and documents in content that is checked as text, such as parts of messages and results of
 * tools. They are not checked there, so they are refused or counted, never skipped without a note (decisions, Events).
 */
import { looksLikeJson, readTokens, unescaped } from '../../json.js';

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
const FILE_PARTS: ReadonlySet<string> = new Set([
  'input_audio',
  'audio',
  'audio_url',
  'video',
  'video_url',
  'input_video',
  'file',
  'input_file',
  'file_url',
  'document',
  'media',
]);
const MEDIA_TYPES = ['mime_type', 'mimeType', 'media_type', 'mediaType'];

/** Members of an object under `image` that hold its data. */
const IMAGE_DATA = ['url', 'uri', 'data', 'bytes', 'base64', 'b64_json', 'source', 'file_id'];
/** Members that hold the data of a file. */
const FILE_DATA = [
  ...IMAGE_DATA,
  'blob',
  'file',
  'file_data',
  'file_url',
  'file_uri',
  'fileUri',
  'input_audio',
  'audio_url',
  'video_url',
];

type Fields = Record<string, unknown>;

/** The number of media that were not checked. */
export interface Media {
  images: number;
  /** recordings, videos, documents */
  files: number;
}

const isObject = (value: unknown): value is Fields =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members in which vendors wrap the data of a part. */
const HOLDERS = ['inline_data', 'inlineData', 'file_data', 'fileData', 'source', 'resource'];

/** Whether an element of a list of content parts is an image, in any of the shapes of model APIs and MCP. */
export function isImagePart(part: unknown): boolean {
  if (!isObject(part)) return false;
  if (typeof part.type === 'string' && IMAGE_PARTS.has(part.type)) return true;
  return isImage(part) || HOLDERS.some((name) => isObject(part[name]) && isImage(part[name]));
}

/** Whether an object is an image by its type, by its media type, or because it has an image as a member. */
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

/** Media types of text. Their data is checked. */
const TEXTS = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript|yaml|x-ndjson|x-yaml))/i;

/** The same for a recording or a document. A document that is plain text does not count: it is checked as text. */
function isFile(value: Fields): boolean {
  const { type, source } = value;
  if (isObject(source) && (source.type === 'text' || source.type === 'content')) return false;
  const media = MEDIA_TYPES.map((name) => value[name]).find((name) => typeof name === 'string') as string | undefined;
  if (media !== undefined && TEXTS.test(media)) return false;
  const named = media?.includes('/') || (typeof type === 'string' && FILE_PARTS.has(type));
  if (named && FILE_DATA.some((name) => isData(value[name]))) return true;
  // {document: {format, source}}
  return ['document', 'video', 'audio'].some((name) => isObject(value[name]) && isObject(value[name].source));
}

const isData = (value: unknown): boolean => (typeof value === 'string' && value !== '') || isObject(value);

/**
 * Whether a text may mention an image. Type names begin with `image`, `Image` or `IMAGE`. Searching from the `m` on is
 * faster, since fewer words have an `m` than an `i`.
 */
const mayNameImage = (text: string): boolean => text.includes('mage') || text.includes('MAGE');
const FILE_WORDS = /file|document|audio|video|application\//;
const mayNameFile = (text: string): boolean => FILE_WORDS.test(text);

/** Whether any plain text in `json` may hold media. Nearly none does, so one search of the whole body settles it. */
export const mayHoldMedia = (json: string): boolean => mayNameImage(json) || json.includes(';base64,');

/** Whether JSON may hold media. */
export const mayNameMedia = (json: string): boolean => mayNameImage(json) || mayNameFile(json);

/** Counts the media in `value`. Media within media count once. `source`: its JSON, or the string itself. */
export function mediaWithin(value: unknown, source: string): Media {
  if (typeof value !== 'string' && !mayNameMedia(source)) return NO_MEDIA;
  const found = { images: 0, files: 0 };
  countIn(found, value, 0);
  return found;
}

const NO_MEDIA: Media = Object.freeze({ images: 0, files: 0 });

/** A body has at most 64 levels, but JSON in a string can have any number. */
const MOST_LEVELS = 200;

function countIn(found: Media, value: unknown, depth: number): void {
  if (typeof value === 'string') {
    countInString(found, value, depth);
    return;
  }
  if (typeof value !== 'object' || value === null || depth > MOST_LEVELS) return;
  if (!Array.isArray(value)) {
    if (isImage(value as Fields)) {
      found.images++;
      return;
    }
    if (isFile(value as Fields)) {
      found.files++;
      return;
    }
  }
  for (const inner of Object.values(value)) countIn(found, inner, depth + 1);
}

const DATA_IMAGE = /data:image\//gi;
const DATA_FILE = /data:(?!image\/|text\/)[a-z]+\/[\w.+-]+;base64,/gi;
/** A part in JSON that does not parse as a whole: several lines of it, or with words around it. */
const WRITTEN_IMAGE = /"type"\s*:\s*"(?:image|image_url|input_image)"/g;

function countInString(found: Media, text: string, depth: number): void {
  const json = looksLikeJson(text);
  if (!mayNameImage(text) && !text.includes(';base64,') && !(json && mayNameFile(text))) return;
  if (json && readTokens(text, () => {})) {
    try {
      countIn(found, JSON.parse(text), depth + 1);
      return;
    } catch {
      // Not quite JSON: search its text instead.
    }
  }
  // JSON in JSON is escaped twice.
  const said = unescaped(unescaped(unescaped(text)));
  const count = (pattern: RegExp): number => said.match(pattern)?.length ?? 0;
  found.images += Math.max(count(DATA_IMAGE), count(WRITTEN_IMAGE));
  found.files += count(DATA_FILE);
}

/** The note about media that were not checked; '' if there are none. */
export function mediaNote({ images, files }: Media): string {
  if (images + files === 0) return '';
  const counted = [counting(images, 'image'), counting(files, 'file')].filter((each) => each !== '');
  return `${counted.join(' and ')} within the content ${images + files === 1 ? 'was' : 'were'} not looked at`;
}

const counting = (count: number, of: string): string => (count === 0 ? '' : `${count} ${of}${count === 1 ? '' : 's'}`);
