/** What types alone do not say about a standalone artifact (4.5). */
import { isUuid } from '../../ids.js';
import { LIMITS } from '../limits.js';
import type { ArtifactRequest } from '../types.js';
import { checkArtifactContent } from './image.js';
import type { CheckInput, Issues } from './issues.js';
import { charactersExceed } from './measure.js';
import { BESIDE_CONTENT, checkMisplaced, IN_CONTENT } from './misplaced.js';
import { baseRole, checkMetadata, checkPolicies, ROLES, topSource } from './session.js';

/** Checks a body with valid types. The type of `content` is checked here, too. */
export function checkArtifact(
  body: ArtifactRequest,
  sent: Parameters<typeof topSource>[0],
  issues: Issues,
): CheckInput {
  const artifact = {
    external: body.external_artifact_id ?? '',
    internalSession: (body.internal_session_id ?? '').toLowerCase(),
    externalSession: body.external_session_id ?? '',
  };
  const input: CheckInput = {
    scope: body.deployment_id ?? '',
    affinity: artifact.externalSession !== '' ? artifact.externalSession : artifact.external,
    conversations: [],
    references: [],
    referred: [],
    eventIds: [''],
    images: 1,
    artifact,
    policies: body.policies ?? body.policy_ids ?? [],
    policiesField: body.policies ? 'policies' : 'policy_ids',
  };
  checkArtifactContent(issues, body.content, 'content', 'elsewhere');
  checkMisplaced(issues, body, '', BESIDE_CONTENT);
  checkMisplaced(issues, body.content, 'content', IN_CONTENT);
  if (body.deployment_id === '') issues.add('deployment_id', 'too_short', 'expected at least 1 character');
  for (const key of ['external_artifact_id', 'external_session_id'] as const) {
    const value = body[key];
    if (typeof value === 'string' && charactersExceed(value, LIMITS.nameCharacters)) {
      issues.add(key, 'too_long', `expected at most ${LIMITS.nameCharacters} characters`);
    }
  }
  if (artifact.internalSession !== '' && artifact.externalSession !== '') {
    issues.add('external_session_id', 'conflict', 'expected only one of internal_session_id and external_session_id');
  }
  if (artifact.internalSession !== '' && !isUuid(artifact.internalSession)) {
    issues.add('internal_session_id', 'uuid', 'expected a UUID');
  }
  if (typeof body.role === 'string' && baseRole(body.role) === '') {
    issues.add('role', 'role', `expected one of: ${ROLES.join(', ')}, if need be with a postfix after a hyphen`);
  }
  checkPolicies(issues, body);
  checkMetadata(issues, body.metadata, 'metadata', topSource(sent));
  return input;
}
