/**
 * Processes of the benchmark: a module runs itself again in a process of its own, gets messages from its parent, and
 * ends when the parent is gone.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { yieldToProcesses } from '../shared/process/priority.js';

export interface BenchChild<Message, Reply> {
  readonly pid: number;
  send(message: Message): void;
  /** Sends `message` and waits for the reply. Rejects when the process ends first, and after `limitMs`. */
  ask(message: Message, limitMs: number): Promise<Reply>;
  /** Tells the process to end. */
  close(): void;
}

const FLAG = '--child';

/** Runs the module at `url` in a process. `name` begins its error messages. `yields`: it has the priority of decoding processes. */
export function startChild<Message, Reply>(url: string, name: string, yields = false): BenchChild<Message, Reply> {
  const child = fork(fileURLToPath(url), [FLAG], { serialization: 'advanced', execArgv: [], detached: yields });
  if (yields && child.pid !== undefined) yieldToProcesses(child.pid);
  const send = (message: Message): void => {
    child.send(message as never);
  };
  return {
    pid: child.pid!,
    send,
    ask: (message, limitMs) =>
      new Promise<Reply>((resolve, reject) => {
        if (!child.connected) {
          reject(new Error(`${name} is not running.`));
          return;
        }
        const settle = (act: () => void): void => {
          clearTimeout(timer);
          child.off('message', answered);
          child.off('exit', died);
          act();
        };
        const fail = (what: string): void => settle(() => reject(new Error(`${name} ${what}.`)));
        const answered = (reply: unknown): void => settle(() => resolve(reply as Reply));
        const died = (): void => fail('ended before it gave a result');
        const timer = setTimeout(() => fail(`gave no result in ${limitMs} ms`), limitMs);
        child.on('message', answered);
        child.on('exit', died);
        send(message);
      }),
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}

/** In a process that `startChild` made of the module at `url`: hands each message to `take`. Elsewhere it does nothing. */
export function serveParent<Message>(url: string, take: (message: Message) => void): void {
  if (process.argv[2] !== FLAG || process.argv[1] !== fileURLToPath(url)) return;
  process.on('message', take);
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole group. The parent decides when its children end.
  process.on('SIGINT', () => {});
}

/** Answers the parent. */
export function reply(message: unknown): void {
  process.send?.(message);
}
