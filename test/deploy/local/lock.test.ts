import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, describe, it } from 'node:test';
import { LockedError, lockFolder } from '#weir/deploy/local/lock';
import { checkPorts, PortTaken } from '#weir/deploy/local/ports';
import { SettingsError } from '#weir/shared/settings';

describe('the lock of a data folder', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-lock-'));
  after(() => rmSync(folder, { recursive: true }));

  it('counts while its process lives, and names the process', () => {
    const release = lockFolder(folder);
    assert.throws(
      () => lockFolder(folder),
      (error: unknown) => error instanceof LockedError && error.message.includes(`process ${process.pid}`),
    );
    release();
    lockFolder(folder)();
    assert.deepEqual(readdirSync(folder), []);
  });

  it('does not count when its process is gone, or another one has the id', async () => {
    const child = spawn(process.execPath, ['-e', ''], { stdio: 'ignore' });
    await new Promise((next) => child.once('exit', next));
    for (const left of [`${child.pid} 123`, `${process.pid} 1`, 'damaged', '']) {
      writeFileSync(join(folder, 'lock'), left);
      lockFolder(folder)();
    }
  });

  it('reports in a sentence that a folder cannot be made', () => {
    const wrong = join(folder, 'file', 'data');
    writeFileSync(join(folder, 'file'), '');
    assert.throws(
      () => lockFolder(wrong),
      (error: unknown) => {
        assert.ok(error instanceof SettingsError);
        assert.match(error.message, /^WEIR_DATA_DIR names .*data, which cannot be written to \(ENOTDIR\): /);
        return true;
      },
    );
  });
});

describe('checkPorts', () => {
  it('names the variable of a port that is taken or set twice', async () => {
    const taken = createServer().listen(0, '127.0.0.1');
    await new Promise((next) => taken.once('listening', next));
    const { port } = taken.address() as { port: number };
    const wanted = { variable: 'WEIR_PORT', port, host: '127.0.0.1', what: 'the HTTP interface' };
    await assert.rejects(checkPorts([wanted], 0), (error: unknown) => {
      assert.ok(error instanceof PortTaken);
      assert.match(error.message, /^Port \d+, for the HTTP interface, is taken: .*WEIR_PORT/);
      return true;
    });
    const waiting = checkPorts([wanted], 5000);
    setTimeout(() => taken.close(), 50);
    await waiting;
    await checkPorts(
      [
        { ...wanted, port: 0 },
        { ...wanted, port: 0 },
      ],
      0,
    );
    await assert.rejects(checkPorts([wanted, { ...wanted, variable: 'WEIR_REDIS_PORT' }], 0), /is set twice/);
  });

  it('does not call a port taken when this machine does not have the address', async () => {
    // An address for documentation (RFC 5737), which no machine has.
    const wanted = { variable: 'WEIR_PORT', port: 18080, host: '192.0.2.1', what: 'the HTTP interface' };
    await assert.rejects(checkPorts([wanted], 60_000), /cannot be had at 192\.0\.2\.1 \(EADDRNOTAVAIL\): .*WEIR_HOST/);
  });
});
