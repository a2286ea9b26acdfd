/** Where the parts of a request of events stand, as they are read. There is one request at a time, so all is made once and used again. */
import { LIMITS } from '../limits.js';
import { STOPPED } from './scan.js';

/** Where a text is, without its quotes. */
export interface TextPlace {
  start: number;
  /** STOPPED: it is absent */
  end: number;
  /** it has escapes, or characters beside those of ASCII */
  coded: boolean;
}

/** What a parent or a link names. */
export interface CauseTarget {
  event: TextPlace;
  run: TextPlace;
  internal: TextPlace;
}

export interface EventSlot {
  id: TextPlace;
  run: TextPlace;
  session: TextPlace;
  /** of EVENT_TYPES */
  type: number;
  /** it has no content */
  isReference: boolean;
  /** among the targets; STOPPED: it has none */
  parent: number;
  /** its links among the targets */
  firstLink: number;
  links: number;
}

const place = (): TextPlace => ({ start: 0, end: STOPPED, coded: false });

const NO_BODY: Buffer = Buffer.alloc(0);

/** What stands beside the events, and how much there is. */
export const request = {
  body: NO_BODY,
  scope: place(),
  run: place(),
  session: place(),
  events: 0,
  targets: 0,
  images: 0,
  /** it has references, or events with a parent or links */
  names: false,
};

export const slots: readonly EventSlot[] = Array.from({ length: LIMITS.eventsPerBatch }, () => ({
  id: place(),
  run: place(),
  session: place(),
  type: STOPPED,
  isReference: false,
  parent: STOPPED,
  firstLink: 0,
  links: 0,
}));

const targets: CauseTarget[] = [];

export const targetAt = (at: number): CauseTarget => targets[at]!;

export function clearRequest(body: Buffer): void {
  request.body = body;
  request.scope.end = STOPPED;
  request.run.end = STOPPED;
  request.session.end = STOPPED;
  request.events = 0;
  request.targets = 0;
  request.images = 0;
  request.names = false;
}

/** The slot of the next event. */
export function nextSlot(): EventSlot {
  const slot = slots[request.events]!;
  slot.id.end = STOPPED;
  slot.run.end = STOPPED;
  slot.session.end = STOPPED;
  slot.type = STOPPED;
  slot.isReference = false;
  slot.parent = STOPPED;
  slot.links = 0;
  return slot;
}

/** The next target; the caller bounds how many there are. */
export function nextTarget(): CauseTarget {
  targets[request.targets] ??= { event: place(), run: place(), internal: place() };
  const target = targets[request.targets++]!;
  target.event.end = STOPPED;
  target.run.end = STOPPED;
  target.internal.end = STOPPED;
  return target;
}

/** The text at a place; '' where it is absent. */
export function textAt(body: Buffer, { start, end, coded }: TextPlace): string {
  if (end < 0) return '';
  return coded
    ? (JSON.parse(body.toString('utf8', start - 1, end + 1)) as string)
    : body.toString('latin1', start, end);
}

/** `own`, or `other` where that is absent. */
export const placeOf = (own: TextPlace, other: TextPlace): TextPlace => (own.end < 0 ? other : own);

/** Whether the same is said at both places, which may be written in two ways. */
export function isSameText(one: TextPlace, other: TextPlace): boolean {
  if (one.end < 0 || other.end < 0) return false;
  const { body } = request;
  if (one.coded || other.coded) return textAt(body, one) === textAt(body, other);
  const length = one.end - one.start;
  if (length !== other.end - other.start) return false;
  if (one.start === other.start) return true;
  // From their ends: ids of a batch mostly begin alike.
  for (let i = 1; i <= length; i++) if (body[one.end - i] !== body[other.end - i]) return false;
  return true;
}
