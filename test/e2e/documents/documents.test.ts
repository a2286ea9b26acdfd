/**
 * The examples of README and docs, run as they stand against what `npm start` starts. docs/README.md says what happens to a
 * block of each language.
 */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parse, stringify } from 'yaml';
import { shippedPacks } from '#weir/deploy/packs';
import { ENDPOINTS } from '#weir/shared/api/endpoints';
import { ERROR_STATUS } from '#weir/shared/api/errors';
import { DEMO_KEY } from '#weir/shared/configuration/api-keys';
import { loadConfiguration, problemText } from '#weir/shared/configuration/configuration';
import type { Files } from '#weir/shared/configuration/read/fields';
import { packageRoot, programPath } from '#weir/shared/paths';
import { DEFINITIONS } from '#weir/shared/settings';
import { readModelDescription } from '#weir/workers/onnx/file';
import { built, installed, whyNotInstalled } from '../../deploy/clients/python/package.ts';
import { isAsShown } from '../../docs/compare.ts';
import { type Block, blocksOf, type Page, USER_PAGES } from '../../docs/pages.ts';
import { installClient } from '../../support/client-package.ts';
import { picture } from '../../support/images/pictures.ts';
import { PATIENCE } from '../../support/installation/patience.ts';
import type { Origin } from '../../support/network/origin.ts';
import { until } from '../../support/wait.ts';
import { startCommands } from './commands.ts';

const LIMIT_MS = 240_000;
/** What a block says the addresses are. */
const [HTTP, SQL] = [DEFINITIONS.port, DEFINITIONS.clickhousePort].map(({ default: port }) => `127.0.0.1:${port}`);
/** Below the folder of a page: where its programs are, in a project that has the client installed. */
const PROGRAMS = 'programs';
const { name: CLIENT } = JSON.parse(
  readFileSync(join(packageRoot, 'deploy/clients/typescript/package.json'), 'utf8'),
) as { name: string };
const LANGUAGES = new Set(['', 'console', 'json', 'python', 'sh', 'sql', 'text', 'ts', 'yaml']);

interface Ran {
  code: number;
  out: string;
  err: string;
}

