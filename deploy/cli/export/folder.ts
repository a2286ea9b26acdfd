/**
 * The folder of an export. Each file has the rows of a table and a day, and gets its name when it is whole: so a file that is there is complete, and
 * an export that was cut off goes on from there, and one of whole days may be added to. `export.json` says what the folder has.
 */
import { createWriteStream, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs';
import { open, rename, rm, stat } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { ExportedRange, ExportFormat } from '../../../shared/history/exports.js';
import { cannotWrite, writeAsked } from '../command.js';
import type { ExportPiece } from './tables.js';

export interface ExportFolder {
  path: string;
  /** Whether the file of a piece is there. */
  has(piece: ExportPiece): boolean;
  /** Writes the file of a piece. Resolves to its bytes. */
  write(piece: ExportPiece, rows: NodeJS.ReadableStream): Promise<number>;
}

const MANIFEST = 'export.json';
/** For its owner alone: there is content in it. */
const [OWN_FILE, OWN_FOLDER] = [0o600, 0o700];

/** Throws a sentence where the folder has something else. */
export function openFolder(
  path: string,
  { team, kind, scope, since, until }: ExportedRange,
  format: ExportFormat,
): ExportFolder {
  const folder = resolve(path);
  const scoped = kind === 'team' ? {} : { [kind]: scope };
  // Rows of a part of a day would be there twice beside those of all of it.
  const holds = JSON.stringify({ team, ...scoped, format, ...partIn('from', since), ...partIn('to', until) });
  try {
    mkdirSync(folder, { recursive: true, mode: OWN_FOLDER });
  } catch (error) {
    throw cannotWrite(path, error);
  }
  const manifest = join(folder, MANIFEST);
  if (existsSync(manifest)) {
    const there = readFileSync(manifest, 'utf8').trim();
    if (there !== holds) throw new Error(`${path}: has an export of ${there}; expected a folder for ${holds}`);
  } else {
    if (readdirSync(folder).length > 0) throw new Error(`${path}: expected an empty folder, or one with an export`);
    writeAsked(manifest, `${holds}\n`, OWN_FILE);
  }
  const fileOf = (piece: ExportPiece): string => join(folder, `${nameOf(piece)}.${format}`);
  return {
    path: folder,
    has: (piece) => existsSync(fileOf(piece)),
    async write(piece, rows) {
      const file = fileOf(piece);
      const part = `${file}.part`;
      try {
        await pipeline(rows, createWriteStream(part, { mode: OWN_FILE }));
        await synced(part);
        const { size } = await stat(part);
        await rename(part, file);
        await synced(folder);
        return size;
      } catch (error) {
        await rm(part, { force: true });
        throw (error as NodeJS.ErrnoException).path === undefined ? error : cannotWrite(file, error);
      }
    },
  };
}

async function synced(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

const DAY_MS = 86_400_000;

const partIn = (name: string, ms: number): object => (ms % DAY_MS === 0 ? {} : { [name]: new Date(ms).toISOString() });

/** `results-2026-11-01`; of a part of a day with its begin and end. */
function nameOf({ table, since, until }: ExportPiece): string {
  const [from, to] = [since, until].map((ms) => new Date(ms).toISOString());
  if (since % DAY_MS === 0 && until - since === DAY_MS) return `${table}-${from!.slice(0, 10)}`;
  return `${table}-${from!.slice(0, 10)}-${clock(from!)}-${until % DAY_MS === 0 ? '240000000' : clock(to!)}`;
}

/** `08:30:00.000Z` as `083000000`. */
const clock = (time: string): string => time.slice(11, -1).replaceAll(/[:.]/g, '');
