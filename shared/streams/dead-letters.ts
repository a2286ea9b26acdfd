/** Reads and replays dead letters: work entries that were given up, with the reason. */
import { sequenceOf } from '../ids.js';
import type { Redis } from './client.js';
import { activeIdentity, type Identity, readConfiguration } from './configuration.js';
import { keys } from './keys.js';
import { script } from './script.js';
import type { WorkHeader } from './work.js';

export interface DeadLetter {
  partition: number;
  /** id in the stream of dead letters */
  id: string;
  /** id the entry had in its work stream */
  entry: string;
  reason: string;
  attempts: number;
  /** undefined when it cannot be read: then the letter cannot be replayed */
  header: WorkHeader | undefined;
  bodyBytes: number;
}

/** A dead letter that was not put back to work. */
export class NotReplayed extends Error {
  constructor(
    message: string,
    /** there is none of this id (any more) */
    readonly gone = false,
  ) {
    super(message);
    this.name = 'NotReplayed';
  }
}

/** Letters per call of the script. */
const PAGE = 20;

const list = script('work/list-dead-letters');
const replay = script('work/replay-dead-letter');
const drop = script('work/drop-letter');

/** At most `most` dead letters of a partition, newest first, from an id on, or behind one in `(`. Reads no bodies. */
export async function listDeadLetters(
  redis: Redis,
  partition: number,
  most: number,
  from = '+',
): Promise<DeadLetter[]> {
  const letters: DeadLetter[] = [];
  while (letters.length < most) {
    const last = letters.at(-1);
    const count = Math.min(PAGE, most - letters.length);
    const found = await readPage(redis, partition, { from: last ? `(${last.id}` : from, to: '-', count });
    letters.push(...found);
    if (found.length < count) break;
  }
  return letters;
}

/** One dead letter with its body; undefined when there is none of this id. */
export async function readDeadLetter(
  redis: Redis,
  partition: number,
  id: string,
): Promise<{ letter: DeadLetter; body: Buffer } | undefined> {
  const [entry] = await redis.xrangeBuffer(keys.dead(partition), id, id);
  if (!entry) return undefined;
  const fields: string[] = [];
  let body: Buffer = Buffer.alloc(0);
  for (let i = 0; i + 1 < entry[1].length; i += 2) {
    const [name, value] = [entry[1][i]!.toString(), entry[1][i + 1]!];
    if (name === 'body') body = value;
    else fields.push(name, value.toString());
  }
  return { letter: deadLetter(partition, id, { fields, bodyBytes: body.length }), body };
}

/**
 * Puts a dead letter back to work under its old id and sequence, as the next version of its result. The outcome replaces the
 * stored failure, in Redis and in history. No caller waits for it any more. When its configuration version is no longer kept,
 * the active one is used. Returns the id of the new work entry. Rejects with {@link NotReplayed} also when another call has replayed the letter.
 */
export async function replayDeadLetter(redis: Redis, partition: number, id: string): Promise<string> {
  const gone = `partition ${partition} has no dead letter ${id}`;
  const [letter] = await readPage(redis, partition, { from: id, to: id, count: 1 });
  if (!letter) throw new NotReplayed(gone, true);
  const obstacle = replayObstacle(letter);
  if (!letter.header || obstacle !== undefined)
    throw new NotReplayed(`dead letter ${id} cannot be replayed: ${obstacle}`);
  const { version, id: configId } = await judgeFor(redis, letter.header);
  const header: WorkHeader = {
    ...letter.header,
    config: version,
    configId,
    reply: '',
    replay: (letter.header.replay ?? 0) + 1,
    sequence: letter.header.sequence ?? sequenceOf(letter.entry),
    deadline: Date.now(),
  };
  const scriptKeys = [keys.checks(partition, header.lane), keys.dead(partition), keys.deadBytes(partition)];
  const entry = await replay(redis, scriptKeys, [id, JSON.stringify(header)]);
  if (typeof entry !== 'string')
    throw new NotReplayed(`${gone} any more: somebody else has replayed or removed it`, true);
  return entry;
}

/** Why a letter can never be replayed; undefined: it can. */
export function replayObstacle({ header }: DeadLetter): string | undefined {
  if (!header) return 'its header cannot be read';
  const { unkept, masked } = header;
  if (unkept === 'asked') return 'its content was not kept (as its caller asked)';
  if (unkept) return 'its content was not kept (content_days: 0)';
  return masked ? 'its content was not kept (retention.content: masked)' : undefined;
}

/** Drops a letter. False when there is none of this id (any more). */
export async function dropDeadLetter(redis: Redis, partition: number, id: string): Promise<boolean> {
  return (await drop(redis, [keys.dead(partition), keys.deadBytes(partition)], [id])) === 1;
}

/** The configuration that the header names, or the active one. */
async function judgeFor(redis: Redis, { config, configId }: WorkHeader): Promise<Identity> {
  const kept = await readConfiguration(redis, config);
  if (kept && (configId === undefined || kept.id === configId)) return kept;
  const active = await activeIdentity(redis);
  if (!active) {
    throw new NotReplayed(
      `configuration version ${config} is not kept and none is active: run "weir apply FILE" first`,
    );
  }
  return active;
}

async function readPage(
  redis: Redis,
  partition: number,
  range: { from: string; to: string; count: number },
): Promise<DeadLetter[]> {
  const found = await list(redis, [keys.dead(partition)], [range.from, range.to, range.count]);
  return (found as [string, number, string[]][]).map(([id, bodyBytes, fields]) =>
    deadLetter(partition, id, { fields, bodyBytes }),
  );
}

function deadLetter(partition: number, id: string, entry: { fields: string[]; bodyBytes: number }): DeadLetter {
  const field = (name: string): string => {
    const at = entry.fields.findIndex((one, i) => i % 2 === 0 && one === name);
    return at < 0 ? '' : (entry.fields[at + 1] ?? '');
  };
  let header: WorkHeader | undefined;
  try {
    header = JSON.parse(field('header')) as WorkHeader;
  } catch {
    header = undefined;
  }
  return {
    partition,
    id,
    entry: field('entry'),
    reason: field('reason'),
    attempts: Number(field('attempts')),
    header,
    bodyBytes: entry.bodyBytes,
  };
}
