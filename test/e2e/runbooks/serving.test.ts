/** What operators do while an installation serves, by the commands of the pages, under load: nothing is refused, lost or doubled. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { partsOf } from '#weir/shared/ids';
import { commandsBelow } from '../../support/commands.ts';
import { startTestRedis, type TestRedis } from '../../support/stores/redis.ts';
import { until } from '../../support/wait.ts';
import { newRun } from '../system.ts';
import {
  type Callers,
  createSite,
  type Kept,
  SCALING,
  type Site,
  type Started,
  startIngress,
  startWorker,
} from './site.ts';

const UPGRADE = 'docs/operations/upgrade.md';
const PASSWORD = 'first-password';

describe('an installation that serves', () => {
  let redis: TestRedis;
  let site: Site;
  let calls: Callers;
  const workers: Started[] = [];
  const ingresses: Started[] = [];
  const kept: Kept[] = [];

  before(async () => {
    redis = await startTestRedis({ appendfsync: 'everysec', password: PASSWORD });
    site = await createSite(redis.url, { WEIR_PARTITIONS: '4' });
    await site.run('npx weir migrate --config weir.yaml && npx weir apply weir.yaml');
    for (let i = 0; i < 2; i++) {
      workers.push(await site.start(startWorker()));
      ingresses.push(await site.start(startIngress(), { ingress: true }));
    }
    for (let i = 0; i < 4; i++) kept.push(...(await site.check(newRun())));
    calls = site.call(1);
  });
  after(async () => {
    await calls?.stop();
    await site?.close();
    await redis?.close();
  });

  /** Callers go on to be answered, by whatever runs now. */
  async function goesOn(): Promise<void> {
    const before = calls.accepted.length;
    await until('checks are answered on', () => calls.accepted.length > before + 20);
    assert.deepEqual(calls.others, []);
    await site.find(kept);
  }

  async function metric(port: string, name: string): Promise<number> {
    const text = await (await fetch(`http://127.0.0.1:${port}/metrics`)).text();
    const values = text.split('\n').filter((line) => line.startsWith(name) && /[ {]/.test(line[name.length]!));
    return values.reduce((sum, line) => sum + Number(line.split(' ').at(-1)), 0);
  }

  it('is upgraded, and taken back, one process after the other', async () => {
    const [migrate, worker, ingress, look] = commandsBelow(UPGRADE, 'Commands') as [string, string, string, string];
    await site.run(migrate);
    // Both of each kind, then one of each back again.
    for (const count of [2, 1]) {
      const before = [...workers.splice(0, count), ...ingresses.splice(0, count)];
      for (const old of before) {
        const block = old.backend ? ingress : worker;
        (old.backend ? ingresses : workers).push(await site.start(block, { old, ingress: old.backend !== undefined }));
        await assert.rejects(fetch(`http://127.0.0.1:${old.port}/healthz`));
      }
    }
    const said = await site.run(look, { NEW: ingresses[1]!.port });
    assert.match(said, /^ingress +2 live$/m);
    assert.match(said, /^workers +2 live, archivers: 2$/m);
    assert.match(said, /^weir_build_info\{.*\} 1$/m);
    await goesOn();
  });

  it('has processes added, which take their share, and taken away', async () => {
    const [start, share] = commandsBelow(SCALING, 'Add a worker') as [string, string];
    const worker = await site.start(start);
    await until('it takes its share', async () =>
      /^weir_checks_total\{.*\} [1-9]/m.test(await site.run(share, { NEW: worker.port })),
    );
    const archiver = await site.start(start, { env: { WEIR_ROLES: 'archiver' } });
    await until('it archives', async () => (await metric(archiver.port, 'weir_archived_rows_total')) > 0);
    const ingress = await site.start(startIngress(), { ingress: true });
    await until('it answers', async () => (await metric(ingress.port, 'weir_http_request_seconds_count')) > 0);
    assert.match(await site.weir('status'), /^ingress +3 live\nworkers +3 live, archivers: 4$/m);
    const [stop] = commandsBelow(SCALING, 'Take a process away') as [string];
    for (const one of [worker, archiver]) await site.end(stop, one);
    const said = await site.end(stop, ingress);
    assert.match(said, /^ingress +2 live\nworkers +2 live, archivers: 2$/m);
    await goesOn();
  });

  it('gets more partitions, which all processes use', async () => {
    const [grow] = commandsBelow(SCALING, 'More partitions') as [string];
    const worker = await site.start(grow);
    workers.push(worker);
    const rows = (await site.weir('status')).split('\n').filter((line) => /^ +\d/.test(line));
    assert.equal(rows.length, 8);
    await until('the new ones are used', () => {
      const used = new Set(calls.accepted.slice(-100).map((id) => partsOf(id)!.partition));
      return [...used].some((partition) => partition >= 4);
    });
    kept.push(...(await site.check(newRun())));
    await goesOn();
  });

  it('has stored each check once', async () => {
    await calls.stop();
    assert.deepEqual(calls.others, []);
    await site.stored(calls.accepted);
    assert.match(await site.weir('status'), /^checks +taken$/m);
  });
});
