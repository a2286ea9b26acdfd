/** A new text of an event that is only stored, such as `format`: where it has to be named, in a copy of the sources. */
import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';
import { createHistoryClient } from '#weir/shared/history/client';
import { packageRoot } from '#weir/shared/paths';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { sketch } from '../../shared/policy/support.ts';
import { startTestClickHouse } from '../../support/stores/clickhouse.ts';
import { insertQuery } from '../../support/stores/insert.ts';
import { entryOf } from '../evaluator/support.ts';

/** What somebody edits to add the field `purpose`, and nothing else. */
const EDITS: Record<string, [found: RegExp, put: string][]> = {
  'shared/api/requests.ts': [
    [/ {2}format\?: string \| null;\n/, '$&  /** Why it was called. @x-form name */\n  purpose?: string | null;\n'],
  ],
  'workers/rows/columns.ts': [[/format: true/, '$&, purpose: true']],
  'shared/history/migrations/001_results.sql': [
    [/^ {4}format (.*),$/gm, '$&\n    purpose $1,'],
    [/checked_items [^;]*SELECT\n(?=[^;]*ARRAY JOIN\n)/, '$&    purpose,\n'],
    [/checked_items [^;]*ARRAY JOIN\n/, '$&    purpose,\n'],
  ],
  'shared/history/dictionary.yaml': [[/^ {2}format: .*\n/m, '$&  purpose: why it was called, or empty\n']],
};

/** What has to be made again of the sources: the rest of `dist` does not depend on the edits. */
const COMPILED = ['shared/api/validate/validate.ts', 'shared/api/openapi/schemas.ts', 'workers/rows/columns.ts'];

function edit(root: string): void {
  for (const [path, edits] of Object.entries(EDITS)) {
    let text = readFileSync(join(root, path), 'utf8');
    for (const [found, put] of edits) {
      assert.match(text, found, path);
      text = text.replace(found, put);
    }
    writeFileSync(join(root, path), text);
  }
}

function makeCopy(root: string): void {
  for (const path of [
    'package.json',
    'tsconfig.json',
    '.without-typia.cjs',
    'shared',
    'workers',
    'dist/shared',
    'dist/workers',
  ])
    cpSync(join(packageRoot, path), join(root, path), { recursive: true });
  symlinkSync(join(packageRoot, 'node_modules'), join(root, 'node_modules'));
  edit(root);
  const compilerOptions = { declaration: false, sourceMap: false };
  const config = { extends: './tsconfig.json', compilerOptions, include: [], files: COMPILED };
  writeFileSync(join(root, 'some.json'), JSON.stringify(config));
  const tspc = join(packageRoot, 'node_modules/ts-patch/bin/tspc.js');
  const { status, stdout } = spawnSync(process.execPath, [tspc, '-p', 'some.json'], { cwd: root, encoding: 'utf8' });
  assert.equal(status, 0, stdout);
}

const load = async <Module>(root: string, module: string): Promise<Module> =>
  import(pathToFileURL(join(root, 'dist', `${module}.js`)).href);

const batch = (...events: object[]) => ({ environment_id: 'e', run_id: 'r', events });
const tool = { type: 'tool', event_id: 'a', output: 'o', call_id: 'c', format: 'f', purpose: 'to "see" é' };
/** The last one is a reference: it has known fields alone. */
const PLAIN = JSON.stringify(
  batch(tool, { ...tool, event_id: 'b', purpose: null }, { type: 'tool', event_id: 'a', purpose: 'p' }),
);
/** The same in another way of writing. */
const WRITTEN = PLAIN.replaceAll('"tool"', '"to\\u006fl"');

async function checkIngress(root: string): Promise<void> {
  const { readEvents } = await load<typeof import('#weir/shared/api/read/events')>(root, 'shared/api/read/events');
  const { issuesOfEvents } = await load<typeof import('#weir/shared/api/validate/validate')>(
    root,
    'shared/api/validate/validate',
  );
  const issuesOf = (json: string): string[] =>
    issuesOfEvents(JSON.parse(json), json.length, json).map(({ path, code }) => `${path} ${code}`);
  for (const [body, issues] of [
    [batch({ ...tool, purpose: 'x'.repeat(257) }), ['events[0].purpose too_long']],
    [batch({ ...tool, purpose: 1 }), ['events[0].purpose type']],
    [{ ...batch(tool), purpose: 'p' }, ['purpose misplaced']],
  ] as const) {
    const json = JSON.stringify(body);
    assert.equal(readEvents(Buffer.from(json)), undefined);
    assert.deepEqual(issuesOf(json), issues);
  }
  assert.ok(readEvents(Buffer.from(PLAIN)));
  assert.match(readFileSync(join(root, 'dist/shared/api/openapi/schemas.js'), 'utf8'), /Why it was called/);
  assert.deepEqual(issuesOf(WRITTEN), []);
}

/** The packed rows of both batches. */
async function evaluate(root: string): Promise<Buffer[]> {
  const { compilePlan } = await load<typeof import('#weir/shared/policy/compile')>(root, 'shared/policy/compile');
  const { evaluateEntry } = await load<typeof import('#weir/workers/evaluator/outcome')>(
    root,
    'workers/evaluator/outcome',
  );
  const plan = compilePlan(sketch({ policies: [{ detect: { terms: { list: ['zz'] } } }] }), 1);
  return [PLAIN, WRITTEN].map((json) => evaluateEntry(plan, entryOf('events', json)).rows);
}

const STORED = "SELECT event_id, call_id, format, ifNull(purpose, '') FROM weir.results ORDER BY request_id, event_id";
const COMMENT = "SELECT comment FROM system.columns WHERE database = 'weir' AND table = 'items' AND name = 'purpose'";

test('a new text of an event that is only stored is named in its type, its column, a migration and the dictionary alone', async (t) => {
  const root = mkdtempSync(join(tmpdir(), 'weir-new-field-'));
  t.after(() => rmSync(root, { recursive: true }));
  makeCopy(root);
  await checkIngress(root);
  const packed = await evaluate(root);

  const { insertOf } = await load<typeof import('#weir/workers/rows/columns')>(root, 'workers/rows/columns');
  const { migrate } = await load<typeof import('#weir/shared/history/migrate')>(root, 'shared/history/migrate');
  const engine = await startTestClickHouse();
  t.after(() => engine.close());
  await migrate({ url: engine.url, database: 'weir' });
  const client = createHistoryClient({ url: engine.url, database: 'weir', timeoutMs: 60_000 });
  t.after(() => client.close());
  for (const rows of packed) await insertQuery(client, insertOf('1'), [unpackRows('1', rows).bytes]);
  const ask = async (query: string): Promise<unknown[]> =>
    (await client.query({ query, format: 'JSONCompactEachRow' })).json();
  const both = [
    ['a', 'c', 'f', tool.purpose],
    ['b', 'c', 'f', ''],
  ];
  assert.deepEqual(await ask(STORED), [...both, ...both]);
  assert.deepEqual(await ask(COMMENT), [['why it was called, or empty']]);
});
