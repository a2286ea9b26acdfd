#!/usr/bin/env node
// Starts the compiled command line. The sources cannot run without a build.
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

const main = new URL('../../dist/programs/weir.js', import.meta.url);
if (!existsSync(fileURLToPath(main))) {
  console.error('weir is not built yet: run "npm run build" (or "npm start", which builds it) in the folder of weir.');
  process.exit(1);
}
// A reader of our output, such as "head", may close it early. This is no failure of the command.
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
