/** `weir refused list|replay|drop`: requests whose rows ClickHouse refuses. */
import type { Redis } from '../../../../shared/streams/client.js';
import { keys } from '../../../../shared/streams/keys.js';
import { dropRefused, listRefused, type RefusedEntry, replayRefused } from '../../../../shared/streams/refused.js';
import { type Command, CommandUsageError } from '../../command.js';
import { tellReplay } from '../../configuration/operator.js';
import { partitionsThere, withInstallation } from '../../installation.js';
import { entryAddress } from '../../options.js';

const MOST_LISTED = 100;
/** Entries that are read at a time. */
const PAGE = 100;

const line = ({ partition, id, request, rowBytes, reason }: RefusedEntry): string =>
  `${partition}/${id}  request ${request || 'unknown'}  bytes ${rowBytes}  ${reason}`;

/** The entry that is set aside under an address. Throws where there is none. */
async function refusedAt(redis: Redis, partition: number, id: string): Promise<RefusedEntry> {
  const [entry] = await listRefused(redis, partition, { from: id, to: id, most: 1 });
  if (!entry) throw new Error(`no refused rows are set aside as ${partition}/${id}`);
  return entry;
}

export const refusedList: Command = {
  usage: `weir refused list

Prints up to ${MOST_LISTED} requests of each partition whose rows ClickHouse refuses, oldest first: PARTITION/ID, the id of the
request, the bytes of its rows, and the reason. Their results are found by look-ups, and stay in Redis. Their rows are not
in ClickHouse, or not in all tables.`,
  async run({ positionals }, output) {
    if (positionals.length > 0) throw new CommandUsageError('expected no arguments');
    return withInstallation(async (redis) => {
      const { partitions, code } = await partitionsThere(redis, output);
      let count = 0;
      for (const p of partitions) {
        for (const entry of await listRefused(redis, p, { from: '-', to: '+', most: MOST_LISTED })) {
          output.out(line(entry));
          count++;
        }
      }
      if (count === 0) output.out('ClickHouse refuses no rows.');
      return code;
    });
  },
};

export const refusedReplay: Command = {
  usage: `weir refused replay [PARTITION/ID]

Has rows archived again that ClickHouse has refused: those of one request, or all. Remove the cause first. What is refused
again is set aside again, under another ID.`,
  async run({ positionals }, output) {
    if (positionals.length > 1) throw new CommandUsageError('expected one PARTITION/ID, or nothing for all');
    const address = positionals[0] === undefined ? undefined : entryAddress(positionals[0], 'refused');
    return withInstallation(async (redis) => {
      if (address) {
        const { partition, id } = await refusedAt(redis, address.partition, address.id);
        await tellReplay(redis, 'refused', `${partition}/${id}`);
        output.out(`To be archived again: ${(await replayRefused(redis, partition, id)) ? 1 : 0}.`);
        return 0;
      }
      const { partitions, code } = await partitionsThere(redis, output);
      await tellReplay(redis, 'refused', 'all');
      let count = 0;
      for (const p of partitions) count += await replayAll(redis, p);
      output.out(`To be archived again: ${count}.`);
      return code;
    });
  },
};

/** Replays as many as there are now, the oldest first. What is refused again meanwhile comes behind them. */
async function replayAll(redis: Redis, p: number): Promise<number> {
  let count = 0;
  for (let left = await redis.xlen(keys.refused(p)); left > 0; ) {
    const entries = await listRefused(redis, p, { from: '-', to: '+', most: Math.min(PAGE, left) });
    if (entries.length === 0) break;
    for (const { id } of entries) if (await replayRefused(redis, p, id)) count++;
    left -= entries.length;
  }
  return count;
}

export const refusedDrop: Command = {
  usage: `weir refused drop PARTITION/ID

Drops the rows of a request for good. The archiver then passes over them, and the result leaves Redis as one that is archived (after
WEIR_HOT_SECONDS). Look-ups find it no longer, unless a part of its rows is in ClickHouse. For rows that are damaged, and for those
that your own constraint is to keep out.`,
  async run({ positionals }, output) {
    if (positionals.length > 1) throw new CommandUsageError('expected one PARTITION/ID');
    const { partition, id } = entryAddress(positionals[0], 'refused');
    return withInstallation(async (redis) => {
      await refusedAt(redis, partition, id);
      const dropped = await dropRefused(redis, partition, id);
      output.out(`Dropped: ${dropped ? 1 : 0}.`);
      return 0;
    });
  },
};
