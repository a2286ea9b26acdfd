/** Artifacts: one that is checked by itself (4.5), and the artifact parts of a session. Both become items of the same shape. */

import type { RecordItem } from '../../../shared/api/results/record.js';
import type { ArtifactContent, ArtifactRequest } from '../../../shared/api/types.js';
import { baseRole } from '../../../shared/api/validate/session.js';
import { memberSource } from '../../../shared/api/validate/sources.js';
import { unreadNote, unreadOfImage } from '../../../shared/api/validate/unread.js';
import { itemId } from '../../../shared/ids.js';
import { memberAt, valueStart } from '../../../shared/json.js';
import { evaluateArtifact } from '../../../shared/policy/evaluate.js';
import type { Plan } from '../../../shared/policy/plan.js';
import type { Verdict } from '../../../shared/policy/types.js';
import { NO_VERDICT } from '../../../shared/policy/verdict.js';
import { keys } from '../../../shared/streams/keys.js';
import { NOTHING_STORED } from '../../rows/columns.js';
import type { RowItem } from '../../rows/row-types.js';
import { type Draft, type Entry, fragmentTable } from '../draft.js';
import { IMAGE_NOT_EVALUATED, imageContent, rowImage, shownContent, verdictNote } from '../images/content.js';
import type { EntryBody } from './body.js';
import { explanationOf } from './explanation.js';
import { tagPathsOf, tagsIn } from './tags.js';
import { type User, userIn } from './user.js';

/** Item number of an artifact that came by itself. */
const ARTIFACT = 1;

/** An image and what is known of it when its items are made. */
export interface ArtifactItem {
  item: number;
  role: string;
  content: ArtifactContent;
  external: string;
  /** the session check it belongs to, by our id and the caller's; '' where there is none */
  session: { internal: string; external: string };
  /** null: there is none, and `failure` says why */
  verdict: Verdict | null;
  failure: string;
  /** JSON text, or empty */
  metadata: string;
  tags: RowItem['tags'];
  user: User;
}

/** An artifact is completed if every applicable policy was evaluated or one is violated; else it is failed, without a verdict (2.5). */
export function artifactParts(
  entry: Entry,
  artifact: ArtifactItem,
  fragments: ReturnType<typeof fragmentTable>,
): { item: RecordItem; row: RowItem } {
  const { item, external, session, metadata, tags, user } = artifact;
  const verdict = artifact.verdict ?? NO_VERDICT;
  const failed = artifact.verdict === null || (verdict.notEvaluated > 0 && !verdict.flagged);
  const status = failed ? ('failed' as const) : ('completed' as const);
  const flagged = failed ? null : verdict.flagged;
  const image = entry.gathered.images?.[item];
  const note = artifact.verdict === null ? artifact.failure : verdictNote(verdict, [image]);
  const explained = explanationOf(verdict, { readings: [image?.ok ? image.reading.text : undefined] });
  const named = { item, type: 'artifact', eventId: '', runId: '', externalSessionId: session.external, status, note };
  return {
    item: {
      ...named,
      flagged,
      policies: fragments.add(verdict.policies),
      explained: explained === '' ? -1 : fragments.add(explained),
      metadata: metadata === '' ? -1 : fragments.add(metadata),
      target: null,
      artifact: { external, session: session.internal },
    },
    row: {
      ...named,
      field: 'content',
      role: artifact.role,
      name: artifact.content.name ?? '',
      stored: NOTHING_STORED,
      externalArtifactId: external,
      content: shownContent(artifact.content, entry.header.masked),
      metadata,
      tags,
      userId: user.id,
      userEmail: user.email,
      links: [],
      image: rowImage(image, session.internal),
      verdict,
      explained,
      flagged,
    },
  };
}

/**
 * The index entries that find artifacts: each by the caller's id for it, those of a message by the internal id of its check, and those that
 * came by themselves by both ids of their session.
 */
export function artifactIndex(
  { header }: Entry,
  artifacts: readonly Pick<ArtifactItem, 'item' | 'external' | 'session'>[],
): Draft['index'] {
  const { team, scope } = header;
  const found = new Set<string>();
  for (const { item, external, session } of artifacts) {
    if (external !== '') found.add(keys.artifact(team, scope, external));
    if (session.internal !== '') found.add(keys.sessionArtifacts(team, scope, 'internal', session.internal));
    if (item !== ARTIFACT || session.external === '') continue;
    found.add(keys.sessionArtifacts(team, scope, 'external', session.external));
  }
  return [...found].map((key) => [key, itemId(header.id, 0)]);
}

/** With `plan` null nothing is evaluated: the artifact fails with `failure`. */
export function artifactOutcome(
  plan: Plan | null,
  entry: Entry,
  { value: request, json }: EntryBody<ArtifactRequest>,
  failure: string = '',
): Draft {
  const role = baseRole(request.role ?? 'user');
  const image = entry.gathered.images?.[ARTIFACT];
  let verdict: Verdict | null = null;
  let why = failure;
  if (plan !== null && image && !image.ok) why = image.note;
  else if (plan !== null && image?.ok) {
    const scope = { team: entry.header.team, deployment: entry.header.scope, restrict: restricted(request) };
    try {
      const direction = role === 'assistant' ? 'output' : 'input';
      verdict = evaluateArtifact(plan, scope, direction, imageContent(image, entry.indexes));
    } catch {
      why = IMAGE_NOT_EVALUATED;
    }
  }
  const fragments = fragmentTable();
  const metadataAt = (): number => memberAt(json, valueStart(json), 'metadata');
  const artifact: ArtifactItem = {
    item: ARTIFACT,
    role,
    content: request.content,
    external: request.external_artifact_id ?? '',
    session: entry.header.session ?? { internal: '', external: request.external_session_id ?? '' },
    verdict,
    failure: why || IMAGE_NOT_EVALUATED,
    metadata: request.metadata == null ? '' : memberSource(json, 'metadata'),
    tags: tagsIn(tagPathsOf(plan, entry), [{ value: request.metadata, json, at: metadataAt }]),
    user: userIn(request.metadata, json, metadataAt),
  };
  const { item, row } = artifactParts(entry, artifact, fragments);
  item.note = withUnread(item.note, request.content);
  row.note = item.note;
  const index = artifactIndex(entry, [artifact]);
  return { items: [item], rows: [row], fragments: fragments.list, index, context: [], error: null };
}

/** A note, and what stands beside an image that is looked at without its message. */
export const withUnread = (note: string, image: ArtifactContent): string =>
  [note, unreadNote(unreadOfImage(image), 'image')].filter((each) => each !== '').join('; ');

/** Policies that a session or an artifact is restricted to. */
export function restricted(request: {
  policies?: string[] | null;
  policy_ids?: string[] | null;
}): string[] | undefined {
  return request.policies ?? request.policy_ids ?? undefined;
}
