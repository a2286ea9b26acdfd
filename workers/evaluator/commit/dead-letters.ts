/** Gives entries up: each gets a terminal `failed` result and is kept as a dead letter. */

import { sequenceOf } from '../../../shared/ids.js';
import type { Logger } from '../../../shared/log.js';
import type { Redis } from '../../../shared/streams/client.js';
import { lookAnswerBytes } from '../../../shared/streams/looks.js';
import type { WorkHeader } from '../../../shared/streams/work.js';
import { loggedTrace } from '../../../shared/traces/context.js';
import type { RawEntry } from '../../consumer/consumer.js';
import { traceNote } from '../../log/trace-note.js';
import { sequenceIn } from '../check.js';
import { NOTHING_GATHERED, unavailable } from '../gather/gather-context.js';
import type { EvaluatorMetrics } from '../meters.js';
import { type EntryOutcome, failedEntry, unreadableEntry } from '../outcome.js';
import type { CheckSpans } from '../spans.js';
import { buryEntry } from './commit.js';
import { answerLooks } from './looks.js';
import type { RedisRetry } from './redis-retry.js';

export interface DeadLetterTools {
  redis: Redis;
  retry: RedisRetry;
  lateBelow(): number;
  maxAttempts: number;
  logger: Logger;
  metrics: EvaluatorMetrics;
  spans: CheckSpans;
}

/** `header`: undefined if it cannot be read. Then there is no result: it is not known whose it would be. */
export type Bury = (raw: RawEntry, header: WorkHeader | undefined, reason: string) => Promise<void>;

const EMPTY = Buffer.alloc(0);

export function createBury(tools: DeadLetterTools): Bury {
  const { redis, metrics, logger, spans } = tools;
  return async (raw, header, reason) => {
    const since = spans.now();
    const givenUp = (): void => {
      if (header) spans.end('commit', [{ raw, header }], since, 'given_up');
    };
    if (header?.look) {
      // There is nothing to keep: the stream is still there, and its piece may be sent again.
      const failed = lookAnswerBytes({ failed: 'The piece could not be looked at' });
      const look = {
        entryId: raw.id,
        requestId: header.id,
        reply: header.reply,
        answer: failed,
        segments: raw.segments,
      };
      if (!(await tools.retry(() => answerLooks(redis, raw, [look])))) return;
      givenUp();
      logger.error({ ...idsOf(raw, header), partition: raw.partition, reason }, 'a look was given up');
      return;
    }
    const outcome = header && terminalOutcome(raw, header, tools);
    const done = await tools.retry(() =>
      buryEntry(redis, raw, {
        entryId: raw.id,
        requestId: outcome ? header.id : '',
        reply: outcome ? header.reply : '',
        record: outcome?.record ?? EMPTY,
        rows: outcome?.rows ?? EMPTY,
        segments: raw.segments,
        format: outcome?.format ?? '1',
        trace: outcome ? traceNote(header) : '',
        index: outcome?.index ?? [],
        sequence: header ? sequenceIn(raw, header) : sequenceOf(raw.id),
        replace: (header?.replay ?? 0) > 0,
        header: raw.header,
        body: header?.unkept || header?.masked ? EMPTY : raw.body,
        reason,
        attempts: Math.min(raw.attempt, tools.maxAttempts),
      }),
    );
    if (!done) return;
    givenUp();
    metrics.deadLetters.inc();
    logger.error({ ...idsOf(raw, header), partition: raw.partition, reason }, 'an entry is a dead letter');
  };
}

const idsOf = ({ id }: RawEntry, header: WorkHeader | undefined): Record<string, string | undefined> => ({
  entry: id,
  check_id: header?.id,
  ...loggedTrace(header?.traceparent),
});

function terminalOutcome(raw: RawEntry, header: WorkHeader, { lateBelow, logger }: DeadLetterTools): EntryOutcome {
  const late = sequenceIn(raw, header) < lateBelow();
  const entry = { id: raw.id, header, body: raw.body, indexes: new Map(), late, completed: Date.now() };
  const note = 'the check could not be finished';
  try {
    // Nothing is looked up for it any more. So what it names is unavailable; it may well exist.
    const references = Object.fromEntries(
      (header.references ?? []).map(({ index }) => [index, 'unavailable' as const]),
    );
    const gathered = { ...NOTHING_GATHERED, references, causes: unavailable(header.causes ?? []) };
    return failedEntry({ ...entry, gathered }, note);
  } catch (error) {
    logger.error({ ...idsOf(raw, header), error: String(error) }, 'an entry cannot be read');
    return unreadableEntry({ ...entry, gathered: NOTHING_GATHERED }, note);
  }
}
