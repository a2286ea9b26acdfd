/** Pending entries as they are after Redis's clock was set back: handed out at a time that is still to come. */
import type { Redis } from '#weir/shared/streams/client';

/** Moves the time at which everything pending of a stream's only group was handed out `ms` ahead. */
export async function handOutAhead(redis: Redis, stream: string, ms: number): Promise<void> {
  const { groups } = fields(await redis.xinfo('STREAM', stream, 'FULL', 'COUNT', 0)) as { groups: unknown[][] };
  const { pending } = fields(groups[0]!) as { pending: [string, string, number, number][] };
  const payload = await redis.dumpBuffer(stream);
  const body = payload.subarray(0, -8);
  for (const time of new Set(pending.map(([, , handedOut]) => handedOut))) {
    const [now, ahead] = [Buffer.alloc(8), Buffer.alloc(8)];
    now.writeBigUInt64LE(BigInt(time));
    ahead.writeBigUInt64LE(BigInt(time + ms));
    for (let at = body.indexOf(now); at >= 0; at = body.indexOf(now, at)) ahead.copy(body, at);
  }
  payload.writeBigUInt64LE(crc64(body), body.length);
  await redis.restore(stream, 0, payload, 'REPLACE');
}

function fields(reply: unknown): Record<string, unknown> {
  const list = reply as unknown[];
  return Object.fromEntries(list.flatMap((name, i) => (i % 2 === 0 ? [[name, list[i + 1]]] : [])));
}

/** The checksum at the end of what DUMP returns (CRC-64 of Jones, reflected). */
function crc64(bytes: Buffer): bigint {
  let crc = 0n;
  for (const byte of bytes) {
    crc ^= BigInt(byte);
    for (let bit = 0; bit < 8; bit++) crc = crc & 1n ? (crc >> 1n) ^ 0x95ac9329ac4bc9b5n : crc >> 1n;
  }
  return crc;
}
