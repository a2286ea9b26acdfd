/** `weir apply --to` and `weir status --of`: several installations, all or none. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import {
  activate,
  activeVersion,
  keptVersions,
  readVersion,
  report,
  storeVersion,
} from '#weir/shared/streams/configuration';
import { heartbeat } from '#weir/shared/streams/fleet';
import { keys } from '#weir/shared/streams/keys';
import { sharedRedis } from '../../support/stores/redis.ts';
import { sleep, until } from '../../support/wait.ts';
import { type Ran, weir } from './support.ts';

const folder = mkdtempSync(join(tmpdir(), 'weir-several-'));
after(() => rmSync(folder, { recursive: true }));
const write = (name: string, text: string): string => {
  const path = join(folder, name);
  writeFileSync(path, text);
  return path;
};

const eu = await sharedRedis();
const us = await sharedRedis();
const both = [eu, us];
const [EU, US] = both.map(({ server }, i) =>
  write(`${['eu', 'us'][i]}.env`, `# ${i}\nWEIR_REDIS_URL="${server.url}"\n\nWEIR_MAX_AGE_MS=5000\n`),
) as [string, string];
/** Nobody listens there. */
const AWAY = write('away.env', 'WEIR_REDIS_URL=redis://127.0.0.1:1\n');

const text = (severe: number, more = ''): string =>
  `version: 1\nteams: [{ id: acme }]\nkeys: []\nregions: { 1: eu, 2: us }\nrisk: { severe: ${severe} }\n${more}`;
let files = 0;
const apply = (to: string, content: string, ...more: string[]): Promise<Ran> =>
  weir('apply', write(`weir-${++files}.yaml`, content), '--to', to, ...more);
const status = (of: string, ...more: string[]): Promise<Ran> => weir('status', '--of', of, ...more);
const severe = async ({ redis }: (typeof both)[number]): Promise<number | undefined> => {
  const stored = await readVersion(redis, await activeVersion(redis));
  return stored === undefined ? undefined : JSON.parse(stored).risk.severe;
};
/** What each has active. */
const active = (): Promise<(number | undefined)[]> => Promise.all(both.map(severe));

