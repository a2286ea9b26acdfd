import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, rm, stat } from 'node:fs/promises';
import { request as httpRequest } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { type ClickHouseClient, ClickHouseError, ClickHouseLogLevel, createClient } from '@clickhouse/client';
import { type RunningClickHouse, startClickHouse } from '#weir/deploy/local/clickhouse/server';
import { until } from '../../../support/wait.ts';

const passwords = { writer: 'w'.repeat(8), reader: 'r'.repeat(8) };
/** The header of Basic authentication. */
const as = (user: string, password: string): { Authorization: string } => ({
  Authorization: `Basic ${Buffer.from(`${user}:${password}`).toString('base64')}`,
});
const WRITER = as('weir', passwords.writer);
const READER = as('reader', passwords.reader);

let folder: string;
let server: RunningClickHouse;
let client: ClickHouseClient;

before(async () => {
  folder = await mkdtemp(join(tmpdir(), 'weir-server-'));
  server = await startClickHouse({
    dataDir: folder,
    port: 0,
    passwords,
    concurrency: 2,
    queue: 2,
    limits: { dataBytes: 16 << 20, statementBytes: 64 << 10 },
  });
  const url = server.url.replace('//', `//weir:${passwords.writer}@`);
  client = createClient({ url, database: 'weir', log: { level: ClickHouseLogLevel.OFF } });
});
after(async () => {
  await client.close();
  await server.close();
  await rm(folder, { recursive: true, force: true });
});

interface Answer {
  status: number;
  text: string;
  headers: Headers;
}

async function ask(path: string, init?: RequestInit): Promise<Answer> {
  const response = await fetch(`${server.url}${path}`, { ...init, headers: { ...WRITER, ...init?.headers } });
  return { status: response.status, text: await response.text(), headers: response.headers };
}
const get = (query: string, more = ''): Promise<Answer> => ask(`/?query=${encodeURIComponent(query)}${more}`);
const post = (body: string | Uint8Array, address = '/'): Promise<Answer> =>
  ask(address, { method: 'POST', body: body as string });
/** The answer to the user who reads. */
const read = (query: string, more = ''): Promise<Answer> =>
  ask(`/?default_format=TabSeparated${more}`, { method: 'POST', body: query, headers: READER });
const into = (query: string, body: string | Uint8Array, more = ''): Promise<Answer> =>
  post(body, `/?query=${encodeURIComponent(query)}${more}`);

