/** `weir export`: rows of history as files, over the real stores. */
import assert from 'node:assert/strict';
import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  unlinkSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, beforeEach, describe, it } from 'node:test';
import { Redis } from 'ioredis';
import { createHistoryClient, type HistoryClient } from '#weir/shared/history/client';
import { itemId } from '#weir/shared/ids';
import { addErasure, readErasure, storeErasures } from '#weir/shared/streams/erasures';
import { keys } from '#weir/shared/streams/keys';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { startTestHistory, type TestClickHouse } from '../../../../support/stores/clickhouse.ts';
import { encodeRows } from '../../../../support/stores/encoded.ts';
import { POLICY, rowItem, rowRequest, violating } from '../../../../support/stores/history.ts';
import { insertRows } from '../../../../support/stores/insert.ts';
import { startTestRedis, type TestRedis } from '../../../../support/stores/redis.ts';
import { until } from '../../../../support/wait.ts';
import { type Ran, weir } from '../../support.ts';

const DAY = 86_400_000;
const TODAY = Math.floor(Date.now() / DAY) * DAY;
/** Each test takes some. */
const TEAMS = Array.from({ length: 40 }, (_, n) => `team-${n}`);
const dayOf = (ms: number): string => new Date(ms).toISOString().slice(0, 10);

