/** Two regions: an installation each, with one configuration. One is killed, and the other knows nothing of it. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createClient } from '#weir/shared/client/index';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { regionOf } from '#weir/shared/ids';
import { weir } from '../deploy/cli/support.ts';
import { until } from '../support/wait.ts';
import { CARD, configuration, KEY } from './configuration.ts';
import { newFolder, newRun, type System, startSystem } from './system.ts';

const OWN = { eu: createKey(), us: createKey() };

/** One file for both, with a key of each. */
const text = (words: string): string =>
  `${configuration({ sesame: words })}\nregions: { 1: eu, 2: us }\n`.replace(
    /^keys:\n/m,
    `keys:\n${(['eu', 'us'] as const)
      .map(
        (name) =>
          `- { id: in-${name}, team: acme, sha256: "${hashKey(OWN[name])}", environments: [prod], regions: [${name}] }\n`,
      )
      .join('')}`,
  );

describe('two regions', () => {
  const folders = { eu: newFolder(), us: newFolder() };
  const regions = {} as Record<'eu' | 'us', System>;
  const start = async (name: 'eu' | 'us', region: string): Promise<void> => {
    const options = { dataDir: folders[name], configuration: undefined, appendfsync: 'everysec' as const };
    regions[name] = await startSystem({ ...options, ...(region === '' ? {} : { region }) });
  };
  const envOf = (name: 'eu' | 'us'): string => join(folders[name], 'weir.env');
  const both = `${envOf('eu')},${envOf('us')}`;
  const applied = async (words: string): Promise<Awaited<ReturnType<typeof weir>>> => {
    const file = join(folders.eu, 'weir.yaml');
    writeFileSync(file, text(words));
    return await weir('apply', file, '--to', both);
  };

  before(async () => {
    for (const name of ['eu', 'us'] as const) writeFileSync(envOf(name), `WEIR_DATA_DIR=${folders[name]}\n`);
    await Promise.all([start('eu', '1:eu'), start('us', '2:us')]);
    const { code, out, err } = await applied('open sesame');
    assert.equal(code, 0, out + err);
  });
  after(async () => {
    await Promise.all(Object.values(regions).map((system) => system.close()));
    for (const folder of Object.values(folders)) rmSync(folder, { recursive: true, force: true });
  });

  it('draw ids of their own, and say whose an id is [regions.wrong_region] [regions.ids]', async () => {
    const { json } = await regions.eu.events([{ type: 'tool', event_id: 'e', output: CARD }]);
    const [{ internal_event_id: id }] = json.order;
    assert.equal(regionOf(id), 1);
    const path = `/api/event/${id}?environment_id=prod`;
    const here = await regions.eu.get(path);
    assert.deepEqual([here.status, here.headers.get('weir-region')], [200, 'eu']);
    const graph = `/api/run/graph?environment_id=prod&run_id=${json.run_id}`;
    for (const foreign of [path, graph]) {
      const there = await regions.us.get(foreign);
      assert.deepEqual([there.status, there.json.error.code, there.json.error.region], [404, 'wrong_region', 'eu']);
      assert.equal(there.headers.get('weir-region'), 'us');
    }
    const client = createClient({ url: regions.us.stack.url, apiKey: KEY.acme, retries: 0 });
    const told = await client.getEvent({ internal_event_id: id, environment_id: 'prod' });
    assert.equal(!told.ok && 'region' in told.error && told.error.region, 'eu');
  });

  it('know their own keys alone, and those of both [regions.keys]', async () => {
    const path = '/api/event?environment_id=prod&run_id=a&event_id=b';
    for (const [name, other] of [
      ['eu', 'us'],
      ['us', 'eu'],
    ] as const) {
      assert.equal((await regions[name].get(path, { key: OWN[name] })).status, 404);
      assert.equal((await regions[name].get(path, { key: OWN[other] })).json.error.code, 'invalid_api_key');
    }
  });

  it('name themselves in rows and in what weir status says [regions.rows] [regions.drift]', async () => {
    await regions.us.events([{ type: 'tool', event_id: 'r', output: CARD }], { run_id: newRun() });
    await regions.us.archived();
    for (const view of ['results', 'violations', 'configurations']) {
      let rows: unknown[] = [];
      await until(`${view} has rows`, async () => {
        rows = await regions.us.sql(`SELECT DISTINCT region FROM ${view}`);
        return rows.length > 0;
      });
      assert.deepEqual(rows, [{ region: 'us' }], view);
    }
    const seen = await weir('status', '--of', both);
    assert.match(
      seen.out,
      /region 1 eu, configuration 1 .*checks taken\n.*region 2 us, configuration 1 .*checks taken/,
    );
    assert.match(seen.out, /Their configurations are the same\.$/);
    assert.equal(seen.code, 0);
  });

  it('go on alone while the other one is dead, and take no configuration then [regions.apply] [0.regions]', async () => {
    const { json } = await regions.eu.events([{ type: 'tool', event_id: 'k', output: CARD }], { run_id: newRun() });
    const [{ internal_event_id: id }] = json.order;
    await regions.eu.archived();
    for (const { pid } of regions.eu.stack.parts) process.kill(pid, 'SIGKILL');
    await until('it is gone', () =>
      fetch(regions.eu.stack.url).then(
        () => false,
        () => true,
      ),
    );
    const alone = await regions.us.events([{ type: 'tool', event_id: 'k', output: CARD }]);
    assert.equal(alone.json.flagged, true);
    assert.equal((await regions.us.get(`/api/event/${id}?environment_id=prod`)).json.error.code, 'wrong_region');
    const refused = await applied('shut sesame');
    assert.equal(refused.code, 1);
    assert.match(refused.err, /cannot be reached.*It was applied to none\. Nothing has changed\.$/s);
    const seen = await weir('status', '--of', both);
    assert.equal(seen.code, 1);
    assert.match(seen.out, /cannot be reached.*region 2 us, configuration 1 .*checks taken/s);
    // It comes back as what it was, without being told again.
    await regions.eu.close();
    await start('eu', '');
    const back = await regions.eu.get(`/api/event/${id}?environment_id=prod`);
    assert.deepEqual([back.status, back.headers.get('weir-region')], [200, 'eu']);
    const { code, out } = await applied('shut sesame');
    assert.deepEqual([code, out.match(/Version 2 is active/g)?.length], [0, 2]);
  });
});
