/** Strips the types of the tests, into `dist/test`: to have each test process do it would cost all of them a third more. */
import { mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';
import { build } from 'esbuild';

/** Leaves each import what it is; tests name each other's sources, with either ending, and scripts of the project by their place. */
const imports = (root) => ({
  name: 'imports',
  setup({ onResolve }) {
    onResolve({ filter: /./ }, ({ path, kind, resolveDir }) => {
      if (kind === 'entry-point') return undefined;
      const outside = path.startsWith('.') && relative(join(root, 'test'), join(resolveDir, path)).startsWith('..');
      const place = outside ? relative(join(root, 'dist', relative(root, resolveDir)), join(resolveDir, path)) : path;
      return { path: place.replace(/^(\..*)\.ts$/, '$1.js'), external: true };
    });
  },
});

/** Transpiles `sources`, paths below `root` such as `test/support/wait.ts`. */
export async function transpile(root, sources) {
  const { outputFiles } = await build({
    absWorkingDir: root,
    entryPoints: sources.filter((name) => name.endsWith('.ts') && !name.endsWith('.d.ts')),
    outbase: 'test',
    outdir: 'dist/test',
    write: false,
    // Imports are looked at only when bundling; since they stay imports, each file is made by itself.
    bundle: true,
    plugins: [imports(root)],
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'inline',
    logLevel: 'error',
  });
  for (const source of sources.filter((name) => name.endsWith('.mjs'))) {
    outputFiles.push({ path: join(root, 'dist', source), contents: readFileSync(join(root, source)) });
  }
  for (const { path, contents } of outputFiles) writeIfChanged(path, contents);
}

/** At once, so that another run that reads the file meanwhile finds the whole of it. */
function writeIfChanged(path, contents) {
  try {
    if (readFileSync(path).equals(contents)) return;
  } catch {
    mkdirSync(dirname(path), { recursive: true });
  }
  const part = `${path}.${process.pid}`;
  writeFileSync(part, contents);
  renameSync(part, path);
}
