/** The package of the client for TypeScript, installed from its archive where there is nothing else. */
import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import {
  copyFileSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { packageRoot } from '#weir/shared/paths';
import { installClient, packedClient } from '../../support/client-package.ts';

const run = promisify(execFile);
const read = (...path: string[]): string => readFileSync(join(...path), 'utf8');
const NAME = (JSON.parse(read(packageRoot, 'deploy/clients/typescript/package.json')) as { name: string }).name;
/** Of the archive, and of code and types together, most of which are comments. Labels and their queue were 4 of these 70 KiB. */
const MOST_BYTES = { archive: 30 * 1024, unpacked: 74 * 1024 };

const PROGRAM = `import { createClient, type EventInput, guardStream, type Result, type RunGraph, type SessionInput, type UserRisk } from '${NAME}';

const weir = createClient({ url: 'http://127.0.0.1:1', apiKey: 'wk_none', retries: 0 });
const risk: Result<UserRisk> = await weir.getRisk({ id: 'somebody' });
if (!risk.ok) console.log(risk.error.type);
const level: 'normal' | 'elevated' | 'severe' | undefined = risk.ok ? risk.value.risk_level : undefined;
const nodes: RunGraph['nodes'] = [];
console.log(level, nodes.length);
export const session: SessionInput = { messages: [{ role: 'user', content: 'Hi!' }] };
declare const texts: ReadableStream<string>;
export const guarded = (): AsyncIterable<string> => guardStream(texts, { client: weir, deployment_id: 'chat' });
// Types are there, and no more is any of them than it is in the sources.
// @ts-expect-error: not an address
export const address = () => createClient({ url: 7 });
// @ts-expect-error: no such kind
export const event: EventInput = { type: 'thought' };
// @ts-expect-error: no such version
export const version = () => createClient({ url: '', apiKey: '', version: '2020-01-01' });
`;
const COMPILER = {
  strict: true,
  exactOptionalPropertyTypes: true,
  skipLibCheck: false,
  skipDefaultLibCheck: true,
  target: 'es2022',
  module: 'nodenext',
  outDir: 'out',
};

/** What the web has, and so browsers, workers at the edge, Deno, Bun and Node. Nothing of Node alone. */
const WEB = ['fetch', 'URL', 'URLSearchParams', 'AbortController', 'TextDecoder', 'ReadableStream', 'crypto'];
const WEB_CLOCK = ['performance', 'setTimeout', 'clearTimeout'];
const IN_A_BARE_CONTEXT = `
import { readFileSync } from 'node:fs';
import { createContext, SourceTextModule } from 'node:vm';
const [path, url] = process.argv.slice(2);
const names = ${JSON.stringify([...WEB, ...WEB_CLOCK])};
const context = createContext(Object.fromEntries(names.map((name) => [name, globalThis[name]])));
const module = new SourceTextModule(readFileSync(path, 'utf8'), { context });
await module.link((name) => { throw new Error('imports ' + name); });
await module.evaluate();
const { createClient, guardStream } = module.namespace;
const weir = createClient({ url, apiKey: 'wk_none', idempotencyKeys: true });
const { ok, value } = await weir.checkSession({ messages: [{ role: 'user', content: 'Hi!' }] });
async function* answer() { yield 'Hi '; yield 'there!'; }
const guarded = guardStream(answer(), { client: weir }).toReadableStream().getReader();
const seen = [];
for (let next = await guarded.read(); !next.done; next = await guarded.read()) seen.push(next.value);
console.log(ok, value.flagged, seen.join(''));
`;

/** Enough of one for a session and for a stream. */
const ANSWER = { flagged: false, policies: {}, safe_until: 1000, delayed_policies: [] };

describe('the client for TypeScript', () => {
  const project = mkdtempSync(join(tmpdir(), 'weir-client-'));
  const installed = join(project, 'node_modules', NAME);
  const node = async (...args: string[]): Promise<string> => {
    const { stdout } = await run(process.execPath, args, { cwd: project, timeout: 300_000 }).catch((error) => {
      throw new Error(`${error.message}\n${error.stdout}`);
    });
    return stdout;
  };

  before(() => installClient(project));
  after(() => rmSync(project, { recursive: true, force: true }));

  it('is a small package of four files and a licence, which needs no other', async () => {
    assert.deepEqual(readdirSync(join(project, 'node_modules')).sort(), ['.package-lock.json', NAME.split('/')[0]]);
    const files = readdirSync(installed).sort();
    assert.deepEqual(files, ['LICENSE', 'README.md', 'index.d.ts', 'index.js', 'package.json']);
    const { name, version, dependencies } = JSON.parse(read(installed, 'package.json')) as Record<string, unknown>;
    const { version: ofWeir } = JSON.parse(read(packageRoot, 'package.json')) as { version: string };
    assert.deepEqual([name, version, dependencies], [NAME, ofWeir, undefined]);
    const bytes = ['index.js', 'index.d.ts'].reduce((sum, file) => sum + statSync(join(installed, file)).size, 0);
    assert.ok(bytes <= MOST_BYTES.unpacked, `${bytes} bytes`);
    assert.ok(statSync(await packedClient()).size <= MOST_BYTES.archive);
    assert.doesNotMatch(read(installed, 'index.js'), /\bimport\b|\brequire\b|\bprocess\b|\bBuffer\b/);
    assert.doesNotMatch(read(installed, 'index.d.ts'), /^import |import\(|@x-|LIMITS|typia|\btags\./m);
  });

  it('has types that are strict in the project that uses them, with the names of the DOM or those of Node', async () => {
    const tsc = join(packageRoot, 'node_modules/typescript/bin/tsc');
    writeFileSync(join(project, 'program.ts'), PROGRAM);
    const compile = (options: object, file: string): Promise<string> => {
      const config = { compilerOptions: { ...COMPILER, ...options }, files: [file] };
      writeFileSync(join(project, 'tsconfig.json'), JSON.stringify(config));
      return node(tsc, '-p', '.');
    };
    await compile({ lib: ['es2022', 'dom'], types: [] }, 'program.ts');
    // As a source: libraries are not checked here, since that of Node is large.
    copyFileSync(join(installed, 'index.d.ts'), join(project, 'types.ts'));
    for (const name of ['@types', 'undici-types']) {
      symlinkSync(join(packageRoot, 'node_modules', name), join(project, 'node_modules', name));
    }
    await compile({ lib: ['es2022'], types: ['node'], skipLibCheck: true, noEmit: true }, 'types.ts');
    assert.equal(await node('out/program.js'), 'network_error\nundefined 0\n');
  });

  it('works where there is nothing but what the web has', async () => {
    const server = createServer((_, response) => {
      response.setHeader('content-type', 'application/json').end(JSON.stringify(ANSWER));
    });
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    try {
      writeFileSync(join(project, 'bare.mjs'), IN_A_BARE_CONTEXT);
      const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
      const flags = ['--experimental-vm-modules', '--no-warnings'];
      assert.equal(await node(...flags, 'bare.mjs', join(installed, 'index.js'), url), 'true false Hi there!\n');
    } finally {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    }
  });

  it('can be required by a program of the older kind of modules', async () => {
    writeFileSync(join(project, 'older.cjs'), `console.log(typeof require('${NAME}').createClient);`);
    assert.equal(await node('older.cjs'), 'function\n');
  });
});
