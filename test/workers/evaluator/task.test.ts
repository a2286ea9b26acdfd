import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { decodeRecord } from '#weir/shared/api/results/record';
import { newRequestId } from '#weir/shared/ids';
import { createLogger } from '#weir/shared/log';
import type { Redis } from '#weir/shared/streams/client';
import type { WorkHeader } from '#weir/shared/streams/work';
import { Registry } from '#weir/shared/telemetry';
import { commitOutcomes } from '#weir/workers/evaluator/commit/outcomes';
import { NOTHING_GATHERED } from '#weir/workers/evaluator/gather/gather-context';
import { createEvaluatorMetrics } from '#weir/workers/evaluator/meters';
import { createTaskMemory, type ReadyCheck, taskOf } from '#weir/workers/evaluator/task';
import { createPool } from '#weir/workers/evaluator/threads/pool';

const pool = createPool({ threads: 1, slow: 1, logger: createLogger('test', 'silent') });
after(() => pool.end());

const configuration = {
  version: 1,
  id: '1-a@b',
  text: JSON.stringify({ version: 1, teams: [{ id: 't' }], policies: [], environments: [{ id: 'e', team: 't' }] }),
};

const named = (content: string): object[] => [{ type: 'reasoning', event_id: 'e-1', content }];

function ready(content: string, eventsOf = named): ReadyCheck {
  const header: WorkHeader = {
    id: newRequestId(0),
    kind: 'events',
    team: 't',
    scope: 'e',
    config: 1,
    key: 'k',
    received: 1,
    deadline: 2,
    reply: '',
  };
  // Read with others, so it is part of a larger piece.
  const body = Buffer.from(
    ` ${JSON.stringify({ environment_id: 'e', run_id: 'r', events: eventsOf(content) })}`,
  ).subarray(1);
  const raw = {
    partition: 0,
    lane: 'fast',
    id: '1-0',
    header: Buffer.alloc(0),
    body,
    segments: '',
    attempt: 1,
  } as const;
  const gathering = { gathered: NOTHING_GATHERED, references: [], causes: [] };
  return { check: { raw, header, configuration, reason: '', alone: false }, gathering, seen: { lists: [] } };
}

describe('the memory of tasks', () => {
  it('takes bodies to a thread and outcomes back, and is used again', async () => {
    const memory = createTaskMemory();
    let before: ArrayBufferLike | undefined;
    for (let i = 1; i <= 3; i++) {
      const checks = Array.from({ length: i }, () => ready('x'.repeat(20_000)));
      const task = taskOf(checks, 0, memory);
      const { buffer } = task.bodies;
      assert.ok(before === undefined || buffer === before);
      const { outcomes, bytes } = await pool.run(task, 10_000);
      const ids = outcomes.map(
        ({ record: [at, length] }) => decodeRecord(Buffer.from(bytes.subarray(at, at + length))).id,
      );
      assert.deepEqual(
        ids,
        checks.map(({ check }) => check.header.id),
      );
      // The outcomes stand where the bodies stood.
      assert.deepEqual(new Uint8Array(buffer, 0, bytes.length), new Uint8Array(bytes));
      memory.giveBack(buffer, true);
      before = buffer;
    }
  });

  it('is not used again where somebody may still read it', () => {
    const memory = createTaskMemory();
    const piece = memory.take(1)!;
    memory.giveBack(piece, false);
    assert.notEqual(memory.take(1), piece);
  });

  it('is not free before Redis has answered', async () => {
    const outcome = { record: [0, 4], rows: [4, 4], format: '1' } as const;
    const counts = { items: 1, flagged: 0, failed: 0, stopped: 0, foreign: 0 };
    const made = { check: ready('x').check, outcome: { ...outcome, ...counts, index: [], context: [] } };
    const metrics = createEvaluatorMetrics(new Registry());
    const free = (answer: unknown): Promise<boolean> =>
      commitOutcomes(
        { redis: {} as Redis, retry: async () => answer as never, archivedBelow: () => 0, metrics },
        [made],
        Buffer.alloc(8),
      );
    assert.equal(await free([true]), true);
    assert.equal(await free(undefined), false, 'the evaluator is stopped: what was sent may be on its way');
  });

  it('is limited: what finds no room has memory of its own, which moves', async () => {
    const memory = createTaskMemory();
    assert.equal(memory.take(512 * 1024 + 1), undefined);
    const pieces = Array.from({ length: 32 }, () => memory.take(1)!);
    assert.equal(memory.take(1), undefined);
    const task = taskOf([ready('x')], 0, memory);
    assert.ok(task.moves);
    const { outcomes } = await pool.run(task, 10_000);
    assert.equal(outcomes[0]!.items, 1);
    assert.equal(task.bodies.length, 0, 'it has moved');
    memory.giveBack(new ArrayBuffer(512 * 1024), true);
    assert.equal(memory.take(1), undefined, 'what is not of it is left alone');
    for (const piece of pieces) memory.giveBack(piece, true);
    const again = Array.from({ length: 32 }, () => memory.take(1)!);
    assert.deepEqual(new Set(again), new Set(pieces));
  });

  it('may be too small for the outcomes, which are copied then', async () => {
    const memory = createTaskMemory();
    // Ids are made for events that name none: their records and rows are longer than they are.
    const nameless = (content: string) => Array.from({ length: 50 }, () => ({ type: 'reasoning', content }));
    const many = Array.from({ length: 240 }, () => ready('x', nameless));
    const task = taskOf(many, 0, memory);
    assert.ok(!task.moves);
    const { outcomes, bytes } = await pool.run(task, 10_000);
    assert.ok(bytes.length > 512 * 1024, `${bytes.length} bytes`);
    assert.notEqual(bytes.buffer, task.bodies.buffer);
    assert.ok(outcomes.length === 240 && outcomes.every(({ items }) => items === 50));
  });
});
