/** Commands that go to the nodes of a Cluster together, and what redirects them. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Redis } from 'ioredis';
import type { RedisCommand, ScriptCall } from '../script.js';
import { sendTogether } from '../send.js';
import { type ClusterRedirect, redirectOf } from './redirect.js';
import { keyOf, slotOf } from './slots.js';

/** How long a command follows redirections, and waits for keys that are at two nodes. */
export const REDIRECT_MS = 2000;
/** Between two tries behind the first redirection. */
export const PAUSE_MS = 20;

/** Finds nodes. */
export interface NodeFinder {
  /** Rejects where nobody has the slot. */
  nodeOfSlot(slot: number): Promise<Redis>;
  nodeAt(address: string): Promise<Redis>;
  moved(slot: number, address: string): void;
  /** where commands without a key go */
  rootSlot: number;
}

type Sent = RedisCommand | ScriptCall;

/** A command, or a transaction from MULTI to EXEC: what follows a redirection as a whole. */
interface Unit {
  /** its commands; `to` is behind the last */
  from: number;
  to: number;
  slot: number;
  /** what it was answered last */
  redirect?: ClusterRedirect | undefined;
}

/**
 * Sends commands, those of a node together and in their order. Resolves to the answers in order; an error is a value. Where commands go to
 * several nodes, one that fails gives its error as the answer of each of its commands; where they go to one, its failure rejects.
 */
export async function sendToNodes(finder: NodeFinder, commands: readonly Sent[], limitMs?: number): Promise<unknown[]> {
  const answers = new Array<unknown>(commands.length);
  const until = performance.now() + REDIRECT_MS;
  const all = unitsOf(commands, finder.rootSlot);
  let open = all;
  for (let round = 0; open.length > 0; round++) {
    if (round > 1) await sleep(PAUSE_MS);
    const groups = await groupByNode(finder, open, answers);
    const send = ([node, units]: readonly [Redis, Unit[]]): Promise<Error | undefined> =>
      sendUnits(node, units, { commands, answers, limitMs });
    const failures = await Promise.all([...groups].map(send));
    // All went to one node, which does not answer.
    if (failures.length === 1 && failures[0] && groups.values().next().value!.length === all.length) throw failures[0];
    open = performance.now() > until ? [] : open.filter(({ redirect }) => redirect !== undefined);
  }
  return answers;
}

async function groupByNode(
  finder: NodeFinder,
  units: readonly Unit[],
  answers: unknown[],
): Promise<Map<Redis, Unit[]>> {
  const groups = new Map<Redis, Unit[]>();
  for (const unit of units) {
    const { redirect, slot } = unit;
    if (redirect?.kind === 'moved') finder.moved(redirect.slot, redirect.address);
    try {
      const node = redirect && 'address' in redirect ? finder.nodeAt(redirect.address) : finder.nodeOfSlot(slot);
      const found = await node;
      if (!groups.get(found)?.push(unit)) groups.set(found, [unit]);
    } catch (error) {
      unit.redirect = undefined;
      answers.fill(error, unit.from, unit.to);
    }
  }
  return groups;
}

/** Resolves to the error where the node does not answer. */
async function sendUnits(
  node: Redis,
  units: readonly Unit[],
  { commands, answers, limitMs }: { commands: readonly Sent[]; answers: unknown[]; limitMs: number | undefined },
): Promise<Error | undefined> {
  const sent = units.flatMap(({ from, to, redirect }) => {
    const own = commands.slice(from, to);
    return redirect?.kind === 'ask' ? [ASKING, ...own] : own;
  });
  try {
    const replies = await sendTogether(node, sent, limitMs);
    let at = 0;
    for (const unit of units) {
      if (unit.redirect?.kind === 'ask') at++;
      unit.redirect = undefined;
      for (let i = unit.from; i < unit.to; i++) {
        answers[i] = replies[at++];
        unit.redirect ??= redirectOf(answers[i], node.options.host!);
      }
    }
    return undefined;
  } catch (error) {
    for (const unit of units) {
      unit.redirect = undefined;
      answers.fill(error, unit.from, unit.to);
    }
    return error as Error;
  }
}

const ASKING: RedisCommand = ['ASKING'];

const nameOf = (command: Sent | undefined): unknown => (command && 'on' in command ? undefined : command?.[0]);

function unitsOf(commands: readonly Sent[], rootSlot: number): Unit[] {
  const units: Unit[] = [];
  for (let from = 0; from < commands.length; ) {
    let to = from + 1;
    if (nameOf(commands[from]) === 'MULTI') while (to < commands.length && nameOf(commands[to++]) !== 'EXEC');
    const key = commands
      .slice(from, to)
      .map(keyOf)
      .find((one) => one !== undefined);
    units.push({ from, to, slot: key === undefined ? rootSlot : slotOf(key) });
    from = to;
  }
  return units;
}
