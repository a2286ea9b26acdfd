/** Makes the task of a thread from checks of one configuration, for which everything is gathered. */
import { planReference } from '../configuration-source.js';
import { type Check, sequenceIn } from './check.js';
import type { Gathering } from './gather/gather-context.js';
import type { InspectedImages } from './images/inspect.js';
import type { ChunkTask } from './threads/thread.js';

/** A check and what was gathered for it. */
export interface ReadyCheck {
  check: Check;
  gathering: Gathering;
  seen: InspectedImages;
}

/**
 * Memory of tasks, shared with the threads. It takes bodies to a thread, outcomes back, and is used again once these are committed:
 *
 *     kept ──take──> bodies ──thread──> outcomes ──committed──> kept
 *                       └── failed, or given up: dropped
 *
 * Memory that moves instead costs more than it looks: V8 makes code of a thread ask at each access whether an array has still its memory, once
 * any has moved away from it. And it collects garbage sooner, since it counts memory outside of the heap. It does not count what is shared, so
 * there is a limit of it.
 */
export interface TaskMemory {
  /** Undefined: too much for a piece, or all are in use. Then a task has memory of its own, which moves. */
  take(bytes: number): SharedArrayBuffer | undefined;
  /** `again`: nobody reads from it any more. Memory that was not taken from here is left alone. */
  giveBack(memory: ArrayBufferLike, again: boolean): void;
}

/** Most tasks need less. What is not used of a piece is never touched. */
const PIECE_BYTES = 512 * 1024;
const MOST_PIECES = 32;

export function createTaskMemory(): TaskMemory {
  const kept: SharedArrayBuffer[] = [];
  const taken = new Set<ArrayBufferLike>();
  return {
    take(bytes) {
      if (bytes > PIECE_BYTES || taken.size === MOST_PIECES) return undefined;
      const piece = kept.pop() ?? new SharedArrayBuffer(PIECE_BYTES);
      taken.add(piece);
      return piece;
    },
    giveBack(memory, again) {
      if (taken.delete(memory) && again) kept.push(memory as SharedArrayBuffer);
    },
  };
}

/** `lateBelow`: sequence below which something may have left Redis that was submitted later. */
export function taskOf(ready: readonly ReadyCheck[], lateBelow: number, memory: TaskMemory): ChunkTask {
  const { check, seen } = ready[0]!;
  const only = ready.length === 1 ? (seen.body ?? check.raw.body) : undefined;
  // A thread is sent whole pieces of memory. A large body is alone in one already, so it is sent as it is.
  const unpacked = only && only.buffer.byteLength === only.length ? only : undefined;
  const size = unpacked ? 0 : bytesOf(ready);
  const shared = size > 0 ? memory.take(size) : undefined;
  const bodies = unpacked ?? new Uint8Array(shared ?? new ArrayBuffer(size), 0, size);
  let at = 0;
  const entries = ready.map(({ check: { raw, header }, gathering: { gathered }, seen: { images } }) => {
    if (!unpacked) bodies.set(raw.body, at);
    const { length } = unpacked ?? raw.body;
    at += length;
    return {
      id: raw.id,
      header,
      gathered: images ? { ...gathered, images } : gathered,
      late: sequenceIn(raw, header) < lateBelow,
      at: at - length,
      length,
    };
  });
  const task: ChunkTask = { ...planReference(check.configuration), entries, bodies, moves: !unpacked && !shared };
  return seen.lists.length > 0 ? { ...task, lists: seen.lists } : task;
}

function bytesOf(ready: readonly ReadyCheck[]): number {
  let bytes = 0;
  for (const { check } of ready) bytes += check.raw.body.length;
  return bytes;
}
