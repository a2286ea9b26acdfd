/** Redacted texts that get back what was taken out of them (decisions, Evidence, masks, labels). */
import { LIMITS } from '../limits.js';
import { EVERY_VERSION } from '../versions.js';
import { type Exchanges, endpoints } from './endpoint.js';

const RESTORE: Exchanges = {
  requests: {
    none: {
      summary: 'Texts of a conversation in which nothing was replaced',
      value: { text: ['Where is my order?', 'It is on its way.'], sealed: [] },
    },
    foreign: {
      summary: 'Refused: a seal of another API key',
      value: {
        text: 'I will write to [EMAIL_ADDRESS_1].',
        sealed:
          'AWv1c2oXoQnVnqk2oY0Qm9uXl3mK0S8b1Vx5r7pWq0t4hYkJ2dE3fGzLcR6uNnTa8sB9vHq1MwXyZ0oPiKdFgUeA5jQr2CtSxLbVhNm4WkE',
      },
      refused: [
        {
          path: 'sealed',
          code: 'sealed',
          message:
            'cannot be opened: it was made for another API key or by another release, or it is not as it was answered',
        },
      ],
    },
  },
  answers: { none: { value: { text: ['Where is my order?', 'It is on its way.'] } } },
};

const MIB = 1024 * 1024;

export const restoreEndpoints = endpoints({
  restore: {
    method: 'POST',
    path: '/api/restore',
    versions: EVERY_VERSION,
    scope: 'check',
    alone: true,
    tag: 'Redaction',
    summary: 'Put back what redaction has taken out',
    description: `Replaces marks such as \`[EMAIL_ADDRESS_1]\` in texts by what they stand for, as the \`sealed\` of checks with \`redact=reversible\` has it. Only the API key that made the check can do that. Nothing is checked or stored. Texts have at most ${LIMITS.restoreTextBytes / MIB} MiB together, and ${LIMITS.restoredBytes / MIB} MiB once they are restored.`,
    body: { schema: 'RestoreRequest', examples: RESTORE.requests },
    answer: { description: 'The texts with the values.', schema: 'RestoreResult', examples: RESTORE.answers },
    errors: ['content_too_large'],
  },
});
