/** Errors of the engine, in the words and with the status codes of ClickHouse's HTTP interface. */

/** An error as the HTTP interface answers it. */
export class ClickHouseError extends Error {
  readonly code: number;
  readonly type: string;

  /** `text` is the cause in a sentence without a full stop; code and name are those of ClickHouse. */
  constructor(code: number, type: string, text: string) {
    super(text);
    this.code = code;
    this.type = type;
  }

  /** HTTP status of this code. */
  get status(): number {
    return statusOf(this.code);
  }

  /** `Code: 60. DB::Exception: … (UNKNOWN_TABLE) (version …)` */
  render(version: string): string {
    return `Code: ${this.code}. DB::Exception: ${this.message}. (${this.type}) (version ${version})\n`;
  }
}

/** Codes of a wrong request. */
const BAD_REQUEST = new Set([
  6, 8, 15, 25, 26, 27, 36, 38, 41, 44, 53, 62, 72, 117, 167, 168, 321, 376, 440, 441, 456, 457, 675, 676,
]);
/** Codes of something that does not exist. */
const NOT_FOUND = new Set([46, 47, 50, 56, 60, 63, 73, 78, 81, 115, 336, 511]);
const OTHERS = new Map([
  [48, 501],
  [76, 503],
  [159, 408],
  [192, 403],
  [193, 403],
  [194, 401],
  [202, 503],
  [209, 503],
  [210, 503],
  [344, 501],
  [381, 411],
  [497, 403],
  [516, 403],
]);

/** HTTP status that ClickHouse answers an exception with. */
export function statusOf(code: number): number {
  if (BAD_REQUEST.has(code)) return 400;
  if (NOT_FOUND.has(code)) return 404;
  return OTHERS.get(code) ?? 500;
}

/**
 * Reads what the engine threw: `Code: N. DB::Exception: text. (NAME)`. It may be nested twice, and it may name our file
 * with the data of an INSERT, which is removed.
 */
export function fromEngine(error: unknown): ClickHouseError {
  const raw = error instanceof Error ? error.message : String(error);
  const code = Number(/Code: (\d+)/.exec(raw)?.[1] ?? 1002);
  const type = /\(([A-Z][A-Z0-9_]{2,})\)\s*(?:\(version [^)]*\))?\.?\s*$/.exec(raw)?.[1] ?? 'UNKNOWN_EXCEPTION';
  const text = raw
    .replace(/\(version [^)]*\)/g, '')
    .replaceAll(`(${type})`, '')
    .replace(/(Code: \d+\. )?DB::Exception: /g, '')
    .replace(/\s*:?\s*\(in file\/uri [^)]*\)/g, '')
    .replace(/: data for INSERT was parsed from file/g, '')
    .replace(/[\s.]+$/, '');
  return new ClickHouseError(code, type, text);
}
