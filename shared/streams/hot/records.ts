/** Records of hot results: whole, or their heads alone. */
import { decodeHead, decodeRecord, isOf, type RecordOwner, type ResultRecord } from '../../api/results/record.js';
import type { IdParts } from '../../ids.js';
import type { Redis } from '../client.js';
import { keys } from '../keys.js';
import { script } from '../script.js';

/** Limits of one call of the script, so that no call holds Redis up: results, and bytes of them. */
export const HEADS = 64;
const CALL_BYTES = 1024 * 1024;
/** Most heads are shorter: 50 events without links have about 2 KB. */
const HEAD_BYTES = 8 * 1024;

/** A record without its fragments. */
export type Head = Omit<ResultRecord, 'fragments'>;

const heads = script('results/read-heads');

/** The record of a request; undefined when it is not hot. */
export async function hotRecord(redis: Redis, partition: number, requestId: string): Promise<ResultRecord | undefined> {
  const bytes = await redis.getBuffer(keys.result(partition, requestId));
  return bytes === null ? undefined : decodeRecord(bytes);
}

/** The heads of the hot results of `requests`, by request id. `owner`: those of others are left out. */
export async function hotHeads(
  redis: Redis,
  requests: readonly IdParts[],
  owner?: RecordOwner,
): Promise<Map<string, Head>> {
  const byPartition = new Map<number, string[]>();
  for (const { partition, requestId } of requests) {
    const some = byPartition.get(partition);
    if (some) some.push(requestId);
    else byPartition.set(partition, [requestId]);
  }
  const found = new Map<string, Head>();
  for (const [partition, ids] of byPartition) {
    for (let i = 0; i < ids.length; ) {
      const some = ids.slice(i, i + HEADS);
      const names = some.map((id) => keys.result(partition, id));
      const read = (await heads.bytes(redis, names, [HEAD_BYTES, CALL_BYTES])) as (Buffer | null)[];
      read.forEach((head, at) => {
        if (head !== null && (!owner || isOf(head, owner))) found.set(some[at]!, decodeHead(head));
      });
      i += read.length;
    }
  }
  return found;
}
