/** The images of a gateway's call that are checked. Those of its list were taken from its messages, in the order of these. */

import { CONVERSATION } from '../../checked-messages.js';
import { LIMITS } from '../../limits.js';
import type { ArtifactContent } from '../../types.js';
import { checkArtifactContent } from '../image.js';
import type { Issues } from '../issues.js';
import { eachMedium, written } from './parts.js';
import type { GuardrailConversation, Message } from './roles.js';

export interface CheckedImages {
  list: { content: ArtifactContent; place: string }[];
  /** every image of the list is among them, in its order and before the others */
  all: boolean;
}

/**
 * Of the images `listed` those that stand in a checked message or in none, and those of checked messages that are not listed. `place`: of
 * each in the call. Adds an issue for each that is not one.
 */
export function checkedImages(
  listed: readonly string[],
  conversation: GuardrailConversation,
  issues: Issues,
): CheckedImages {
  const { messages, checked, input } = conversation;
  const found = messages.flatMap((message, i) => (checked[i] ? imagesIn(message, `${CONVERSATION}[${i}]`) : []));
  const context = new Set<string | undefined>();
  if (input === 'request') {
    for (const [i, message] of messages.entries()) {
      if (!checked[i]) for (const { image } of imagesIn(message, '')) context.add(image);
    }
  }
  const wanted = new Set(found.map(({ image }) => image));
  const first = listed.flatMap((image, i) =>
    wanted.has(image) || !context.has(image) ? [{ image, place: `images[${i}]` }] : [],
  );
  const known = new Set<string | undefined>(first.map(({ image }) => image));
  const more = found.filter(({ image }) => image === undefined || !known.has(image));
  const all = [...first, ...more];
  if (all.length > LIMITS.artifactParts) {
    issues.add('images', 'too_many', `expected at most ${LIMITS.artifactParts} images in the newest turn`);
    return { list: [], all: false };
  }
  const list = all.flatMap(({ image, place }) => {
    if (image === undefined) {
      issues.add(place, 'unsupported_content_part', 'expected an image by its address or its data');
      return [];
    }
    const content = imageOf(image);
    checkArtifactContent(issues, content, place, 'elsewhere');
    return [{ content, place }];
  });
  return { list, all: first.length === listed.length };
}

const ADDRESS = /^https?:/i;

/** An image as a gateway sends it: an address, a data URI or base64. */
const imageOf = (image: string): ArtifactContent =>
  ADDRESS.test(image) ? { kind: 'image', url: image } : { kind: 'image', data: image };

/** An image in a message. Without `image` it cannot be told, such as one that a vendor keeps. */
interface MessageImage {
  image: string | undefined;
  place: string;
}

function imagesIn(message: Message, path: string): MessageImage[] {
  // What a model has drawn is an item by itself.
  if (message.type === 'image_generation_call') return [{ image: sourceOf(message), place: path }];
  const found: MessageImage[] = [];
  eachMedium(message, (kind, part, way) => {
    if (kind === 'image') found.push({ image: sourceOf(part), place: `${path}${written(way)}` });
  });
  return found;
}

/** Members that have an image, or hold what has one. */
export const HOLDERS = ['image_url', 'image', 'source', 'inlineData', 'inline_data', 'content'] as const;
const ADDRESSES = ['url', 'uri'] as const;
const DATA = ['data', 'bytes', 'base64', 'b64_json'] as const;
export const MEDIA_TYPES = ['media_type', 'mediaType', 'mime_type', 'mimeType'] as const;

/** The image of a part as a gateway lists it: data with their media type. */
export function sourceOf(part: Message): string | undefined {
  const address = textIn(part, ADDRESSES);
  if (address !== undefined) return address;
  const data = textIn(part, DATA);
  const type = textIn(part, MEDIA_TYPES);
  if (data !== undefined) {
    return type === undefined || data.startsWith('data:') || ADDRESS.test(data) ? data : `data:${type};base64,${data}`;
  }
  for (const name of HOLDERS) {
    const held = part[name];
    if (typeof held === 'object' && held !== null) {
      const image = sourceOf(held as Message);
      if (image !== undefined) return image;
    }
  }
  return textIn(part, HOLDERS);
}

function textIn(of: Message, names: readonly string[]): string | undefined {
  const name = names.find((one) => typeof of[one] === 'string' && of[one] !== '');
  return name === undefined ? undefined : (of[name] as string);
}
