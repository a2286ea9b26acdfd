/** The check that is handed to the dispatcher, as it follows from a request that was read. */

import type { AskedScores } from '../../shared/api/results/record.js';
import type { CheckKind } from '../../shared/api/types.js';
import type { CheckInput } from '../../shared/api/validate/issues.js';
import type { Settings } from '../../shared/settings.js';
import { loggedTrace } from '../../shared/traces/context.js';
import type { ApiKey, Directory, Scope } from '../admission/directory.js';
import { laneOf } from '../admission/lane.js';
import { LARGE_BODY, type ParsedBody } from '../parse/body-parser.js';
import type { CheckRequest } from './types.js';

/** Who asks, and how. */
export interface CheckCaller {
  key: Pick<ApiKey, 'id' | 'team'>;
  /** Unix ms */
  received: number;
  /** W3C trace context, or '' */
  traceparent: string;
  /** its trace is recorded */
  traced?: true;
  /** the `X-Request-Id` of the answer, for logs */
  requestId?: string | undefined;
  /** the answer needs the redacted content */
  redact: boolean;
  /** seconds that the caller waits; 0: until the deadline */
  wait: number;
}

/** What is to be checked. */
export interface CheckSubject {
  kind: CheckKind;
  input: CheckInput;
  scope: Scope;
  parsed: ParsedBody;
  /** scores that are asked for; absent: none */
  scores?: AskedScores | undefined;
  /** all that is found is asked for */
  finds?: true | undefined;
}

/** The ids of a check in a line of the log; `id`: its own. */
export const loggedIds = (
  id: string,
  { requestId, traceparent }: Pick<CheckRequest, 'requestId' | 'traceparent'>,
): Record<string, string> => ({
  ...(requestId === undefined ? {} : { request_id: requestId }),
  check_id: id,
  ...loggedTrace(traceparent),
});

/** Small bodies are not counted. */
const LIGHT = { values: 0, cost: 0 };

export function checkRequest(
  edge: { directory(): Directory; settings: Settings<'deadlineMs'> },
  { key, received, traceparent, traced, requestId, redact, wait }: CheckCaller,
  { kind, input, scope, parsed, scores, finds }: CheckSubject,
): CheckRequest {
  const { version, id } = edge.directory();
  const body = input.session === undefined ? parsed.body : Buffer.from(input.session);
  // An adapter leaves out what nobody looks at.
  const isLight = input.session !== undefined && body.length <= LARGE_BODY;
  return {
    kind,
    team: key.team,
    scope: scope.id,
    config: version,
    configId: id,
    key: key.id,
    affinity: input.affinity,
    body,
    lane: laneOf({ images: input.images, bytes: body.length, ...(isLight ? LIGHT : parsed) }),
    references: input.references,
    ...(input.causes ? { causes: input.causes } : {}),
    ...(hasEvents(input) ? { events: input } : {}),
    images: input.images,
    ...(input.messageBytes === undefined ? {} : { messageBytes: input.messageBytes }),
    ...(redact ? { redact } : {}),
    ...(scores ? { scores } : {}),
    ...(finds ? { finds } : {}),
    ...(input.unkept ? { unkept: input.unkept } : {}),
    ...(input.checked ? { checked: input.checked } : {}),
    conversations: scope.contextDepth > 0 ? input.conversations : [],
    contextDepth: scope.contextDepth,
    received,
    deadlineMs: edge.settings.deadlineMs,
    ...(wait > 0 ? { waitMs: wait * 1000 } : {}),
    traceparent,
    ...(traced ? { traced } : {}),
    requestId,
  };
}

/** Its lists are made when they are first asked for. */
const hasEvents = (input: CheckInput): input is CheckInput & { runIds: string[] } => 'runIds' in input;