describe('the HTTP interface of the embedded engine', () => {
  it('answers a query from the address or from the body, tab separated by default', async () => {
    for (const answer of [await get('SELECT 1, 2'), await post('SELECT 1, 2'), await into('SELECT 1,', '2')]) {
      assert.equal(answer.status, 200);
      assert.equal(answer.text, '1\t2\n');
      assert.equal(answer.headers.get('x-clickhouse-format'), 'TabSeparated');
    }
    assert.equal((await get('SELECT 1 AS n', '&default_format=JSONEachRow')).text, '{"n":1}\n');
    const json = await get('SELECT 1 AS n FORMAT JSON');
    assert.equal(json.headers.get('x-clickhouse-format'), 'JSON');
    assert.match(json.headers.get('content-type') ?? '', /^application\/json/);
    assert.equal(JSON.parse(json.text).rows, 1);
  });

  it('answers /ping and /', async () => {
    for (const path of ['/ping', '/']) assert.equal((await ask(path)).text, 'Ok.\n');
    assert.equal((await ask('/ping', { method: 'HEAD' })).status, 200);
    assert.equal((await ask('/nowhere')).status, 404);
    const refused = await ask('/', { method: 'DELETE' });
    assert.equal(refused.status, 405);
    assert.match(refused.headers.get('allow') ?? '', /GET/);
  });

  it('keeps the query id of a request, and draws one when there is none', async () => {
    assert.equal((await get('SELECT 1', '&query_id=abc-1')).headers.get('x-clickhouse-query-id'), 'abc-1');
    assert.match((await get('SELECT 1')).headers.get('x-clickhouse-query-id') ?? '', /^[0-9a-f-]{36}$/);
  });

  it('asks for a user and a password, in each of the ways that ClickHouse takes them', async () => {
    const address = `${server.url}/?query=SELECT%201`;
    const nobody = await fetch(address);
    assert.equal(nobody.status, 401);
    assert.match(nobody.headers.get('www-authenticate') ?? '', /^Basic /);
    assert.match(await nobody.text(), /^Code: 194\. .*reader\.netrc/);
    const headers = { 'X-ClickHouse-User': 'reader', 'X-ClickHouse-Key': passwords.reader };
    assert.equal(await (await fetch(address, { headers })).text(), '1\n');
    assert.equal(await (await fetch(`${address}&user=weir&password=${passwords.writer}`)).text(), '1\n');
    for (const [user, password] of [
      ['default', ''],
      ['weir', passwords.reader],
      ['reader', ''],
      ['', passwords.writer],
    ]) {
      const wrong = await fetch(address, { headers: as(user!, password!) });
      assert.equal(wrong.status, 403);
      assert.match(await wrong.text(), /^Code: 516\. /);
    }
  });

  it('reads nothing of a body before it knows the user', async () => {
    const answer = await fetch(`${server.url}/?query=${encodeURIComponent('INSERT INTO f FORMAT TSV')}`, {
      method: 'POST',
      body: Buffer.alloc(4 << 20, '1\n'),
    }).catch(() => undefined);
    if (answer) assert.equal(answer.status, 401);
    assert.deepEqual(await readdir(join(folder, 'http')), []);
  });

  it('serves the official client: parameters, settings, inserts, streams', async () => {
    assert.equal((await client.ping()).success, true);
    await client.command({
      query: 'CREATE TABLE c (id UInt64, s String, l Array(String)) ENGINE = MergeTree ORDER BY id',
    });
    const values = [
      { id: 1, s: 'ä\'"\\\n', l: ['x', "y'"] },
      { id: 2, s: '', l: [] },
    ];
    await client.insert({ table: 'c', values, columns: ['id', 's', 'l'], format: 'JSONEachRow' });
    const rows = await client.query({
      query: 'SELECT * FROM c WHERE s = {s:String} OR has({ids:Array(UInt64)}, id) ORDER BY id',
      query_params: { s: 'ä\'"\\\n', ids: [2] },
      format: 'JSONEachRow',
      clickhouse_settings: { output_format_json_quote_64bit_integers: 1 },
    });
    const found = await rows.json();
    assert.deepEqual(
      found,
      values.map((row) => ({ ...row, id: String(row.id) })),
    );
  });
});

