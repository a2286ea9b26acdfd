/** Reads and edits files of known hashes. An edit replaces the whole file, or leaves it as it was. */
import { randomBytes } from 'node:crypto';
import {
  closeSync,
  fsyncSync,
  openSync,
  realpathSync,
  renameSync,
  rmSync,
  type Stats,
  statSync,
  writeSync,
} from 'node:fs';
import { dirname } from 'node:path';
import { cannotRead, readFileAtMost } from '../../shared/files.js';
import { type HashList, MAX_LIST_BYTES, parseHashList } from '../../shared/pdq/hash-list.js';
import type { CommandOutput } from './command.js';

export interface HashListFile {
  /** the file itself, where the given path is a link */
  path: string;
  /** absent: the file does not exist yet */
  found?: Stats;
  bytes: Buffer;
  list: HashList;
}

/** Reads a list; undefined after printing what is wrong with it. With `mayBeNew`, a missing file is an empty list. */
export function readHashListFile(path: string, output: CommandOutput, mayBeNew = false): HashListFile | undefined {
  let real = path;
  let found: Stats | undefined;
  let bytes: Buffer = Buffer.alloc(0);
  try {
    found = statSync(path, { throwIfNoEntry: false });
    if (found || !mayBeNew) {
      bytes = readFileAtMost(path, MAX_LIST_BYTES);
      real = realpathSync(path);
    }
  } catch (error) {
    output.err(cannotRead(path, error).message);
    return undefined;
  }
  const result = parseHashList(bytes);
  if (result.ok) return { path: real, found, bytes, list: result.list };
  for (const { line, message } of result.problems) output.err(`${path}:${line}: ${message}`);
  return undefined;
}

/**
 * Replaces the list that was read by `bytes`. They are written to a file beside it, which is then renamed: a reader sees
 * the old list or the new one. Throws when that fails, or when the file was changed since it was read.
 */
export function replaceHashListFile({ path, found }: HashListFile, bytes: Uint8Array): void {
  const temporary = `${path}.${process.pid}-${randomBytes(4).toString('hex')}.tmp`;
  try {
    const file = openSync(temporary, 'wx', found ? found.mode & 0o777 : 0o644);
    try {
      for (let at = 0; at < bytes.length; ) at += writeSync(file, bytes, at);
      fsyncSync(file);
    } finally {
      closeSync(file);
    }
    if (changed(path, found)) throw new Error(`${path}: was changed by someone else meanwhile; run the command again`);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
  syncFolder(dirname(path));
}

function changed(path: string, before: Stats | undefined): boolean {
  const now = statSync(path, { throwIfNoEntry: false });
  if (!before || !now) return before !== now;
  return now.ino !== before.ino || now.size !== before.size || now.mtimeMs !== before.mtimeMs;
}

/** Syncs a folder, so that a new name in it survives a power failure. */
function syncFolder(path: string): void {
  const folder = openSync(path, 'r');
  try {
    fsyncSync(folder);
  } finally {
    closeSync(folder);
  }
}
