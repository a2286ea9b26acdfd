import assert from 'node:assert/strict';
import { after, beforeEach, it } from 'node:test';
import { applyConfiguration } from '#weir/deploy/cli/configuration/applying';
import { type DirectoryWatch, watchDirectory } from '#weir/ingress/admission/configuration';
import type { Configuration } from '#weir/shared/configuration/types';
import { createLogger } from '#weir/shared/log';
import { NO_CONFIGURATION, readConfiguration } from '#weir/shared/streams/configuration';
import { heartbeat, liveMembers } from '#weir/shared/streams/fleet';
import { sharedRedis } from '../../../../support/stores/redis.js';
import { sleep, until } from '../../../../support/wait.js';

const TEXT = 'version: 1\nteams: [{ id: acme }]\n';

const watches: DirectoryWatch[] = [];
const closeAll = () => Promise.all(watches.splice(0).map((watch) => watch.close()));
beforeEach(closeAll);
after(closeAll);
const { server, redis } = await sharedRedis();

const apply = (text: string, more: { followMs?: number; say?(line: string): void } = {}) =>
  applyConfiguration({ redisUrl: server.url, text, file: 'weir.yaml', ...more });

it('returns once every live ingress uses what was applied', async () => {
  for (let i = 0; i < 2; i++) watches.push(await watchDirectory(redis, createLogger('ingress', 'silent')));
  await until('both are there', async () => (await liveMembers(redis, 'ingress')).length === 2);
  for (const version of [1, 2, 3]) {
    assert.deepEqual(await apply(`${TEXT}risk: { severe: ${10 + version} }\n`), { version, changed: true });
    const used = watches.map((watch) => watch.current().version);
    assert.deepEqual(used, [version, version]);
  }
});

it('says that the version is active and which ingress has not taken it', async () => {
  watches.push(await watchDirectory(redis, createLogger('ingress', 'silent')));
  let beating = true;
  const stuck = (async () => {
    while (beating) {
      await heartbeat(redis, { kind: 'ingress', name: 'host/1/stuck', inForce: '1-old@gone' });
      await sleep(100);
    }
  })();
  try {
    await until('both are there', async () => (await liveMembers(redis, 'ingress')).length === 2);
    const lines: string[] = [];
    const applied = await apply(TEXT, { followMs: 3500, say: (line) => lines.push(line) });
    assert.deepEqual(applied, { version: 1, changed: true, behind: ['host/1/stuck'] });
    assert.match(lines.join('\n'), /^Version 1 is active; waiting for 1 ingress to take it: host\/1\/stuck …$/);
    const again = await apply(TEXT, { followMs: 0 });
    assert.deepEqual(again, { version: 1, changed: false, behind: ['host/1/stuck'] }, 'it still has not');
  } finally {
    beating = false;
    await stuck;
  }
});

it('is told to be lost, and of nothing else, by an ingress whose Redis is emptied', async () => {
  const watch = await watchDirectory(redis, createLogger('ingress', 'silent'));
  watches.push(watch);
  await apply(TEXT);
  await heartbeat(redis, { kind: 'worker', name: 'host/1/worker' });
  await until('it takes checks', () => watch.trouble() === undefined);
  await redis.flushall();
  const told = new Set<string>();
  const look = (): void => {
    const trouble = watch.trouble();
    if (trouble !== undefined) told.add(trouble);
    if (told.size === 0) setImmediate(look);
  };
  look();
  await until('it is told', () => told.size > 0);
  assert.deepEqual([...told], [NO_CONFIGURATION]);
});

it('stores what packs have become, and not their names', async () => {
  const environments = 'environments: [{id: prod, team: acme}]\n';
  const { version } = await apply(`${TEXT}packs: [pii-gate]\n${environments}`);
  const stored = (await readConfiguration(redis, version))!;
  const { policies, environments: made } = JSON.parse(stored.text) as Configuration;
  assert.deepEqual(
    made[0]!.conditions[0]!.policies,
    policies.map(({ id }) => id),
  );
  assert.ok(policies.some(({ name }) => name === 'Payment data'));
  assert.doesNotMatch(stored.text, /"packs"/);
  await assert.rejects(
    apply(`${TEXT}packs: [pii-gat]\n`),
    /weir\.yaml:3:9: packs\[0\]: there is no pack "pii-gat"; .*did you mean "pii-gate"\?/,
  );
});
