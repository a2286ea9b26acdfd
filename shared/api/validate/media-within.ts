/**
 * Finds images, recordings and documents in content that is checked as text, such as parts of messages and results of
 * tools. They are not checked there, so they are refused or counted, never skipped without a note (decisions, Events).
 */
import { isFieldName, looksLikeJson, readTokens, unescaped } from '../../json.js';

const IMAGE_PARTS: ReadonlySet<string> = new Set([
  'image',
  'image_url',
  'input_image',
  'output_image',
  'image_file',
  'image-url',
  'image_generation_call',
  'image_embeds',
  'image_pil',
  'computer_screenshot',
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
  'container_upload',
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

/** Those that name a file somewhere else, whatever stands beside them. */
const FILE_REFERENCES = ['file_id', 'file_url', 'file_uri', 'fileUri', 'audio_url', 'video_url'];

type JsonMembers = Record<string, unknown>;

/** The number of media that were not checked. */
export interface UncheckedMedia {
  images: number;
  /** recordings, videos, documents */
  files: number;
  /** of the first few, where they are, such as `content[0].source` */
  paths: readonly string[];
}

/** Paths that a note has. */
const MOST_PATHS = 8;

const isObject = (value: unknown): value is JsonMembers =>
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
function isImage(value: JsonMembers): boolean {
  const { type } = value;
  if (typeof type === 'string' && IMAGE_PARTS.has(type)) {
    return type !== 'artifact' || (isObject(value.content) && value.content.kind === 'image');
  }
  return hasImage(value) || MEDIA_TYPES.some((name) => isImageType(value[name]));
}

function hasImage({ image, image_url: url }: JsonMembers): boolean {
  // The schema of an argument that is an address of an image is none.
  if (typeof url === 'string' ? url !== '' : isObject(url) && IMAGE_DATA.some((name) => name in url)) return true;
  return isObject(image) && IMAGE_DATA.some((name) => name in image);
}

const isImageType = (media: unknown): boolean => typeof media === 'string' && media.toLowerCase().startsWith('image/');

/** Media types of text. Their data is checked. */
const TEXTS = /^(?:text\/|application\/(?:[\w.-]+\+)?(?:json|xml|javascript|yaml|x-ndjson|x-yaml))/i;

/** The same for a recording or a document. A document that is plain text does not count: it is checked as text. */
function isFile(value: JsonMembers): boolean {
  const { type, source } = value;
  const media = MEDIA_TYPES.map((name) => value[name]).find((name) => typeof name === 'string') as string | undefined;
  const named = media?.includes('/') || (typeof type === 'string' && FILE_PARTS.has(type));
  if (hasStream(value)) return true;
  const isText =
    (isObject(source) && (source.type === 'text' || source.type === 'content')) ||
    (media !== undefined && TEXTS.test(media));
  if (isText) return named === true && FILE_REFERENCES.some((name) => isData(value[name]));
  if (named && FILE_DATA.some((name) => isData(value[name]))) return true;
  // MCP gives what is no text as a blob, with or without its media type.
  if (typeof value.blob === 'string' && value.blob !== '') return true;
  // {document: {format, source: {bytes}}}
  if (['document', 'video', 'audio'].some((name) => isObject(value[name]) && isObject(value[name].source))) return true;
  return WRAPPED.some(([name, data]) => {
    const wrapped = value[name];
    return isObject(wrapped) && data.some((one) => isData(wrapped[one]));
  });
}

/** Whether an object has a recording or a file by its address, under a name that says so. */
function hasStream(value: JsonMembers): boolean {
  if (['audio_url', 'video_url'].some((name) => isAddress(value[name]))) return true;
  return ['file_data', 'fileData'].some((name) => {
    const wrapped = value[name];
    return isObject(wrapped) && (isAddress(wrapped.fileUri) || isAddress(wrapped.file_uri));
  });
}

/** The schema of an argument that is an address is none. */
const isAddress = (value: unknown): boolean =>
  typeof value === 'string' ? value !== '' : isObject(value) && IMAGE_DATA.some((name) => name in value);

/** Members whose value is a file, and what holds its data. */
const WRAPPED: readonly (readonly [name: string, data: readonly string[]])[] = [
  ['video', ['data', 'bytes', 'url', 'uri']],
  ['audio', ['data', 'bytes', 'url', 'uri']],
  ['input_audio', ['data']],
  ['file', ['data', 'bytes', 'file_data', 'file_id']],
];

const isData = (value: unknown): boolean => (typeof value === 'string' && value !== '') || isObject(value);

/**
 * Whether a text may mention an image. Type names begin with `image`, `Image` or `IMAGE`. Searching from the `m` on is
 * faster, since fewer words have an `m` than an `i`.
 */
const mayNameImage = (text: string): boolean => text.includes('mage') || text.includes('MAGE');
const FILE_WORDS = /file|document|audio|video|blob|application\//;
const mayNameFile = (text: string): boolean => FILE_WORDS.test(text);

/** How images and files begin in base64: PNG, JPEG, GIF, WebP, TIFF; PDF, MP3, Ogg, WAV, MP4, WebM, archives. */
const IMAGE_BYTES = 'iVBORw0KGgo|\\/9j\\/|R0lGOD|UklGR.{7}RUJQ|SUkqA|TU0AK';
const FILE_BYTES = 'JVBERi0|SUQz|T2dnUw|UklGR.{7}QVZF|AAAA..Z0eX|GkXfo|UEsDB';
const startsAs = (bytes: string): RegExp => new RegExp(`^(?:${bytes})[\\w+/-]{16,}={0,2}\\s*$`);
const [IS_IMAGE_BYTES, IS_FILE_BYTES] = [startsAs(IMAGE_BYTES), startsAs(FILE_BYTES)];
const HAS_BYTES = new RegExp(`"(?:${IMAGE_BYTES.replaceAll('\\/', '\\\\?\\/')}|${FILE_BYTES})`);

/** Whether a text is an image or a file in base64, and nothing else, by how its bytes begin. */
export const isBase64Media = (text: string): boolean => IS_IMAGE_BYTES.test(text) || IS_FILE_BYTES.test(text);

/** Whether any plain text in `json` may hold media. Nearly none does, so one search of the whole body settles it. */
export const mayHoldMedia = (json: string): boolean => mayNameImage(json) || json.includes(';base64,');

/** Whether JSON may hold media. */
export const mayNameMedia = (json: string): boolean =>
  mayNameImage(json) || mayNameFile(json) || json.includes(';base64,') || HAS_BYTES.test(json);

/** Whether a value is an image or a file by itself. */
export const isMedia = (value: unknown): boolean => isObject(value) && (isImage(value) || isFile(value));

/** Whether what a recording says is written with it, so that it need not be heard. */
export const isHeard = (audio: unknown): boolean =>
  isObject(audio) && typeof audio.transcript === 'string' && audio.transcript !== '';

/** Whether a member of a medium is its data: base64, under a name that holds data. */
export const isMediaData = (name: string, text: string): boolean => FILE_DATA.includes(name) && BASE64.test(text);
const BASE64 = /^[\w+/-]*={0,2}\s*$/;

/** Whether a text is the data of a medium, and nothing else. Such a text is counted by {@link mediaWithin}. */
export const isDataUri = (text: string): boolean => DATA_URI.test(text);
const DATA_URI = /^data:(?:image|audio|video|application)\/[\w.+-]+;base64,[\w+/-]*={0,2}\s*$/i;

/** Counts the media in `value`. Media within media count once. `source`: its JSON, or the string itself. */
export function mediaWithin(value: unknown, source: string): UncheckedMedia {
  if (typeof value !== 'string' && !mayNameMedia(source)) return NO_MEDIA;
  const found = { images: 0, files: 0, paths: [] };
  countIn(found, value, TOP);
  return found;
}

/** Media in the members of an object. */
export interface MediaInMembers extends UncheckedMedia {
  /** the objects and lists that are media, or hold some */
  holders: ReadonlySet<unknown>;
}

/** Counts the media in the members of an object, which is none itself. */
export function mediaInMembers(value: object, source: string): MediaInMembers {
  if (!mayNameMedia(source)) return NO_HOLDERS;
  const found = { images: 0, files: 0, paths: [], holders: new Set() };
  for (const [name, inner] of Object.entries(value)) countIn(found, inner, within(TOP, name));
  return found;
}

const NO_MEDIA: UncheckedMedia = Object.freeze({ images: 0, files: 0, paths: [] });
const NO_HOLDERS: MediaInMembers = Object.freeze({ ...NO_MEDIA, holders: new Set() });

/** A body has at most 64 levels, but JSON in a string can have any number. */
const MOST_LEVELS = 200;

/** A value on the way to another one. */
interface ValueStep {
  up: ValueStep | undefined;
  /** its name or its index in the value above; undefined: it is written in that value, a string */
  name: string | number | undefined;
  level: number;
  value?: object;
}

const TOP: ValueStep = { up: undefined, name: undefined, level: 0 };
const within = (up: ValueStep, name: ValueStep['name']): ValueStep => ({ up, name, level: up.level + 1 });

interface MediaCounts {
  images: number;
  files: number;
  paths: string[];
  holders?: Set<unknown>;
}

function add(found: MediaCounts, step: ValueStep, { images = 0, files = 0 }: Partial<UncheckedMedia>): void {
  found.images += images;
  found.files += files;
  if (images + files === 0) return;
  const { holders } = found;
  for (let one: ValueStep | undefined = step; holders && one && !holders.has(one.value); one = one.up) {
    if (one.value) holders.add(one.value);
  }
  if (found.paths.length < MOST_PATHS) found.paths.push(pathOf(step));
}

/** Names in a path may be content. So it ends before the first that does not look like the name of a field. */
function pathOf(step: ValueStep): string {
  const steps: ValueStep[] = [];
  for (let one: ValueStep | undefined = step; one !== undefined; one = one.up) steps.unshift(one);
  let path = '';
  for (const { name } of steps) {
    if (name === undefined) continue;
    if (typeof name === 'number') path += `[${name}]`;
    else if (!isFieldName(name)) return path;
    else path += path === '' ? name : `.${name}`;
  }
  return path;
}

function countIn(found: MediaCounts, value: unknown, step: ValueStep): void {
  if (typeof value === 'string') {
    countInString(found, value, step);
    return;
  }
  if (typeof value !== 'object' || value === null || step.level > MOST_LEVELS) return;
  step.value = value;
  if (Array.isArray(value)) {
    for (const [i, inner] of value.entries()) countIn(found, inner, within(step, i));
  } else if (isImage(value as JsonMembers)) add(found, step, { images: 1 });
  else if (isFile(value as JsonMembers)) add(found, step, { files: 1 });
  else for (const [name, inner] of Object.entries(value)) countIn(found, inner, within(step, name));
}

const DATA_IMAGE = /data:image\//gi;
const DATA_FILE = /data:(?!image\/|text\/)[a-z]+\/[\w.+-]+;base64,/gi;
/** A part in JSON that does not parse as a whole: several lines of it, or with words around it. */
const WRITTEN_IMAGE = /"type"\s*:\s*"(?:image|image_url|input_image)"/g;

function countInString(found: MediaCounts, text: string, step: ValueStep): void {
  if (isBase64Media(text)) {
    add(found, step, IS_IMAGE_BYTES.test(text) ? { images: 1 } : { files: 1 });
    return;
  }
  const json = looksLikeJson(text);
  if (!(json ? mayNameMedia(text) : mayNameImage(text) || text.includes(';base64,'))) return;
  if (json && readTokens(text, () => {})) {
    try {
      countIn(found, JSON.parse(text), within(step, undefined));
      return;
    } catch {
      // Not quite JSON: search its text instead.
    }
  }
  // JSON in JSON is escaped twice.
  const said = unescaped(unescaped(unescaped(text)));
  const count = (pattern: RegExp): number => said.match(pattern)?.length ?? 0;
  add(found, step, { images: Math.max(count(DATA_IMAGE), count(WRITTEN_IMAGE)), files: count(DATA_FILE) });
}

/** The note about media that were not checked; '' if there are none. Without `paths` it does not say where they are. */
export function mediaNote({ images, files }: UncheckedMedia, paths: readonly string[] = []): string {
  if (images + files === 0) return '';
  const counted = [counting(images, 'image'), counting(files, 'file')].filter((each) => each !== '');
  const told = paths.filter((path) => path !== '').join(', ');
  const note = `${counted.join(' and ')} within the content ${images + files === 1 ? 'was' : 'were'} not looked at`;
  return told === '' ? note : `${note}: ${told}`;
}

const counting = (count: number, of: string): string => (count === 0 ? '' : `${count} ${of}${count === 1 ? '' : 's'}`);
