/**
 * Looks at streams: what ingress asks an evaluator about a text that goes on, and what it answers. A look is an entry of the work stream whose body
 * is the window, in UTF-8. It leaves nothing behind, so it may be made twice.
 */

/** An offset in each unit that callers count in. */
export interface TextOffset {
  /** of UTF-16 */
  units: number;
  /** code points */
  points: number;
  /** of UTF-8 */
  bytes: number;
}

/** In the header of the entry. Offsets are of the window, in UTF-16 units. */
export interface LookHeader {
  role: string;
  /** JSON of the metadata, which conditions test; '' for none */
  metadata: string;
  /** the window is all that has come of the stream */
  whole: boolean;
  /** up to where the text was handed on */
  safe: number;
  /** up to where sentences were looked at */
  looked: number;
  /** it is a try (`tries.ts`): so many bytes of the body are what is checked, and none a window of a stream */
  tried?: number;
  /** of a try: the body has stored items, or a file of cases, in place of one check */
  many?: 'backtest' | 'cases';
}

/** What a look says that is none of a stream. */
export const NO_STREAM: LookHeader = { role: '', metadata: '', whole: true, safe: 0, looked: 0 };

/** Offsets are of the window. */
export interface LookAnswer {
  /** ids of the policies that are flagged */
  flagged: readonly string[];
  /** they are those of the window alone: the whole text is to be looked at */
  unsure?: true;
  safe: TextOffset;
  looked: number;
  /** where the next window begins */
  next: TextOffset;
  /** ids of the policies that may be flagged by what stands before `safe` */
  delayed: readonly string[];
}

/** Why it could not be made, in words for the caller. */
export interface FailedLook {
  failed: string;
}

export const lookAnswerOf = (stored: Buffer): LookAnswer | FailedLook => JSON.parse(stored.toString());
export const lookAnswerBytes = (answer: LookAnswer | FailedLook): Buffer => Buffer.from(JSON.stringify(answer));
