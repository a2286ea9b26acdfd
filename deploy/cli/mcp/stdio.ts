/**
 * Stands between a client on the standard input and a server that it starts:
 *
 *     client ──lines──> checks, up to `inFlight` at once ──in order──> server
 *     client <──in order── checks <──lines── server
 *
 *     running ──the client ends its input──> its messages are handed on, then the input of the server ends ──> ending
 *        └──a signal, or a line that is too long──> the server gets the signal ──> ending
 *     ending ──the server has not ended after 5 s──> SIGTERM, after 2 s more SIGKILL
 *     the server has ended: what it said is handed on, what it has not answered is an error, done
 */
import { type ChildProcess, spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { constants } from 'node:os';
import type { Readable, Writable } from 'node:stream';
import type { McpGuard, McpOutcome, McpSession } from './guard.js';
import { linesOf, McpLineTooLong, writeLine } from './lines.js';
import { type McpSide, readMessages, writeError } from './message.js';

export interface McpStdioOptions {
  command: string;
  args: readonly string[];
  /** of the server */
  env: NodeJS.ProcessEnv;
  input: Readable;
  output: Writable;
  guard: McpGuard;
  run: string;
  /** bytes of a message */
  mostBytes: number;
  /** messages of a side that are checked at once */
  inFlight: number;
  note(line: string): void;
}

const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
const END_MS = 5000;
const TERM_MS = 2000;

/** The exit code: that of the server, or 128 and the number of the signal that ended it; 1 where a line was too long. Throws a sentence. */
export async function runMcpStdio(options: McpStdioOptions): Promise<number> {
  const { command, args, env, input, output, guard, run, note } = options;
  const server = spawn(command, args, { stdio: ['pipe', 'pipe', 'inherit'], env });
  await started(server, command);
  const session: McpSession = { id: randomUUID(), run };
  const ended = once(server, 'close') as Promise<[number | null, NodeJS.Signals | null]>;
  // A peer that is gone: its own end is noticed where it is read.
  for (const stream of [server.stdin, output]) stream.on('error', () => undefined);
  let [failed, isOver] = [false, false];
  let timer: NodeJS.Timeout | undefined;

  function end(signal?: NodeJS.Signals): void {
    if (isOver) return;
    if (signal) server.kill(signal);
    else server.stdin.end();
    timer ??= setTimeout(() => {
      server.kill('SIGTERM');
      timer = setTimeout(() => server.kill('SIGKILL'), TERM_MS);
    }, END_MS);
  }
  function fail(error: unknown): void {
    // What is read breaks when this ends it.
    if (isOver) return;
    failed = true;
    note(
      error instanceof McpLineTooLong
        ? `ended: a message has more than ${options.mostBytes} bytes`
        : 'ended: a stream broke',
    );
    end('SIGTERM');
  }
  for (const signal of SIGNALS) process.on(signal, end);
  try {
    const toServer = pump(options, { side: 'client', from: input, to: server.stdin, back: output, session });
    void toServer.then(() => end(), fail);
    const toClient = pump(options, { side: 'server', from: server.stdout, to: output, back: server.stdin, session });
    await toClient.catch(fail);
    const [code, signal] = await ended;
    for (const id of guard.unanswered(session)) {
      await writeLine(output, writeError(id, { code: -32000, message: 'The server has ended.' }));
    }
    if (failed) return 1;
    return code ?? (signal ? 128 + constants.signals[signal] : 1);
  } finally {
    isOver = true;
    clearTimeout(timer);
    for (const signal of SIGNALS) process.removeListener(signal, end);
    input.destroy();
  }
}

async function started(server: ChildProcess, command: string): Promise<void> {
  try {
    await once(server, 'spawn');
  } catch (error) {
    throw new Error(`${command}: cannot be started (${(error as NodeJS.ErrnoException).code ?? 'unknown'})`);
  }
}

interface McpWay {
  side: McpSide;
  from: Readable;
  to: Writable;
  /** to the sender */
  back: Writable;
  session: McpSession;
}

/** Hands lines on in their order. They are checked side by side, and no more are read than that. */
async function pump({ guard, mostBytes, inFlight, note }: McpStdioOptions, way: McpWay): Promise<void> {
  const waiting: Promise<void>[] = [];
  let tail = Promise.resolve();
  for await (const line of linesOf(way.from, mostBytes)) {
    const checked = check(line, guard, way, note);
    tail = tail.then(async () => {
      const { pass, reply } = await checked;
      if (pass !== undefined) await writeLine(way.to, pass);
      if (reply !== undefined) await writeLine(way.back, reply);
    });
    waiting.push(tail);
    if (waiting.length >= inFlight) await waiting.shift();
  }
  await tail;
}

async function check(
  line: string | undefined,
  guard: McpGuard,
  { side, session }: McpWay,
  note: (line: string) => void,
): Promise<McpOutcome> {
  const read = readMessages(line ?? '');
  if ('error' in read) {
    note(`dropped: a line of the ${side}: ${String(read.error.message)}`);
    // A server may wait for the answer to what cannot be read, and so may a client.
    if (side === 'client') return { reply: writeError(read.id, read.error) };
    return read.id === null
      ? {}
      : { pass: writeError(read.id, { code: -32000, message: 'The answer of the server cannot be read.' }) };
  }
  return joined(await Promise.all(read.units.map((unit) => guard.inspect(unit, side, session))), read.isBatch);
}

/** Outcomes of a batch as one. */
export function joined(outcomes: readonly McpOutcome[], isBatch: boolean): McpOutcome {
  if (!isBatch) return outcomes[0]!;
  const all = (of: 'pass' | 'reply'): McpOutcome => {
    const texts = outcomes.flatMap((outcome) => outcome[of] ?? []);
    return texts.length === 0 ? {} : { [of]: `[${texts.join(',')}]` };
  };
  return { ...all('pass'), ...all('reply') };
}
