/** What a session check is told beside its verdict: its note, and its error where it has no verdict. */
import { mediaNote } from '../../../../shared/api/validate/media-within.js';
import { unreadNote } from '../../../../shared/api/validate/unread.js';
import { repeatedNote } from '../../../../shared/policy/content/content.js';
import type { Verdict } from '../../../../shared/policy/types.js';
import { UNKEPT_NOTE } from '../../../../shared/streams/work.js';
import { type Draft, type Entry, unansweredNote } from '../../draft.js';
import { type LookedAt, type NotLookedAt, verdictNote } from '../../images/content.js';
import type { CheckedReading } from './checked.js';
import { type EarlierMessages, earlierNote } from './earlier.js';

/** Item number of the session itself. */
export const SESSION = 1;

/** An image of a session that could not be looked at. */
export interface LostImage {
  path: string;
  looked: NotLookedAt | LookedAt | undefined;
}

/** What a check has looked at. */
interface LookedAtAll {
  images: readonly Pick<LostImage, 'looked'>[];
  said: CheckedReading;
  earlier: EarlierMessages;
}

export function noteOf(verdict: Verdict, { gathered, header }: Entry, { images, said, earlier }: LookedAtAll): string {
  const lost = images.filter(({ looked }) => looked?.ok !== true).length;
  const note = verdictNote(
    verdict,
    images.map(({ looked }) => looked),
  );
  const notes = [note, unansweredNote(gathered, SESSION, verdict.unknown)];
  if (lost > 0) notes.push(`${lost} of ${images.length} images could not be looked at`);
  notes.push(mediaNote(said.media, said.media.paths), unreadNote(said.unread));
  notes.push(said.texts.map(repeatedNote).find((each) => each !== '') ?? '', earlierNote(earlier));
  if (header.unkept === 'asked') notes.push(UNKEPT_NOTE);
  return notes.filter((each) => each !== '').join('; ');
}

/**
 * The error of a session without a verdict (decisions, Session check; Sync deadline and failures): 400 where an image is at fault, 422 where
 * the text `lasts` to be one that cannot be evaluated, else 503.
 */
export function errorOf(note: string, lost: readonly LostImage[], lasts: boolean): Draft['error'] {
  for (const { path, looked } of lost) {
    if (looked?.ok !== false || looked.fault !== 'caller') continue;
    return { status: 400, code: 'validation_failed', message: `${path}: ${looked.note}`, param: path };
  }
  const [first] = lost;
  if (!first && lasts)
    return { status: 422, code: 'not_evaluable', message: `${note}; sending it again changes nothing` };
  const why = first?.looked?.ok === false ? `${first.path}: ${first.looked.note}` : note;
  return { status: 503, code: 'unavailable', message: why };
}
