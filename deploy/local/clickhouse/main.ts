/**
 * The embedded ClickHouse engine as a process of its own. When it answers, it sends `{"ready":true,"port":N}` to the
 * process that started it, or prints it as one line. On SIGTERM and SIGINT it lets queries under way finish and exits
 * with 0.
 */
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { stopSignals } from '../../../shared/process/shutdown.js';
import { loadSettings, SettingsError } from '../../../shared/settings.js';
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
    // A longer query is cut off. Ending the engine under it would abort the process anyway, and stored data is safe.
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
