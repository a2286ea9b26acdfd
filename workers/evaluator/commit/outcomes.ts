/** Sends what a thread made of checks to the commit script, which decides once (rule 3 of the architecture). */
import type { Redis } from '../../../shared/streams/client.js';
import type { Pass } from '../../consumer/turns.js';
import { traceNote } from '../../log/trace-note.js';
import { type Check, sequenceIn } from '../check.js';
import { CONTEXT_BYTES } from '../gather/context.js';
import { type EvaluatorMetrics, SHADOW_OUTCOMES } from '../meters.js';
import type { PackedOutcome } from '../threads/thread.js';
import { commitResults, type Finished } from './commit.js';
import { type AnsweredLook, answerLooks } from './looks.js';
import type { RedisRetry } from './redis-retry.js';

export interface CommitTools {
  redis: Redis;
  retry: RedisRetry;
  /** sequence below which index members may go once they are archived */
  archivedBelow(): number;
  metrics: EvaluatorMetrics;
}

/** A check, and what a thread has made of it. */
export interface Outcome {
  check: Check;
  outcome: PackedOutcome;
}

/**
 * Commits outcomes of one partition, and counts those that another worker has not committed before. Returns whether Redis has answered: then
 * all has been sent, and `bytes`, where they lie, are not read any more. `pass`: as of {@link RedisRetry}.
 */
export async function commitOutcomes(
  tools: CommitTools,
  some: readonly Outcome[],
  bytes: Buffer,
  pass?: Pass,
): Promise<boolean> {
  const stream = some[0]!.check.raw;
  const looks = some.filter(({ check }) => check.header.look);
  if (looks.length > 0) {
    const answers = looks.map((one) => lookOf(one, bytes));
    const answered = await tools.retry(() => answerLooks(tools.redis, stream, answers), pass);
    if (!answered) return false;
    tools.metrics.looks.inc(looks.length);
  }
  const checks = some.filter(({ check }) => !check.header.look);
  if (checks.length === 0) return true;
  const finished = checks.map((one) => finishedOf(one, bytes));
  const commit = (): Promise<boolean[]> => commitResults(tools.redis, stream, finished, tools.archivedBelow());
  const committed = await tools.retry(commit, pass);
  if (!committed) return false;
  for (const [i, one] of checks.entries()) {
    if (committed[i]) countOutcome(tools.metrics, one);
    else tools.metrics.late.inc();
  }
  return true;
}

const lookOf = ({ check: { raw, header }, outcome: { record } }: Outcome, bytes: Buffer): AnsweredLook => ({
  entryId: raw.id,
  requestId: header.id,
  reply: header.reply,
  answer: bytes.subarray(record[0], record[0] + record[1]),
  segments: raw.segments,
});

function finishedOf({ check: { raw, header }, outcome }: Outcome, bytes: Buffer): Finished {
  const { record, rows, format, index, context } = outcome;
  return {
    entryId: raw.id,
    requestId: header.id,
    reply: header.reply,
    record: bytes.subarray(record[0], record[0] + record[1]),
    rows: bytes.subarray(rows[0], rows[0] + rows[1]),
    segments: raw.segments,
    format,
    trace: traceNote(header),
    index,
    context,
    contextDepth: header.contextDepth ?? 0,
    contextBytes: CONTEXT_BYTES[header.kind],
    marked: header.kind === 'session',
    sequence: sequenceIn(raw, header),
    replace: (header.replay ?? 0) > 0,
  };
}

function countOutcome(metrics: EvaluatorMetrics, { check, outcome }: Outcome): void {
  metrics.checks.inc({ kind: check.header.kind });
  metrics.items.inc(outcome.items);
  metrics.flagged.inc(outcome.flagged);
  metrics.failed.inc(outcome.failed);
  metrics.stopped.inc(outcome.stopped);
  metrics.foreign.inc(outcome.foreign);
  for (const each of SHADOW_OUTCOMES) if (outcome.shadow) metrics.shadow.inc({ outcome: each }, outcome.shadow[each]);
}
