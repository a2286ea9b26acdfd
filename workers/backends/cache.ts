/** Answers of backends in Redis. A key is a hash and a value has no content, so neither tells what was asked. */
import { createHash } from 'node:crypto';
import { within } from '../../shared/async.js';
import type { BackendConfiguration } from '../../shared/configuration/backend.js';
import type { BackendAnswer } from '../../shared/policy/types.js';
import type { Redis } from '../../shared/streams/client.js';
import { keys } from '../../shared/streams/keys.js';

export interface AnswerCache {
  /** Undefined where there is none, or Redis does not say so at once. */
  read(key: string): Promise<BackendAnswer[] | undefined>;
  /** Does not wait. */
  write(key: string, answers: readonly BackendAnswer[], seconds: number): void;
}

/** How long a call waits for what Redis has of it. */
const WAIT_MS = 250;

/** `prompt`: all that the model would be sent. */
export function cacheKey({ team, id, url }: BackendConfiguration, prompt: string): string {
  return createHash('sha256')
    .update(JSON.stringify([team, id, url]))
    .update(prompt)
    .digest('hex');
}

export function createAnswerCache(redis: Redis): AnswerCache {
  return {
    async read(key) {
      try {
        const text = await within(redis.get(keys.answers(key)), { ms: WAIT_MS });
        if (!text) return undefined;
        const kept = JSON.parse(text) as [flagged: boolean, score: number][];
        return kept.map(([flagged, score]) => ({ flagged, score }));
      } catch {
        return undefined;
      }
    },
    write(key, answers, seconds) {
      const text = JSON.stringify(answers.map(({ flagged, score }) => [flagged, score]));
      // A Redis that is away or full has no answer next time.
      redis.set(keys.answers(key), text, 'EX', seconds).catch(() => undefined);
    },
  };
}
