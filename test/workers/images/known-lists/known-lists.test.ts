import assert from 'node:assert/strict';
import { appendFileSync, mkdirSync, mkdtempSync, renameSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, beforeEach, describe, it } from 'node:test';
import { setTimeout as sleep } from 'node:timers/promises';
import { createLogger } from '#weir/shared/log';
import { hashIndex } from '#weir/shared/pdq/hash-index';
import { pdqFromHex } from '#weir/shared/pdq/pdq';
import { Registry } from '#weir/shared/telemetry';
import { createHashLists, type HashLists, type HashListsOptions } from '#weir/workers/images/known-lists/known-lists';
import { until } from '../../../support/wait.ts';

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

function start(options: Partial<HashListsOptions> = {}): HashLists {
  const logger = createLogger('test', 'silent');
  const lists = createHashLists({ folder, logger, registry, lookMs: 20, ...options });
  open.push(lists);
  return lists;
}

/** Writes to a list in place, a line at a time, until `done` is settled. */
async function writeOn(name: string, done: Promise<unknown>): Promise<void> {
  let writing = true;
  const end = (): void => {
    writing = false;
  };
  void done.then(end, end);
  for (let line = 0; writing; line++) {
    appendFileSync(join(folder, name), `# line ${line}\n`);
    await sleep(1);
  }
}

/** Writes a list as `weir hashes` does: it appears whole. */
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
    const names = found.map((some) => some.map(({ name }) => name));
    assert.deepEqual(names, [['known.txt'], ['known.txt']]);
    assert.equal(found[0]![0], found[1]![0]);
    assert.ok(found[0]![0]!.data.hashes.buffer instanceof SharedArrayBuffer);
    assert.equal(await loads('loaded'), 1);
    const { values } = await registry.getSingleMetric('weir_hash_list_hashes')!.get();
    assert.equal(values[0]?.value, 2);
  });

  it('are counted from the start, so that the first failure shows as an increase', async () => {
    const lists = start();
    const counted = async (): Promise<unknown[]> => {
      const { values } = await registry.getSingleMetric('weir_hash_list_loads_total')!.get();
      return values.map(({ labels, value }) => [labels.outcome, value]);
    };
    assert.deepEqual(await counted(), [
      ['loaded', 0],
      ['failed', 0],
    ]);
    assert.deepEqual(await lists.get(['never-there']), []);
    assert.deepEqual(await counted(), [
      ['loaded', 0],
      ['failed', 1],
    ]);
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

  it('stay in use when their file is damaged or gone', async () => {
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

  it('are found when their file is written later', async () => {
    const lists = start();
    assert.deepEqual(await lists.get(['later']), []);
    write('later', `${ONE}\n`);
    await until('it is there', () => holds(lists, 'later', ONE));
  });

  it('are not used when they are written to while they are read', async () => {
    write('half', `${ONE}\n`);
    const lists = start();
    const asked = lists.get(['half']);
    await writeOn('half', asked);
    assert.deepEqual(await asked, []);
    write('half', `${ONE}\n${TWO}\n`);
    await until('the whole list is in use', () => holds(lists, 'half', TWO));
  });

  it('stay in use while their file is written to', async () => {
    write('copied-over', `${ONE}\n`);
    const lists = start();
    assert.equal(await holds(lists, 'copied-over', ONE), true);
    writeFileSync(join(folder, 'copied-over'), `${TWO}\n`);
    // Ten looks.
    await writeOn('copied-over', sleep(200));
    assert.equal(await holds(lists, 'copied-over', ONE), true);
    assert.equal(await loads('loaded'), 1);
    await until('the new list is in use', () => holds(lists, 'copied-over', TWO));
    assert.equal(await loads('loaded'), 2);
  });

  it('stay in use when their file is empty, as while it is copied over', async () => {
    write('emptied', `${ONE}\n`);
    const lists = start();
    assert.equal(await holds(lists, 'emptied', ONE), true);
    writeFileSync(join(folder, 'emptied'), '');
    await until('it was looked at', async () => (await loads('failed')) === 1);
    assert.equal(await holds(lists, 'emptied', ONE), true);
    writeFileSync(join(folder, 'emptied'), '# none\n');
    await until('nothing is on it', async () => !(await holds(lists, 'emptied', ONE)));
    assert.equal((await lists.get(['emptied'])).length, 1);
  });

  it('are read again when their file has changed, but not its size, time and path', async () => {
    const file = join(folder, 'same');
    const put = (hash: string): void => {
      writeFileSync(file, `${hash}\n`);
      utimesSync(file, 1_000_000, 1_000_000);
    };
    put(ONE);
    const lists = start();
    assert.equal(await holds(lists, 'same', ONE), true);
    put(TWO);
    await until('the new list is in use', () => holds(lists, 'same', TWO));
  });

  it('are read again after a while when the file was not at fault', async () => {
    mkdirSync(join(folder, 'unreadable'));
    const lists = start({ retryMs: 40 });
    assert.deepEqual(await lists.get(['unreadable']), []);
    await until('it was tried again', async () => (await loads('failed')) >= 3);
  });

  it('are at most 64, which is logged once', async () => {
    const said: unknown[] = [];
    const keep = (...parts: unknown[]): void => void said.push(parts);
    const lists = start({ lookMs: 60_000, logger: Object.assign(createLogger('test', 'silent'), { error: keep }) });
    write('one-too-many', `${ONE}\n`);
    await lists.get(Array.from({ length: 64 }, (_, i) => `list-${i}`));
    said.length = 0;
    assert.deepEqual(await lists.get(['one-too-many']), []);
    assert.deepEqual(await lists.get(['one-too-many']), []);
    assert.equal(said.length, 1);
    assert.match(JSON.stringify(said[0]), /"one-too-many".*a worker keeps 64 lists/);
  });

  it('make room for others when nobody asks for them any more', async () => {
    const lists = start({ keepMs: 1 });
    write('wanted', `${ONE}\n`);
    await lists.get(Array.from({ length: 64 }, (_, i) => `list-${i}`));
    await until('there is room', () => holds(lists, 'wanted', ONE));
    const hashes = async (): Promise<number | undefined> =>
      (await registry.getSingleMetric('weir_hash_list_hashes')!.get()).values[0]?.value;
    await until('it was forgotten', async () => (await hashes()) === 0);
  });
});
