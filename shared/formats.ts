/**
 * Formats of what processes hand to each other through Redis. Each work entry, record and entry of the log has the number of its format. A
 * release reads its newest and the one before. It writes the newest once every live process reads that (`streams/fleet.ts`), so that two
 * releases work beside each other.
 *
 * What is newer than a process knows is left to processes that know it: an upgrade, or the way back from one, is under way. What is older than
 * the oldest is an error.
 */

/** The first and the last number that is read. */
export interface ReadFormats {
  oldest: number;
  newest: number;
}

/** Of work entries: member `format` of the header; absent: 1. Looks at streams have 2, all others 1. */
export const ENTRY_FORMATS: ReadFormats = { oldest: 1, newest: 2 };
/** From this format of the fleet on, looks are added. */
export const LOOK_FORMAT = 2;

/** Of the records of results: their first byte. */
export const RECORD_FORMATS: ReadFormats = { oldest: 2, newest: 2 };

/**
 * The formats of all of these together, which heartbeats tell. A release that brings a new format of any of them raises `newest`, and
 * writes it where `Pulse.writes` says so.
 */
export const FLEET_FORMATS: ReadFormats = { oldest: 1, newest: 2 };

/** A number that is higher by more than this is no format of a later release, but damage. */
const MOST_AHEAD = 16;

/** Something has a format that this release does not read. */
export class UnreadFormat extends Error {
  /** a newer release reads it */
  readonly newer: boolean;

  constructor(what: string, format: number, { oldest, newest }: ReadFormats) {
    const newer = format > newest && format <= newest + MOST_AHEAD;
    const why = newer
      ? `of a newer release: this one reads up to ${newest}`
      : format < oldest
        ? `of a release before the last: this one reads none below ${oldest}`
        : `which no release has: this one reads up to ${newest}`;
    super(`${what} has format ${format}, ${why}`);
    this.newer = newer;
  }
}

export const isRead = (format: number, { oldest, newest }: ReadFormats): boolean =>
  format >= oldest && format <= newest;
