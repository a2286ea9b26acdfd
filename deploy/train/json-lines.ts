/** Reads labelled texts: a JSON object a line, plain or packed by gzip. */
import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { gunzipSync } from 'node:zlib';

export interface Row {
  text: string;
  /** file and line, for messages */
  at: string;
  labels: Record<string, number>;
  category?: string;
  split?: string;
}

export interface DataFile {
  rows: Row[];
  /** SHA-256 of the file, in hexadecimal */
  sha256: string;
}

/** Throws an `Error` with file, line and what was expected. */
export function readJsonLines(path: string): DataFile {
  let bytes: Buffer;
  try {
    bytes = readFileSync(path);
  } catch (error) {
    throw new Error(`${path}: cannot be read (${(error as NodeJS.ErrnoException).code ?? String(error)})`);
  }
  const sha256 = createHash('sha256').update(bytes).digest('hex');
  const text = (path.endsWith('.gz') ? unpacked(path, bytes) : bytes).toString('utf8');
  const rows: Row[] = [];
  text.split('\n').forEach((line, i) => {
    if (line.trim() !== '') rows.push(readRow(line, `${path}:${i + 1}`));
  });
  if (rows.length === 0) throw new Error(`${path}: expected at least one line`);
  return { rows, sha256 };
}

function unpacked(path: string, bytes: Buffer): Buffer {
  try {
    return gunzipSync(bytes);
  } catch {
    throw new Error(`${path}: expected a file packed by gzip`);
  }
}

function readRow(line: string, at: string): Row {
  let value: unknown;
  try {
    value = JSON.parse(line);
  } catch {
    throw new Error(`${at}: expected a JSON object`);
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value))
    throw new Error(`${at}: expected a JSON object`);
  const { text, labels } = value as Partial<Row>;
  if (typeof text !== 'string' || text === '') throw new Error(`${at}: "text": expected a string that is not empty`);
  if (typeof labels !== 'object' || labels === null || Array.isArray(labels)) {
    throw new Error(`${at}: "labels": expected an object such as {"spam": 1}`);
  }
  for (const [name, label] of Object.entries(labels)) {
    if (typeof label !== 'number' || !Number.isFinite(label))
      throw new Error(`${at}: "labels.${name}": expected 0 or 1`);
  }
  return { ...(value as Omit<Row, 'at'>), at };
}
