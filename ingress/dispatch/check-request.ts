/** The check that is handed to the dispatcher, as it follows from a request that was read. */

import type { AskedScores } from '../../shared/api/results/record.js';
import type { CheckKind } from '../../shared/api/types.js';
import type { CheckInput } from '../../shared/api/validate/issues.js';
import type { Settings } from '../../shared/settings.js';
import type { LookHeader } from '../../shared/streams/looks.js';
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

interface RequestEdge {
  directory(): Directory;
  settings: Settings<'deadlineMs'>;
}
type RequestBase = Pick<
  CheckRequest,
  | 'team'
  | 'scope'
  | 'config'
  | 'configId'
  | 'key'
  | 'received'
  | 'deadlineMs'
  | 'waitMs'
  | 'traceparent'
  | 'traced'
  | 'requestId'
>;

/** What follows from who asks, and where. */
function requestBase(
  edge: RequestEdge,
  { key, received, traceparent, traced, requestId, wait }: CheckCaller,
  scope: Pick<Scope, 'id'>,
): RequestBase {
  const { version, id } = edge.directory();
  return {
    team: key.team,
    scope: scope.id,
    config: version,
    configId: id,
    key: key.id,
    received,
    deadlineMs: edge.settings.deadlineMs,
    ...(wait > 0 ? { waitMs: wait * 1000 } : {}),
    traceparent,
    ...(traced ? { traced } : {}),
    requestId,
  };
}

/** What an evaluator is to look at. */
export type LookSubject = Pick<CheckRequest, 'kind' | 'body' | 'lane' | 'images' | 'messageBytes'> & {
  scope: Pick<Scope, 'id'>;
  look: LookHeader;
};

/** Of a look nothing is stored, so it is in no index. */
export const lookRequest = (edge: RequestEdge, caller: CheckCaller, { scope, ...of }: LookSubject): CheckRequest => ({
  ...requestBase(edge, caller, scope),
  ...of,
  affinity: '',
  references: [],
  conversations: [],
  contextDepth: 0,
});

export function checkRequest(
  edge: RequestEdge,
  caller: CheckCaller,
  { kind, input, scope, parsed, scores, finds }: CheckSubject,
): CheckRequest {
  const body = input.session === undefined ? parsed.body : Buffer.from(input.session);
  // An adapter leaves out what nobody looks at.
  const isLight = input.session !== undefined && body.length <= LARGE_BODY;
  return {
    ...requestBase(edge, caller, scope),
    kind,
    affinity: input.affinity,
    body,
    lane: laneOf({ images: input.images, bytes: body.length, ...(isLight ? LIGHT : parsed) }),
    references: input.references,
    ...(input.causes ? { causes: input.causes } : {}),
    ...(hasEvents(input) ? { events: input } : {}),
    images: input.images,
    ...(input.messageBytes === undefined ? {} : { messageBytes: input.messageBytes }),
    ...(caller.redact ? { redact: true } : {}),
    ...(scores ? { scores } : {}),
    ...(finds ? { finds } : {}),
    ...(input.unkept ? { unkept: input.unkept } : {}),
    ...(input.checked ? { checked: input.checked } : {}),
    conversations: scope.contextDepth > 0 ? input.conversations : [],
    contextDepth: scope.contextDepth,
  };
}

/** Its lists are made when they are first asked for. */
const hasEvents = (input: CheckInput): input is CheckInput & { runIds: string[] } => 'runIds' in input;
