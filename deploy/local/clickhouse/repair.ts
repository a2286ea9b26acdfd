/**
 * Repairs what a kill in the middle of an INSERT leaves behind. MergeTree without replicas first writes the token of a
 * block into its deduplication log, and then gives the part its name. A kill in between leaves a token without a part.
 * The block would then count as a repetition when it is inserted again, and its rows would be lost. So before any
 * insert, tokens of parts that do not exist are removed from the log.
 */
import { existsSync, readdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { quoteName, quoteText } from './sql.js';

/** Runs one statement and returns its result in `format`. */
export type Ask = (statement: string, format: string) => string;

interface Block {
  partition: string;
  first: number;
  last: number;
}

/** `partition_first_last_level[_mutation]`. */
const PART = /^(.+?)_(\d+)_(\d+)_\d+(?:_\d+)?$/;
/** A line of the log is operation, part and token, separated by tabs. This operation adds a token. */
const ADD = '1';

/** Removes tokens without a part, in every table of the engine. Returns how many. */
export function forgetLostBlocks(ask: Ask): number {
  const tables = rowsOf<{ database: string; name: string; path: string }>(
    ask(
      `SELECT database, name, data_paths[1] AS path FROM system.tables
       WHERE engine LIKE '%MergeTree' AND database NOT IN ('system', 'INFORMATION_SCHEMA', 'information_schema')`,
      'JSONEachRow',
    ),
  );
  let forgotten = 0;
  for (const { database, name, path } of tables) {
    const folder = join(path, 'deduplication_logs');
    if (!existsSync(folder)) continue;
    const parts = rowsOf<{ part: string }>(
      ask(
        `SELECT name AS part FROM system.parts
         WHERE active AND database = ${quoteText(database)} AND table = ${quoteText(name)}`,
        'JSONEachRow',
      ),
    );
    const stored = byPartition(parts.map(({ part }) => part));
    if (strike(folder, stored, false) === 0) continue;
    const table = `${quoteName(database)}.${quoteName(name)}`;
    // The table holds its log in memory and writes to it. It must close the log and read it again.
    ask(`DETACH TABLE ${table} SYNC`, 'Null');
    try {
      forgotten += strike(folder, stored, true);
    } finally {
      ask(`ATTACH TABLE ${table}`, 'Null');
    }
  }
  return forgotten;
}

/** Counts, and with `write` removes, the lines of blocks that no stored part covers. */
function strike(folder: string, stored: Map<string, Block[]>, write: boolean): number {
  let struck = 0;
  for (const file of readdirSync(folder)) {
    if (!file.endsWith('.txt')) continue;
    const lines = readFileSync(join(folder, file), 'utf8').split('\n');
    const kept = lines.filter((line) => !isLost(line, stored));
    struck += lines.length - kept.length;
    if (!write || kept.length === lines.length) continue;
    const draft = join(folder, `${file}.new`);
    writeFileSync(draft, kept.join('\n'), { flush: true });
    renameSync(draft, join(folder, file));
  }
  return struck;
}

function isLost(line: string, stored: Map<string, Block[]>): boolean {
  const [operation, part] = line.split('\t');
  const block = part === undefined ? undefined : blockOf(part);
  if (operation !== ADD || block === undefined) return false;
  const parts = stored.get(block.partition) ?? [];
  return !parts.some(({ first, last }) => first <= block.first && block.last <= last);
}

function byPartition(parts: readonly string[]): Map<string, Block[]> {
  const partitions = new Map<string, Block[]>();
  for (const part of parts) {
    const block = blockOf(part);
    if (block === undefined) continue;
    const blocks = partitions.get(block.partition);
    if (blocks) blocks.push(block);
    else partitions.set(block.partition, [block]);
  }
  return partitions;
}

function blockOf(part: string): Block | undefined {
  const found = PART.exec(part);
  return found ? { partition: found[1]!, first: Number(found[2]), last: Number(found[3]) } : undefined;
}

const rowsOf = <T>(text: string): T[] =>
  text
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as T);
