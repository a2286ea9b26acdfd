/** `npm run fuzz`: many requests, progress, an exit code. */
import { parseArgs } from 'node:util';
import { fuzz } from './run.ts';

const USAGE = `Usage: npm run fuzz [-- --requests N] [--seed N] [--connections N]

  --requests     generated requests to send (default 100000)
  --seed         which ones (default: random; a failure prints it)
  --connections  connections that send at the same time (default 12)
`;

function number(text: string | undefined, fallback: number, name: string): number {
  if (text === undefined) return fallback;
  const value = Number(text);
  if (!Number.isInteger(value) || value < 0)
    throw new Error(`--${name}: expected a whole number, but it is "${text}".`);
  return value;
}

async function main(): Promise<void> {
  const { values } = parseArgs({
    options: {
      requests: { type: 'string' },
      seed: { type: 'string' },
      connections: { type: 'string' },
      help: { type: 'boolean', short: 'h' },
    },
  });
  if (values.help) {
    process.stdout.write(USAGE);
    return;
  }
  const seed = number(values.seed, Math.floor(Math.random() * 2 ** 31), 'seed');
  const requests = number(values.requests, 100_000, 'requests');
  const connections = Math.max(1, number(values.connections, 12, 'connections'));
  console.log(`Seed ${seed}: ${requests} requests over ${connections} connections.`);
  const report = await fuzz({ requests, seed, connections, say: console.log });
  const statuses = Object.entries(report.statuses).map(([status, count]) => `${status}: ${count}`);
  console.log(`${report.sent} requests and ${report.lookups} look-ups in ${report.seconds} s, all as documented.`);
  console.log(`Answers by status (0: the connection was ended): ${statuses.join(', ')}`);
}

main().catch((error: unknown) => {
  console.error(error instanceof Error ? error.message : error);
  process.exit(1);
});
