/**
 * A thread of a model's process that runs during inferences too. It ends the process when that holds more memory than it may,
 * and when the parent has gone, since nobody enforces time limits any more.
 */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { frame } from '../../child-process/frames.js';
import type { ModelReply } from '../types.js';

export interface WatchData {
  /** resident bytes */
  memoryBytes: number;
}

/** The descriptor of a pipe that nothing is written to. It closes when the parent ends. */
const PARENT_PIPE = 3;

const { memoryBytes } = workerData as WatchData;
const WATCH_MS = 50;
const STDOUT = 1;

const endNow = (): void => void process.kill(process.pid, 'SIGKILL');

function look(): void {
  if (process.memoryUsage.rss() <= memoryBytes) return;
  // Written synchronously, not through the stream of the other thread, which may never run again.
  writeSync(STDOUT, frame({ status: 'memory' } satisfies ModelReply)[0]!);
  endNow();
}

look();
setInterval(look, WATCH_MS);

new Socket({ fd: PARENT_PIPE }).on('error', endNow).on('close', endNow).resume();
// Nothing is loaded before this message.
parentPort!.postMessage('watching');
