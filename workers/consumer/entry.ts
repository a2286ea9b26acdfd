/** Work entries as they are read from their stream. */
import type { WorkStream } from '../../shared/streams/keys.js';

/** `header` and `body` are empty when the entry has no such field. */
export interface RawEntry extends WorkStream {
  id: string;
  header: Buffer;
  body: Buffer;
  /** 1 the first time it is handed out */
  attempt: number;
}

/** An entry as Redis returns it. */
export type StreamEntry = [id: Buffer, fields: Buffer[]];

const EMPTY = Buffer.alloc(0);

export function rawEntry({ partition, lane }: WorkStream, [id, fields]: StreamEntry, attempt: number): RawEntry {
  const entry: RawEntry = { partition, lane, id: id.toString('latin1'), header: EMPTY, body: EMPTY, attempt };
  for (let i = 0; i + 1 < fields.length; i += 2) {
    const field = fields[i]!.toString('latin1');
    if (field === 'header') entry.header = fields[i + 1]!;
    else if (field === 'body') entry.body = fields[i + 1]!;
  }
  return entry;
}
