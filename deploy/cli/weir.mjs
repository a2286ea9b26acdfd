#!/usr/bin/env node
// Starts the compiled command line; the sources cannot run as they are.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../../dist/deploy/cli/main.js', import.meta.url);
if (!existsSync(fileURLToPath(main))) {
  console.error('weir is not built yet: run "npm run build" (or "npm start", which builds it) in the folder of weir.');
  process.exit(1);
}
// Whoever reads our output may have enough of it, such as "head": that is no failure of the command.
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error) => {
    if (error.code !== 'EPIPE') throw error;
  });
}
const { run } = await import(main.href);
process.exitCode = await run(process.argv.slice(2), {
  out: (line) => process.stdout.write(`${line}\n`),
  err: (line) => process.stderr.write(`${line}\n`),
});
