/**
 * Makes each program one file with all that it imports, below `dist/programs`: Node loads some hundred modules one by one, which
 * takes it twice as long. Imports are split where programs load them later, or programs of a group share them. Plain JavaScript: it runs
 * as part of the build.
 */
import { readdirSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { commitOf } from './commit.mjs';

/** What runs as a process or thread of its own: the name of its file, and its module below `dist`. */
const PROGRAMS = {
  ingress: 'ingress/main',
  'parsing-thread': 'ingress/parse/thread-main',
  'versions-thread': 'ingress/versions/thread-main',
  worker: 'workers/main',
  'evaluation-thread': 'workers/evaluator/threads/thread',
  'metrics-thread': 'workers/metrics/thread',
  decoder: 'workers/images/decode/process',
  model: 'workers/onnx/process/main',
  'model-watch': 'workers/onnx/process/watch',
  'hash-list-loader': 'workers/images/known-lists/loader',
  clickhouse: 'deploy/local/clickhouse/main',
  'end-with-parent': 'deploy/local/processes/end-with-parent',
  start: 'deploy/local/main',
  weir: 'deploy/cli/main',
  'backtest-thread': 'deploy/cli/backtest/thread',
};

/**
 * These share no files with others: what all share is cut into a hundred, of which each costs a start as much as its content. So what is
 * imported into one of them (`end-with-parent`) has modules of its own.
 */
const ALONE = ['ingress', 'worker', 'evaluation-thread'];
const GROUPS = [...ALONE.map((name) => [name]), Object.keys(PROGRAMS).filter((name) => !ALONE.includes(name))];

/** Packages that find files of their own, or native code, by where they are. */
const LEFT_OUT = ['chdb', 'sharp', 'uWebSockets.js', 'onnxruntime-node', 'piscina', 'swagger-ui-dist'];

const root = fileURLToPath(new URL('..', import.meta.url));
const dist = join(root, 'dist');
const outdir = join(dist, 'programs');
const commit = commitOf(root);

const bundle = (names) =>
  build({
    absWorkingDir: root,
    entryPoints: names.map((out) => ({ in: join(dist, `${PROGRAMS[out]}.js`), out })),
    outdir,
    bundle: true,
    splitting: true,
    chunkNames: 'parts/[name]-[hash]',
    format: 'esm',
    platform: 'node',
    target: 'node20',
    external: LEFT_OUT,
    sourcemap: 'linked',
    // For `shared/build.ts`.
    define: commit === undefined ? {} : { WEIR_COMMIT: JSON.stringify(commit) },
    // Packages of the older kind of modules ask for Node's own by `require`.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    metafile: true,
    logLevel: 'warning',
  });
// One after the other: parts that are alike in two groups are one file.
const made = new Set();
for (const names of GROUPS) {
  const { metafile } = await bundle(names);
  for (const name of Object.keys(metafile.outputs)) made.add(join(root, name));
}
// What an earlier build left goes last: a program that starts meanwhile finds all of its parts.
for (const entry of readdirSync(outdir, { recursive: true, withFileTypes: true })) {
  const path = join(entry.parentPath, entry.name);
  if (entry.isFile() && !made.has(path)) rmSync(path);
}
