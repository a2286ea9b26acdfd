import assert from 'node:assert/strict';
import { mkdtempSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { createLogger } from '#weir/shared/log';
import { pdqFromHex } from '#weir/shared/policy/detectors/pdq';
import { hashIndex } from '#weir/shared/policy/hash-index';
import { Registry } from '#weir/shared/telemetry';
import { createHashLists, type HashLists } from '#weir/workers/media/hash-lists';
import { until } from '../../support/wait.ts';

const [ONE, TWO] = ['0f'.repeat(32), 'a5'.repeat(32)];
const folder = mkdtempSync(join(tmpdir(), 'weir-lists-'));
let registry = new Registry();
const open: HashLists[] = [];

beforeEach(() => {
  registry = new Registry();
});
after(() => {
  for (const lists of open) lists.stop();
  rmSync(folder, { recursive: true, force: true });
});

function start(lookMs = 20): HashLists {
  const lists = createHashLists({ folder, logger: createLogger('test', 'silent'), registry, lookMs });
  open.push(lists);
  return lists;
}

/** As `weir hashes` writes: whole. */
function write(name: string, text: string): void {
  writeFileSync(join(folder, `${name}.new`), text);
  renameSync(join(folder, `${name}.new`), join(folder, name));
}

const holds = async (lists: HashLists, name: string, hash: string): Promise<boolean> => {
  const [list] = await lists.get([name]);
  return list !== undefined && hashIndex(list.data).nearest(pdqFromHex(hash)!)?.distance === 0;
};

const loads = async (outcome: string): Promise<number> => {
  const { values } = await registry.getSingleMetric('weir_hash_list_loads_total')!.get();
  return values.find(({ labels }) => labels.outcome === outcome)?.value ?? 0;
};

describe('lists of known hashes', () => {
  it('are read when they are asked for, once, into memory that threads share', async () => {
    write('known.txt', `${ONE} first\n${TWO}\n`);
    const lists = start();
    const found = await Promise.all([lists.get(['known.txt', 'none']), lists.get(['known.txt'])]);
    assert.deepEqual(
      found.map((some) => some.map(({ name }) => name)),
      [['known.txt'], ['known.txt']],
    );
    assert.equal(found[0]![0], found[1]![0]);
    assert.ok(found[0]![0]!.data.hashes.buffer instanceof SharedArrayBuffer);
    assert.equal(await loads('loaded'), 1);
    const { values } = await registry.getSingleMetric('weir_hash_list_hashes')!.get();
    assert.equal(values[0]?.value, 2);
  });

  it('are read again when their file changes', async () => {
    write('changing', `${ONE}\n`);
    const lists = start();
    assert.equal(await holds(lists, 'changing', ONE), true);
    const [before] = await lists.get(['changing']);
    write('changing', `${TWO}\n# more\n`);
    await until('the new list is in use', () => holds(lists, 'changing', TWO));
    assert.equal(await holds(lists, 'changing', ONE), false);
    assert.notEqual((await lists.get(['changing']))[0]!.generation, before!.generation);
  });

  it('stay as they were when their file is damaged or gone', async () => {
    write('careless', `${ONE}\n`);
    const lists = start();
    assert.equal(await holds(lists, 'careless', ONE), true);
    write('careless', 'no hash at all\n');
    await until('it was looked at', async () => (await loads('failed')) === 1);
    assert.equal(await holds(lists, 'careless', ONE), true);
    rmSync(join(folder, 'careless'));
    await until('it was missed', async () => (await loads('failed')) === 2);
    assert.equal(await holds(lists, 'careless', ONE), true);
    write('careless', `${TWO}\n`);
    await until('it is back', () => holds(lists, 'careless', TWO));
  });

  it('are found when their file comes later', async () => {
    const lists = start();
    assert.deepEqual(await lists.get(['later']), []);
    write('later', `${ONE}\n`);
    await until('it is there', () => holds(lists, 'later', ONE));
  });

  it('are at most 64', async () => {
    const lists = start(60_000);
    write('one-too-many', `${ONE}\n`);
    await lists.get(Array.from({ length: 64 }, (_, i) => `list-${i}`));
    assert.deepEqual(await lists.get(['one-too-many']), []);
  });
});
