/**
 * Thread that judges large bodies, so that one of them does not hold up every other request (parsing 25 MB takes
 * 80 ms). The bytes come by transfer and go back by transfer; what was parsed never leaves this thread.
 */
import { getHeapStatistics } from 'node:v8';
import { parentPort } from 'node:worker_threads';
import { LIMITS } from '../shared/api/limits.js';
import { complexityOf } from './complexity.js';
import { type BodyKind, type Judgement, judge } from './judge.js';

export interface ParseTask {
  kind: BodyKind;
  bytes: ArrayBuffer;
  /** values and names that it may have */
  mostValues: number;
}

export interface ParseAnswer {
  bytes: ArrayBuffer;
  judgement: Judgement;
  /** bytes that this thread's heap has grown to */
  heap: number;
}

/** What is wrong with a body that is not worth parsing. */
function refusal(bytes: Uint8Array, most: { marks: number; depth: number }): Judgement | undefined {
  const { marks, depth } = complexityOf(bytes, most);
  if (depth > most.depth) {
    return {
      ok: false,
      issues: [{ path: '', code: 'too_deep', message: `expected at most ${most.depth} levels of nesting` }],
    };
  }
  if (marks <= most.marks) return undefined;
  const message = `expected at most ${most.marks} JSON values and names: send what it has in several requests`;
  return { ok: false, issues: [{ path: '', code: 'too_many_values', message }] };
}

parentPort?.on('message', (task: ParseTask) => {
  const body = Buffer.from(task.bytes);
  const judgement = refusal(body, { marks: task.mostValues, depth: LIMITS.jsonDepth }) ?? judge(task.kind, body);
  const answer: ParseAnswer = { bytes: task.bytes, judgement, heap: getHeapStatistics().total_heap_size };
  parentPort?.postMessage(answer, [task.bytes]);
});
