/** Images and files among the parts of the messages of a gateway's call. */
import { isHeard, isImagePart, mediaWithin } from '../media-within.js';

import type { Message } from './roles.js';

const isObject = (value: unknown): value is Message =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** Members of a part, and of a file, with the data of the file. */
const FILE_DATA = ['file_data', 'file_id', 'file_url', 'data', 'bytes', 'url', 'uri'];

/** A recording, a video or a document, which nothing looks at. One without its data is only named. */
function isFilePart(part: Message): boolean {
  if (part.type === 'file' && isObject(part.file)) {
    const file = part.file;
    return FILE_DATA.some((name) => typeof file[name] === 'string' && file[name] !== '');
  }
  const rest = Object.fromEntries(Object.entries(part).filter(([name]) => name !== 'text' && !RESULTS.includes(name)));
  return mediaWithin(rest, 'file').files > 0;
}

/** Members of a message that have its parts. */
const CONTENTS = ['content', 'output'] as const;
/** Members of a part in which there may be others, such as those of what a tool has returned. */
const RESULTS: readonly string[] = [...CONTENTS, 'result', 'value'];

/** Calls `visit` for each image and each file among the parts of a message, and those within the results of tools, with the way to it. */
export function eachMedium(
  message: Message,
  visit: (kind: 'image' | 'file', part: Message, way: readonly (string | number)[]) => void,
): void {
  const within = (value: unknown, way: readonly (string | number)[]): void => {
    if (Array.isArray(value)) {
      for (const [i, one] of value.entries()) within(one, [...way, i]);
    } else if (isObject(value)) {
      if (isImagePart(value)) visit('image', value, way);
      else if (isFilePart(value)) visit('file', value, way);
      else for (const name of [...RESULTS, 'source']) within(value[name], [...way, name]);
    }
  };
  for (const name of CONTENTS) within(message[name], [name]);
}

/** A way through a message as errors write it, such as `.content[2]`. */
export const written = (way: readonly (string | number)[]): string =>
  way.map((step) => (typeof step === 'number' ? `[${step}]` : `.${step}`)).join('');

/** Members of a message in which no media are sought: their parts are looked at one by one, or they are text. */
const SOUGHT: ReadonlySet<string> = new Set(['content', 'output', 'tool_calls', 'function_call', 'metadata']);

/** The ways to what nothing can look at in a message: recordings, videos and documents, and images beside its content. */
export function filesIn(message: Message): string[] {
  const found: string[] = [];
  eachMedium(message, (kind, _, way) => {
    if (kind === 'file') found.push(written(way));
  });
  for (const [name, value] of Object.entries(message)) {
    if (SOUGHT.has(name) || typeof value !== 'object' || (name === 'audio' && isHeard(value))) continue;
    const { images, files } = mediaWithin(value, 'image file');
    if (images + files > 0) found.push(written([name]));
  }
  return found;
}
