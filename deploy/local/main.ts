/**
 * `npm start`: runs everything on this machine, in the foreground. Ctrl-C (or SIGTERM) stops all parts in order. A second
 * one ends them by force.
 */
import { resolve } from 'node:path';
import { DEMO_KEY } from '../../shared/configuration/api-keys.js';
import { packageRoot } from '../../shared/paths.js';
import { asBlock } from '../../shared/printable.js';
import { rootWarning } from '../../shared/process/start.js';
import { describeSettings, loadSettings, type Settings, SettingsError } from '../../shared/settings.js';
import { unknownVariables } from '../../shared/unknown-variables.js';
import { filesBeside, readSourceFile } from '../cli/configuration/file.js';
import { readerFile } from './credentials.js';
import { explain } from './explain.js';
import type { InstallationPart } from './processes/part.js';
import { supervise } from './processes/supervise.js';
import { type Stack, type StackOptions, startStack } from './stack.js';

const say = (line: string): void => {
  process.stderr.write(`${asBlock(line)}\n`);
};

async function main(): Promise<void> {
  if (process.argv.includes('--help') || process.argv.includes('-h')) {
    process.stdout.write(
      `Weir on this machine: npm start\n\nSettings (environment variables):\n${describeSettings()}\n`,
    );
    return;
  }
  const settings = loadSettings();
  for (const warning of [rootWarning(), unknownVariables()]) if (warning) say(warning);
  const configuration = readConfiguration(settings.config);
  const starting = startStack({
    dataDir: settings.dataDir,
    ports: {
      ingress: settings.port,
      metrics: settings.metricsPort,
      redis: settings.redisPort,
      clickhouse: settings.clickhousePort,
    },
    configuration,
    // A file that is named is applied. The sample is only for an installation without a configuration.
    keep: !process.env.WEIR_CONFIG,
    appendfsync: settings.redisFsync as 'always' | 'everysec' | 'no',
    maxMemory: settings.redisMaxMemory,
    partitions: settings.partitions,
    region: settings.region,
    database: settings.clickhouseDatabase,
    env: { WEIR_LOG_LEVEL: process.env.WEIR_LOG_LEVEL || 'warn' },
    say,
  });
  const stopEarly = onStop(async () => {
    say('Stopping once it has started … (Ctrl-C again: at once)');
    const stack = await starting.catch(() => undefined);
    await stack?.close();
    say('Stopped.');
    process.exit(130);
  });
  const stack = await starting.catch((error: unknown) => {
    // Ctrl-C also ends a part that did not yet ignore it.
    if (!stopEarly.asked()) throw error;
  });
  if (!stack || stopEarly.asked()) return;
  stopEarly.cancel();
  watch(stack);
  process.stdout.write(welcome(stack, settings));
}

/** Keeps the parts running, and ends them on a signal. */
function watch(stack: Stack): void {
  const stop = async (code: number): Promise<void> => {
    supervisor.stop();
    await stack.close();
    say('Stopped.');
    process.exit(code);
  };
  const supervisor = supervise(stack.parts, {
    say,
    giveUp: (part) => {
      say(`${part.name} ended too often: stopping everything.`);
      void stop(1);
    },
  });
  onStop(() => {
    say('Stopping … (Ctrl-C again: at once)');
    return stop(0);
  }, stack);
}

/** Calls `stop` on the first signal; the second one ends everything by force. */
function onStop(stop: () => Promise<void>, stack?: Stack): { asked(): boolean; cancel(): void } {
  let asked = false;
  const listener = (): void => {
    if (asked) {
      for (const part of stack?.parts ?? []) if (part.running) process.kill(part.pid, 'SIGKILL');
      process.exit(1);
    }
    asked = true;
    stop().catch((error: unknown) => {
      say(explain(error));
      process.exit(1);
    });
  };
  const signals = ['SIGINT', 'SIGTERM', 'SIGHUP'] as const;
  for (const signal of signals) process.on(signal, listener);
  return {
    asked: () => asked,
    cancel: () => {
      for (const signal of signals) process.removeListener(signal, listener);
    },
  };
}

function readConfiguration(file: string): NonNullable<StackOptions['configuration']> {
  // The default is a file of the package. A path that is given is relative to the caller's folder.
  const path = process.env.WEIR_CONFIG ? resolve(file) : resolve(packageRoot, file);
  try {
    return { text: readSourceFile(path), file, files: filesBeside(path) };
  } catch (error) {
    throw new SettingsError(`WEIR_CONFIG: ${(error as Error).message}. Name a readable YAML file.`);
  }
}

/** Formats JSON by what is surely there. */
const FORMAT = "node -p 'JSON.stringify(JSON.parse(fs.readFileSync(0)), null, 2)'";

function welcome(stack: Stack, settings: Settings): string {
  const metricsOf = (name: string, part: InstallationPart | undefined): string =>
    `http://${settings.metricsHost}:${part?.ready.metricsPort}/metrics (${name})`;
  const body = { messages: [{ role: 'user', content: 'Please charge my card 4111 1111 1111 1111.' }] };
  const query = `SELECT ts, type, event_id, flagged, violation.name FROM ${settings.clickhouseDatabase}.results ORDER BY ts DESC LIMIT 10 FORMAT Vertical`;
  return `
Weir answers at ${stack.url}
  ${stack.demoKey ? `demo key   ${DEMO_KEY}` : 'keys       those of the configuration'}
  metrics    ${metricsOf('ingress', stack.ingresses[0])}
             ${metricsOf('worker', stack.archiver)}
  data       ${resolve(settings.dataDir)} (survives a restart)

Try it in a browser: ${stack.url}; look into what was checked: ${stack.url}/console (they ask for the key). Or in another terminal:

export WEIR=${stack.url} KEY=${stack.demoKey ? DEMO_KEY : "'<API key>'"}

curl -s "$WEIR/api/session/check?policies=flagged" -H "Authorization: Bearer $KEY" \\
  -H 'service-version: 2026-06-01' -H 'Content-Type: application/json' \\
  -d '${JSON.stringify(body)}' |
  ${FORMAT}

What was checked is in ClickHouse a few seconds later:

curl -s --netrc-file ${quoted(readerFile(resolve(settings.dataDir)))} ${stack.sqlUrl} --data-binary "${query}"

Next: a policy of your own, docs/first-policy.md; programs, docs/examples/README.md.
Ctrl-C stops everything.
`;
}

/** Quoted for a shell, where it needs quotes. */
const quoted = (path: string): string => (/^[\w./-]+$/.test(path) ? path : `'${path.replaceAll("'", "'\\''")}'`);

main().catch((error: unknown) => {
  say(explain(error));
  process.exit(1);
});
