/**
 * The embedded ClickHouse engine as a process of its own. Says `{"ready":true,"port":N}` when it answers, to the process
 * that started it or else in one line on standard output;
 * SIGTERM and SIGINT let queries under way finish and exit with 0.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { loadSettings, SettingsError } from '../../../shared/settings.js';
import { stopSignals } from '../../../shared/shutdown.js';
import { passwordsOf } from '../credentials.js';
import { startClickHouse } from './server.js';

const DRAIN_MS = 10_000;

async function main(): Promise<void> {
  const settings = loadSettings(process.env, ['clickhousePort', 'clickhouseDatabase', 'dataDir']);
  mkdirSync(settings.dataDir, { recursive: true, mode: 0o700 });
  const server = await startClickHouse({
    passwords: passwordsOf(settings.dataDir),
    dataDir: join(settings.dataDir, 'clickhouse'),
    port: settings.clickhousePort,
    database: settings.clickhouseDatabase,
  });
  let stopping = false;
  const stop = (): void => {
    if (stopping) return;
    stopping = true;
    // Ending the engine under a query aborts the process anyway; what is stored is stored by then.
    setTimeout(() => process.kill(process.pid, 'SIGKILL'), DRAIN_MS).unref();
    server.close().then(() => process.exit(0));
  };
  for (const signal of stopSignals()) process.on(signal, stop);
  const ready = { ready: true, port: server.port };
  if (process.send) process.send(ready);
  else process.stdout.write(`${JSON.stringify(ready)}\n`);
}

main().catch((error: unknown) => {
  const { code, message } = error as NodeJS.ErrnoException;
  const text =
    error instanceof SettingsError
      ? message
      : code === 'EADDRINUSE'
        ? 'WEIR_CLICKHOUSE_PORT names a port that is taken: stop what listens there or choose another.'
        : `The ClickHouse engine cannot start: ${message}`;
  process.stderr.write(`${text}\n`);
  process.exit(1);
});