describe('the examples', { timeout: 1_200_000 }, () => {
  const home = mkdtempSync(join(tmpdir(), 'weir-documents-'));
  const data = join(home, 'data');
  let started: ChildProcess;
  let commands: Origin;
  let addresses: Record<'http' | 'sql', string>;

  before(async () => {
    commands = await startCommands(home);
    const ports = { WEIR_PORT: '0', WEIR_REDIS_PORT: '0', WEIR_CLICKHOUSE_PORT: '0', WEIR_METRICS_PORT: '0' };
    const times = { ...PATIENCE, WEIR_BLOCK_DELAY_MS: '200' };
    started = spawn(process.execPath, [programPath('start')], {
      env: {
        ...process.env,
        ...ports,
        ...times,
        WEIR_DATA_DIR: data,
        WEIR_DIALECTS: 'all',
        WEIR_REDIS_MAXMEMORY: '256mb',
      },
      stdio: ['ignore', 'pipe', 'pipe'],
      detached: true,
    });
    let said = '';
    for (const stream of [started.stdout!, started.stderr!]) {
      stream.on('data', (chunk: Buffer) => {
        said += chunk.toString();
      });
    }
    await until('npm start says its addresses', () => {
      if (started.exitCode !== null) throw new Error(said);
      return said.includes('Ctrl-C stops everything.');
    });
    const [, http, sql] = /answers at http:\/\/(\S+)[\s\S]*--netrc-file \S+ http:\/\/(\S+)/.exec(said)!;
    addresses = { http: http!, sql: sql! };
  });
  after(async () => {
    if (started.exitCode === null) {
      const closed = once(started, 'close');
      process.kill(-started.pid!, 'SIGINT');
      await closed;
    }
    await commands.close();
    rmSync(home, { recursive: true, force: true });
  });

  /** With the addresses of what runs here. */
  const here = (code: string): string => code.replaceAll(HTTP!, addresses.http).replaceAll(SQL!, addresses.sql);

  const execute = (folder: string, command: string, args: string[]): Promise<Ran> =>
    new Promise((resolve) => {
      const PATH = `${join(home, 'bin')}:${process.env.PATH}`;
      const env = { ...process.env, PATH, WEIR: `http://${addresses.http}`, KEY: DEMO_KEY };
      execFile(command, args, { cwd: folder, env, timeout: LIMIT_MS }, (error, out, err) => {
        resolve({ code: error === null ? 0 : Number(error.code) || -1, out, err });
      });
    });
  const shell = (folder: string, code: string): Promise<Ran> =>
    execute(folder, 'bash', ['-e', '-o', 'pipefail', '-c', here(code)]);

  /** A folder as the examples of a page expect it: that of Weir, with pictures that a user may have put there. */
  async function folderOf(page: Page): Promise<string> {
    const folder = join(home, page.path.replaceAll('/', '-'));
    mkdirSync(join(folder, 'evidence'), { recursive: true });
    for (const name of ['package.json', 'node_modules', 'deploy', 'dist', 'shared']) {
      symlinkSync(join(packageRoot, name), join(folder, name));
    }
    symlinkSync(data, join(folder, '.weir'));
    if (page.text.includes(`from '${CLIENT}'`)) await installClient(join(folder, PROGRAMS));
    else mkdirSync(join(folder, PROGRAMS));
    for (const seed of [1, 2]) {
      writeFileSync(join(folder, 'evidence', `${seed}.jpg`), await picture('photo', seed, 320, 240));
    }
    return folder;
  }

  async function runShell(folder: string, block: Block, shown: Block | undefined): Promise<void> {
    const fails = block.word === 'fails';
    let output = '';
    const attempt = async (): Promise<boolean> => {
      const { code, out, err } = await shell(folder, block.code);
      assert.equal(code !== 0, fails, `exit code ${code}: ${out}${err}`);
      output = fails ? out + err : out;
      if (!shown) assert.doesNotMatch(output, /"error":|^Code: \d/m);
      return !shown || isAsShown(shown.code, output, shown.language as 'json' | 'text');
    };
    if (await attempt()) return;
    // A verdict is in ClickHouse a few seconds later.
    if (/--netrc-file|weir shadow report/.test(block.code)) await until(`${output} is as shown`, attempt);
    else assert.fail(`expected ${shown!.code}\nfound ${output}`);
  }

  async function runProgram(folder: string, block: Block, shown: Block | undefined): Promise<void> {
    const [file, made] = ['ts', 'mjs'].map((ending) => join(PROGRAMS, `line-${block.line}.${ending}`)) as [
      string,
      string,
    ];
    writeFileSync(join(folder, file), here(block.code));
    const stripped = await execute(folder, 'node_modules/.bin/esbuild', [file, `--outfile=${made}`]);
    assert.equal(stripped.code, 0, stripped.err);
    const { code, out, err } = await execute(folder, process.execPath, [made]);
    assert.equal(code, 0, err);
    assert.ok(shown && isAsShown(shown.code, out, 'text'), out);
  }

  /** Python with the client as it is installed, once. */
  const interpreter = lazily(() => installed(built('wheel', home), join(home, 'python')));

  async function runPython(folder: string, block: Block, shown: Block | undefined): Promise<void> {
    const file = `line-${block.line}.py`;
    writeFileSync(join(folder, file), here(block.code));
    const { code, out, err } = await execute(folder, interpreter(), [file]);
    assert.equal(code, 0, err);
    assert.ok(shown && isAsShown(shown.code, out, 'text'), out);
  }

  async function runPage(page: Page): Promise<void> {
    const folder = await folderOf(page);
    const blocks = blocksOf(page);
    for (const [n, block] of blocks.entries()) {
      const next = blocks[n + 1];
      const shown = next && ['json', 'text'].includes(next.language) && next.word === '' ? next : undefined;
      try {
        if (block.language === 'sh') await runShell(folder, block, shown);
        else if (block.language === 'ts') await runProgram(folder, block, shown);
        else if (block.language === 'python') await runPython(folder, block, shown);
        else if (block.language === 'yaml') loadYaml(folder, block);
      } catch (error) {
        throw new Error(`${page.path}:${block.line}: ${(error as Error).message}`, { cause: error });
      }
    }
    if (blocks.some(({ language, code }) => language === 'sh' && code.includes('weir apply'))) {
      const { code, err } = await shell(folder, 'npx weir apply deploy/local/weir.yaml --yes');
      assert.equal(code, 0, err);
    }
  }

  for (const page of USER_PAGES.filter((page) =>
    blocksOf(page).some(({ language }) => /^(python|sh|ts|yaml)$/.test(language)),
  )) {
    const needsPython = blocksOf(page).some(({ language }) => language === 'python');
    const skip = (needsPython && whyNotInstalled()) || false;
    it(`of ${page.path} do what it says`, { skip }, () => runPage(page));
  }

  it('are all of a kind that is known, and show an output behind what printed it', () => {
    for (const page of USER_PAGES) {
      const blocks = blocksOf(page);
      for (const [n, { language, word, code, line }] of blocks.entries()) {
        const at = `${page.path}:${line}`;
        assert.ok(LANGUAGES.has(language), `${at}: ${language}`);
        assert.ok(['', 'fails', 'example', 'broken'].includes(word), `${at}: ${word}`);
        if (language === 'json' && word === 'example') parseExample(code);
        else if (language === 'json' || language === 'text')
          assert.match(blocks[n - 1]?.language ?? '', /^(python|sh|ts)$/, at);
      }
    }
  });
});

