/**
 * How old the oldest unread entry of a stream is. Its id says when it was added, by Redis's clock. Once that clock is set back,
 * ids lie ahead of it, and say nothing: Redis then numbers entries on from the last id, until the time comes again. Meanwhile
 * it counts what this process has seen: an entry is as old as the first sample in which its number was reached.
 */
import type { Pressure } from '../../shared/streams/pressure.js';

interface Seen {
  /** ms of the steady clock */
  at: number;
  /** number of the last entry that there was */
  last: number;
}

/** Samples that are kept of a stream: of entries that are still unread after so many, the age is far beyond any limit. */
const MOST = 1000;

/** The age in ms of the oldest unread entry of `stream`, 0 when there is none; `now`: ms of the steady clock. */
export type Ages = (stream: string, pressure: Pressure, now: number) => number;

export function createAges(): Ages {
  /** by stream, of one millisecond of ids: the samples from the one on in which the oldest unread entry was there first */
  const streams = new Map<string, { ms: number; seen: Seen[] }>();

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