describe('several installations', () => {
  beforeEach(async () => {
    for (const [i, { redis }] of both.entries()) {
      await redis.flushall();
      await redis.set(keys.partitions(), `1 even ${['1:eu', '2:us'][i]}`);
    }
  });

  it('get a configuration together [regions.apply]', async () => {
    const applied = await apply(`${EU},${US}`, text(11));
    assert.equal(applied.code, 0, applied.err);
    assert.match(applied.out, /eu\.env: Version 1 is active\.\n.*us\.env: Version 1 is active\.$/s);
    assert.deepEqual(await active(), [11, 11]);
    const again = await apply(`${EU}, ${US}`, text(11));
    assert.deepEqual(again.out.match(/Nothing to do: version 1 is active and the same/g)?.length, 2);
  });

  it('get one that some have already, where the others do not', async () => {
    await apply(EU, text(11));
    const applied = await apply(`${EU},${US}`, text(11));
    assert.equal(applied.code, 0, applied.err);
    assert.match(applied.out, /eu\.env: Nothing to do.*us\.env: Version 1 is active/s);
  });

  it('get none while one is away, and none where the workers of one cannot use it [regions.apply]', async () => {
    await apply(`${EU},${US}`, text(11));
    const away = await apply(`${EU},${US},${AWAY}`, text(12));
    assert.equal(away.code, 1);
    assert.match(away.err, /away\.env: Redis at redis:\/\/127\.0\.0\.1:1 cannot be reached/);
    assert.match(away.err, /It was applied to none\. Nothing has changed\.$/);
    await heartbeat(us.redis, { kind: 'worker', name: 'host/1/small' });
    const refusing = until('there is a version to refuse', async () => (await keptVersions(us.redis)).length > 1).then(
      () => report(us.redis, 2, 'host/1/small', 'it has no memory'),
    );
    const refused = await apply(`${EU},${US}`, text(12));
    await refusing;
    assert.equal(refused.code, 1);
    assert.match(refused.err, /us\.env: 1 worker\(s\) cannot use this configuration: it has no memory/);
    assert.doesNotMatch(refused.err, /eu\.env/);
    assert.deepEqual(await active(), [11, 11]);
  });

  it('go back to what they had where another one takes it no more [regions.apply]', async () => {
    await apply(`${EU},${US}`, text(11));
    // A worker there reports only once somebody else has applied something else.
    const other = (async () => {
      let beats = true;
      const beating = (async () => {
        while (beats) {
          await heartbeat(us.redis, { kind: 'worker', name: 'host/1/slow' });
          await sleep(200);
        }
      })();
      await until('it is prepared', async () => (await keptVersions(us.redis)).length > 1);
      const newer = await storeVersion(us.redis, JSON.stringify({ risk: { severe: 99 } }));
      await activate(us.redis, newer);
      await report(us.redis, 2, 'host/1/slow', 'ok');
      beats = false;
      await beating;
    })();
    // Nor does a region go back before its own workers can use what it had.
    const reported: number[] = [];
    const own = (async () => {
      for (const version of [2, 3]) {
        await until(`version ${version} is there`, async () => {
          await heartbeat(eu.redis, { kind: 'worker', name: 'host/2/own' });
          return (await keptVersions(eu.redis)).length >= version;
        });
        await sleep(100);
        assert.equal(await activeVersion(eu.redis), version - 1);
        reported.push(version);
        await report(eu.redis, version, 'host/2/own', 'ok');
      }
    })();
    await heartbeat(us.redis, { kind: 'worker', name: 'host/1/slow' });
    await heartbeat(eu.redis, { kind: 'worker', name: 'host/2/own' });
    const applied = await apply(`${EU},${US}`, text(12));
    await other;
    await own;
    assert.deepEqual(reported, [2, 3]);
    assert.equal(applied.code, 1);
    assert.match(applied.err, /us\.env: Version 2 was not activated: version 3 has been applied meanwhile/);
    assert.match(applied.err, /eu\.env: It has what it had, as version 3\./);
    assert.deepEqual(await active(), [11, 99]);
    const [, , last] = await keptVersions(eu.redis);
    assert.equal(last?.applied?.message, 'back to 1');
  });

  it('are told apart: one that is named twice, two of one region, and a file that calls a region otherwise', async () => {
    await apply(`${EU},${US}`, text(11));
    const same = write('same.env', `WEIR_REDIS_URL=${eu.server.url}\n`);
    const twice = await apply(`${EU},${same}`, text(12));
    assert.match(twice.err, /eu\.env and .*same\.env are both the same installation/);
    await us.redis.set(keys.partitions(), '1 even 1:us');
    const one = await apply(`${EU},${US}`, text(12));
    assert.match(one.err, /eu\.env and .*us\.env are both the region 1\./);
    await us.redis.set(keys.partitions(), '1 even 2:ca');
    const named = await apply(`${EU},${US}`, text(12));
    assert.match(named.err, /us\.env: .*this installation is the region 2:ca, and the file names that "us"/);
    for (const { code, err } of [twice, one, named]) {
      assert.equal(code, 1);
      assert.match(err, /Nothing has changed\.$/);
    }
    assert.deepEqual(await active(), [11, 11]);
  });

  it('are shown side by side, with where they differ [regions.drift]', async () => {
    await apply(`${EU},${US}`, text(11));
    const alike = await status(`${EU},${US}`);
    assert.match(alike.out, /eu\.env {2}region 1 eu, configuration 1 \(\w{16}\), checks refused: No ingress lives\./);
    assert.match(alike.out, /Their configurations are the same\.$/);
    assert.equal(alike.code, 1, 'no checks are taken');
    await apply(US, text(12));
    const differing = await status(`${EU},${US}`);
    assert.match(
      differing.out,
      /Their configurations differ\. weir apply FILE --to .*eu\.env,.*us\.env applies one to all/,
    );
    assert.equal(differing.code, 1);
    const { same, installations } = JSON.parse((await status(`${EU},${US}`, '--json')).out);
    assert.equal(same, false);
    assert.deepEqual(
      installations.map((one: { status: { region: unknown } }) => one.status.region),
      [
        { number: 1, name: 'eu' },
        { number: 2, name: 'us' },
      ],
    );
    const away = await status(`${EU},${AWAY}`);
    assert.match(away.out, /away\.env {2}cannot be reached: Redis at redis:\/\/127\.0\.0\.1:1 cannot be reached/);
    assert.match(away.out, /Of those that were reached, the configurations are the same\.$/);
    assert.equal(away.code, 1);
  });

  it('are named by files that can be read, and that say where they are', async () => {
    const none = write('none.env', 'WEIR_PORT=1\n');
    const wrong = write('wrong.env', 'WEIR_REDIS_URL=http://h\n');
    for (const [list, says] of [
      ['', /expected files that differ/],
      [`${EU},${EU}`, /expected files that differ/],
      [join(folder, 'absent.env'), /absent\.env: cannot be read \(ENOENT\)/],
      [none, /none\.env: expected WEIR_REDIS_URL=…, or WEIR_DATA_DIR/],
      [wrong, /WEIR_REDIS_URL/],
      [Array.from({ length: 16 }, (_, i) => `${i}.env`).join(','), /expected at most 15/],
    ] as const) {
      const ran = await status(list);
      assert.notEqual(ran.code, 0, list);
      assert.match(ran.out + ran.err, says);
    }
    const dry = await apply(EU, text(12), '--dry-run');
    assert.deepEqual([dry.code, /--dry-run is without --to/.test(dry.err)], [2, true]);
  });
});
