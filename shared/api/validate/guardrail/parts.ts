/** Parts of the messages of a gateway's call: where they are, and which of them are files. */
import { isImagePart, mediaWithin } from '../media-within.js';

import type { Message } from './roles.js';

const isObject = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members of a part, and of a file, with the data of the file. */
const FILE_DATA = ['file_data', 'file_id', 'file_url', 'data', 'bytes', 'url', 'uri'];

/** A recording, a video or a document, which nothing looks at. One without its data is only named. */
export function isFilePart(part: unknown): boolean {
  if (!isObject(part) || isImagePart(part)) return false;
  const { text: _text, content: _content, output: _output, ...rest } = part;
  if (part.type === 'file' && isObject(part.file)) {
    const file = part.file;
    return FILE_DATA.some((name) => typeof file[name] === 'string' && file[name] !== '');
  }
  return mediaWithin(rest, 'file').files > 0;
}

/** Calls `visit` for each part of a content, and for each part within the result of a tool. */
export function eachPart(content: unknown, visit: (part: unknown, path: readonly (string | number)[]) => void): void {
  const within = (parts: unknown, path: readonly (string | number)[], level: number): void => {
    if (!Array.isArray(parts)) return;
    for (const [i, part] of parts.entries()) {
      visit(part, [...path, i]);
      if (level === 0 && isObject(part)) for (const name of RESULTS) within(part[name], [...path, i, name], 1);
    }
  };
  within(content, [], 0);
}

const RESULTS = ['content', 'output'] as const;

/** A way through a message as errors write it, such as `.content[2]`. */
export const written = (way: readonly (string | number)[]): string =>
  way.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');

/** Members of a message in which no media are sought: their parts are looked at one by one, or they are text. */
const SOUGHT: ReadonlySet<string> = new Set(['content', 'output', 'tool_calls', 'function_call', 'metadata']);

/** The ways to what nothing can look at in a message: recordings, videos and documents, and images beside its content. */
export function filesIn(message: Message): string[] {
  const found: string[] = [];
  eachPart(message.content, (part, way) => {
    if (isFilePart(part)) found.push(written(['content', ...way]));
  });
  for (const [name, value] of Object.entries(message)) {
    if (SOUGHT.has(name) || typeof value !== 'object') continue;
    const { images, files } = mediaWithin(value, 'image file');
    if (images + files > 0) found.push(written([name]));
  }
  return found;
}
