/** What is added to the work stream for a check: its id, which says the partition, and the header that travels with the body. */
import { ownConversation } from '../../shared/api/conversation.js';
import { LOOK_FORMAT } from '../../shared/formats.js';
import { hash32, newRequestId, requestOfRun } from '../../shared/ids.js';
import type { WorkHeader } from '../../shared/streams/work.js';
import type { CheckRequest } from './types.js';

/** What the configuration in force says of a team's checks. */
export interface TeamRules {
  /** whether what could not be evaluated counts as flagged for a team; default: for none */
  failClosed?: (team: string) => boolean;
  /** whether content outlives its check; default: it does */
  keepsContent?: () => boolean;
  /** whether it is kept with marks alone; default: it is kept as it was sent */
  masksContent?: () => boolean;
}

/** A fresh request id, in one of so many partitions. */
export function newIdFor(request: CheckRequest, partitions: number): string {
  return newRequestId(partitionFor(request, partitions), request.received);
}

function partitionFor({ team, scope, affinity }: CheckRequest, partitions: number): number {
  if (affinity === '') return Math.floor(Math.random() * partitions);
  // A generated run stays in the partition of the request that it was generated for.
  const first = requestOfRun(affinity)?.partition ?? partitions;
  return first < partitions ? first : hash32(`${team} ${scope} ${affinity}`) % partitions;
}

/** The header, as JSON. `reply`: the process that waits for the reply, or ''. */
export function headerOf(id: string, request: CheckRequest, reply: string, rules: TeamRules): string {
  const header: WorkHeader = {
    id,
    kind: request.kind,
    team: request.team,
    scope: request.scope,
    config: request.config,
    key: request.key,
    received: request.received,
    deadline: request.received + request.deadlineMs,
    reply,
  };
  if (request.configId !== undefined) header.configId = request.configId;
  if (request.look) {
    header.look = request.look;
    header.format = LOOK_FORMAT;
  }
  if (request.references.length > 0) header.references = request.references;
  if (request.redact) header.redact = true;
  if (request.scores) header.scores = request.scores;
  if (request.finds) header.finds = true;
  if (request.lane !== 'fast') header.lane = request.lane;
  if (request.images > 0) header.images = request.images;
  if (request.messageBytes !== undefined) header.messageBytes = request.messageBytes;
  if (request.checked) header.checked = request.checked;
  const { external, session } = request.artifact ?? {};
  if (external) header.external = external;
  if (session && (session.internal !== '' || session.external !== '')) header.session = session;
  if (request.causes) header.causes = request.causes;
  if (rules.failClosed?.(request.team)) header.failClosed = true;
  if (rules.keepsContent?.() === false) header.unkept = true;
  else if (request.unkept) header.unkept = request.unkept;
  else if (!request.look && rules.masksContent?.()) header.masked = true;
  if (request.contextDepth > 0 && request.conversations.length > 0) {
    header.conversations = request.conversations.map((one) => ownConversation(one, id) ?? one);
    header.contextDepth = request.contextDepth;
  }
  if (request.traceparent !== '') header.traceparent = request.traceparent;
  if (request.traced) header.traced = true;
  return JSON.stringify(header);
}
