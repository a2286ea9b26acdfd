/** What people say of verdicts (decisions, Evidence, masks, labels). */
import { LIMITS } from '../limits.js';
import { EVERY_VERSION } from '../versions.js';
import { type Exchanges, endpoints } from './endpoint.js';
import { COMMANDS, SAMPLE, UPDATED } from './samples.js';

const LABEL: Exchanges = {
  requests: {
    event: {
      summary: 'A policy was right about an event',
      value: {
        internal_event_id: SAMPLE.internalEvent,
        environment_id: SAMPLE.environment,
        policy: 'Destructive commands',
        label: 'true_alarm',
        reviewer: 'ann',
        note: 'The agent had not been asked to delete anything.',
      },
    },
    two: {
      summary: 'Refused: two ids',
      value: {
        internal_event_id: SAMPLE.internalEvent,
        internal_session_id: SAMPLE.internalSession,
        policy: COMMANDS,
        label: 'missed',
      },
      refused: [
        {
          path: 'internal_session_id',
          code: 'required',
          message: 'expected exactly one of internal_event_id, internal_session_id, internal_artifact_id',
        },
      ],
    },
  },
  answers: {
    event: {
      value: {
        internal_event_id: SAMPLE.internalEvent,
        policy_id: COMMANDS,
        policy_name: 'Destructive commands',
        label: 'true_alarm',
        reviewer: 'ann',
        note: 'The agent had not been asked to delete anything.',
        at: UPDATED,
      },
    },
  },
};

export const labelEndpoints = endpoints({
  label: {
    method: 'POST',
    path: '/api/label',
    versions: EVERY_VERSION,
    scope: 'review',
    alone: true,
    tag: 'Labels',
    summary: 'Say whether a verdict was right',
    description: `Stores what a reviewer says of the verdict of a policy on an event, a session check or an image. A reviewer has one label for an item and a policy: a later one replaces it, so the request may be repeated. \`true_alarm\` and \`false_alarm\` are for verdicts that are flagged, \`missed\` is for those that are not; any other combination is a 400. A note has at most ${LIMITS.labelNoteCharacters} characters. You get a 404 for items of other teams, and of environments or deployments that the API key was not granted.`,
    body: { schema: 'LabelRequest', examples: LABEL.requests },
    answer: { description: 'The label as it is stored.', schema: 'LabelResult', examples: LABEL.answers },
    errors: ['not_found', 'wrong_region', 'result_not_ready', 'not_evaluable'],
  },
});
