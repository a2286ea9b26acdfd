/** How the parts of the messages of a gateway's call are written for a session, which reads them. */
import { eachMember, nameOf, skipValue, unescaped } from '../../../json.js';
import { hasNoContent } from '../../../policy/content/no-content.js';
import { CALL_PARTS, TEXT_PARTS } from '../../../policy/content/parts.js';
import { isImagePart } from '../media-within.js';
import { HOLDERS, MEDIA_TYPES, sourceOf } from './images.js';
import type { Message } from './roles.js';

const EMPTY = '{"type":"text","text":""}';

/**
 * JSON of a part as a session reads it; undefined: as it is. The image of a part is left out, since it is checked as an artifact. What no
 * session knows is read as the result of a tool, of which every member is read.
 */
export function partAsRead(part: unknown, json: string, at: number): string | undefined {
  if (typeof part === 'object' && part !== null && !Array.isArray(part)) {
    const { type, text, refusal } = part as Message;
    const isImage = isImagePart(part);
    if (typeof type === 'string' && CALL_PARTS.has(type) && !isImage) return undefined;
    const isText = [text, refusal].every((one) => one == null || typeof one === 'string');
    const isOfText = isText && typeof type === 'string' && TEXT_PARTS.has(type);
    if (isOfText && !isImage) return text == null && refusal == null ? EMPTY : undefined;
    const members = restOf(isImage ? sourceOf(part as Message) : undefined, json, at);
    if (members === '') return EMPTY;
    return `{"type":"${isOfText && typeof text === 'string' ? type : 'tool_result'}"${members}}`;
  }
  if (part === null) return EMPTY;
  const end = skipValue(json, at);
  if (typeof part === 'string') return `{"type":"text","text":${json.slice(at, end)}}`;
  return `{"type":"tool_result","content":${json.slice(at, end)}}`;
}

/** A type, not the number of a card. */
const isWord = (json: string, at: number): boolean =>
  json[at] === '"' && hasNoContent('type', json, at) && !/\d{9}/.test(json.slice(at, skipValue(json, at)));

const HOLDING: ReadonlySet<string> = new Set(HOLDERS);
/** Members that say in a word of what kind an image is. */
const KINDS: ReadonlySet<string> = new Set([...MEDIA_TYPES, 'format', 'detail']);

/** JSON of the members of the part at `at`, each with a comma before it, without its type, and without its `image` and what kind that is of. */
function restOf(image: string | undefined, json: string, at: number): string {
  const isOfImage = (text: string): boolean =>
    image !== undefined && text !== '' && (image === text || image.endsWith(`,${text}`));
  /** of an object that has the image, or holds what has it */
  const members = (start: number): string => {
    let all = '';
    eachMember(json, start, (value, nameAt) => {
      const end = skipValue(json, value);
      const name = nameOf(json, nameAt);
      const isKind = name === 'type' || (image !== undefined && KINDS.has(name));
      if (isKind && isWord(json, value)) return end;
      // A part has a type of its own.
      const written = name === 'type' ? '"":' : json.slice(nameAt, value);
      if (image !== undefined && HOLDING.has(name) && json[value] === '{') {
        const held = members(value);
        if (held !== '') all += `,${written}{${held.slice(1)}}`;
      } else if (json[value] !== '"' || !isOfImage(unescaped(json.slice(value + 1, end - 1)))) {
        all += `,${written}${json.slice(value, end)}`;
      }
      return end;
    });
    return all;
  };
  return members(at);
}
