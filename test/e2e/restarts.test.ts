/** An installation that is stopped and started again, with more partitions than before: nothing is lost. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { rmSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { partsOf } from '#weir/shared/ids';
import { readPartitions } from '#weir/shared/streams/partitions';
import { pluck } from '../support/pluck.ts';
import { CARD, configuration } from './configuration.ts';
import { newFolder, newRun, type System, startSystem } from './system.ts';

interface Kept {
  path: string;
  text: string;
}

describe('an installation that is started again', () => {
  const dataDir = newFolder();
  let system: System;
  const kept: Kept[] = [];
  /** one run and one session before each stop */
  const runs: { run: string; ids: string[] }[] = [];

  /** Checks something under every kind of name, and remembers what look-ups say of it. */
  async function fill(count: number): Promise<void> {
    for (let i = 0; i < count; i++) {
      const run = newRun();
      const external = randomUUID();
      const { json } = await system.events(
        [
          { type: 'tool', event_id: 'e', output: `${CARD} hush hush`, metadata: { i } },
          { type: 'tool', event_id: 'f', output: 'fine' },
        ],
        { run_id: run },
      );
      const session = await system.session({
        external_session_id: external,
        messages: [{ role: 'user', content: CARD }],
      });
      const ids = json.order.map((entry: { internal_event_id: string }) => entry.internal_event_id);
      runs.push({ run, ids });
      for (const path of [
        `/api/event/${ids[0]}?environment_id=prod`,
        `/api/event?environment_id=prod&run_id=${run}&event_id=f`,
        `/api/session/${session.json.internal_session_id}`,
        `/api/session?external_session_id=${external}`,
      ]) {
        const answer = await system.get(path);
        assert.equal(answer.status, 200);
        kept.push({ path, text: answer.text });
      }
    }
  }

  async function restart(options: Parameters<typeof startSystem>[0]): Promise<void> {
    await system.close();
    system = await startSystem({ dataDir, configuration: undefined, appendfsync: 'everysec', ...options });
  }

  async function everythingIsThere(): Promise<void> {
    for (const { path, text } of kept) assert.equal((await system.get(path)).text, text, path);
    const wanted = runs.slice(-20);
    const { json } = await system.events(wanted.map(({ run }) => ({ type: 'tool', event_id: 'e', run_id: run })));
    const found = pluck(json.order, 'internal_event_id');
    assert.deepEqual(
      found,
      wanted.map(({ ids }) => ids[0]),
    );
    assert.equal(json.flagged, true);
  }

  before(async () => {
    system = await startSystem({
      dataDir,
      configuration: { text: configuration(), file: 'test.yaml' },
      appendfsync: 'everysec',
    });
  });
  after(async () => {
    await system?.close();
    rmSync(dataDir, { recursive: true, force: true });
  });

  it('still has its configuration, its results and its rows, with more partitions than before', async () => {
    await fill(6);
    await system.archived();
    await restart({ partitions: 4 });
    await everythingIsThere();
    await system.archived();
    const [row] = await system.sql('SELECT count() AS rows FROM results');
    assert.equal(Number(row!.rows), 18);
  });

  it('finds what it had under every id, hot and archived, and uses the new partitions', async () => {
    await fill(8);
    const used = new Set(runs.slice(-8).map(({ ids }) => partsOf(ids[0]!)!.partition));
    assert.ok(used.size > 1, 'new runs are spread');
    await everythingIsThere();
    for (const { ids } of runs) await system.cold(ids[0]!);
    await everythingIsThere();
    await system.archived();
    const [row] = await system.sql('SELECT count() AS rows, uniqExact(id) AS ids FROM results');
    assert.deepEqual([Number(row!.rows), Number(row!.ids)], [42, 42]);
  });

  it('with fewer partitions than it has keeps those it has, and all that is in them', async () => {
    await restart({ partitions: 1 });
    assert.equal(await readPartitions(system.redis), 4);
    await everythingIsThere();
  });
});
