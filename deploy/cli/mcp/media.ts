/** Takes images, recordings and files out of what a message says: an event of Weir has a text or an image. */
import { isMcpObject } from './message.js';

export interface TakenMedia {
  /** the value without them; a file that is a text is there as this text */
  value: unknown;
  images: { data: string; mime_type?: string }[];
  /** what Weir has no look at, in words, such as `a recording` */
  unlooked: string[];
}

const DATA_URI = /^data:([\w.+-]+\/[\w.+-]+)(?:;[\w.+=-]+)*;base64,/i;
const MEDIA_TYPE = /^[\w.+-]{1,64}\/[\w.+-]{1,64}(?:; ?charset=[\w-]{1,32})?$/;
/** Deeper JSON is refused by Weir. It is not read here, so that it fills no stack. */
const MOST_LEVELS = 64;

export function takeMedia(given: unknown): TakenMedia {
  const taken: TakenMedia = { value: undefined, images: [], unlooked: [] };

  function media(data: string, type: string): string {
    if (/^image\/(?!svg)/i.test(type)) {
      taken.images.push({ data, ...(type === 'image/*' ? {} : { mime_type: type }) });
      return '';
    }
    const text = textIn(data);
    if (text !== undefined) return text;
    taken.unlooked.push(/^audio\//i.test(type) ? 'a recording' : 'a file');
    return '';
  }

  function within(value: unknown, level: number): unknown {
    if (typeof value === 'string') {
      const uri = DATA_URI.exec(value);
      return uri ? media(value.slice(uri[0].length), uri[1]!) : value;
    }
    if (level > MOST_LEVELS) return value;
    if (Array.isArray(value)) return value.map((inner) => within(inner, level + 1));
    if (!isMcpObject(value)) return value;
    const members = Object.entries(value).flatMap(([name, inner]): [string, unknown][] => {
      const type = mediaType(value, name);
      if (type !== undefined && typeof inner === 'string') return [[name, media(inner.replace(DATA_URI, ''), type)]];
      // What is taken out counts as an image for Weir by these. A media type may say anything, so it is read: in a list it names none.
      if (name === 'mimeType' && typeof inner === 'string' && MEDIA_TYPE.test(inner)) return [[name, [inner]]];
      if (name === 'type' && (inner === 'image' || inner === 'audio') && typeof value.data === 'string') return [];
      return [[name, within(inner, level + 1)]];
    });
    return Object.fromEntries(members);
  }

  taken.value = within(given, 1);
  return taken;
}

/** The type of the base64 in this member of a block of content or of a resource; undefined where it has none. */
function mediaType({ type, mimeType }: Record<string, unknown>, name: string): string | undefined {
  const told = typeof mimeType === 'string' ? mimeType : undefined;
  if (name === 'blob') return told ?? '';
  if (name !== 'data') return undefined;
  if (type === 'image') return told !== undefined && /^image\/(?!svg)/i.test(told) ? told : 'image/*';
  return type === 'audio' ? 'audio/*' : undefined;
}

/** Programs differ in what they make of anything else. */
const BASE64 = /^[\w+/-]*={0,2}$/;

/** What base64 says, where that is a text. */
function textIn(data: string): string | undefined {
  if (!BASE64.test(data)) return undefined;
  try {
    const text = new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(data, 'base64'));
    return text.includes('\0') ? undefined : text;
  } catch {
    return undefined;
  }
}
