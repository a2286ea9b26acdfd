/**
 * Archives the partitions that this archiver has a share of:
 *
 *     reading ──> inserting ──> releasing ──> reading
 *
 * - *reading*: takes the next block of all own partitions (`block.ts`), from the position of each on. A round begins once a second, and
 *   the next block of a round is read while its last one is inserted. Left with a block; without one the round is over.
 * - *inserting*: sends the block (`insert.ts`). Left when ClickHouse has acknowledged it.
 * - *releasing*: for each partition, sets entries aside that ClickHouse refuses, lets index keys and results expire, moves the position
 *   and trims the log (`release.ts`). Every step may run again; the position moves last, and only from where the piece was read.
 *   Another archiver may have had the same partition meanwhile: both have stored the same rows, which replace themselves.
 *
 * An error does not change the state: the step is repeated for ever, after longer and longer pauses. A row that is at fault itself is
 * set aside. A partition with such a row is *apart*, and so is one that ClickHouse does not take for another reason, that has no room
 * for its refused entries, or, in a Cluster, that could not be released. Partitions apart have rounds of their own beside the others, who go on. They are back once a block of theirs
 * was stored whole.
 */
import type { Pause } from '../../shared/async.js';
import type { HistoryClient } from '../../shared/history/client.js';
import { loudness } from '../../shared/history/watch.js';
import type { Logger } from '../../shared/log.js';
import type { PartitionShare } from '../share.js';
import type { Block, BlockReader, LogPiece } from './block.js';
import { insertBlock, insertionOf } from './insert.js';
import type { ArchiveFailureKind, ArchiverMetrics } from './meters.js';
import type { Release } from './release.js';
import type { ArchivedTraces } from './traces.js';
import type { WholeHistory } from './whole.js';

export interface LoopTools {
  clickhouse: HistoryClient;
  whole: WholeHistory;
  /** Partitions have several Redis: where one is away, the others go on. */
  inCluster: boolean;
  share: PartitionShare;
  createReader(): BlockReader;
  release: Release;
  metrics: ArchiverMetrics;
  traces: ArchivedTraces;
  logger: Logger;
  pause: Pause;
  /** aborted when inserts are cut off */
  signal: AbortSignal;
  stopping(): boolean;
  /** The loop is alive. */
  moved(): void;
}

const ROUND_MS = 1000;
const FIRST_RETRY_MS = 100;
const LAST_RETRY_MS = 10_000;
/** How long a partition waits that was not taken, and one without room for refused entries: somebody has to replay some. */
const HOLD_MS = 5000;
const FULL_MS = 20_000;
/** Attempts of a block before it is narrowed down to what ClickHouse does not take. */
const NARROW_AFTER = 2;

/** One of the two loops. */
interface Loop extends LoopTools {
  reader: BlockReader;
  /** it archives the partitions that are apart, or else the others */
  ofApart: boolean;
  /** partitions apart, and the ms of the steady clock when they are tried again */
  apart: Map<number, number>;
}

/** Resolves once the archiver stops. */
export async function archiveShare(tools: LoopTools): Promise<void> {
  const apart: Loop['apart'] = new Map();
  const repeat = async (ofApart: boolean): Promise<void> => {
    const loop: Loop = { ...tools, reader: tools.createReader(), ofApart, apart };
    while (!tools.stopping()) {
      const started = performance.now();
      if (!ofApart || apart.size > 0) await persist(loop, 'redis', () => archiveRound(loop));
      await tools.pause.sleep(Math.max(1, ROUND_MS - (performance.now() - started)));
    }
  };
  await Promise.all([repeat(false), repeat(true)]);
}

/** Archives what there is, block by block. */
async function archiveRound(loop: Loop): Promise<void> {
  const { ofApart, apart } = loop;
  const isDue = (partition: number): boolean =>
    ofApart ? (apart.get(partition) ?? Number.POSITIVE_INFINITY) <= performance.now() : !apart.has(partition);
  const read = async (ahead?: Block): Promise<Block> => {
    const own = await loop.share.own();
    loop.metrics.own(own);
    return loop.reader.next(own.filter(isDue), ahead);
  };
  for (let block = await read(); block.pieces.length > 0 && !loop.stopping(); ) {
    // An error here is not lost: it comes again with the next reading. One block apart is enough to hold in memory.
    const next = block.full && !ofApart ? read(block).catch(() => undefined) : undefined;
    await archive(loop, block);
    const following = await next;
    if (following === undefined && !block.full) return;
    block = following ?? (await read());
  }
}

