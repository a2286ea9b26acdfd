/**
 * The age of the oldest unread entry of a stream. The id of an entry says when it was added, by Redis's clock. When that clock is
 * set back, new ids continue from the last one and lie ahead of the clock, until it catches up. Meanwhile an entry is as old as
 * the first sample of this process that had its number. States of a stream:
 *
 *     by id ──oldest unread id lies ahead──> by samples ──it no longer does──> by id
 */
import type { Pressure } from '../../shared/streams/pressure.js';

interface StreamSample {
  /** ms of the steady clock */
  at: number;
  /** number of the last entry at that time */
  last: number;
}

/** Samples kept of a stream. An entry that is unread after so many is older than any limit. */
const MOST = 1000;

/** The age in ms of the oldest unread entry of `stream`, 0 when there is none; `now`: ms of the steady clock. */
export type Ages = (stream: string, pressure: Pressure, now: number) => number;

export function createAges(): Ages {
  /** by stream: samples of one millisecond of ids, from the first that had the oldest unread entry */
  const streams = new Map<string, { ms: number; seen: StreamSample[] }>();

  return (stream, { oldestUnread, oldest, entries, pending }, now) => {
    if (oldest === undefined || !oldest.ahead) {
      streams.delete(stream);
      return oldestUnread;
    }
    let known = streams.get(stream);
    if (known?.ms !== oldest.ms) {
      known = { ms: oldest.ms, seen: [] };
      streams.set(stream, known);
    }
    const { seen } = known;
    const unread = Math.max(1, entries - pending);
    const last = oldest.number + unread - 1;
    const first = seen.findIndex((sample) => sample.last >= oldest.number);
    seen.splice(0, first < 0 ? seen.length : first);
    if (seen.length < MOST && (seen.length === 0 || seen.at(-1)!.last < last)) seen.push({ at: now, last });
    return now - seen[0]!.at;
  };
}
