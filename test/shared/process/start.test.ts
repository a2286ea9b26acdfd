import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { packageRoot, programPath } from '#weir/shared/paths';
import { startTestRedis } from '../../support/stores/redis.js';
import { until } from '../../support/wait.js';

interface Ended {
  status: number | null;
  stdout: string;
  stderr: string;
}

/** How a program ends. */
const ended = (args: string[], env: Record<string, string> = {}): Ended =>
  spawnSync(process.execPath, args, { encoding: 'utf8', env: { ...process.env, ...env }, timeout: 60_000 });

/** The one line of a process that could not start or go on. */
function fatalOf({ status, stdout, stderr }: Ended): Record<string, unknown> & { err?: Record<string, unknown> } {
  assert.deepEqual([status, stderr], [1, ''], stdout);
  const lines = stdout.trimEnd().split('\n');
  assert.equal(lines.length, 1, stdout);
  const fatal = JSON.parse(lines[0]!);
  assert.equal(fatal.level, 'fatal');
  assert.equal(new Date(fatal.time).toISOString(), fatal.time);
  return fatal;
}

/** A process whose `run` is this. */
const running = (run: string): string[] => [
  '--input-type=module',
  '--eval',
  `import { start } from ${JSON.stringify(join(packageRoot, 'dist/shared/process/start.js'))};
start('test', async () => ({ run: async () => { ${run} } }));`,
];

const SECRET = 'jane.doe@example.com';
/** As a client attaches to an error what was sent. */
const ERROR = `Object.assign(new TypeError('it broke'), { command: { args: ['${SECRET}'] } })`;

describe('a process that cannot start', () => {
  it('says what setting is wrong, and what to do, in one line of its log, also where it is silent', () => {
    for (const program of ['ingress', 'worker']) {
      const fatal = fatalOf(ended([programPath(program)], { WEIR_METRICS_PORT: 'x', WEIR_LOG_LEVEL: 'silent' }));
      assert.equal(fatal.name, program);
      assert.equal(fatal.msg, 'WEIR_METRICS_PORT must be a whole number from 0 to 65535, but is "x".');
      assert.match(String(fatal.next), /--help lists all settings/);
      assert.equal(fatal.err, undefined, 'its stack says nothing to an operator');
    }
    const role = fatalOf(ended([programPath('worker')], { WEIR_ROLES: 'cook' }));
    assert.match(String(role.msg), /^WEIR_ROLES may hold .* but names "cook"\.$/);
    assert.match(String(fatalOf(ended([programPath('worker')], { WEIR_LOG: 'loud' })).msg), /^WEIR_LOG must be one of/);
  });

  it('says so in a line for people where that is asked for', () => {
    const { status, stdout } = ended([programPath('ingress')], { WEIR_PORT: 'x', WEIR_LOG: 'pretty' });
    assert.equal(status, 1);
    assert.match(
      stdout,
      /^[\d:.]{12} FATAL ingress\[\d+\] WEIR_PORT must be .*\n {4}Correct the setting and start it again; .*\n$/,
    );
  });

  it('says which port is taken, and which settings name it', async () => {
    const redis = await startTestRedis();
    const server = createServer();
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
    const taken = String((server.address() as AddressInfo).port);
    try {
      const env = { WEIR_REDIS_URL: redis.url, WEIR_LOG_LEVEL: 'error', WEIR_PORT: '0', WEIR_METRICS_PORT: taken };
      const fatal = fatalOf(ended([programPath('ingress')], env));
      assert.equal(fatal.msg, `The port ${taken} of 127.0.0.1, for metrics, cannot be had (EADDRINUSE).`);
      assert.match(String(fatal.next), /WEIR_METRICS_PORT/);
      assert.equal(fatal.err, undefined);
    } finally {
      server.close();
      await redis.close();
    }
  });

  it('gives type and stack of an error that it does not know, and nothing that hangs on it', () => {
    const { msg, err, next } = fatalOf(ended(running(`throw ${ERROR};`)));
    assert.equal(msg, 'it broke');
    assert.deepEqual(Object.keys(err!).sort(), ['message', 'stack', 'type']);
    assert.equal(err!.type, 'TypeError');
    assert.match(String(next), /report it/);
  });
});

describe('a process that runs', () => {
  it('has a log for people where that is asked for, without colours where there is no terminal', async () => {
    const redis = await startTestRedis();
    const env = { WEIR_REDIS_URL: redis.url, WEIR_LOG: 'pretty', WEIR_LOG_LEVEL: 'info', WEIR_STOP_DELAY_MS: '0' };
    const child = spawn(process.execPath, [programPath('ingress')], {
      env: { ...process.env, ...env, WEIR_PORT: '0', WEIR_METRICS_PORT: '0' },
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    let said = '';
    child.stdout.on('data', (chunk) => {
      said += chunk;
    });
    try {
      const closed = once(child, 'close');
      await until('it is ready', () => said.includes('ingress ready'));
      child.kill('SIGTERM');
      await closed;
      assert.match(said, /^[\d:.]{12} INFO {2}ingress\[\d+\] ingress ready port=\d+ metricsPort=\d+$/m);
      assert.match(said, / INFO {2}ingress\[\d+\] ingress stopped\n$/);
      assert.ok(!said.includes('\u001b'));
    } finally {
      child.kill('SIGKILL');
      await redis.close();
    }
  });
});

describe('a process that an error ends while it runs', () => {
  it('says so in one line of its log, without what hangs on the error', () => {
    for (const run of [
      `setImmediate(() => { throw ${ERROR}; });`,
      `setImmediate(() => void Promise.reject(${ERROR}));`,
    ]) {
      const told = ended(running(run));
      const { name, msg, err, next } = fatalOf(told);
      assert.equal(name, 'test');
      assert.equal(msg, 'an error that nothing has caught ended this process');
      assert.equal(err!.message, 'it broke');
      assert.match(String(next), /^Start it again: others take over/);
      assert.ok(!told.stdout.includes(SECRET));
    }
  });

  it('says of what is no error nothing but its type', () => {
    const told = ended(running(`setImmediate(() => { throw '${SECRET}'; });`));
    assert.equal(fatalOf(told).err!.type, 'string');
    assert.ok(!told.stdout.includes(SECRET));
  });
});
