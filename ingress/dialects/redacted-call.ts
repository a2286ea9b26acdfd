/** What a gateway is given of the redacted session that was made of its call: the texts that it lists. */
import { isDeepStrictEqual } from 'node:util';
import type { ArtifactContent, SessionRequest } from '../../shared/api/types.js';
import type { CheckInput, Listed } from '../../shared/api/validate/issues.js';

export interface RedactedCall {
  texts: string[];
  /** as they came; none where not all of them were checked */
  images: string[];
  /** something was found in a text */
  changed: boolean;
  /** something was found in what is checked, but in no text, where a gateway would not replace it */
  beside: boolean;
}

/** What was made of the call, and where its texts are in that. */
type PlacedTexts = Pick<CheckInput, 'checked' | 'listed'> & { texts: NonNullable<Listed['texts']> };

type JsonNode = Record<string | number, unknown>;

/** `redacted`: JSON of the redacted messages, or of the content of the only one. `body`: of the check. */
export function redactedCall(
  redacted: string,
  body: Buffer,
  { checked, listed, texts: places }: PlacedTexts,
): RedactedCall {
  const sent = (JSON.parse(body.toString()) as SessionRequest).messages as unknown as JsonNode[];
  const marked = checked
    ? (JSON.parse(redacted) as JsonNode[])
    : [{ ...sent[0], content: JSON.parse(redacted) as unknown }];
  let changed = false;
  const texts = places.map(({ message, path }) => {
    const [of, original] = [holderOf(marked[message]!, path), holderOf(sent[message]!, path)];
    const last = path.at(-1)!;
    const text = of[last] as string;
    if (text !== original[last]) changed = true;
    of[last] = original[last];
    return text;
  });
  const from = checked?.from ?? 0;
  const beside = !isDeepStrictEqual(marked.slice(from), sent.slice(from));
  const images = listed?.allImages
    ? imagesOf(sent.at(-1)!).filter((_, i) => listed.images[i]!.startsWith('images['))
    : [];
  return { texts, images, changed, beside };
}

/** What has the last member or element on the way. */
function holderOf(message: JsonNode, path: readonly (string | number)[]): JsonNode {
  let node = message;
  for (const step of path.slice(0, -1)) node = node[step] as JsonNode;
  return node;
}

function imagesOf({ content }: JsonNode): string[] {
  const parts = Array.isArray(content) ? (content as { content?: Partial<ArtifactContent> }[]) : [];
  return parts.flatMap(({ content: image }) => image?.url ?? image?.data ?? []);
}
