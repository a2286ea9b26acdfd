/** Reads labelled texts: a JSON object a line, plain or packed by gzip. */
import { createHash } from 'node:crypto';
import { gunzipSync } from 'node:zlib';
import { cannotRead, readFileAtMost } from '../../shared/files.js';

export interface LabelledRow {
  text: string;
  /** file and line, for messages */
  at: string;
  labels: Record<string, number>;
  category?: string;
  kind?: string;
  language?: string;
}

export interface DataFile {
  rows: LabelledRow[];
  /** SHA-256 of the file, in hexadecimal */
  sha256: string;
}

/** Bytes of a file that are read, unpacked: its rows are held in memory. */
const MAX_FILE_BYTES = 512 * 1024 * 1024;
/** Bytes of a line. */
const MAX_LINE_BYTES = 16 * 1024 * 1024;
const LINE_END = 10;

/** Throws an `Error` with file, line and what was expected. `most`: bytes that are read, unpacked. Rows that need no labels have none. */
export function readJsonLines(path: string, most = MAX_FILE_BYTES, needsLabels = true): DataFile {
  const bytes = bytesOf(path, most);
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const unpacked = path.endsWith('.gz') ? unpack(path, bytes, most) : bytes;
  const rows: LabelledRow[] = [];
  for (let from = 0, line = 1; from < unpacked.length; line++) {
    const found = unpacked.indexOf(LINE_END, from);
    const end = found < 0 ? unpacked.length : found;
    const row = readLine(unpacked.subarray(from, end), `${path}:${line}`, needsLabels);
    if (row) rows.push(row);
    from = end + 1;
  }
  if (rows.length === 0) throw new Error(`${path}: expected at least one line`);
  return { rows, sha256 };
}

function bytesOf(path: string, most: number): Buffer {
  try {
    return readFileAtMost(path, most);
  } catch (error) {
    throw cannotRead(path, error);
  }
}

function unpack(path: string, bytes: Buffer, most: number): Buffer {
  try {
    return gunzipSync(bytes, { maxOutputLength: most });
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ERR_BUFFER_TOO_LARGE') throw new Error(`${path}: expected at most ${most} bytes when unpacked`);
    throw new Error(`${path}: expected a file packed by gzip`);
  }
}

const decoder = new TextDecoder('utf-8', { fatal: true });

/** The row of a line; undefined where nothing stands in it. */
function readLine(bytes: Buffer, at: string, needsLabels: boolean): LabelledRow | undefined {
  if (bytes.length > MAX_LINE_BYTES)
    throw new Error(`${at}: expected a line of at most ${MAX_LINE_BYTES} bytes, got ${bytes.length}`);
  let line: string;
  try {
    line = decoder.decode(bytes);
  } catch {
    throw new Error(`${at}: expected UTF-8`);
  }
  return line.trim() === '' ? undefined : readRow(line, at, needsLabels);
}

function readRow(line: string, at: string, needsLabels: boolean): LabelledRow {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(`${at}: expected a JSON object`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${at}: expected a JSON object`);
  const { text, labels = needsLabels ? undefined : {}, category, kind, language } = value as Partial<LabelledRow>;
  if (typeof text !== 'string' || text === '') throw new Error(`${at}: "text": expected a string that is not empty`);
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) {
    throw new Error(`${at}: "labels": expected an object such as {"spam": 1}`);
  }
  for (const [name, label] of Object.entries(labels)) {
    if (typeof label !== 'number' || !Number.isFinite(label))
      throw new Error(`${at}: "labels.${name}": expected 0 or 1`);
  }
  return {
    text,
    labels,
    at,
    ...(typeof category === 'string' && { category }),
    ...(typeof kind === 'string' && { kind }),
    ...(typeof language === 'string' && { language }),
  };
}
