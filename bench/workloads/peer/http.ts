/** The HTTP side of the other service: Fastify validates a batch by a schema, hands it over as a job, and waits for its result. */
import { createHash } from 'node:crypto';
import { answerOf } from '../../../shared/api/results/answer.js';
import { newRequestId } from '../../../shared/ids.js';
import { reply, serveParent } from '../../child.js';
import { type FastifyRequest, loadLibraries, QUEUE } from './libraries.js';

export const HTTP_URL = import.meta.url;

export interface HttpStart {
  libraries: string;
  redisUrl: string;
  /** the only key that it takes */
  key: string;
}

const RESULT_MS = 15_000;
const BODY_BYTES = 32 * 1024 * 1024;

/** As much as what the load sends needs. */
const SCHEMA = {
  type: 'object',
  required: ['environment_id', 'events'],
  properties: {
    environment_id: { type: 'string', minLength: 1, maxLength: 256 },
    run_id: { type: 'string', minLength: 1, maxLength: 256 },
    external_session_id: { type: 'string', minLength: 1, maxLength: 256 },
    events: {
      type: 'array',
      minItems: 1,
      maxItems: 50,
      items: {
        type: 'object',
        required: ['type'],
        properties: {
          type: { enum: ['message', 'tool', 'function', 'agent', 'reasoning', 'artifact'] },
          event_id: { type: 'string', minLength: 1, maxLength: 256 },
          run_id: { type: 'string', minLength: 1, maxLength: 256 },
          role: { type: 'string' },
          metadata: { type: 'object' },
        },
      },
    },
  },
} as const;

const hashOf = (key: string): string => createHash('sha256').update(key).digest('hex');

async function serve({ libraries, redisUrl, key }: HttpStart): Promise<string> {
  const { fastify, Queue, QueueEvents, connect } = loadLibraries(libraries);
  const queue = new Queue(QUEUE, { connection: connect(redisUrl) });
  const events = new QueueEvents(QUEUE, { connection: connect(redisUrl) });
  // Every request under way listens.
  events.setMaxListeners(0);
  await events.waitUntilReady();
  const app = fastify({ bodyLimit: BODY_BYTES });
  const known = hashOf(key);
  app.decorateRequest('text', '');
  app.addContentTypeParser('application/json', { parseAs: 'string' }, (request: FastifyRequest, text, done) => {
    request.text = text;
    try {
      done(null, JSON.parse(text));
    } catch (error) {
      done(error as Error);
    }
  });
  app.post('/api/events', { schema: { body: SCHEMA } }, async ({ headers, text }, answer) => {
    if (hashOf(headers.authorization?.slice('Bearer '.length) ?? '') !== known) return answer.code(401).send({});
    const check = { id: newRequestId(0), received: Date.now(), text };
    const job = await queue.add('check', check, { removeOnComplete: 1000, removeOnFail: 1000, attempts: 3 });
    const record = await job.waitUntilFinished(events, RESULT_MS);
    // The bytes are overwritten by the next answer.
    return answer.type('application/json').send(Buffer.from(answerOf(Buffer.from(record, 'base64'))));
  });
  return await app.listen({ host: '127.0.0.1', port: 0 });
}

serveParent<HttpStart>(HTTP_URL, (start) => {
  serve(start).then(
    (url) => reply({ url }),
    (error: unknown) => reply({ error: String(error) }),
  );
});