describe('the data of an INSERT', () => {
  it('comes in any format, in the body of a request that names the format', async () => {
    await post('CREATE TABLE f (a UInt32, s String, d UInt32 DEFAULT a + 1) ENGINE = MergeTree ORDER BY a');
    const answers = [
      await into('INSERT INTO f (a, s) FORMAT JSONEachRow', '{"a":1,"s":"x"}\n{"a":2,"s":"y"}\n'),
      await into('insert into weir.f (a, s) format TSV', '3\tz; x\n'),
      await into('INSERT INTO f (a, s) FORMAT RowBinary', Buffer.from([9, 0, 0, 0, 3, 0x0a, 0xff, 0x00])),
      await post("INSERT INTO f (a, s) VALUES (6, 'it''s; one'), (5 + 2, concat('b', 'c'))"),
      await get('INSERT INTO f (a) SELECT 13', '&readonly=0'),
      await post('INSERT INTO f (a) SELECT 13'),
    ];
    assert.deepEqual(
      answers.map(({ status }) => status),
      [200, 200, 200, 200, 500, 200],
    );
    const rows = await get('SELECT a, s, d - a FROM f ORDER BY a FORMAT TSVRaw');
    assert.equal(rows.text, "1\tx\t1\n2\ty\t1\n3\tz; x\t1\n6\tit's; one\t1\n7\tbc\t1\n9\t\n\ufffd\0\t1\n13\t\t1\n");
    assert.deepEqual(await readdir(join(folder, 'http')), []);
  });

  it('is one block and one part, however long', async () => {
    await post('CREATE TABLE p (a UInt64) ENGINE = MergeTree ORDER BY a');
    await post('SYSTEM STOP MERGES weir.p');
    const rows = Buffer.from(BigUint64Array.from({ length: 50_000 }, (_, n) => BigInt(n)).buffer);
    assert.equal((await into('INSERT INTO p FORMAT RowBinary', rows)).status, 200);
    const parts = await get("SELECT rows FROM system.parts WHERE database = 'weir' AND table = 'p' AND active");
    assert.equal(parts.text, '50000\n');
  });

  it('changes nothing when it is wrong; the error says where and names no file, and no file is left', async () => {
    await post('CREATE TABLE w (a UInt32) ENGINE = MergeTree ORDER BY a');
    const wrong = await into('INSERT INTO w FORMAT TSV', '1\nx\n');
    assert.equal(wrong.status, 400);
    assert.match(wrong.text, /^Code: 27\. DB::Exception: .*\(at row 2\)/s);
    assert.ok(!wrong.text.includes(folder), wrong.text);
    assert.equal((await into('INSERT INTO nowhere FORMAT TSV', '1\n')).status, 404);
    assert.equal((await into('INSERT INTO w FORMAT NoSuch', '1\n')).status, 404);
    assert.equal((await get('SELECT count() FROM w')).text, '0\n');
    assert.deepEqual(await readdir(join(folder, 'http')), []);
  });

  it('is refused with 413 when it is too long, and the server goes on', async () => {
    await post('CREATE TABLE big (s String) ENGINE = Memory');
    const long = Buffer.alloc((16 << 20) + 1, 'x');
    const streamed = await into('INSERT INTO big FORMAT LineAsString', long);
    assert.equal(streamed.status, 413);
    assert.match(streamed.text, /^Code: 307\. /);
    assert.equal((await post(long.subarray(0, (64 << 10) + 1))).status, 413);
    const packed = await ask('/', { method: 'POST', body: 'SELECT 1', headers: { 'Content-Encoding': 'gzip' } });
    assert.match(packed.text, /^Code: 48\. /);
    assert.equal((await get('SELECT count() FROM big')).text, '0\n');
    assert.deepEqual(await readdir(join(folder, 'http')), []);
  });
});

describe('errors of the HTTP interface', () => {
  const cases: [string, number, RegExp][] = [
    ['SELEC 1', 400, /^Code: 62\. DB::Exception: Syntax error.*\(SYNTAX_ERROR\) \(version 2\d\.\d+.*\)\n$/s],
    ['SELECT 1; SELECT 2', 400, /^Code: 62\..*Multi-statements/],
    ['', 400, /^Code: 62\..*Empty query/],
    ['SELECT * FROM nowhere', 404, /^Code: 60\..*\(UNKNOWN_TABLE\)/],
    ['SELECT * FROM nowhere.t', 404, /^Code: 81\..*\(UNKNOWN_DATABASE\)/],
    ['SELECT nothing', 404, /^Code: 47\./],
    ['SELECT {x:UInt8}', 400, /^Code: 456\./],
    ['SELECT 1 FORMAT NoSuch', 404, /^Code: 73\./],
  ];
  for (const [query, status, text] of cases) {
    it(`answer ${status} to "${query}"`, async () => {
      const answer = await post(query);
      assert.match(answer.text, text);
      assert.equal(answer.status, status);
      assert.equal(answer.headers.get('x-clickhouse-exception-code'), /^Code: (\d+)/.exec(answer.text)?.[1]);
    });
  }

  it('are errors of the official client too', async () => {
    await assert.rejects(client.query({ query: 'SELECT * FROM nowhere' }), (error: unknown) => {
      assert.ok(error instanceof ClickHouseError);
      assert.equal(error.code, '60');
      assert.equal(error.type, 'UNKNOWN_TABLE');
      return true;
    });
  });

  it('end a query that exceeds its limit of result, memory or time', async () => {
    const many = await get('SELECT * FROM numbers(100000000)');
    assert.match(many.text, /^Code: 396\. .*max bytes/);
    const hungry = await get('SELECT groupArray(number) FROM numbers(100000000)', '&max_memory_usage=50000000');
    assert.match(hungry.text, /^Code: 241\. /);
    const slow = (await get('SELECT sleepEachRow(1) FROM numbers(3)', '&max_execution_time=1&max_block_size=1')).text;
    assert.match(slow, /^Code: 159\. /);
  });

  it('are immediate when too many queries wait', async () => {
    const slow = Array.from({ length: 8 }, () => get('SELECT sleep(1.5)'));
    const statuses = (await Promise.all(slow)).map((answer) => answer.status).sort();
    assert.deepEqual(statuses, [200, 200, 200, 200, 503, 503, 503, 503]);
  });
});

