/** Finds the images of a body, on a thread, before the entry is evaluated. */
import { LIMITS } from '../../../shared/api/limits.js';
import type {
  ArtifactContent,
  ArtifactRequest,
  EventInput,
  EventRequest,
  EventsRequest,
  SessionRequest,
} from '../../../shared/api/types.js';
import { eventRoleOf } from '../../../shared/api/validate/event-pass.js';
import { baseRole } from '../../../shared/api/validate/session.js';
import { eachElement, eachMember, isNamed, memberAt, skipValue, unescaped, valueStart } from '../../../shared/json.js';
import { imageMember, imageOfPart } from '../../../shared/policy/content/parts.js';
import { wantedOfArtifact, wantedOfEvent } from '../../../shared/policy/evaluate.js';
import type { Plan } from '../../../shared/policy/plan.js';
import type { EventContent, ImageWants } from '../../../shared/policy/types.js';
import { type Skimmed, skim } from '../../../shared/skim.js';
import type { WorkHeader } from '../../../shared/streams/work.js';
import { decodeData } from '../../images/decode/data.js';
import type { ImageSource } from '../../images/pipeline.js';
import { restricted } from '../kinds/artifact.js';
import { lastElementAt, parsed } from '../kinds/body.js';

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
interface BodyImage {
  item: number;
  /** its index among the events, or among the parts of the last message */
  position: number;
  content: ArtifactContent;
  /** the member that has it; '': the event or the part is the image itself */
  member: string;
  /** what the policies for it ask for; throws where the plan has nothing of that team or scope */
  wants(): ImageWants;
}

/**
 * Bytes above which strings are not needed to find images: addresses, roles and policies are shorter. The conditions of events look at
 * metadata, of any length.
 */
const LONGEST: Record<WorkHeader['kind'], number> = {
  // Each unit of an address may be written as an escape, such as \u00e9.
  artifact: LIMITS.urlCharacters * 6,
  session: LIMITS.urlCharacters * 6,
  event: Number.POSITIVE_INFINITY,
  events: Number.POSITIVE_INFINITY,
};

/** Finds the images of an entry. Throws when the body is not what was validated. */
export function extractImages(plan: Plan, header: WorkHeader, body: Uint8Array): Extracted {
  const lists = new Set<string>();
  const skimmed = skim(body, LONGEST[header.kind]);
  const found = foundIn(plan, header, parsed(skimmed.json));
  const { data, light } = cutData(header.kind, skimmed, found);
  const images = found.map(({ item, position, content, wants }) => {
    const { lists: held, text, models } = orNothing(wants);
    for (const list of held) lists.add(list);
    const source = sourceOf(item, content, data.get(position));
    return text || models.length > 0 ? { ...source, wanted: { text, models } } : source;
  });
  return { images, lists: [...lists], ...(2 * light.length <= body.length ? { body: light } : {}) };
}

/** The data of images by position, and the body with null in their place and all else as it was sent. */
function cutData(
  kind: WorkHeader['kind'],
  { json, long }: Skimmed,
  found: readonly BodyImage[],
): { data: Map<number, string | Buffer>; light: Uint8Array } {
  const data = new Map<number, string | Buffer>();
  const parts: Buffer[] = [];
  const others = new Map(long);
  let from = 0;
  const keepTo = (end: number): void => {
    for (const [at, bytes] of others) {
      if (at >= end) break;
      others.delete(at);
      // It is in what was cut out: data, or a value that stands before a second member of that name.
      if (at < from) continue;
      parts.push(Buffer.from(json.slice(from, at + 1)), bytes);
      from = at + 1;
    }
    parts.push(Buffer.from(json.slice(from, end)));
  };
  eachImage(kind, json, found, (position, content) => {
    eachMember(json, content, (start, name) => {
      const end = skipValue(json, start);
      if (!isNamed(json, name, 'data')) return end;
      keepTo(start);
      parts.push(Buffer.from('null'));
      from = end;
      // Of two members of that name the last counts.
      const sent = long.get(start);
      data.set(
        position,
        sent && !sent.includes('\\') ? sent : unescaped(sent?.toString() ?? json.slice(start + 1, end - 1)),
      );
      return end;
    });
  });
  keepTo(json.length);
  // Memory of its own, which can move.
  return { data, light: new Uint8Array(Buffer.concat(parts)) };
}

/** Calls `visit` with the position of each image that was found, and the offset of its content in `json`. */
function eachImage(
  kind: WorkHeader['kind'],
  json: string,
  found: readonly BodyImage[],
  visit: (position: number, content: number) => void,
): void {
  const byPosition = new Map(found.map(({ position, member }) => [position, member]));
  const contentOf = (position: number, start: number): number => {
    const member = byPosition.get(position);
    const at = member === undefined ? -1 : member === '' ? start : memberAt(json, start, member);
    if (at >= 0) visit(position, at);
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

function foundIn(plan: Plan, { kind, team, scope }: WorkHeader, value: unknown): BodyImage[] {
  if (kind === 'event' || kind === 'events') {
    const events = kind === 'event' ? [(value as EventRequest).event] : (value as EventsRequest).events;
    return events.flatMap((event, i) =>
      event.type === 'artifact' && event.content != null
        ? [
            {
              item: i + 1,
              position: i,
              content: event.content as ArtifactContent,
              member: 'content',
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
    return [{ item: 1, position: 0, content, member: 'content', wants: () => wants(role ?? 'user') }];
  }
  const request = value as SessionRequest;
  return imagesOf(request).map(({ content, member, part }, i) => ({
    item: FIRST_SESSION_IMAGE + i,
    position: part,
    content,
    member,
    wants: () => wants(request.messages.at(-1)!.role),
  }));
}

const directionOf = (role: string): 'input' | 'output' => (baseRole(role) === 'assistant' ? 'output' : 'input');

/** An artifact event as conditions and selectors see it. */
function imageEvent({ type, role, name, metadata }: EventInput): EventContent {
  return { type, field: 'content', role: eventRoleOf(role), name: name ?? '', text: '', metadata: metadata ?? {} };
}

/** An artifact part of the last message of a session. */
export interface SessionImage {
  /** of the part, for paths */
  path: string;
  /** number of the part in its message */
  part: number;
  external: string;
  content: ArtifactContent;
  /** the member of the part that has it; '': the part is the image itself */
  member: string;
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
            content: imageOfPart(part) as ArtifactContent,
            member: imageMember(part) ?? '',
          },
        ]
      : [],
  );
}

function sourceOf(item: number, { url }: ArtifactContent, data: string | Buffer = ''): ImageSource {
  if (typeof url === 'string') return { item, url };
  const decoded = decodeData(data);
  if (!decoded.ok) return { item, failed: decoded.reason };
  return { item, data: new Uint8Array(decoded.bytes.buffer) };
}
