/**
 * An export: rows of history into files.
 *
 *     noted ──all that was accepted before is archived, and what is being erased is gone──> reading ──every file is there──> ended
 *
 * It is noted before anything is read. So an erasure that is asked for meanwhile finds it, and names it in its receipt.
 */
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { createHistoryClient, type HistoryAddress, type HistoryClient } from '../../../shared/history/client.js';
import { type ExportedRange, type ExportFormat, type ExportRun, storeExport } from '../../../shared/history/exports.js';
import { newestResult, oldestResult, oldestWork } from '../../../shared/streams/accepted.js';
import type { Redis } from '../../../shared/streams/client.js';
import type { Operator } from '../../../shared/streams/configuration.js';
import { latestTime, listErasures } from '../../../shared/streams/erasures.js';
import { readPartitions } from '../../../shared/streams/partitions.js';
import type { CommandOutput } from '../command.js';
import { tellExport } from '../configuration/operator.js';
import { counted, createProgress } from '../progress.js';
import { openFolder } from './folder.js';
import { createExportReader, type ExportedTable, type ExportPiece } from './tables.js';

export interface ExportQuestion extends ExportedRange {
  tables: readonly ExportedTable[];
  format: ExportFormat;
  folder: string;
  by: Operator;
}

/** A day may take an hour. */
const REQUEST_MS = 3_600_000;
const POLL_MS = 500;
const SAY_MS = 5000;

/** Resolves to the run, once every file is there. */
export async function exportHistory(
  { redis, history }: { redis: Redis; history: HistoryAddress },
  question: ExportQuestion,
  output: CommandOutput,
): Promise<ExportRun> {
  const { team, kind, scope, since, until, tables, format, by } = question;
  const folder = openFolder(question.folder, question, format);
  const client = createHistoryClient({ ...history, timeoutMs: REQUEST_MS, connections: 2, quorum: 'auto' });
  try {
    const named = { id: randomUUID(), begun: Date.now(), team, kind, scope, since, until, format, tables };
    const where = { user: by.user, host: by.host, folder: folder.path };
    const run: ExportRun = { ...named, ...where, files: 0, rows: 0, bytes: 0, ended: 0 };
    await tellExport(redis, run);
    await storeExport(client, run, run.begun);
    output.err(`Export ${run.id} is begun.`);
    await settled(redis, team, output);
    await writeFiles(client, question, { run, folder, output });
    run.ended = Date.now();
    await storeExport(client, run, run.ended);
    return run;
  } finally {
    await client.close();
  }
}

/** Counts what it writes in `run`. */
async function writeFiles(
  client: HistoryClient,
  question: ExportQuestion,
  { run, folder, output }: { run: ExportRun; folder: ReturnType<typeof openFolder>; output: CommandOutput },
): Promise<void> {
  const reader = createExportReader(client, question);
  const pieces: ExportPiece[] = [];
  for (const table of question.tables) pieces.push(...(await reader.pieces(table)));
  const missing = pieces.filter((piece) => !folder.has(piece));
  const rowsIn = (some: readonly ExportPiece[]): number => some.reduce((sum, { rows }) => sum + rows, 0);
  const all = rowsIn(pieces);
  let done = all - rowsIn(missing);
  if (missing.length < pieces.length) {
    output.err(
      `${counted(pieces.length - missing.length)} of ${counted(pieces.length)} files are there and stay as they are.`,
    );
  }
  const progress = createProgress(output, { what: 'rows', done });
  for (const piece of missing) {
    run.bytes += await folder.write(piece, await reader.read(piece, question.format));
    run.rows += piece.rows;
    run.files++;
    done += piece.rows;
    if (progress.due()) progress.say(done, all);
  }
  progress.say(done, all);
}

/** Resolves once all that was accepted before is archived, and what was asked to be forgotten of the team is gone. */
async function settled(redis: Redis, team: string, output: CommandOutput): Promise<void> {
  const partitions = await readPartitions(redis);
  const now = await latestTime(redis);
  const say = createSay(output);
  const until = async (what: string, isSo: () => Promise<boolean>): Promise<void> => {
    while (!(await isSo())) {
      say(`Waiting: ${what}.`);
      await sleep(POLL_MS);
    }
  };
  await until('checks that were accepted before are still under way', async () => {
    return (await oldestWork(redis, partitions, now)) > now;
  });
  const last = await newestResult(redis, partitions);
  await until('checks that have ended are not archived yet', async () => {
    return (await oldestResult(redis, partitions, last)) > last;
  });
  await until('an erasure of the team is under way (weir erasures list)', async () => {
    const open = (await listErasures(redis)).filter(({ state }) => state === 'waiting' || state === 'removing');
    return open.every((erasure) => erasure.team !== team);
  });
}

/** Says what takes long, now and then. */
function createSay(output: CommandOutput): (line: string) => void {
  let said = performance.now();
  return (line) => {
    if (performance.now() - said < SAY_MS) return;
    said = performance.now();
    output.err(line);
  };
}
