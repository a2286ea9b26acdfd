/**
 * Reads files that an operator names. A name may stand for something that never ends or never comes, such as a device or a pipe, or for
 * more than memory holds: what is opened must be a regular file within a bound, which is checked before anything is read.
 */
import { closeSync, constants, fstatSync, openSync, readSync, type Stats } from 'node:fs';

/** Why a file cannot be read, in words that follow its name. `code`: of the system, or `NO_FILE`; absent: what the file holds is at fault. */
export class FileError extends Error {
  constructor(
    message: string,
    readonly code?: string,
  ) {
    super(message);
  }
}

/** `FILE: cannot be read: WHY`. */
export const cannotRead = (path: string, why: unknown): Error =>
  new Error(`${path}: cannot be read: ${why instanceof Error ? why.message : String(why)}`);

/** A pipe is opened at once, without waiting for who writes to it. */
const TO_READ = constants.O_RDONLY | (constants.O_NONBLOCK ?? 0) | (constants.O_NOCTTY ?? 0);

/** Opens a file for reading, without waiting where it is none. Throws what the system says. */
export const openToRead = (path: string): number => openSync(path, TO_READ);

/** All bytes of a regular file. Throws a {@link FileError} where it is none or has more than `most` bytes. */
export function readFileAtMost(path: string, most: number): Buffer {
  let file: number | undefined;
  try {
    file = openToRead(path);
    const stats = fstatSync(file);
    if (!stats.isFile()) throw new FileError(`expected a file, found ${kindOf(stats)}`, 'NO_FILE');
    if (stats.size > most) throw tooLarge(most, stats.size);
    return readAll(file, stats.size, most);
  } catch (error) {
    throw error instanceof FileError ? error : fromSystem(error as NodeJS.ErrnoException);
  } finally {
    if (file !== undefined) closeSync(file);
  }
}

/** As {@link readFileAtMost}, as a text. */
export const readTextAtMost = (path: string, most: number): string => textIn(readFileAtMost(path, most));

/** A file may grow while it is read, and those of the system say that they have no bytes. */
function readAll(file: number, size: number, most: number): Buffer {
  let bytes = Buffer.allocUnsafe(Math.max(size + 1, 4096));
  let length = 0;
  for (;;) {
    const read = readSync(file, bytes, length, bytes.length - length, null);
    if (read === 0) return bytes.subarray(0, length);
    length += read;
    if (length > most) throw tooLarge(most, length);
    if (length === bytes.length) bytes = Buffer.concat([bytes], 2 * length);
  }
}

const tooLarge = (most: number, found: number): FileError =>
  new FileError(`expected at most ${most} bytes, found ${found}${found > most ? '' : ' and more'}`);

function kindOf(stats: Stats): string {
  if (stats.isDirectory()) return 'a folder';
  if (stats.isFIFO()) return 'a pipe';
  return stats.isSocket() ? 'a socket' : 'a device';
}

const SAID: Readonly<Record<string, string>> = {
  ENOENT: 'there is no such file',
  ENOTDIR: 'there is no such file',
  EACCES: 'this user may not read it',
  EPERM: 'this user may not read it',
  ELOOP: 'its link leads to itself',
  ENAMETOOLONG: 'its name is too long',
  // A socket cannot be opened.
  ENXIO: 'expected a file, found a socket',
};

const fromSystem = ({ code, message }: NodeJS.ErrnoException): FileError =>
  new FileError((code !== undefined && SAID[code]) || message, code);

const MARKS: readonly [name: string, mark: readonly number[]][] = [
  ['UTF-32', [0xff, 0xfe, 0, 0]],
  ['UTF-32', [0, 0, 0xfe, 0xff]],
  ['UTF-16', [0xff, 0xfe]],
  ['UTF-16', [0xfe, 0xff]],
];

/** The text in `bytes`, without a byte order mark. Throws a {@link FileError} where they are not UTF-8. */
export function textIn(bytes: Uint8Array): string {
  const [other] = MARKS.find(([, mark]) => mark.every((byte, i) => bytes[i] === byte)) ?? [];
  if (other !== undefined) throw new FileError(`expected UTF-8, found ${other} by its byte order mark`);
  const zero = bytes.indexOf(0);
  if (zero >= 0) {
    throw new FileError(
      `expected a text in UTF-8; line ${lineAt(bytes, zero)} has a byte 0, as UTF-16 has and files that are no texts`,
    );
  }
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    const line = lineAt(bytes, firstWrong(bytes));
    throw new FileError(`expected UTF-8; line ${line} has bytes of another encoding, such as Latin-1`);
  }
}

function lineAt(bytes: Uint8Array, end: number): number {
  let line = 1;
  for (let at = 0; at < end; at++) if (bytes[at] === 10) line++;
  return line;
}

/** Where the first bytes begin that are not UTF-8, or the character before them. */
function firstWrong(bytes: Uint8Array): number {
  let [right, wrong] = [0, bytes.length];
  while (wrong - right > 1) {
    const middle = (right + wrong) >> 1;
    if (begins(bytes.subarray(0, middle))) right = middle;
    else wrong = middle;
  }
  return right;
}

/** Whether `bytes` are UTF-8, or its beginning within a character. */
function begins(bytes: Uint8Array): boolean {
  try {
    new TextDecoder('utf-8', { fatal: true }).decode(bytes, { stream: true });
    return true;
  } catch {
    return false;
  }
}
