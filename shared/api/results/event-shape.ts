/** What an event result has around its texts. It is taken from where results are rendered one by one, so an event is described once. */
import { EVENT_TYPES } from '../types.js';
import { AT, FLAGS, STATUSES, type StoredRecord } from './layout.js';
import { eventJson } from './render.js';

const bytesOf = (text: string): Uint8Array => Uint8Array.from(Buffer.from(text));

/** What stands between the texts of an event result. */
export interface EventShape {
  /** before the map */
  open: Uint8Array;
  /** behind the map, and between the times; up to the id of the event where it has no times */
  behindMap: Uint8Array;
  betweenTimes: Uint8Array;
  behindTimes: Uint8Array;
  /** before the session, the internal id, the run and the note, where it has these, and behind all */
  session: Uint8Array;
  internal: Uint8Array;
  run: Uint8Array;
  note: Uint8Array;
  end: Uint8Array;
}

const shapes: (EventShape | undefined)[] = [];
/** A character that JSON does not escape, and that nothing around texts has. */
const HOLE = '\u007f';
/** In place of what is absent. */
export const NOTHING = bytesOf('');

/** A number for each shape: type, status and flag, then whether it has a session and a note. */
export function shapeNumber(stored: StoredRecord, i: number): number {
  const flagged = FLAGS[stored.byte(i, AT.flag)] === true ? 1 : 0;
  const kind = (stored.byte(i, AT.type) * STATUSES.length + stored.byte(i, AT.status)) * 2 + flagged;
  return kind * 4 + (stored.number(i, AT.session) > 0 ? 2 : 0) + (stored.number(i, AT.note) > 0 ? 1 : 0);
}

export function shapeOf(shape: number): EventShape {
  shapes[shape] ??= makeShape(shape);
  return shapes[shape];
}

function makeShape(shape: number): EventShape {
  const kind = shape >> 2;
  const status = STATUSES[(kind >> 1) % STATUSES.length]!;
  const type = EVENT_TYPES[Math.floor((kind >> 1) / STATUSES.length)]!;
  const holes = { id: HOLE, eventId: HOLE, runId: HOLE, policies: HOLE, metadata: '' };
  const has = { session: (shape & 2) > 0, note: (shape & 1) > 0, times: status !== 'not_found' };
  const texts = { externalSessionId: has.session ? HOLE : '', note: has.note ? HOLE : '' };
  const json = eventJson({ ...holes, ...texts, type, status, flagged: (kind & 1) > 0 }, HOLE, HOLE, {});
  const pieces = json.split(HOLE).map(bytesOf).values();
  const next = (there = true): Uint8Array => (there ? pieces.next().value! : NOTHING);
  return {
    open: next(),
    behindMap: next(),
    betweenTimes: next(has.times),
    behindTimes: next(has.times),
    session: next(has.session),
    internal: next(has.times),
    run: next(),
    note: next(has.note),
    end: next(),
  };
}
