/**
 * A thread of a model's process that is not held up by an inference: ends the process when its parent has gone, whose
 * time limits then protect nobody any more, and when it holds more memory than it may.
 */
import { writeSync } from 'node:fs';
import { Socket } from 'node:net';
import { parentPort, workerData } from 'node:worker_threads';
import { frame } from '../../child-process/frames.js';
import type { ModelReply } from './types.js';

export interface WatchData {
  /** resident bytes */
  memoryBytes: number;
}

/** A pipe that nothing is written to: it ends with the parent. */
const PARENT_PIPE = 3;

const { memoryBytes } = workerData as WatchData;
const WATCH_MS = 50;
const STDOUT = 1;

const endNow = (): void => void process.kill(process.pid, 'SIGKILL');

function look(): void {
  if (process.memoryUsage.rss() <= memoryBytes) return;
  // At once and past the stream of the other thread, which may never come to writing again.
  writeSync(STDOUT, frame({ status: 'memory' } satisfies ModelReply)[0]!);
  endNow();
}

look();
setInterval(look, WATCH_MS);

new Socket({ fd: PARENT_PIPE }).on('error', endNow).on('close', endNow).resume();
// From now on: nothing is loaded before.
parentPort!.postMessage('watching');
