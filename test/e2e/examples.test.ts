/** The programs of docs/examples, run as their first lines say, against one installation; what they print is what these lines say. */
import assert from 'node:assert/strict';
import { type ChildProcess, execFile, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parse, stringify } from 'yaml';
import { DEMO_KEY } from '#weir/shared/configuration/api-keys';
import { packageRoot } from '#weir/shared/paths';
import { weirWith } from '../deploy/cli/support.ts';
import { skip } from '../deploy/clients/python/python.ts';
import { isAsShown } from '../docs/compare.ts';
import { linksOf, readPage } from '../docs/pages.ts';
import { fillHistory } from '../support/stores/clickhouse.ts';
import { newFolder, type System, startSystem } from './system.ts';

const execute = promisify(execFile);
const FOLDER = 'docs/examples';
/** The client as the programs import it. */
const CLIENT = '@weir/client';

/** What the first lines of a program say. */
interface Told {
  run: string;
  prints: string;
}

/** `# Run:` or `// Run:` and the lines behind it that are indented, and the same for what it prints. */
function toldBy(file: string): Told {
  const source = readFileSync(join(packageRoot, FOLDER, file), 'utf8');
  const [head = ''] = source.split(/\n(?!#|\/\/)/);
  const lines = head.split('\n').map((line) => line.replace(/^(?:#|\/\/) ?/, ''));
  const after = (heading: RegExp): string => {
    const rest = lines.slice(lines.findIndex((line) => heading.test(line)) + 1);
    const end = rest.findIndex((line) => !line.startsWith('  '));
    return rest.slice(0, end < 0 ? rest.length : end).join('\n');
  };
  return { run: after(/^Run:$/), prints: after(/^Prints.*:$/) };
}

describe('the examples of docs/examples', { timeout: 300_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-examples-'));
  const dataDir = newFolder();
  const [secret, key] = ['whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3', DEMO_KEY];
  const running: Record<string, { child: ChildProcess; url: string; output: Promise<string> }> = {};
  let system: System;
  let env: Record<string, string | undefined>;
  /** where `weir` finds the installation */
  let stores: Record<string, string>;

  /** A command as it can be run here, without the second that npm takes to find what it runs. */
  const here = (command: string): string =>
    command
      .replaceAll('npx tsx', `'${process.execPath}' --import tsx`)
      .replaceAll('violations.parquet', join(folder, 'violations.parquet'));

  /** Runs commands of Weir in this process, all others by a shell. Returns what they print. */
  async function output(command: string): Promise<string> {
    const [, args] = /^npx weir ([^>]*)(>.*)?$/.exec(command) ?? [];
    if (args === undefined) {
      const { stdout } = await execute('sh', ['-c', here(command)], { cwd: packageRoot, env });
      return stdout;
    }
    const { code, out, err } = await weirWith(stores, ...args.trim().split(' '));
    assert.equal(code, 0, out + err);
    return command.includes('>') ? '' : out;
  }

  /** Starts a program that serves, on a free port. */
  async function serve(file: string): Promise<void> {
    const child = spawn('sh', ['-c', `exec ${here(toldBy(file).run.trim()).replace(/ALERTS_SECRET=\S+/, '')}`], {
      cwd: packageRoot,
      env: { ...process.env, PORT: '0', ALERTS_SECRET: secret },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    const output = text(child.stdout);
    const [first] = (await once(child.stdout, 'data')) as [Buffer];
    running[file] = { child, output, url: /http:\S+/.exec(first.toString())![0] };
  }

  async function holds(file: string): Promise<void> {
    const { run, prints } = toldBy(file);
    let printed = '';
    for (const command of run.split('\n')) printed += (await output(command.trim())).replaceAll(`${folder}/`, '');
    assert.ok(isAsShown(prints, printed, 'text'), `${file} prints ${printed}`);
  }

  before(async () => {
    await Promise.all([serve('fake-model.ts'), serve('webhook-receiver.ts'), fillHistory(dataDir)]);
    const { url } = running['webhook-receiver.ts']!;
    const sample = parse(readFileSync(join(packageRoot, 'deploy/local/weir.yaml'), 'utf8')) as object;
    const notify = [{ id: 'alerts', team: 'acme', url, on: ['flagged'], secret_env: 'ALERTS_SECRET' }];
    system = await startSystem({
      dataDir,
      followers: true,
      configuration: { text: stringify({ ...sample, notify }), file: 'weir.yaml' },
      env: { ALERTS_SECRET: secret, WEIR_FETCH_ALLOW: new URL(url).host },
    });
    const { stack } = system;
    const models = running['fake-model.ts']!.url;
    stores = { WEIR_REDIS_URL: stack.redisUrl, WEIR_CLICKHOUSE_URL: stack.clickhouseUrl };
    const places = { WEIR_DATA_DIR: dataDir, SQL: stack.sqlUrl, MODEL_URL: models };
    env = { ...process.env, ...places, WEIR: stack.url, KEY: key };
  });
  after(async () => {
    for (const { child } of Object.values(running)) child.kill();
    await system?.close();
    for (const path of [folder, dataDir]) rmSync(path, { recursive: true, force: true });
  });

  it('chat: both sides are checked', () => holds('chat.ts'));
  it('streaming: an answer stops at a violation', () => holds('streaming.ts'));
  it('openai-sdk: the fetch of an SDK checks', () => holds('openai-sdk.ts'));
  it('ai-sdk: middleware checks prompts, answers and streams', () => holds('ai-sdk.ts'));
  it('openai-agents: guardrails check messages and tools', () => holds('openai-agents.ts'));
  it('langchain: middleware checks messages and tools', () => holds('langchain.ts'));
  it('litellm: the guardrail answers as a gateway is told', () => holds('litellm.ts'));
  it('agent: calls, results and the answer are checked', { skip }, () => holds('agent.py'));
  it('logs: lines are checked in batches', () => holds('logs.ts'));

  it('webhook-receiver: takes what Weir has signed, and nothing else', async () => {
    const { child, output } = running['webhook-receiver.ts']!;
    if (child.exitCode === null) await once(child, 'exit');
    const said = (await output).replace(/^Waiting.*\n/, '').trim();
    // Which of the flagged checks is told first is not said, and others may come with it.
    const told = [...toldBy('webhook-receiver.ts').prints.trim().split('\n').slice(1), ...said.split('\n')];
    assert.ok(told.length > 1, said);
    for (const line of told) {
      assert.match(line.trim(), /^(?:session of chat|message of prod) violates [\w ]+ \((?:high|medium)\)$/);
    }
  });

  it('parquet: violations become a file', async () => {
    await system.archived();
    await holds('parquet.sh');
    const file = readFileSync(join(folder, 'violations.parquet'));
    for (const mark of [file.subarray(0, 4), file.subarray(-4)]) assert.equal(mark.toString(), 'PAR1');
  });

  it('policy: its tests pass', () => holds('policy/tests.yaml'));
  it('images: are judged by a policy for images', () => holds('images.ts'));

  it('are all listed, tried here, and import the client by its name', () => {
    const listed = linksOf(readPage(`${FOLDER}/README.md`)).filter((link) => !link.startsWith('../'));
    const programs = readdirSync(join(packageRoot, FOLDER)).filter((name) => /\.(?:ts|sh|py)$/.test(name));
    assert.deepEqual(listed.filter((link) => !link.includes('/')).sort(), programs.sort());
    for (const program of programs) {
      const { run, prints } = toldBy(program);
      assert.ok(run.includes(`${FOLDER}/${program}`) && prints !== '', program);
      // Types are gone where it runs.
      const source = readFileSync(join(packageRoot, FOLDER, program), 'utf8').replaceAll(/^import type [^;]+;$/gm, '');
      for (const [, from] of source.matchAll(/ from '([^']+)'/g))
        assert.ok(from === CLIENT || from!.startsWith('node:'), from);
    }
  });
});
