/** Streams: texts that are checked while they are written (decisions, Streams). */
import { LIMITS } from '../limits.js';
import { EVENT_VERSIONS } from '../versions.js';
import { type Exchanges, endpoints } from './endpoint.js';
import { PAYMENT, SAMPLE } from './samples.js';

const STREAM = { deployment_id: SAMPLE.deployment, stream_id: 'answer-1' };

const CHECK: Exchanges = {
  requests: {
    first: { summary: 'The first piece', value: { ...STREAM, sequence: 0, delta: 'Your order will arrive' } },
    last: {
      summary: 'A text in one piece',
      value: { ...STREAM, stream_id: 'answer-2', sequence: 0, delta: 'Done.', final: true },
    },
  },
  answers: {
    first: {
      value: {
        stream_id: 'answer-1',
        sequence: 0,
        flagged: false,
        policies: {},
        safe_until: 17,
        delayed_policies: [],
        final: false,
      },
    },
    last: {
      value: {
        stream_id: 'answer-2',
        sequence: 0,
        flagged: false,
        policies: { [PAYMENT]: { name: 'Payment data', flagged: false, flagged_source: [] } },
        safe_until: 5,
        delayed_policies: [],
        final: true,
        internal_session_id: SAMPLE.internalSession,
      },
    },
  },
};

const MIB = LIMITS.streamBytes / 1024 / 1024;

export const streamEndpoints = endpoints({
  checkStream: {
    method: 'POST',
    path: '/api/stream/check',
    versions: EVENT_VERSIONS,
    scope: 'check',
    views: true,
    tag: 'Streams',
    summary: 'Check a piece of a text that is being written',
    description: `Adds a piece to the text and says whether the text violates a policy, and up to where it can be shown. With \`deployment_id\` the text is checked as a message of a chat, with \`environment_id\` as a message event. It is stored once, as such a check: when it is flagged, when its last piece has come, or ${LIMITS.streamSeconds / 60} minutes after the newest one. A stream holds at most ${MIB} MiB of UTF-8, one of an environment ${LIMITS.contentBytes / 1024} KiB. An API key has at most ${LIMITS.streamPlaces} open streams; one counts again for each ${LIMITS.streamPlaceBytes / 1024} KiB.`,
    body: { schema: 'StreamRequest', examples: CHECK.requests },
    answer: { description: 'What is known of the text so far.', schema: 'StreamResult', examples: CHECK.answers },
    errors: ['content_too_large', 'not_evaluable', 'stream_conflict', 'stream_busy'],
  },
});
