/** Finds the images of a body, on a thread, before the entry is evaluated. */
import type {
  ArtifactContent,
  ArtifactRequest,
  EventInput,
  EventRequest,
  EventsRequest,
  SessionRequest,
} from '../../../shared/api/types.js';
import { eachElement, eachMember, memberAt, nameOf, skipValue, valueStart } from '../../../shared/json.js';
import { wantedOfArtifact, wantedOfEvent } from '../../../shared/policy/evaluate.js';
import type { Plan } from '../../../shared/policy/plan.js';
import type { EventContent, ImageWants } from '../../../shared/policy/types.js';
import type { WorkHeader } from '../../../shared/streams/work.js';
import { decodeData } from '../../images/decode/data.js';
import type { ImageSource } from '../../images/pipeline.js';
import { restricted } from '../kinds/artifact.js';
import { lastElementAt, readBody } from '../kinds/body.js';
import { baseRole } from '../kinds/sessions/previous.js';

/** Item number of the first image of a session; the session itself is item 1. */
export const FIRST_SESSION_IMAGE = 2;

export interface Extracted {
  /** in the order of the body; each inline image has memory of its own, so that it can move */
  images: ImageSource[];
  /** lists of known hashes that policies compare one of them with */
  lists: string[];
  /** the body without the data of its images, if that is most of it; evaluating does not need the data */
  body?: Uint8Array;
}

/** An image in a body. */
interface Found {
  item: number;
  /** its index among the events, or among the parts of the last message */
  position: number;
  content: ArtifactContent;
  /** what the policies for it ask for; throws where the plan has nothing of that team or scope */
  wants(): ImageWants;
}

/** Finds the images of an entry. Throws when the body is not what was validated. */
export function extractImages(plan: Plan, header: WorkHeader, body: Uint8Array): Extracted {
  const lists = new Set<string>();
  const { value, json } = readBody(body);
  const found = foundIn(plan, header, value);
  const images = found.map(({ item, content, wants }) => {
    const { lists: held, text, models } = orNothing(wants);
    for (const list of held) lists.add(list);
    const source = sourceOf(item, content);
    return text || models.length > 0 ? { ...source, wanted: { text, models } } : source;
  });
  const light = withoutData(header.kind, json, found);
  return { images, lists: [...lists], ...(light ? { body: light } : {}) };
}

/** The body with null for the data of its images and all else as it was sent; undefined if the data is less than half of it. */
function withoutData(kind: WorkHeader['kind'], json: string, found: readonly Found[]): Uint8Array | undefined {
  const taken = found.reduce((sum, { content }) => sum + (content.data?.length ?? 0), 0);
  if (taken < json.length / 2) return undefined;
  let light = '';
  let from = 0;
  eachImage(kind, json, found, (content) => {
    eachMember(json, content, (start, name) => {
      const end = skipValue(json, start);
      if (nameOf(json, name) === 'data') {
        light += `${json.slice(from, start)}null`;
        from = end;
      }
      return end;
    });
  });
  return new TextEncoder().encode(light + json.slice(from));
}

/** Calls `visit` with the offset in `json` of the content of each image that was found. */
function eachImage(
  kind: WorkHeader['kind'],
  json: string,
  found: readonly Found[],
  visit: (content: number) => void,
): void {
  const positions = new Set(found.map(({ position }) => position));
  const contentOf = (position: number, start: number): number => {
    const at = positions.has(position) ? memberAt(json, start, 'content') : -1;
    if (at >= 0) visit(at);
    return skipValue(json, start);
  };
  const top = valueStart(json);
  if (kind === 'artifact') contentOf(0, top);
  else if (kind === 'event') contentOf(0, memberAt(json, top, 'event'));
  else if (kind === 'events') eachElement(json, memberAt(json, top, 'events'), contentOf);
  else eachElement(json, memberAt(json, lastElementAt(json, 'messages'), 'content'), contentOf);
}

/** Nothing if `wants` throws: evaluating the image will throw for the same reason, and decides what that means. */
function orNothing(wants: () => ImageWants): ImageWants {
  try {
    return wants();
  } catch {
    return { lists: [], text: false, models: [] };
  }
}

function foundIn(plan: Plan, { kind, team, scope }: WorkHeader, value: unknown): Found[] {
  if (kind === 'event' || kind === 'events') {
    const events = kind === 'event' ? [(value as EventRequest).event] : (value as EventsRequest).events;
    return events.flatMap((event, i) =>
      event.type === 'artifact' && event.content != null
        ? [
            {
              item: i + 1,
              position: i,
              content: event.content as ArtifactContent,
              wants: () => wantedOfEvent(plan, { team, environment: scope }, imageEvent(event)),
            },
          ]
        : [],
    );
  }
  const wants = (role: string): ImageWants => {
    const restrict = restricted(value as ArtifactRequest | SessionRequest);
    return wantedOfArtifact(plan, { team, deployment: scope, restrict }, directionOf(role));
  };
  if (kind === 'artifact') {
    const { content, role } = value as ArtifactRequest;
    return [{ item: 1, position: 0, content, wants: () => wants(role ?? 'user') }];
  }
  const request = value as SessionRequest;
  return imagesOf(request).map(({ content, part }, i) => ({
    item: FIRST_SESSION_IMAGE + i,
    position: part,
    content,
    wants: () => wants(request.messages.at(-1)!.role),
  }));
}

const directionOf = (role: string): 'input' | 'output' => (baseRole(role) === 'assistant' ? 'output' : 'input');

/** An artifact event as conditions and selectors see it. */
function imageEvent({ type, role, name, metadata }: EventInput): EventContent {
  return { type, field: 'content', role: role ?? '', name: name ?? '', text: '', metadata: metadata ?? {} };
}

/** An artifact part of the last message of a session. */
export interface SessionImage {
  /** of the part, for paths */
  path: string;
  /** number of the part in its message */
  part: number;
  external: string;
  content: ArtifactContent;
}

/** The artifact parts of the last message, in order: those that are checked (2.3). */
export function imagesOf({ messages }: SessionRequest): SessionImage[] {
  const last = messages.length - 1;
  const { content } = messages[last]!;
  if (!Array.isArray(content)) return [];
  return content.flatMap((part, i) =>
    part.type === 'artifact'
      ? [
          {
            path: `messages[${last}].content[${i}]`,
            part: i,
            external: part.external_artifact_id ?? '',
            content: part.content as ArtifactContent,
          },
        ]
      : [],
  );
}

function sourceOf(item: number, { url, data }: ArtifactContent): ImageSource {
  if (typeof url === 'string') return { item, url };
  const decoded = decodeData(data ?? '');
  if (!decoded.ok) return { item, failed: decoded.reason };
  const { bytes } = decoded;
  // Small buffers share memory with others.
  return { item, data: bytes.length === bytes.buffer.byteLength ? bytes : Uint8Array.from(bytes) };
}
