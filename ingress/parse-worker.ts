/**
 * Thread that judges large bodies, so that one of them does not hold up every other request (parsing 25 MB takes
 * 80 ms). The bytes come by transfer and go back by transfer; what was parsed never leaves this thread.
 */
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { type BodyKind, type Judgement, judge } from './judge.js';

export interface ParseTask {
  id: number;
  kind: BodyKind;
  bytes: ArrayBuffer;
}

export interface ParseAnswer {
  id: number;
  bytes: ArrayBuffer;
  judgement: Judgement;
  /** bytes that this thread's heap has grown to */
  heap: number;
}

parentPort?.on('message', (task: ParseTask) => {
  const judgement = judge(task.kind, Buffer.from(task.bytes));
  const answer: ParseAnswer = { id: task.id, bytes: task.bytes, judgement, heap: getHeapStatistics().total_heap_size };
  parentPort?.postMessage(answer, [task.bytes]);
});
