/** Makes the task of a thread from checks of one configuration, for which everything is gathered. */
import { planReference } from '../configuration-source.js';
import { type Check, sequenceIn } from './check.js';
import type { Gathering } from './gather/gather-context.js';
import type { Seen } from './images/inspect.js';
import type { Task } from './threads/thread.js';

/** A check and what was gathered for it. */
export interface ReadyCheck {
  check: Check;
  gathering: Gathering;
  seen: Seen;
}

/** `lateBelow`: sequence below which something may have left Redis that was submitted later. */
export function taskOf(ready: readonly ReadyCheck[], lateBelow: number): Task {
  const { check, seen } = ready[0]!;
  const only = ready.length === 1 ? (seen.body ?? check.raw.body) : undefined;
  // A thread is sent whole pieces of memory. A large body is alone in one already, so it is sent as it is.
  const unpacked = only && only.buffer.byteLength === only.length ? only : undefined;
  const bodies = unpacked ?? new Uint8Array(bytesOf(ready));
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
  const task: Task = { ...planReference(check.configuration), entries, bodies, moves: !unpacked };
  return seen.lists.length > 0 ? { ...task, lists: seen.lists } : task;
}

function bytesOf(ready: readonly ReadyCheck[]): number {
  let bytes = 0;
  for (const { check } of ready) bytes += check.raw.body.length;
  return bytes;
}
