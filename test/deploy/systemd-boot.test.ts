/**
 * The units, run by systemd: WEIR_UNITS=1 node test/run.mjs test/deploy/systemd-boot. It boots a systemd beside that of the machine, so it is
 * asked for, and needs root.
 */
import assert from 'node:assert/strict';
import { chmodSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { applyConfiguration } from '#weir/deploy/cli/configuration/applying';
import { freePort } from '#weir/deploy/local/ports';
import { DEMO_KEY } from '#weir/shared/configuration/api-keys';
import { packageRoot } from '#weir/shared/paths';
import { copyFiles, filesOf } from '../../deploy/docker/prune.mjs';
import { startTestClickHouse, type TestClickHouse } from '../support/stores/clickhouse.ts';
import { startTestRedis, type TestRedis } from '../support/stores/redis.ts';
import { bootAndRun, systemNode, withoutSystemd } from '../support/systemd.ts';

const skip =
  process.env.WEIR_UNITS === '1'
    ? (withoutSystemd() ?? (systemNode() ? false : 'no /usr/bin/node'))
    : 'it boots a systemd: WEIR_UNITS=1 asks for it';

const read = (name: string): string => readFileSync(join(packageRoot, 'deploy/systemd', name), 'utf8');

describe('the units of systemd, run by it', { skip }, () => {
  const tree = mkdtempSync(join(tmpdir(), 'weir-tree-'));
  let redis: TestRedis;
  let engine: TestClickHouse;
  before(async () => {
    copyFiles(filesOf(['ingress', 'worker'], { root: packageRoot }), packageRoot, tree);
    // The user of the units reads it.
    chmodSync(tree, 0o755);
    [redis, engine] = await Promise.all([startTestRedis(), startTestClickHouse()]);
    const text = readFileSync(join(packageRoot, 'deploy/local/weir.yaml'), 'utf8');
    await applyConfiguration({ redisUrl: redis.url, text, file: 'weir.yaml' });
  });
  after(async () => {
    await redis?.close();
    await engine?.close();
    rmSync(tree, { recursive: true, force: true });
  });

  const boot = async (more: Record<string, string> = {}): Promise<string> => {
    const [port, one, two, worker] = [await freePort(), await freePort(), await freePort(), await freePort()];
    const settings = `WEIR_REDIS_URL=${redis.url}\nWEIR_CLICKHOUSE_URL=${engine.url}\nWEIR_PORT=${port}\n`;
    const units = `weir-ingress@${one} weir-ingress@${two} weir-worker@${worker}`;
    return bootAndRun({
      folders: { '/opt/weir': tree },
      files: {
        '/etc/systemd/system/weir.target': read('weir.target'),
        '/etc/systemd/system/weir-ingress@.service': read('weir-ingress@.service'),
        '/etc/systemd/system/weir-worker@.service': read('weir-worker@.service'),
        '/usr/lib/sysusers.d/weir.conf': read('sysusers.conf'),
        '/usr/lib/tmpfiles.d/weir.conf': read('tmpfiles.conf'),
        '/etc/weir/weir.env': settings,
        ...more,
      },
      script: `chmod 0600 /etc/weir/weir.env
systemd-sysusers weir.conf; systemd-tmpfiles --create weir.conf
systemctl enable --quiet ${units}
systemctl start weir.target
for try in $(seq 600); do curl -sf -o /dev/null http://127.0.0.1:${port}/readyz && break; sleep 0.1; done
curl -s http://127.0.0.1:${port}/api/session/check -H 'Authorization: Bearer ${DEMO_KEY}' -H 'service-version: 2026-06-01' \\
  -H 'Content-Type: application/json' -d '{"messages":[{"role":"user","content":"Please charge my card 4111 1111 1111 1111."}]}'
echo
curl -s http://127.0.0.1:${worker}/metrics | grep ^weir_image_confined
ps -o user= -C node | sort | uniq -c
systemctl stop ${units}
systemctl show -p Id,Result,ExecMainStatus,ActiveState ${units}
journalctl --no-pager -o cat -u weir-worker@${worker} -u weir-ingress@${one}`,
    });
  };
  const confined = (said: string): Record<string, string> =>
    Object.fromEntries(
      [...said.matchAll(/confined\{from="(\w+)".*\} (\d)/g)].map(([, from, value]) => [from!, value!]),
    );

  it('give verdicts, confine what reads images, and stop in order', async () => {
    const said = await boot();
    assert.match(said, /"flagged":true/, said);
    assert.deepEqual(confined(said), { network: '1', user: '1', privileges: '1', files: '1' }, said);
    assert.match(said, /^ +3 weir$/m, 'three processes of the user without rights');
    assert.equal([...said.matchAll(/^Result=success$/gm)].length, 3, said);
    assert.equal([...said.matchAll(/^ActiveState=inactive$/gm)].length, 3, said);
    assert.match(said, /"msg":"worker ready"/, 'the journal has the log');
  });

  it('run in the tighter sandbox as well', async () => {
    const said = await boot({
      '/etc/systemd/system/weir-worker@.service.d/without-images.conf': read('weir-worker-without-images.conf'),
    });
    assert.match(said, /"flagged":true/, said);
    assert.deepEqual(confined(said), { network: '0', user: '0', privileges: '1', files: '0' });
    assert.equal([...said.matchAll(/^Result=success$/gm)].length, 3, said);
  });
});
