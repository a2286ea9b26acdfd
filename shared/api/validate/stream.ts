/** Validates a piece of a stream (decisions, Streams). */
import { createIs, createValidate } from 'typia';
import { LIMITS } from '../limits.js';
import type { StreamRequest } from '../types.js';
import { bareInput, type CheckInput, createIssues, type Issues, type StreamPiece, type Validation } from './issues.js';
import { charactersExceed, deeperThan, isId, textExceeds } from './measure.js';
import { BESIDE_DELTA, checkMisplaced } from './misplaced.js';
import { hasShape } from './shape.js';
import { memberSource } from './sources.js';

const STREAM = { is: createIs<StreamRequest>(), explain: createValidate<StreamRequest>() };

/** `json`: the body as sent; metadata are cut out of it. */
export function validateStream(body: unknown, _bytes?: number, json: string = JSON.stringify(body)): Validation {
  const issues = createIssues();
  if (hasShape(issues, body, STREAM)) {
    const metadata = body.metadata ? memberSource(json, 'metadata') : '';
    checkPiece(issues, body, metadata);
    if (issues.list.length === 0) return { ok: true, value: inputOf(body, metadata) };
  }
  return { ok: false, issues: issues.list };
}

function checkPiece(issues: Issues, body: StreamRequest, metadata: string): void {
  const { stream_id: id, sequence, delta, environment_id, deployment_id, run_id, external_session_id } = body;
  const expected = `expected 1 to ${LIMITS.idCharacters} characters out of letters, digits, ".", "_", ":" and "-"`;
  if (!isId(id)) issues.add('stream_id', 'id', expected);
  if (!Number.isSafeInteger(sequence) || sequence < 0)
    issues.add('sequence', 'range', 'expected a whole number from 0');
  if (typeof delta === 'string' && textExceeds(delta, LIMITS.contentBytes)) {
    issues.add('delta', 'content_too_large', `expected at most ${LIMITS.contentBytes} bytes`);
  }
  for (const name of ['environment_id', 'deployment_id'] as const) {
    if (body[name] === '') issues.add(name, 'too_short', 'expected at least 1 character');
  }
  if (environment_id != null && deployment_id != null) {
    issues.add('deployment_id', 'conflict', 'expected only one of environment_id and deployment_id');
  }
  if (run_id != null && !isId(run_id)) issues.add('run_id', 'id', expected);
  if (run_id != null && environment_id == null) {
    issues.add('run_id', 'conflict', 'belongs to a stream of an environment; send environment_id, or no run_id');
  }
  if (external_session_id != null && charactersExceed(external_session_id, LIMITS.nameCharacters)) {
    issues.add('external_session_id', 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
  }
  // They stand a level deeper in the event that is checked.
  if (deeperThan(body.metadata, LIMITS.jsonDepth - 2)) {
    issues.add('metadata', 'too_deep', `expected at most ${LIMITS.jsonDepth - 2} levels of nesting`);
  }
  if (textExceeds(metadata, LIMITS.streamMetadataBytes)) {
    issues.add('metadata', 'too_large', `expected at most ${LIMITS.streamMetadataBytes} bytes of JSON`);
  }
  checkMisplaced(issues, body, '', BESIDE_DELTA);
}

function inputOf(body: StreamRequest, metadata: string): CheckInput {
  const { stream_id: id, sequence, delta, final, role, run_id: run, external_session_id: session } = body;
  const piece: StreamPiece = {
    id,
    sequence,
    delta: delta ?? '',
    final: final === true,
    kind: body.environment_id == null ? 'deployment' : 'environment',
    role: role ?? '',
    run: run ?? '',
    session: session ?? '',
    metadata,
  };
  return { ...bareInput(), scope: body.environment_id ?? body.deployment_id ?? '', piece };
}
