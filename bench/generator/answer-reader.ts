/** Reads HTTP/1.1 answers with Content-Length, one at a time, out of the pieces in which they arrive. */

export interface AnswerReader {
  /** Of the latest whole answer. */
  readonly answer: Readonly<WholeAnswer>;
  /** Begins an answer; `keepBody`: its body is wanted. */
  expect(keepBody: boolean): void;
  /** Reads the first `count` bytes of `bytes`, which are the next of the answer. */
  read(bytes: Buffer, count: number): 'more' | 'whole' | 'malformed';
}

interface WholeAnswer {
  status: number;
  /** bytes of the body */
  length: number;
  /** the server closes the connection after it */
  last: boolean;
  /** undefined where it was not wanted */
  body: Buffer | undefined;
}

const HEAD_END = Buffer.from('\r\n\r\n');
const MAX_HEAD = 16 * 1024;
const CONTENT_LENGTH = /\r\ncontent-length: *(\d+)/i;
const CONNECTION_CLOSE = /\r\nconnection: *close/i;

export function createAnswerReader(): AnswerReader {
  const answer: WholeAnswer = { status: 0, length: 0, last: false, body: undefined };
  let keep = false;
  /** start of a head whose end has not come yet */
  let head: Buffer | undefined;
  /** bytes of the body that are still to come; -1: the head has not ended */
  let missing = -1;
  let parts: Buffer[] = [];

  const readBody = (bytes: Buffer, from: number, to: number): 'more' | 'whole' | 'malformed' => {
    missing -= to - from;
    if (keep && to > from) parts.push(Buffer.from(bytes.subarray(from, to)));
    if (missing > 0) return 'more';
    if (missing < 0) return 'malformed';
    answer.body = keep ? Buffer.concat(parts) : undefined;
    return 'whole';
  };

  /** Reads the head at the start of `bytes`, and what follows it. */
  const readHead = (bytes: Buffer, count: number): 'more' | 'whole' | 'malformed' => {
    const end = bytes.subarray(0, Math.min(count, MAX_HEAD)).indexOf(HEAD_END);
    if (end < 0) {
      if (count >= MAX_HEAD) return 'malformed';
      head = Buffer.from(bytes.subarray(0, count));
      return 'more';
    }
    const text = bytes.toString('latin1', 0, end);
    const length = CONTENT_LENGTH.exec(text);
    answer.status = Number(text.slice(9, 12));
    if (length === null || !(answer.status >= 200 && answer.status <= 599)) return 'malformed';
    answer.length = Number(length[1]);
    answer.last = CONNECTION_CLOSE.test(text);
    missing = answer.length;
    return readBody(bytes, end + 4, count);
  };

  return {
    answer,
    expect: (keepBody) => {
      keep = keepBody;
      head = undefined;
      missing = -1;
      if (parts.length > 0) parts = [];
    },
    read: (bytes, count) => {
      if (missing >= 0) return readBody(bytes, 0, count);
      if (head === undefined) return readHead(bytes, count);
      const joined = Buffer.concat([head, bytes.subarray(0, count)]);
      return readHead(joined, joined.length);
    },
  };
}
