/** Sends what a thread made of checks to the commit script, which decides once (rule 3 of the architecture). */
import type { Redis } from '../../../shared/streams/client.js';
import type { Pass } from '../../consumer/turns.js';
import { traceNote } from '../../log/trace-note.js';
import { type Check, sequenceIn } from '../check.js';
import { CONTEXT_BYTES } from '../gather/context.js';
import { type EvaluatorMetrics, SHADOW_OUTCOMES } from '../meters.js';
import type { ReadyCheck } from '../task.js';
import type { FinishedTask } from '../threads/pool.js';
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

/**
 * Commits the outcomes of `ready`, and counts those that another worker has not committed before. Returns whether Redis has answered: then
 * all has been sent, and the bytes of `done` are not read any more. `pass`: as of {@link RedisRetry}.
 */
export async function commitOutcomes(
  tools: CommitTools,
  ready: readonly ReadyCheck[],
  done: FinishedTask,
  pass?: Pass,
): Promise<boolean> {
  const { outcomes, bytes } = done;
  const buffer = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.length);
  const stream = ready[0]!.check.raw;
  const looks: AnsweredLook[] = [];
  const checks: PackedOutcome[] = [];
  const finished: Finished[] = [];
  const committing: Check[] = [];
  for (const [i, outcome] of outcomes.entries()) {
    const { check } = ready[i]!;
    if (check.header.look) {
      looks.push(lookOf(check, outcome, buffer));
      continue;
    }
    checks.push(outcome);
    committing.push(check);
    finished.push(finishedOf(check, outcome, buffer));
  }
  if (looks.length > 0) {
    const answered = await tools.retry(() => answerLooks(tools.redis, stream, looks), pass);
    if (!answered) return false;
    tools.metrics.looks.inc(looks.length);
  }
  if (finished.length === 0) return true;
  const commit = (): Promise<boolean[]> => commitResults(tools.redis, stream, finished, tools.archivedBelow());
  const committed = await tools.retry(commit, pass);
  if (!committed) return false;
  for (let i = 0; i < checks.length; i++) {
    if (committed[i]) countOutcome(tools.metrics, committing[i]!, checks[i]!);
    else tools.metrics.late.inc();
  }
  return true;
}

const lookOf = ({ raw, header }: Check, { record }: PackedOutcome, bytes: Buffer): AnsweredLook => ({
  entryId: raw.id,
  requestId: header.id,
  reply: header.reply,
  answer: bytes.subarray(record[0], record[0] + record[1]),
  segments: raw.segments,
});

function finishedOf(
  { raw, header }: Check,
  { record, rows, format, index, context }: PackedOutcome,
  bytes: Buffer,
): Finished {
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

function countOutcome(metrics: EvaluatorMetrics, { header }: Check, outcome: PackedOutcome): void {
  metrics.checks.inc({ kind: header.kind });
  metrics.items.inc(outcome.items);
  metrics.flagged.inc(outcome.flagged);
  metrics.failed.inc(outcome.failed);
  metrics.stopped.inc(outcome.stopped);
  metrics.foreign.inc(outcome.foreign);
  for (const each of SHADOW_OUTCOMES) if (outcome.shadow) metrics.shadow.inc({ outcome: each }, outcome.shadow[each]);
}