/** Stores a block and releases it, except the partitions that have to wait. */
async function archive(loop: Loop, block: Block): Promise<void> {
  const { clickhouse, whole, metrics, logger, signal, apart } = loop;
  for (const { partition, firstMs } of block.pieces) metrics.oldest(partition, firstMs);
  const insertion = insertionOf(block.entries);
  const inserted = await persist(loop, 'clickhouse', async (attempt) => {
    const started = performance.now();
    const narrow = loop.ofApart || attempt >= NARROW_AFTER;
    await insertBlock(clickhouse, insertion, { narrow, signal, whole, moved: loop.moved });
    metrics.inserted((performance.now() - started) / 1000);
  });
  if (!inserted) return;
  const { refused } = insertion;
  loop.traces.archived(refused.size === 0 ? block.entries : block.entries.filter((one) => !refused.has(one)));
  const pieces = new Map(block.pieces.map((piece) => [piece.partition, piece]));
  const faulty = new Set<number>();
  for (const [{ partition, source }, { error, among }] of refused) {
    faulty.add(partition);
    const whose = among === 1 ? 'its rows' : `its rows, or those of one of ${among} that were sent together`;
    const reason = `ClickHouse refuses ${whose}: ${error.message}`;
    if (error.rowFault) pieces.get(partition)?.refused.push({ entry: source, reason });
    else if (pieces.delete(partition)) {
      apart.set(partition, performance.now() + HOLD_MS);
      metrics.failed('clickhouse');
      logger.warn(
        { partition, code: error.code, error: error.message },
        'ClickHouse does not take a row of this partition, which waits; others go on',
      );
    }
  }
  await persist(loop, 'redis', async () => {
    const release = async (piece: LogPiece): Promise<void> => {
      const { partition } = piece;
      const outcome = await loop.release(piece);
      pieces.delete(partition);
      if (outcome === 'released') {
        metrics.archived(piece);
        if (faulty.has(partition)) apart.set(partition, 0);
        else apart.delete(partition);
      } else if (outcome === 'full') {
        apart.set(partition, performance.now() + FULL_MS);
        metrics.failed('full');
        logger.error(
          { partition },
          'there is no room to set a refused entry aside: this partition waits until some are replayed or dropped (weir refused list)',
        );
      }
    };
    const tried = [...pieces.values()];
    const outcomes = await Promise.allSettled(tried.map(release));
    const lost = outcomes.find((outcome) => outcome.status === 'rejected');
    if (!lost) return;
    if (!loop.inCluster) throw lost.reason;
    metrics.failed('redis');
    logger[loudness(lost.reason)]({ error: String(lost.reason) }, 'partitions whose Redis is away wait; others go on');
    for (const { partition } of tried) if (pieces.delete(partition)) apart.set(partition, performance.now() + HOLD_MS);
  });
  if (block.entries.length > 0) metrics.stored();
  loop.moved();
}

/** Repeats `step` until it succeeds; false when the archiver stopped before. It is tried once in any case. */
async function persist(
  { metrics, logger, pause, stopping, moved }: LoopTools,
  kind: ArchiveFailureKind,
  step: (attempt: number) => Promise<void>,
): Promise<boolean> {
  for (let attempt = 0; attempt === 0 || !stopping(); attempt++) {
    // A loop that repeats is alive: a restart would not bring ClickHouse back.
    moved();
    try {
      await step(attempt);
      return true;
    } catch (error) {
      if (stopping()) return false;
      metrics.failed(kind);
      const wait = Math.min(LAST_RETRY_MS, FIRST_RETRY_MS * 2 ** Math.min(attempt, 10)) * (0.5 + Math.random());
      const { message, code } = error as Error & { code?: string };
      const level = kind === 'clickhouse' ? loudness(error) : 'warn';
      logger[level]({ kind, attempt, code, error: message.slice(0, 300) }, 'archiving waits and repeats');
      await pause.sleep(wait);
    }
  }
  return false;
}