describe('weir export', () => {
  let server: TestClickHouse;
  let redisServer: TestRedis;
  let redis: Redis;
  let client: HistoryClient;
  let folder: string;
  let out: string;
  const environment = { ...process.env };

  before(async () => {
    [server, redisServer] = await Promise.all([startTestHistory(), startTestRedis()]);
    client = createHistoryClient({ url: server.url, database: 'weir' });
    redis = new Redis(redisServer.port, '127.0.0.1');
    folder = mkdtempSync(join(tmpdir(), 'weir-export-'));
    await redis.set(keys.partitions(), '1');
    const scopes = TEAMS.flatMap((team) => ['both', 'other', 'nothing'].map((id) => ({ id, team })));
    const configured = { teams: TEAMS.map((id) => ({ id })), environments: scopes, deployments: scopes };
    await redis.hset(keys.configVersions(), '1', JSON.stringify(configured));
    await redis.set(keys.configActive(), '1');
    Object.assign(process.env, {
      WEIR_CLICKHOUSE_URL: server.url,
      WEIR_REDIS_URL: `redis://127.0.0.1:${redisServer.port}`,
      WEIR_OPERATOR: 'ann',
    });
  });
  after(async () => {
    process.env = environment;
    redis?.disconnect();
    await client?.close();
    await Promise.all([server?.close(), redisServer?.close()]);
    rmSync(folder, { recursive: true, force: true });
  });
  beforeEach(() => {
    out = join(folder, `${process.hrtime.bigint()}`);
  });

  /** Stores an item of a team of its own; returns its id. */
  async function store(ts: number, content: string, fields: Parameters<typeof rowRequest>[0] = {}): Promise<string> {
    const request = rowRequest(fields, ts);
    const item = rowItem(1, {
      content,
      metadata: '{"a":1}',
      flagged: true,
      verdict: { ...violating, notEvaluated: 0, unknown: 0 },
    });
    await insertRows(client, unpackRows('1', encodeRows(request, [item])).bytes);
    return itemId(request.id, 1);
  }
  let teams = 0;
  const newTeam = (): string => `team-${teams++}`;
  const exported = (team: string, ...args: string[]): Promise<Ran> =>
    weir('export', '--team', team, '--out', out, ...args);
  const files = (): string[] => readdirSync(out).sort();
  const linesOf = (file: string): Record<string, unknown>[] =>
    readFileSync(join(out, file), 'utf8')
      .split('\n')
      .filter((line) => line !== '')
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  const runs = async (team: string): Promise<Record<string, unknown>[]> => {
    const { out: text } = await weir('exports', 'list', '--team', team, '--json');
    return text
      .split('\n')
      .filter(Boolean)
      .map((line) => JSON.parse(line) as Record<string, unknown>);
  };

  it('writes a file for each table and day, notes who ran it, and says how far it is [export.files]', async () => {
    const team = newTeam();
    const ids = [await store(TODAY - 2 * DAY, 'first', { team }), await store(TODAY - DAY + 5, 'second', { team })];
    await store(TODAY + 1, 'of today', { team });
    await store(TODAY - DAY, 'of another', { team: newTeam() });
    const ran = await exported(team, '--format', 'jsonl', '--tables', 'results,contents');
    assert.equal(ran.code, 0, ran.err);
    const [two, one] = [dayOf(TODAY - 2 * DAY), dayOf(TODAY - DAY)];
    assert.deepEqual(
      files(),
      [
        `contents-${two}.jsonl`,
        `contents-${one}.jsonl`,
        'export.json',
        `results-${two}.jsonl`,
        `results-${one}.jsonl`,
      ].sort(),
    );
    const [first] = linesOf(`results-${two}.jsonl`);
    assert.deepEqual([first!.id, first!.team, first!.flagged, first!.ts], [ids[0], team, true, `${two}T00:00:00.000Z`]);
    assert.deepEqual(
      linesOf(`contents-${one}.jsonl`).map(({ id, content, metadata }) => [id, content, metadata]),
      [[ids[1], 'second', '{"a":1}']],
    );
    for (const file of files()) assert.equal(statSync(join(out, file)).mode & 0o077, 0, 'it is for its owner');
    const told = JSON.parse(ran.out);
    assert.deepEqual([told.files, told.rows, told.folder], [4, 4, out]);
    assert.match(ran.err, /4 of 4 rows/);
    const [run, ...more] = await runs(team);
    assert.deepEqual(more, []);
    assert.deepEqual(
      [run!.id, run!.user, run!.files, run!.rows, run!.format, run!.tables, run!.to],
      [told.export_id, 'ann', 4, 4, 'jsonl', ['results', 'contents'], new Date(TODAY).toISOString()],
    );
    assert.ok(run!.ended_at !== null && Number(run!.bytes) > 0);
    assert.match((await weir('exports', 'list', '--team', team)).out, /4 rows in 4 files/);
    const acts = (await redis.xrange(keys.audit(), '-', '+')).map(([, [, row]]) => JSON.parse(row!));
    const [act, ...others] = acts.filter((each) => each.team === team);
    assert.deepEqual(others, []);
    assert.deepEqual(
      [act.action, act.actor_kind, act.actor.split('@')[0], act.subject_kind, act.subject],
      ['export.begun', 'command', 'ann', 'export', told.export_id],
    );
  });

  it('writes Parquet that is read with ids and names as texts [export.files]', async () => {
    const team = newTeam();
    const id = await store(TODAY - DAY, 'a text', { team });
    const ran = await exported(team);
    assert.equal(ran.code, 0, ran.err);
    const file = join(out, `results-${dayOf(TODAY - DAY)}.parquet`);
    await client.command({
      query:
        'CREATE TABLE read_again (id String, kind String, flagged Nullable(Bool), ts DateTime64(3), `violation.id` Array(String), `violation.severity` Array(String)) ENGINE = Memory',
    });
    const bytes = readFileSync(file);
    assert.equal(bytes.subarray(0, 4).toString() + bytes.subarray(-4).toString(), 'PAR1PAR1');
    const response = await fetch(
      `${new URL(server.url).origin}/?database=weir&query=${encodeURIComponent('INSERT INTO read_again FORMAT Parquet')}`,
      {
        method: 'POST',
        body: bytes,
        headers: {
          authorization: `Basic ${Buffer.from(`${new URL(server.url).username}:${new URL(server.url).password}`).toString('base64')}`,
        },
      },
    );
    assert.equal(response.status, 200, await response.text());
    const answer = await client.query({ query: 'SELECT * FROM read_again', format: 'JSONEachRow' });
    const [row] = await answer.json<Record<string, unknown>>();
    assert.deepEqual([row!.id, row!.kind, row!.flagged, row!['violation.id']], [id, 'events', true, [POLICY]]);
    assert.equal(Date.parse(`${row!.ts}Z`), TODAY - DAY);
  });

  it('goes on where it was cut off, and leaves whole files as they are [export.resumes]', async () => {
    const team = newTeam();
    for (const days of [1, 2, 3]) await store(TODAY - days * DAY, `day ${days}`, { team });
    const args = ['--format', 'jsonl', '--tables', 'contents'];
    assert.equal((await exported(team, ...args)).code, 0);
    const [kept, lost] = files();
    writeFileSync(join(out, kept!), 'as it was');
    unlinkSync(join(out, lost!));
    writeFileSync(join(out, `${lost}.part`), 'cut off');
    const again = await exported(team, ...args);
    assert.equal(again.code, 0, again.err);
    assert.match(again.err, /2 of 3 files are there and stay as they are/);
    assert.equal(JSON.parse(again.out).files, 1);
    assert.equal(readFileSync(join(out, kept!), 'utf8'), 'as it was');
    assert.equal(linesOf(lost!).length, 1);
    assert.ok(!existsSync(join(out, `${lost}.part`)));
    const other = await exported(newTeam(), ...args);
    assert.deepEqual([other.code, /has an export of .*expected a folder for/.test(other.err)], [1, true], other.err);
    const part = await exported(team, ...args, '--to', new Date(TODAY - 1).toISOString());
    assert.match(part.err, /expected a folder for/);
    out = join(folder, 'full');
    await weir('export', '--team', team, '--out', out, ...args);
    writeFileSync(join(folder, 'file'), '');
    assert.match((await weir('export', '--team', team, '--out', join(folder, 'file'))).err, /cannot be written/);
    assert.match((await weir('export', '--team', team, '--out', folder)).err, /expected an empty folder/);
  });

  it('is of an environment or a deployment, also where both have one name, and of a part of a day', async () => {
    const team = newTeam();
    const at = TODAY - DAY + 3_600_000;
    const event = await store(at, 'an event', { team, scope: 'both' });
    const chat = await store(at + 1, 'a chat', { team, scope: 'both', kind: 'session' });
    await store(at, 'elsewhere', { team, scope: 'other' });
    const ids = async (...args: string[]): Promise<unknown[]> => {
      out = join(folder, `${process.hrtime.bigint()}`);
      const ran = await exported(team, '--format', 'jsonl', '--tables', 'contents,results', ...args);
      assert.equal(ran.code, 0, ran.err);
      return files()
        .filter((file) => file.endsWith('.jsonl'))
        .flatMap((file) => linesOf(file).map(({ id }) => id));
    };
    assert.deepEqual(await ids('--environment', 'both'), [event, event]);
    assert.deepEqual(await ids('--deployment', 'both'), [chat, chat]);
    assert.equal((await ids()).length, 6);
    const part = ['--from', new Date(at + 1).toISOString(), '--to', new Date(at + 2).toISOString()];
    assert.deepEqual(await ids(...part), [chat, chat]);
    assert.deepEqual(
      files(),
      [
        'export.json',
        ...['contents', 'results'].map((table) => `${table}-${dayOf(at)}-010000001-010000002.jsonl`),
      ].sort(),
    );
    assert.deepEqual(await ids('--from', '30d', '--environment', 'nothing'), []);
  });

  it('is of a team, an environment and a deployment that there are, or that have left something [export.unknown]', async () => {
    await store(TODAY - DAY, 'of before', { team: 'gone', scope: 'old' });
    const nobody = await exported('nope');
    assert.equal(nobody.code, 2, nobody.err);
    assert.match(nobody.err, /--team: expected one of: team-0, team-1, .* and 10 more; got "nope"/);
    assert.equal((await exported('gone')).code, 0);
    out = join(folder, 'gone-scope');
    assert.equal((await exported('gone', '--environment', 'old')).code, 0);
    out = join(folder, 'never');
    for (const [args, message] of [
      [['gone', '--deployment', 'old'], /--deployment: the team "gone" has none; got "old"/],
      [
        ['team-39', '--environment', 'prod'],
        /--environment: expected one of team "team-39": both, other, nothing; got "prod"/,
      ],
      [['team-39', '--deployment', 'prod'], /--deployment: expected one of team "team-39": both/],
      [[''], /--team: expected one of/],
    ] as const) {
      const { code, err } = await exported(...(args as readonly [string, ...string[]]));
      assert.equal(code, 2, err);
      assert.match(err, message);
    }
    assert.ok(!existsSync(out));
  });

  it('has nothing that is erased, and waits for what is being erased [export.erased]', async () => {
    const team = newTeam();
    const [kept, gone] = [await store(TODAY - DAY, 'stays', { team }), await store(TODAY - DAY + 1, 'goes', { team })];
    const actor = { kind: 'key', id: 'k', address: '', request: '' } as const;
    const order = { team, subject: 'user', scope: '', internal: '', actor, marks: () => [] } as const;
    const erasure = (await addErasure(redis, order))!;
    let ended = false;
    const running = exported(team, '--format', 'jsonl', '--tables', 'contents').then((ran) => {
      ended = true;
      return ran;
    });
    await until('it is noted', async () => (await runs(team)).length === 1);
    assert.equal((await runs(team))[0]!.ended_at, null);
    const row = {
      erasure: erasure.id,
      team,
      scope: 'prod',
      ts: new Date(TODAY - DAY + 1).toISOString().slice(0, -1),
      id: gone,
    };
    await client.insert({ table: 'erased', values: [row], format: 'JSONEachRow' });
    assert.equal(ended, false);
    await storeErasures(redis, [{ ...(await readErasure(redis, erasure.id))!, state: 'erased' }]);
    const ran = await running;
    assert.equal(ran.code, 0, ran.err);
    assert.deepEqual(
      linesOf(files().find((file) => file.endsWith('.jsonl'))!).map(({ id }) => id),
      [kept],
    );
  });

  it('waits until what was accepted before is archived [export.waits]', async () => {
    const team = newTeam();
    const entry = (await redis.xadd(keys.results(0), '*', 'a', 'b'))!;
    const running = exported(team, '--format', 'jsonl', '--tables', 'contents');
    await until('it is noted', async () => (await runs(team)).length === 1);
    await store(TODAY - DAY, 'late', { team });
    await redis.xdel(keys.results(0), entry);
    assert.equal((await running).code, 0);
    assert.equal(files().length, 2);
  });

  it('says what is wrong with its options, and with ClickHouse', async () => {
    const wrong = async (...args: string[]): Promise<string> => {
      const { code, err } = await weir('export', ...args);
      assert.equal(code, 2, err);
      return err;
    };
    assert.match(await wrong(), /expected --out/);
    assert.match(await wrong('--out', out, 'more'), /expected no arguments/);
    assert.match(await wrong('--out', out, '--format', 'csv'), /expected parquet or jsonl, got "csv"/);
    assert.match(await wrong('--out', out, '--tables', 'items'), /expected some of results, contents, .*got "items"/);
    assert.match(await wrong('--out', out, '--from', 'soon'), /--from: expected a span/);
    assert.match(await wrong('--out', out, '--from', '2026-02-30'), /--from: expected a span .* got "2026-02-30"/);
    assert.match(await wrong('--out', out, '--from', '1d', '--to', '2d'), /expected --from to be before --to/);
    assert.match(await wrong('--out', out, '--environment', 'a', '--deployment', 'b'), /not both/);
    assert.ok(!existsSync(out));
    const before = process.env.WEIR_CLICKHOUSE_URL;
    process.env.WEIR_CLICKHOUSE_URL = 'http://127.0.0.1:1';
    const away = await exported(newTeam());
    process.env.WEIR_CLICKHOUSE_URL = before;
    assert.equal(away.code, 1);
    assert.match(away.err, /^weir export: /);
  });
});