describe('what one query sets', () => {
  it('is checked by the engine', async () => {
    assert.match((await get('SELECT 1', '&no_such_setting=1')).text, /^Code: 115\. .*UNKNOWN_SETTING/);
    assert.equal((await get("SELECT getSetting('max_threads')", '&max_threads=3')).text, '3\n');
    assert.equal((await get("SELECT getSetting('max_threads')", '&max_threads=%27%3B')).status, 400);
    const known = (await get('SELECT 1', '&wait_end_of_query=1&buffer_size=9&send_progress_in_http_headers=0')).status;
    assert.equal(known, 200);
    for (const name of ['compress', 'decompress']) {
      assert.equal((await get('SELECT 1', `&${name}=1`)).status, 501);
    }
  });

  it('ends with the query, in each way of setting it', async () => {
    const before = (await get("SELECT getSetting('max_threads'), currentDatabase()")).text;
    const setters = [
      () => get("SELECT getSetting('max_threads')", '&max_threads=61'),
      () => post('SET max_threads = 61'),
      () => post('SELECT 1 SETTINGS max_threads = 61'),
      () => get('SELECT {leak:String}', '&param_leak=x'),
      () => post('SET param_leak = 1'),
      () => post('USE system'),
      () => post('SELECT 1', '/?database=system'),
      () => post('CREATE TEMPORARY TABLE tmp (a UInt8)'),
      () => post('SELECT bad', '/?max_threads=61'),
    ];
    for (const set of setters) {
      await Promise.all([set(), set()]);
      assert.equal((await get("SELECT getSetting('max_threads'), currentDatabase()")).text, before);
      assert.match((await get('SELECT {leak:String}')).text, /^Code: 456\./);
      assert.equal((await get('SELECT * FROM tmp')).status, 404);
    }
  });

  it('does not reach a query that runs at the same time', async () => {
    const asked = Array.from({ length: 40 }, (_, n) =>
      n % 2 === 0
        ? get("SELECT getSetting('max_threads'), {x:String}", `&max_threads=${n + 2}&param_x=p${n}`)
        : get("SELECT getSetting('max_threads'), {x:String}", `&max_threads=${n + 2}&param_x=p${n}&readonly=1`),
    );
    const answers: Answer[] = [];
    for (let n = 0; n < asked.length; n++) answers.push(await asked[n]!);
    for (const [n, answer] of answers.entries()) {
      if (answer.status === 200) assert.equal(answer.text, `${n + 2}\tp${n}\n`);
      else assert.equal(answer.status, 503, answer.text);
    }
    assert.ok(answers.some((answer) => answer.status === 200));
  });
});