function lazily<T>(make: () => T): () => T {
  let made: { value: T } | undefined;
  return () => {
    made ??= { value: make() };
    return made.value;
  };
}

/** JSON, and an error of the service where it is one. */
function parseExample(code: string): void {
  const value = JSON.parse(code) as { error?: { code: string } };
  if (value.error) assert.ok(value.error.code in ERROR_STATUS, value.error.code);
}

/** Saves a block that names a file, and loads it as what its keys say it is. */
function loadYaml(folder: string, { code, word }: Block): void {
  const [, file] = /^# (\S+\.yaml)\n/.exec(code) ?? [];
  if (file) writeFileSync(join(folder, file), code);
  if (word === 'broken') return;
  const value = parse(code) as Record<string, unknown>;
  if ('guardrails' in value) {
    assert.ok(code.includes(`LiteLLM appends ${ENDPOINTS.litellmGuardrail.path}\n`));
    assert.ok(code.includes(`api_base: http://${HTTP} `));
  } else if (OF_GATEWAYS.some((name) => name in value)) {
    assert.ok(!file);
  } else if ('cases' in value) {
    // The command below it reads the file.
    assert.ok(file);
  } else if ('input' in value || 'text' in value) {
    assert.ok(readModelDescription(code, 'example').ok);
  } else {
    assertConfiguration('version' in value ? code : stringify(wholeOf(value)));
  }
}

/** Configurations of gateways begin with these, and nothing here reads them. */
const OF_GATEWAYS = ['promptGuard', 'http_filters', 'plugins'];

/** A configuration that has a part of one, or a policy that has what it detects. */
function wholeOf(part: Record<string, unknown>): Record<string, unknown> {
  const policy = { id: '00000000-0000-4000-8000-000000000001', team: 'acme', name: 'Example' };
  return { version: 1, teams: [{ id: 'acme' }], ...('detect' in part ? { policies: [{ ...policy, ...part }] } : part) };
}

/** Files that examples name are the reader's own. */
const FILES: Files = { terms: () => 'a term\n', model: () => ({ sha256: 'a'.repeat(64), labels: ['spam'] }) };

function assertConfiguration(text: string): void {
  const loaded = loadConfiguration(text, 'example.yaml', FILES, shippedPacks);
  assert.deepEqual(loaded.ok ? [] : loaded.problems.map(problemText), []);
}
