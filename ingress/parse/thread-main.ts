/**
 * Runs on a thread: parses large bodies, so that one of them does not hold up all other requests (parsing 25 MB takes 80 ms). The
 * bytes come and go back by transfer. The parsed values never leave this thread. It also reads the texts of large bodies again, where an answer
 * shows what was found in them.
 */
import { getHeapStatistics } from 'node:v8';
import { LIMITS } from '../../shared/api/limits.js';
import { listed } from '../../shared/api/read/events.js';
import type { CheckKind } from '../../shared/api/types.js';
import type { TextLimits } from '../../shared/api/validate/validate.js';
import { yieldToThreads } from '../../shared/process/priority.js';
import { moved } from '../../shared/process/threads.js';
import { MOST_FAST } from '../admission/lane.js';
import { type Complexity, complexityOf } from './complexity.js';
import { contentTexts } from './content-texts.js';
import { costOf } from './cost.js';
import { type BodyKind, type ParseResult, parseBody } from './parse-body.js';

export interface ParseTask {
  kind: BodyKind;
  /** pieces of the body, in order */
  pieces: ArrayBuffer[];
  /** most values and names that it may have */
  mostValues: number;
  limits: TextLimits;
}

export interface ParseAnswer {
  /** the whole body; empty when it was refused unparsed */
  bytes: ArrayBuffer;
  result: ParseResult;
  /** values and names that it has */
  values: number;
  /** what its texts may cost to evaluate, where that chooses its lane; else 0 */
  cost: number;
  /** size of this thread's heap, in bytes */
  heap: number;
}

/** Asks for the texts of a body that was checked (`content-texts.ts`). */
export interface TextsTask {
  kind: CheckKind;
  body: ArrayBuffer;
  items: readonly number[];
}

export interface TextsAnswer {
  texts: [item: number, text: string][];
  heap: number;
}

const heapBytes = (): number => getHeapStatistics().total_heap_size;

/** Why a body is refused unparsed. */
function refusal({ marks, depth }: Complexity, most: Complexity): ParseResult | undefined {
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

function whole(pieces: readonly ArrayBuffer[]): ArrayBuffer {
  if (pieces.length === 1) return pieces[0]!;
  // Need not be zeroed: all of it is written.
  const bytes = Buffer.allocUnsafeSlow(pieces.reduce((sum, piece) => sum + piece.byteLength, 0));
  let at = 0;
  for (const piece of pieces) {
    bytes.set(new Uint8Array(piece), at);
    at += piece.byteLength;
  }
  return bytes.buffer as ArrayBuffer;
}

yieldToThreads();

/** Makes a {@link ParseAnswer}, or a {@link TextsAnswer}. */
export function run(task: ParseTask | TextsTask): unknown {
  return 'items' in task ? texts(task) : parse(task);
}

function texts({ kind, body, items }: TextsTask): TextsAnswer {
  return { texts: [...contentTexts(kind, Buffer.from(body), items)], heap: heapBytes() };
}

function parse(task: ParseTask): unknown {
  const most = { marks: task.mostValues, depth: LIMITS.jsonDepth };
  const complexity = complexityOf(
    task.pieces.map((piece) => Buffer.from(piece)),
    most,
  );
  const refused = refusal(complexity, most);
  const bytes = refused ? new ArrayBuffer(0) : whole(task.pieces);
  const result = refused ?? parseBody(task.kind, Buffer.from(bytes), task.limits);
  const answer: ParseAnswer = {
    bytes,
    result: result.ok ? { ok: true, value: listed(result.value) } : result,
    values: complexity.marks,
    // A larger one is in the slow lane anyway.
    cost: bytes.byteLength <= MOST_FAST.bytes ? costOf(new Uint8Array(bytes)) : 0,
    heap: heapBytes(),
  };
  return moved(answer, [bytes]);
}
