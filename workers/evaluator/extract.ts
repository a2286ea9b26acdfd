/** The images of a body, found on a thread: what is fetched and decoded before the entry is evaluated. */
import type {
  ArtifactContent,
  ArtifactRequest,
  EventRequest,
  EventsRequest,
  SessionRequest,
} from '../../shared/api/types.js';
import type { Plan } from '../../shared/policy/plan.js';
import type { WorkHeader } from '../../shared/streams/work.js';
import { decodeData } from '../media/data.js';
import type { ImageSource } from '../media/gather.js';
import { readBody } from './body.js';

/** Item number of the first image of a session; the session itself is item 1. */
export const FIRST_SESSION_IMAGE = 2;

export interface Extracted {
  /** in the order of the body; each inline image has memory of its own, so that it can move */
  images: ImageSource[];
  /** lists of known hashes that the team's policies hold images against */
  lists: string[];
}

/** Finds the images of an entry. Throws when the body is not what was validated. */
export function extractImages(plan: Plan, header: WorkHeader, body: Uint8Array): Extracted {
  const images = contentsOf(header, readBody(body)).map(([item, content]) => sourceOf(item, content));
  return { images, lists: listsOf(plan, header.team) };
}

function contentsOf({ kind }: WorkHeader, value: unknown): [item: number, content: ArtifactContent][] {
  if (kind === 'artifact') return [[1, (value as ArtifactRequest).content]];
  if (kind === 'session') {
    return imagesOf(value as SessionRequest).map(({ content }, i) => [FIRST_SESSION_IMAGE + i, content]);
  }
  const events = kind === 'event' ? [(value as EventRequest).event] : (value as EventsRequest).events;
  return events.flatMap((event, i) =>
    event.type === 'artifact' && event.content != null ? [[i + 1, event.content as ArtifactContent]] : [],
  );
}

/** An artifact part of the last message of a session. */
export interface SessionImage {
  /** of the part, for paths */
  path: string;
  external: string;
  content: ArtifactContent;
}

/** The artifact parts of the last message, in order: those that are checked (2.3). */
export function imagesOf({ messages }: SessionRequest): SessionImage[] {
  const last = messages.length - 1;
  const { content } = messages[last]!;
  if (typeof content === 'string') return [];
  return content.flatMap((part, i) =>
    part.type === 'artifact'
      ? [
          {
            path: `messages[${last}].content[${i}]`,
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

/** What `image_hash` of any policy of the team asks for: one search too many costs less than to find out which. */
function listsOf(plan: Plan, team: string): string[] {
  const lists = new Set<string>();
  for (const { parameters } of plan.teams.get(team)?.images.values() ?? []) {
    if ('image_hash' in parameters) lists.add(parameters.image_hash.list);
  }
  return [...lists];
}
