/** What people say of verdicts (decisions, Evidence, masks, labels). */
import { LIMITS } from '../limits.js';
import { EVERY_VERSION } from '../versions.js';
import { type AnswerExamples, type Exchanges, endpoints, NAME, optional, TEXT } from './endpoint.js';
import { COMMANDS, CREATED, SAMPLE, UPDATED } from './samples.js';

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
    withdrawn: {
      summary: 'A label is taken back',
      value: {
        internal_event_id: SAMPLE.internalEvent,
        environment_id: SAMPLE.environment,
        policy: 'Destructive commands',
        label: 'withdrawn',
        reviewer: 'ann',
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
    withdrawn: {
      value: {
        internal_event_id: SAMPLE.internalEvent,
        policy_id: COMMANDS,
        policy_name: 'Destructive commands',
        label: 'withdrawn',
        reviewer: 'ann',
        at: UPDATED,
      },
    },
  },
};

const QUEUE: AnswerExamples = {
  one: {
    value: {
      verdicts: [
        {
          internal_event_id: SAMPLE.internalEvent,
          environment_id: SAMPLE.environment,
          policy_id: COMMANDS,
          policy_name: 'Destructive commands',
          severity: 'high',
          reasons: ['new_rule'],
          created_at: CREATED,
        },
      ],
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
    description: `Stores what a reviewer says of the verdict of a policy on an event, a session check or an image. A reviewer has one label for an item and a policy: a later one replaces it, so the request may be repeated. \`true_alarm\` and \`false_alarm\` are for verdicts that are flagged, \`missed\` is for those that are not; any other combination is a 400. \`withdrawn\` takes the label back, as if it had not been given. A note has at most ${LIMITS.labelNoteCharacters} characters. You get a 404 for items of other teams, and of environments or deployments that the API key was not granted.`,
    body: { schema: 'LabelRequest', examples: LABEL.requests },
    answer: { description: 'The label as it is stored.', schema: 'LabelResult', examples: LABEL.answers },
    errors: ['not_found', 'wrong_region', 'result_not_ready', 'not_evaluable'],
  },
  getLabelQueue: {
    method: 'GET',
    path: '/api/label/queue',
    versions: EVERY_VERSION,
    scope: 'review',
    tag: 'Labels',
    summary: 'Get what to label first',
    description:
      'Lists flagged verdicts without a label, those first of which a label says most: the score is near the threshold (`uncertain`), the rule was applied within a week (`new_rule`), or the user has three flagged verdicts or more (`many_of_user`). The newest 2,000 flagged items are looked at, of environments and deployments that the API key was granted. What was labelled is gone, so ask again to go on. A check shows up once it is archived.',
    parameters: [
      optional(
        'days',
        'How far back to look.',
        { type: 'integer', minimum: 1, maximum: LIMITS.queueDays, default: 7 },
        7,
      ),
      optional('policy', 'Only verdicts of this policy, by its id or its name.', NAME),
      optional(
        'reviewer',
        'Verdicts that this reviewer has not labelled. By default those that nobody has.',
        { ...TEXT, maxLength: LIMITS.reviewerCharacters },
        'ann',
      ),
      optional(
        'limit',
        'Most verdicts in the answer.',
        { type: 'integer', minimum: 1, maximum: LIMITS.queuedLabels, default: 20 },
        20,
      ),
    ],
    answer: { description: 'The verdicts.', schema: 'LabelQueue', examples: QUEUE },
  },
});
