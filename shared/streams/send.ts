/**
 * Ways to send what the client would send at a greater cost. It makes an object, a promise and timers for each command, which costs several
 * times what Redis takes for a small one, and copies bytes into a buffer of their command.
 */
import type { Redis } from 'ioredis';
import { add, type Placed, remove } from '../places.js';
import type { RedisCommand, ScriptCall } from './script.js';

const NO_ARGUMENTS: never[] = [];

/** A client that sends commands to the nodes that have their keys. */
export interface RedisRouter {
  sendTogether(commands: readonly (RedisCommand | ScriptCall)[], limitMs?: number): Promise<unknown[]>;
}

const isRouter = (redis: Redis): redis is Redis & RedisRouter => 'sendTogether' in redis;

/**
 * Sends commands as one: encoded together, with one promise for their answers. Resolves to the answers in order: strings are buffers, and
 * an error is a value. No other command of this connection comes between. Calls of a script that Redis has forgotten are made again behind
 * the others. Rejects where the last command has no answer, or not within `limitMs` (see {@link ask}): then none, some or all of them have run.
 * Of a Cluster, the commands of each node are sent so (`cluster/units.ts`).
 */
export async function sendTogether(
  redis: Redis,
  commands: readonly (RedisCommand | ScriptCall)[],
  limitMs?: number,
): Promise<unknown[]> {
  if (commands.length === 0) return [];
  if (isRouter(redis)) return await redis.sendTogether(commands, limitMs);
  // Before a script is noted as sent.
  checkConnection(redis);
  const encoded = commands.map((command) => ('on' in command ? command.on(redis) : command));
  const answers = await ask(redis, piecesOf(encoded), encoded.length, limitMs);
  if (!answers.some(isForgotten)) return answers;
  for (const [i, command] of commands.entries()) {
    if ('run' in command && isForgotten(answers[i])) answers[i] = await command.run(redis).catch(refusalAsValue);
  }
  return answers;
}

/** Sends commands as a transaction, whose keys share a slot. Rejects where one is refused, or has no answer. */
export async function transact(redis: Redis, commands: readonly RedisCommand[]): Promise<void> {
  const answers = await sendTogether(redis, [['MULTI'], ...commands, ['EXEC']]);
  const refused = [...answers, ...((answers.at(-1) as unknown[]) ?? [])].find((answer) => answer instanceof Error);
  if (refused) throw refused;
}

function refusalAsValue(error: Error): Error {
  if (error.name === 'ReplyError') return error;
  throw error;
}

const isForgotten = (answer: unknown): boolean => answer instanceof Error && answer.message.startsWith('NOSCRIPT ');

function checkConnection({ status, stream }: Redis): void {
  if (status === 'end') throw new Error('Connection is closed.');
  if (status !== 'ready' || !stream.writable) throw new Error("Stream isn't writeable: there is no connection");
}

/** What waits for answers, on all connections. One timer watches the limits of all. */
const waiting: AwaitedAnswers[] = [];
interface AwaitedAnswers extends Placed {
  until: number;
  reject(error: Error): void;
}

const WATCH_MS = 250;
let watched = false;

function endLate(): void {
  const now = performance.now();
  for (const one of waiting.filter(({ until }) => until <= now)) {
    remove(waiting, one);
    one.reject(new Error('Command timed out'));
  }
  watched = false;
  if (waiting.length > 0) watch();
}

function watch(): void {
  if (watched) return;
  watched = true;
  setTimeout(endLate, WATCH_MS);
}

/**
 * Sends encoded commands. Resolves to their `count` answers, errors among them as values. Rejects where there is no connection or it ends before, or
 * when it takes longer than `limitMs`; default: than a command of this connection may take.
 */
export function ask(
  redis: Redis,
  pieces: readonly Buffer[],
  count: number,
  limitMs: number = redis.options.commandTimeout ?? Number.POSITIVE_INFINITY,
): Promise<unknown[]> {
  return new Promise((resolve, reject) => {
    // On a connection that has ended nobody would hand out what is sent.
    checkConnection(redis);
    const { stream, commandQueue } = redis;
    const answers: unknown[] = [];
    const one = { until: performance.now() + limitMs, place: 0, reject };
    const take = (answer: unknown): void => {
      if (answers.push(answer) < count) return;
      remove(waiting, one);
      resolve(answers);
    };
    const refuse = (error: Error): void => {
      if (error.name === 'ReplyError') take(error);
      else {
        remove(waiting, one);
        reject(error);
      }
    };
    for (const piece of pieces) stream.write(piece);
    const item = { command: { name: '', args: NO_ARGUMENTS, resolve: take, reject: refuse }, stream, select: 0 };
    for (let i = 0; i < count; i++) commandQueue.push(item);
    add(waiting, one);
    watch();
  });
}

/** Commands as they are sent (RESP 2). */
export function piecesOf(commands: readonly RedisCommand[]): Buffer[] {
  const pieces: Buffer[] = [];
  let text = '';
  for (const command of commands) {
    text += `*${command.length}\r\n`;
    for (const argument of command) {
      if (typeof argument === 'object') {
        pieces.push(Buffer.from(`${text}$${argument.length}\r\n`), argument);
        text = '\r\n';
      } else {
        const value = String(argument);
        const length = typeof argument === 'number' ? value.length : Buffer.byteLength(value);
        text += `$${length}\r\n${value}\r\n`;
      }
    }
  }
  if (text !== '') pieces.push(Buffer.from(text));
  return pieces;
}
