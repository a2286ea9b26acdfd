/** Labels on their way into ClickHouse. */
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { createRowStore, type LabelRow } from '#weir/ingress/labels/store';
import { createHistoryClient } from '#weir/shared/history/client';
import { HistoryUnavailable } from '#weir/shared/history/read/breaker';
import { createLogger } from '#weir/shared/log';
import { startTestHistory } from '../../support/stores/clickhouse.ts';

let engine = await startTestHistory();
const client = createHistoryClient({ url: engine.url, database: 'weir' });
after(async () => {
  await client.close();
  await engine.close();
});
const logger = createLogger('test', 'silent');
const POLICY = '6f1c0f0e-1111-4222-8333-444444444440';

const row = (n: number, change: Partial<LabelRow> = {}): LabelRow => ({
  ts: '2026-11-01 10:00:00.000',
  team: 'acme',
  scope: 'prod',
  item: 'event',
  id: `01890000-0000-7000-8000-${String(n).padStart(12, '0')}`,
  policy_id: POLICY,
  policy_name: 'Hate',
  flagged: true,
  label: 'true_alarm',
  reviewer: 'ann',
  note: null,
  key: 'k',
  at: '2026-11-02 10:00:00.000',
  ...change,
});

async function labels(team: string): Promise<Record<string, unknown>[]> {
  const answer = await client.query({
    query:
      'SELECT toString(id) AS id, reviewer, label, note FROM labels FINAL WHERE team = {team:String} ORDER BY id, reviewer',
    query_params: { team },
    format: 'JSONEachRow',
  });
  return await answer.json();
}

describe('the store of labels', () => {
  it('has one of each reviewer for an item and a policy, the latest [labels.replace]', async () => {
    const store = createRowStore(client, 'labels', logger);
    await store.store(row(1, { team: 'twice' }));
    await store.store(row(1, { team: 'twice', reviewer: 'bob' }));
    await store.store(row(1, { team: 'twice', label: 'false_alarm', note: 'a film', at: '2026-11-02 10:00:01.000' }));
    const { id } = row(1);
    assert.deepEqual(await labels('twice'), [
      { id, reviewer: 'ann', label: 'false_alarm', note: 'a film' },
      { id, reviewer: 'bob', label: 'true_alarm', note: null },
    ]);
  });

  it('stores those that wait together, and what it has resolved is there after the engine was killed [labels.kept]', async () => {
    let inserts = 0;
    const counting = createRowStore(
      {
        insert: (params) => {
          inserts++;
          return client.insert(params);
        },
      },
      'labels',
      logger,
    );
    // Of several months, and of what a JSON of another writer could stumble over.
    const many = Array.from({ length: 100 }, (_, n) =>
      row(n, { team: 'kept', ts: `2026-0${1 + (n % 9)}-01 00:00:00.000`, note: `\u0000 "${n}" \\ é 😀` }),
    );
    await Promise.all(many.map((one) => counting.store(one)));
    assert.equal(inserts, 2);
    await engine.kill('SIGKILL');
    await assert.rejects(counting.store(row(200, { team: 'kept' })), HistoryUnavailable);
    engine = await engine.restart();
    const found = await labels('kept');
    assert.deepEqual(
      found.map(({ id, note }) => [id, note]),
      many.map(({ id, note }) => [id, note]),
    );
    await counting.store(row(201, { team: 'kept', note: 'after' }));
    assert.equal((await labels('kept')).at(-1)!.note, 'after');
  });

  it('refuses more than may wait, of one team half as many', async () => {
    const stuck = createRowStore({ insert: () => new Promise(() => undefined) }, 'labels', logger);
    const ignored = (one: LabelRow): Promise<unknown> => stuck.store(one).catch((error: unknown) => error);
    void ignored(row(0));
    for (let n = 0; n < 256; n++) void ignored(row(n));
    assert.ok((await ignored(row(300))) instanceof HistoryUnavailable);
    const other = ignored(row(301, { team: 'other' }));
    assert.equal(await Promise.race([other, Promise.resolve('waits')]), 'waits');
  });

  it('says nothing of a label in the log', async () => {
    const lines: string[] = [];
    const telling = {
      warn: (...words: unknown[]) => void lines.push(JSON.stringify(words)),
    } as unknown as typeof logger;
    const away = createHistoryClient({ url: 'http://127.0.0.1:1', database: 'weir' });
    const store = createRowStore(away, 'labels', telling);
    for (let n = 0; n < 3; n++) await assert.rejects(store.store(row(n, { note: 'hidden', reviewer: 'hidden' })));
    await away.close();
    assert.equal(lines.length, 1);
    assert.ok(!lines[0]!.includes('hidden'));
  });
});
