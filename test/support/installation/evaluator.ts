/** The test in place of an evaluator: it reads work entries, and commits results that it makes up. */
import type { ResultRecord } from '#weir/shared/api/results/record';
import type { Redis } from '#weir/shared/streams/client';
import { GROUP, keys, type Lane } from '#weir/shared/streams/keys';
import type { WorkHeader } from '#weir/shared/streams/work';
import { commitResults } from '#weir/workers/evaluator/commit/commit';
import { encodeRecord } from '../stores/encoded.ts';
import { until } from '../wait.ts';

export interface Taken {
  partition: number;
  lane: Lane;
  entryId: string;
  header: WorkHeader;
  body: string;
}

/** Reads the next work entry of the first `partitions`; waits until there is one. */
export async function takeEntry(redis: Redis, lane: Lane, partitions: number): Promise<Taken> {
  let taken: Taken | undefined;
  await until('an entry arrives', async () => {
    for (let partition = 0; partition < partitions && !taken; partition++) {
      const stream = keys.checks(partition, lane);
      await redis.xgroup('CREATE', stream, GROUP, '0', 'MKSTREAM').catch(() => undefined);
      const reply = (await redis.xreadgroup('GROUP', GROUP, 'w', 'COUNT', 1, 'STREAMS', stream, '>')) as
        | [string, [string, string[]][]][]
        | null;
      const [entryId, fields] = reply?.[0]?.[1][0] ?? [];
      if (entryId) taken = { partition, lane, entryId, header: JSON.parse(fields![1]!), body: fields![3]! };
    }
    return taken !== undefined;
  });
  return taken!;
}

/** Commits `record` as the result of an entry, without rows. Returns whether it was this call that did. */
export async function commitRecord(
  redis: Redis,
  { partition, lane, entryId, header }: Taken,
  record: ResultRecord,
  index: [string, string][] = [],
): Promise<boolean> {
  const check = {
    entryId,
    requestId: header.id,
    reply: header.reply,
    record: encodeRecord(record),
    index,
  };
  const rest = {
    rows: Buffer.alloc(0),
    segments: '',
    format: '1',
    trace: '',
    context: [],
    contextDepth: 0,
    contextBytes: 0,
    replace: false,
    marked: true,
  };
  const [done] = await commitResults(redis, { partition, lane }, [{ ...check, ...rest, sequence: record.sequence }], 0);
  return done === true;
}
