/**
 * A thread of a model's process that runs during inferences too. It ends the process when that holds more memory than it may,
 * and when the parent has gone, since nobody enforces time limits any more.
 */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { frame } from '../../child-process/frames.js';
import type { ModelReply } from '../types.js';

export interface WatchData {
  /** resident bytes */
  memoryBytes: number;
}

/** The descriptor of a pipe that nothing is written to. It closes when the parent ends. */
const PARENT_PIPE = 3;

const WATCH_MS = 50;
const STDOUT = 1;

const endNow = (): void => void process.kill(process.pid, 'SIGKILL');

function look(memoryBytes: number): void {
  if (process.memoryUsage.rss() <= memoryBytes) return;
  // Written synchronously, not through the stream of the other thread, which may never run again.
  writeSync(STDOUT, frame({ status: 'memory' } satisfies ModelReply)[0]!);
  endNow();
}

export function run({ memoryBytes }: WatchData): void {
  look(memoryBytes);
  setInterval(look, WATCH_MS, memoryBytes);
  new Socket({ fd: PARENT_PIPE }).on('error', endNow).on('close', endNow).resume();
}
