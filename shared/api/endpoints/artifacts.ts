/** Artifacts: checks of single images (4.5) and look-ups (4.4). */
import { EVERY_VERSION } from '../versions.js';
import {
  type AnswerExamples,
  DEADLINE,
  DEPLOYMENT,
  type Exchanges,
  endpoints,
  LABELS,
  NAME,
  optional,
  SIDES,
  STORED,
  UUID,
} from './endpoint.js';
import { CREATED, PAYMENT, SAMPLE, UPDATED } from './samples.js';

/** A blue rectangle of 16 by 12 pixels. */
const PNG =
  'iVBORw0KGgoAAAANSUhEUgAAABAAAAAMCAMAAABcOc2zAAAAA1BMVEU6bqXTREzSAAAACXBIWXMAAAPoAAAD6AG1e1JrAAAADElEQVQI12NgGD4AAADMAAG01/g9AAAAAElFTkSuQmCC';

const artifactResult = {
  status: 'completed',
  flagged: false,
  policies: { [PAYMENT]: { name: 'Payment data', flagged: false, flagged_source: [] } },
  kind: 'image',
  internal_artifact_id: SAMPLE.internalArtifact,
  external_artifact_id: SAMPLE.artifact,
  internal_session_id: null,
  external_session_id: null,
  created_at: CREATED,
  updated_at: UPDATED,
  note: null,
};

const ARTIFACT: Exchanges = {
  requests: {
    data: {
      summary: 'An image in base64',
      value: { external_artifact_id: SAMPLE.artifact, role: 'user', content: { kind: 'image', data: PNG } },
    },
    url: {
      summary: 'An image to be fetched, of a chat',
      value: {
        deployment_id: SAMPLE.deployment,
        external_session_id: SAMPLE.session,
        content: { kind: 'image', url: 'https://images.invalid/upload.png', name: 'upload.png' },
      },
    },
    both: {
      summary: 'Refused: two images in one',
      value: { content: { kind: 'image', data: PNG, url: 'https://images.invalid/upload.png' } },
      refused: [{ path: 'content', code: 'source', message: 'expected exactly one of url and data, found both' }],
    },
  },
  answers: {
    data: { value: artifactResult },
    url: {
      value: {
        ...artifactResult,
        status: 'failed',
        flagged: null,
        policies: {},
        external_artifact_id: null,
        external_session_id: SAMPLE.session,
        note: 'The image could not be fetched: its address could not be reached.',
      },
    },
  },
};

const ARTIFACT_FOUND: AnswerExamples = {
  finished: { value: artifactResult },
  under_way: { value: { ...artifactResult, status: 'processing', flagged: null, policies: {}, updated_at: null } },
};

export const artifactEndpoints = endpoints({
  checkArtifact: {
    method: 'POST',
    path: '/api/artifact',
    versions: EVERY_VERSION,
    scope: 'check',
    views: true,
    late: 'processing',
    tag: 'Artifacts',
    summary: 'Check one image',
    description: `Checks an image against the policies of the deployment that look at images: ${SIDES}. Conditions do not matter here. An image that cannot be fetched, read or checked has the status \`failed\` and a \`note\`. If the check takes longer than ${DEADLINE}, the status is \`processing\`. Then look up the result later.`,
    body: { schema: 'ArtifactRequest', examples: ARTIFACT.requests },
    answer: {
      description: 'The verdict, or the state of the check.',
      schema: 'ArtifactResult',
      examples: ARTIFACT.answers,
    },
    errors: ['content_too_large'],
  },
  getArtifact: {
    method: 'GET',
    path: '/api/artifact/get_by_id',
    versions: EVERY_VERSION,
    scope: 'read',
    views: true,
    tag: 'Artifacts',
    summary: 'Look up an image',
    description: `Send exactly one of \`internal_artifact_id\` and \`external_artifact_id\`. If several images have the same external id, you get the one that was sent last. You can look up images of session checks, but not images of events. ${STORED}`,
    parameters: [
      optional('internal_artifact_id', 'The internal id of the image.', UUID),
      optional('external_artifact_id', 'Your id of the image.', NAME, SAMPLE.artifact),
      DEPLOYMENT,
      LABELS,
    ],
    answer: {
      description: 'The verdict, or the state of the check.',
      schema: 'ArtifactResult',
      examples: ARTIFACT_FOUND,
    },
  },
});