describe('a hostile request', () => {
  it('cannot change anything by GET', async () => {
    await post('CREATE TABLE safe (a UInt8) ENGINE = Memory');
    for (const query of [
      'INSERT INTO safe VALUES (1)',
      'DROP TABLE safe',
      'CREATE TABLE x (a UInt8) ENGINE = Memory',
      'ALTER TABLE safe DELETE WHERE 1',
    ]) {
      const answer = await get(query);
      assert.match(answer.text, /^Code: 164\. /, query);
    }
    assert.match((await get('DROP TABLE safe', '&readonly=0')).text, /^Code: 164\. /);
    assert.match((await get('SELECT 1 SETTINGS readonly = 0')).text, /^Code: 164\. /);
    assert.match((await post('INSERT INTO safe VALUES (1); DROP TABLE safe')).text, /^Code: 62\..*Multi-statements/);
    assert.equal((await get('SELECT count() FROM safe')).text, '0\n');
    assert.match((await post('DROP TABLE safe', '/?readonly=1')).text, /^Code: 164\. /);
  });

  it('has parameters of up to 128 KiB, as with ClickHouse', async () => {
    const ask = (bytes: number) => get('SELECT length({x:String})', `&param_x=${'x'.repeat(bytes)}`);
    assert.equal((await ask(128 * 1024)).text, '131072\n');
    assert.match((await ask(128 * 1024 + 1)).text, /^Code: 1000\. .*Field value too long/);
  });

  it('cannot put SQL into parameters, settings, database or format', async () => {
    const evil = "'; DROP TABLE safe; --";
    const binding = await get('SELECT {x:String} FORMAT TSVRaw', `&param_x=${encodeURIComponent(evil)}`);
    assert.equal(binding.text, `${evil}\n`);
    assert.equal((await get('SELECT 1', `&${encodeURIComponent('max_threads = 1; DROP')}=1`)).status, 404);
    assert.equal((await get('SELECT 1', `&${encodeURIComponent('param_x = 1; DROP')}=1`)).status, 400);
    assert.equal((await post('SELECT 1', `/?database=${encodeURIComponent('`; DROP TABLE safe; --')}`)).status, 403);
    assert.equal((await post('SELECT 1', `/?default_format=${encodeURIComponent('TSV; DROP')}`)).status, 404);
    assert.equal((await get('SELECT count() FROM safe')).text, '0\n');
  });

  /** What reaches outside the home database: files, hosts, programs, other databases. */
  const outside = [
    "SELECT * FROM file('/etc/passwd', 'LineAsString')",
    "SELECT * FROM `file`('/etc/passwd', LineAsString)",
    'SELECT * FROM "FILE" /* x */ (\'/etc/passwd\', LineAsString)',
    "SELECT * FROM url('file:///etc/passwd', LineAsString)",
    "SELECT * FROM s3('http://127.0.0.1/bucket/x', 'TSV')",
    "SELECT * FROM remote('127.0.0.1', system.one)",
    "SELECT * FROM icebergLocal('/etc')",
    "SELECT * FROM mysql('127.0.0.1:1', 'a', 'b', 'c', 'd')",
    "INSERT INTO FUNCTION file('/tmp/weir-should-not-be-there', TSV, 'a UInt8') SELECT 1",
    "CREATE TABLE leak (l String) ENGINE = File('LineAsString', '/etc/passwd')",
    "CREATE TABLE leak (l String) ENGINE=URL('http://127.0.0.1/', TSV)",
    "CREATE DATABASE leak ENGINE = Filesystem('/etc')",
    "CREATE DICTIONARY leak (l String) PRIMARY KEY l SOURCE(FILE(path '/etc/passwd' format 'TSV')) LAYOUT(FLAT())",
    'CREATE FUNCTION leak AS x -> file(x)',
    "BACKUP TABLE safe TO File('/tmp/weir-should-not-be-there')",
    'SELECT * FROM default.`/etc/passwd`',
    "SELECT * FROM default.'/etc/passwd'",
    'DROP DATABASE default',
    "WITH x AS (SELECT * FROM file('/etc/passwd', 'LineAsString')) SELECT * FROM x",
    "CREATE TABLE leak ENGINE = Alias('default', '/etc/passwd')",
    'CREATE DATABASE other',
    'SYSTEM SHUTDOWN',
    'CREATE USER me',
    'GRANT SELECT ON *.* TO default',
  ];
  for (const query of outside) {
    it(`cannot reach outside the database, whoever sends it: ${query}`, async () => {
      for (const answer of [await post(query), await read(query)]) {
        assert.notEqual(answer.status, 200, answer.text);
        assert.doesNotMatch(answer.text, /root:/);
      }
      assert.match((await read(query)).text, /^Code: (497|62|164)\./);
    });
  }

  /** What the engine would do for a reader without the check of statements. */
  const readerRefused = [
    "SELECT file('/etc/passwd')",
    "SELECT getServerSetting('path')",
    "SELECT * APPLY(file) FROM (SELECT '/etc/passwd')",
    "SELECT * APPLY file FROM (SELECT '/etc/passwd')",
    "SELECT `f\\x69le`('/etc/passwd')",
    "SELECT file\u00a0('/etc/passwd')",
    "SELECT \u2018 ', file('/etc/passwd'), '\u2019'",
    `SELECT $${'a'.repeat(80)}$ ' $${'a'.repeat(80)}$, file('/etc/passwd'), ' '`,
    "SELECT 1 INTO OUTFILE '/tmp/weir-should-not-be-there'",
    "SELECT 1 INTO/**/outfile '/tmp/weir-should-not-be-there' FORMAT TSV",
    'KILL QUERY WHERE 1',
    'INSERT INTO safe VALUES (1)',
    "INSERT INTO safe FROM INFILE '/etc/passwd' FORMAT TSV",
    'DROP TABLE safe',
    'TRUNCATE TABLE safe',
    "CREATE TABLE leak (c1 String) ENGINE = Buffer('default', '/etc/passwd', 1, 1, 1, 1, 1, 1, 1)",
    'OPTIMIZE TABLE safe',
    'CREATE TEMPORARY TABLE t (a UInt8)',
    'SET readonly = 0',
    'USE system',
    'EXIT',
    "SELECT * FROM executable('id', 'TSV', 'a String')",
    "SELECT * FROM format(TSV, '1')",
    'SELECT 1 SETTINGS readonly = 0',
    'SELECT 1 SETTINGS max_memory_usage = 0',
    "SELECT 1 FORMAT Template SETTINGS format_template_row = '/etc/passwd'",
    "SELECT 1 AS a FORMAT Protobuf SETTINGS output_format_schema = '/tmp/weir-should-not-be-there'",
  ];
  for (const query of readerRefused) {
    it(`is not done for a reader: ${query}`, async () => {
      const answer = await read(query);
      assert.match(answer.text, /^Code: (497|164|62)\./);
      assert.ok([400, 403, 500].includes(answer.status), String(answer.status));
      assert.doesNotMatch(answer.text, /root:/);
      assert.equal(existsSync('/tmp/weir-should-not-be-there'), false);
    });
  }

  it('is shown tables that are for people, and may ask the others', async () => {
    await post("CREATE TABLE weir.plumbing (a UInt8) ENGINE = Memory COMMENT 'Internal: it serves look-ups'");
    for (const query of [
      'SHOW TABLES',
      'SHOW TABLES FROM weir',
      "SELECT name FROM system.tables WHERE database = 'weir'",
    ]) {
      const { text } = await read(query);
      assert.deepEqual([/^safe$/m.test(text), /^plumbing$/m.test(text)], [true, false], query);
    }
    assert.match((await post('SHOW TABLES')).text, /^plumbing$/m, 'Weir itself sees it');
    assert.equal((await read('SELECT count() FROM weir.plumbing')).text, '0\n');
    await post('DROP TABLE weir.plumbing');
  });

  it('may read, in the ways that people ask, and no more than one statement', async () => {
    await post('INSERT INTO safe VALUES (1)');
    for (const query of [
      'SELECT count() FROM safe',
      'SELECT count() FROM weir.safe FORMAT TSV',
      'WITH 1 AS one SELECT one',
      '(SELECT 1)',
      "SELECT toUInt8(x) FROM (SELECT '1' AS x WHERE 'outfile' != 'file' AND 'KILL QUERY' != '')",
    ]) {
      assert.equal((await read(query)).text, '1\n', query);
    }
    assert.match((await read('SHOW TABLES')).text, /^safe$/m);
    for (const query of ['DESCRIBE safe', 'EXPLAIN SELECT * FROM safe', 'EXISTS safe', 'FROM safe SELECT a']) {
      assert.equal((await read(query)).status, 200, query);
    }
    assert.match((await read('SELECT 1; SELECT 2')).text, /^Code: 62\./);
    await post('TRUNCATE TABLE safe');
  });

  it('answers what the client of Python asks, which names sessions and compression', async () => {
    const sent = `&database=weir&session_id=${randomUUID()}&client_protocol_version=54405&query_id=${randomUUID()}`;
    const first = await read('SELECT version(), timezone()', sent.replace('&database=weir', ''));
    assert.match(first.text, /^\d+\.\d+\S*\t\S+\n$/);
    const settings = 'SELECT name, value, readonly as readonly FROM system.settings LIMIT 10000\n FORMAT Native';
    assert.deepEqual((({ status, text }) => [status, text])(await read(settings, sent)), [200, '']);
    const options =
      '&enable_http_compression=1&send_progress_in_http_headers=1&http_headers_progress_interval_ms=120000';
    for (const asking of [read, (query: string, more: string) => into(query, '', more)]) {
      const answer = await asking('SELECT toUInt8(7) AS n FORMAT Native', sent + options);
      assert.deepEqual(
        [answer.status, answer.text, answer.headers.get('content-encoding')],
        [200, '\u0001\u0001\u0001n\u0005UInt8\u0007', null],
      );
    }
    // A session keeps nothing.
    await post('SET max_threads = 1', `/?${sent.slice(1)}`);
    assert.notEqual((await post("SELECT getSetting('max_threads')", `/?${sent.slice(1)}`)).text, '1\n');
    const official = createClient({
      url: server.url,
      username: 'reader',
      password: passwords.reader,
      database: 'weir',
      session_id: randomUUID(),
      compression: { response: true },
    });
    const rows = await official.query({ query: 'SELECT 1 AS one', format: 'JSONEachRow' });
    assert.deepEqual(await rows.json(), [{ one: 1 }]);
    await official.close();
  });

  it('has limits that a reader may lower but not raise', async () => {
    const bounds = "SELECT getSetting('max_memory_usage'), getSetting('max_execution_time'), getSetting('max_threads')";
    const most = `${1024 ** 3}\t60\t4\n`;
    assert.equal((await read(bounds)).text, most);
    for (const value of ['0', '9999999999', '-1', '1e9']) {
      const asked = `&max_memory_usage=${value}&max_execution_time=${value}&max_threads=${value}`;
      const { text } = await read(bounds, asked);
      assert.ok(text === most || /^Code: /.test(text), text);
    }
    assert.equal((await read(bounds, '&max_memory_usage=50000000&max_threads=2')).text, '50000000\t60\t2\n');
    assert.match((await read('SELECT groupArray(number) FROM numbers(1000000000)')).text, /^Code: 241\. /);
    const quoted = await read(
      'SELECT toUInt64(1) AS n FORMAT JSONEachRow',
      '&output_format_json_quote_64bit_integers=1',
    );
    assert.equal(quoted.text, '{"n":"1"}\n');
    for (const name of ['format_template_row', 'output_format_schema', 'allow_experimental_ai_functions', 'no_such']) {
      assert.match((await read('SELECT 1', `&${name}=1`)).text, /^Code: 164\. /, name);
    }
  });

  it('shows a reader nothing of what others ask, and of settings, by whatever name', async () => {
    const slow = post("SELECT sleep(2), 'asked by the writer'");
    const seen = async (): Promise<string> => (await get('SELECT query FROM system.processes')).text;
    await until('it runs', async () => (await seen()).includes('asked by the writer'));
    const hidden = ['processes', 'user_processes', 'settings', 'server_settings', 'errors', 'disks', 'stack_trace'];
    const queries = hidden.flatMap((name) => [
      `SELECT * FROM system.${name}`,
      `SELECT * FROM "system" . /**/ \`${name}\` AS x`,
      `WITH x AS (SELECT * FROM system.${name}) SELECT * FROM x`,
      `SELECT * FROM (SELECT * FROM system.${name}) AS y`,
      `SELECT x.* FROM (SELECT 1 AS one) AS one CROSS JOIN system.${name} AS x`,
      `SELECT 1 WHERE 1 IN (SELECT 1 FROM system.${name})`,
    ]);
    for (const query of [...queries, 'SHOW PROCESSLIST', "SHOW SETTINGS LIKE '%'", "SHOW CHANGED SETTINGS LIKE '%'"]) {
      const { status, text } = await read(query);
      assert.deepEqual([status, text], [200, ''], query);
    }
    for (const [db, table] of [
      ['system', 'processes'],
      ['system', 'settings'],
    ]) {
      const named = await read('SELECT * FROM {db:Identifier}.{t:Identifier}', `&param_db=${db}&param_t=${table}`);
      assert.equal(named.text, '', named.text);
    }
    for (const query of [
      "SELECT * FROM merge('system', '^processes$')",
      "SELECT * FROM loop('system', 'processes')",
      'SELECT * FROM loop(system, settings)',
      'SELECT * FROM system.processes SETTINGS additional_table_filters = {}',
    ]) {
      const { text } = await read(query);
      assert.match(text, /^Code: (164|497|636)\./, query);
    }
    assert.match((await read('SELECT 1', '&additional_table_filters={}')).text, /^Code: 164\./);
    assert.match((await read('SELECT * FROM processes', '&database=system')).text, /^Code: /);
    assert.match((await read("SELECT name FROM system.functions WHERE name = 'count'")).text, /^count\n$/);
    assert.equal((await slow).status, 200);
  });

  it('takes only slots of readers', async () => {
    const slow = Array.from({ length: 2 }, () => read('SELECT sleep(2)'));
    assert.equal((await post('SELECT 1')).text, '1\n');
    assert.equal((await slow[0]!).status, 200);
    await slow[1];
  });

  it('finds no file of data or configuration that other users of the machine may read', async () => {
    for (const name of ['.', 'http', 'engine.xml']) {
      assert.equal((await stat(join(folder, name))).mode & 0o077, 0, name);
    }
  });

  it('cannot come from a page in a browser, or by a foreign name that resolves to this machine', async () => {
    const page = { method: 'POST', body: 'SELECT 1' };
    assert.equal((await ask('/', { ...page, headers: { Origin: 'https://evil.example' } })).status, 403);
    assert.equal((await ask('/', { ...page, headers: { Origin: 'http://localhost:3000' } })).status, 200);
    const status = await new Promise<number>((resolve, reject) => {
      const request = httpRequest(
        `${server.url}/?query=SELECT%201`,
        { headers: { ...WRITER, Host: 'evil.example' } },
        (response) => {
          response.resume();
          resolve(response.statusCode ?? 0);
        },
      );
      request.on('error', reject);
      request.end();
    });
    assert.equal(status, 403);
  });

  it('stops no other request when its caller goes away while it waits', async () => {
    const slow = [get('SELECT sleep(1)'), get('SELECT sleep(1)')];
    await new Promise((next) => setTimeout(next, 200));
    const gone = new AbortController();
    const waiting = ask('/?query=SELECT%201', { signal: gone.signal });
    setTimeout(() => gone.abort(), 50);
    await assert.rejects(waiting);
    await Promise.all(slow);
    assert.equal((await get('SELECT 1')).text, '1\n');
  });
});
