import assert from 'node:assert/strict';
import { spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readlinkSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createLogger } from '#weir/shared/log';
import { packageRoot } from '#weir/shared/paths';
import { Registry } from '#weir/shared/telemetry';
import {
  type Confinement,
  confine,
  findCommand,
  strongest,
  UNCONFINED,
  waysOf,
} from '#weir/workers/child-process/confine';
import { createDecoder } from '#weir/workers/images/decode/pool';
import { startTextReader } from '#weir/workers/images/read/text-reader';
import { scene } from '../../support/images/images.ts';
import { needTesseract } from '../../support/images/tesseract.ts';
import { lives } from '../../support/installation/processes.ts';
import { until } from '../../support/wait.ts';

const ROOT = process.getuid?.() === 0;
const logger = createLogger('test', 'silent');
const onLinux = process.platform === 'linux';

/** Runs as a user without rights, if the test runs as root. */
function asNobody(way: Confinement): Confinement {
  const drop = ['--reuid=64998', '--regid=64998', '--clear-groups', '--'];
  return {
    ...way,
    wrap: (program, args) => {
      const { command, args: more } = way.wrap(program, args);
      return { command: findCommand('setpriv')!, args: [...drop, command, ...more] };
    },
  };
}

/** Ways that work here: of this user, and of one without rights. */
const ways = (hidden: string[]): Confinement[] => {
  const own = waysOf(process.getuid?.(), hidden);
  const others = ROOT && findCommand('setpriv') ? waysOf(64_998, hidden).map(asNobody) : [];
  return [...own, ...others].filter((way) => strongest([way]) === way);
};

describe('a confined process', { skip: !onLinux }, () => {
  let folder: string;
  before(() => {
    folder = mkdtempSync(join(tmpdir(), 'weir-secrets-'));
    writeFileSync(join(folder, 'secret'), 'of the stores', { mode: 0o600 });
  });
  after(() => rmSync(folder, { recursive: true }));

  it('cannot reach what its way says, and no way is weaker than the next one', () => {
    const found = ways([folder]);
    assert.ok(found.length > 0, 'no way works here, not even setpriv');
    const look = `
      readlink /proc/self/ns/net
      sed -n 's/^NoNewPrivs:\\t//p; s/^CapEff:\\t//p' /proc/self/status
      cat ${join(folder, 'secret')} /proc/${process.pid}/environ 2>/dev/null | wc -c
      touch ${join(folder, 'new')} 2>/dev/null; true`;
    for (const way of found) {
      const { command, args } = way.wrap('/bin/sh', ['-c', look]);
      const { stdout, status } = spawnSync(command, args, { encoding: 'utf8', env: {}, cwd: '/', timeout: 20_000 });
      assert.equal(status, 0, way.name);
      const [network, ...lines] = stdout.trim().split('\n');
      const [capabilities, noNew, bytes] = lines;
      const { from } = way;
      if (from.includes('network')) assert.notEqual(network, readlinkSync('/proc/self/ns/net'), way.name);
      if (from.includes('privileges')) assert.equal(noNew, '1', way.name);
      if (from.includes('network')) assert.match(capabilities ?? '', /^0+$/, way.name);
      if (from.includes('user') || from.includes('files')) assert.equal(bytes?.trim(), '0', way.name);
      // The process sees another, empty folder in place of a hidden one.
      if (from.includes('files')) assert.equal(existsSync(join(folder, 'new')), false, way.name);
      rmSync(join(folder, 'new'), { force: true });
    }
  });

  it('hides no root where that is the home of its user', { skip: !findCommand('bwrap') }, () => {
    const { HOME } = process.env;
    process.env.HOME = '/';
    try {
      for (const way of waysOf(64_998, [])) assert.doesNotMatch(way.wrap('x', []).args.join(' '), /--tmpfs \/ /);
    } finally {
      if (HOME === undefined) delete process.env.HOME;
      else process.env.HOME = HOME;
    }
  });

  it('is started by users without a name and a home, too, as containers have them', {
    skip: !ROOT || !findCommand('setpriv'),
  }, () => {
    const path = join(packageRoot, 'dist/workers/child-process/confine.js');
    const code = `import(${JSON.stringify(path)}).then(({ waysOf }) => console.log(waysOf(process.getuid(), []).length > 0))`;
    const drop = ['--reuid=1000660000', '--regid=0', '--clear-groups', '--', process.execPath, '-e', code];
    const { stdout, stderr } = spawnSync(findCommand('setpriv')!, drop, {
      encoding: 'utf8',
      env: { PATH: process.env.PATH },
      cwd: '/',
      timeout: 20_000,
    });
    assert.equal(stdout.trim(), 'true', stderr);
  });

  it('decodes as usual, and ends when it is told to', async () => {
    const png = await scene(64, 48).png().toBuffer();
    for (const confinement of ways([])) {
      const decoder = createDecoder({ workers: 1, confinement, cpuMs: 20_000, limitMs: 20_000 });
      const result = await decoder.decode(png, { renditions: [], hash: true });
      assert.ok(result.ok && result.hash, `${confinement.name}: ${JSON.stringify(result)}`);
      const [pid] = decoder.pids();
      await decoder.close();
      await until('the process is gone', () => !lives(pid!));
    }
  });

  it('reads text as usual', async () => {
    needTesseract();
    const white = { width: 64, height: 64, channels: 1 as const, data: Buffer.alloc(64 * 64, 255) };
    for (const confinement of ways([])) {
      const reader = await startTextReader({ confinement, logger, limitMs: 60_000 });
      assert.equal(reader.unavailable, undefined, confinement.name);
      assert.deepEqual(await reader.read(white), { ok: true, text: '' }, confinement.name);
      await reader.close();
    }
  });
});

describe('the choice of a confinement', () => {
  it('falls back to none if nothing works, and logs what is lacking', async () => {
    const broken: Confinement = { ...UNCONFINED, name: 'broken', wrap: () => ({ command: '/bin/false', args: [] }) };
    assert.equal(strongest([broken]), UNCONFINED);
    const registry = new Registry();
    assert.equal(confine({ logger, registry, hidden: [], wanted: false }), UNCONFINED);
    assert.match(await registry.metrics(), /weir_image_confined\{from="network"\} 0/);
  });

  it('is shown by a metric', { skip: !onLinux }, async () => {
    const registry = new Registry();
    const { from } = confine({ logger, registry, hidden: [], wanted: true });
    const text = await registry.metrics();
    for (const kind of ['network', 'user', 'privileges', 'files'] as const) {
      assert.ok(text.includes(`weir_image_confined{from="${kind}"} ${from.includes(kind) ? 1 : 0}`), kind);
    }
  });
});
