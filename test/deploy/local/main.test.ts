import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { it } from 'node:test';
import { packageRoot } from '#weir/shared/paths';

it('Ctrl-C while it starts ends it in order, without saying that it answers', async () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-start-'));
  const ports = { WEIR_PORT: '0', WEIR_REDIS_PORT: '0', WEIR_CLICKHOUSE_PORT: '0', WEIR_METRICS_PORT: '0' };
  const child = spawn(process.execPath, [join(packageRoot, 'dist/deploy/local/main.js')], {
    env: { ...process.env, ...ports, WEIR_DATA_DIR: folder, WEIR_REDIS_MAXMEMORY: '256mb' },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let said = '';
  let welcome = '';
  let asked = false;
  child.stdout.on('data', (chunk: Buffer) => {
    welcome += chunk.toString();
  });
  child.stderr.on('data', (chunk: Buffer) => {
    said += chunk.toString();
    if (asked || !said.includes('Starting workers')) return;
    asked = true;
    child.kill('SIGINT');
  });
  const [code] = await once(child, 'close');
  assert.equal(code, 130, said);
  assert.equal(welcome, '');
  assert.match(said, /Starting workers and ingress …\nStopping once it has started .*\n(.*\n)*Stopped\.\n$/);
  assert.deepEqual(readdirSync(folder).sort(), ['clickhouse', 'passwords.json', 'reader.netrc', 'redis']);
  rmSync(folder, { recursive: true });
});
