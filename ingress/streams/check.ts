/** The check that is stored of a stream: a session check, or one of a message event, of all that has come. */
import { ApiError, storedError } from '../../shared/api/errors.js';
import { decodeRecord, type ResultRecord } from '../../shared/api/results/record.js';
import { writeRecord } from '../../shared/api/results/write-record.js';
import type { Scope } from '../admission/directory.js';
import { type CheckCaller, checkRequest } from '../dispatch/check-request.js';
import { type ClaimKey, hashedKey } from '../dispatch/idempotency/claims.js';
import type { CheckOutcome } from '../dispatch/types.js';
import type { Edge } from '../http/exchange.js';
import { LARGE_BODY } from '../parse/body-parser.js';
import type { StreamName, StreamState } from './state.js';
import { timeoutOf } from './timeout.js';

export interface StreamCheck {
  name: StreamName;
  state: StreamState;
  text: Buffer;
  scope: Scope;
}

/** The request that the check is made of, as a caller would send it. */
function bodyOf({ name: { kind, scope }, state, text }: StreamCheck): Buffer {
  const { run, session, metadata } = state;
  const role = state.role === '' ? 'assistant' : state.role;
  const facts = metadata === '' ? '' : `,"metadata":${metadata}`;
  const conversation = session === '' ? '' : `,"external_session_id":${JSON.stringify(session)}`;
  const said = `"role":${JSON.stringify(role)},"content":${JSON.stringify(text.toString())}`;
  if (kind === 'deployment') {
    return Buffer.from(`{"deployment_id":${JSON.stringify(scope)}${conversation}${facts},"messages":[{${said}}]}`);
  }
  const inRun = run === '' ? '' : `,"run_id":"${run}"`;
  return Buffer.from(
    `{"environment_id":${JSON.stringify(scope)}${inRun}${conversation},"event":{"type":"message",${said}${facts}}}`,
  );
}

const claimName = ({ id, attempt }: StreamState): string => `stream ${id} ${attempt}`;

export const claimOf = ({ team }: StreamName, state: StreamState): ClaimKey =>
  hashedKey(team, state.key, claimName(state));

/**
 * Makes the check, or finds the one that was made: its claim is the stream's. Resolves to its record. Rejects with the 504 of a late one, and
 * with the error of one without a verdict, after which the next attempt is another check.
 */
export async function checkStreamText(edge: Edge, caller: CheckCaller, check: StreamCheck): Promise<ResultRecord> {
  const { name, state, scope } = check;
  const kind = name.kind === 'deployment' ? 'session' : 'event';
  const body = bodyOf(check);
  const parsed =
    body.length > LARGE_BODY
      ? await edge.parser.later(kind, [body], caller.key.team, caller.requestId)
      : { body, result: edge.parser.now(kind, body), values: 0, cost: 0 };
  const { result } = parsed;
  // It is made of what was validated: what is wrong with it is a limit of the whole.
  if (!result.ok)
    throw new ApiError('content_too_large', 'The text of the stream cannot be checked as a whole: it is too large.');
  const { value: input } = result;
  // That of the stream, whichever key of the team has sent the last piece: there is one claim.
  const own = { ...caller, key: { id: state.key, team: name.team } };
  const request = checkRequest(edge, own, { kind, input, scope, parsed });
  const outcome = await edge.dispatcher.check({
    ...request,
    conversations: input.conversations,
    // No caller knows the id of the stream, so no Idempotency-Key of theirs is the same.
    retry: {
      key: claimName(state),
      fingerprint: `stream ${state.id}`,
      eventIds: input.eventIds,
      referred: input.referred,
    },
  });
  return recordOf(outcome, name);
}

function recordOf(outcome: CheckOutcome, name: StreamName): ResultRecord {
  if (outcome.status === 'timeout') throw timeoutOf(outcome.id, name);
  return outcome.record;
}

/** Why a check has no verdict; undefined: it has one. */
export function failureOf({ error, items }: ResultRecord): ApiError | undefined {
  if (error) return storedError(error);
  const item = items[0]!;
  if (item.status !== 'failed' || item.flagged === true) return undefined;
  const why = item.note === '' ? 'some policy could not be evaluated' : item.note;
  return new ApiError('unavailable', `The text could not be evaluated: ${why}.`);
}

export const recordBytes = (record: ResultRecord): Buffer => Buffer.from(writeRecord(record));
export const recordIn = (bytes: Buffer): ResultRecord => decodeRecord(bytes);
