/**
 * Makes each test process one file with all that it imports, and parts that several share: Node loads a few files in half the time
 * of several hundred. Types are stripped on the way.
 */
import { join, relative } from 'node:path';
import { pathToFileURL } from 'node:url';
import { build } from 'esbuild';

/**
 * What stays an import: packages that find files of their own or native code by where they are, and modules that start themselves as
 * a process.
 */
const LEFT_OUT = [
  'chdb',
  'sharp',
  'uWebSockets.js',
  'onnxruntime-node',
  'piscina',
  'swagger-ui-dist',
  'playwright-core',
];
const WHERE_THEY_ARE = /^(?:dist[\\/]bench|deploy)[\\/]/;

const imports = (root) => ({
  name: 'imports',
  setup({ onResolve }) {
    onResolve({ filter: /^(?:\.|#weir\/)/ }, ({ path, resolveDir }) => {
      const file = path.startsWith('.')
        ? join(resolveDir, path)
        : `${join(root, 'dist', path.slice('#weir/'.length))}.js`;
      if (WHERE_THEY_ARE.test(relative(root, file))) return { path: pathToFileURL(file).href, external: true };
      // Tests name each other's sources, with either ending.
      return path.startsWith('.') ? undefined : { path: file };
    });
  },
});

/** Bundles `entries`, paths of modules by the name of the bundle, into `folder`. */
export async function bundle(root, entries, folder) {
  await build({
    absWorkingDir: root,
    entryPoints: Object.entries(entries).map(([out, path]) => ({ in: path, out })),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    chunkNames: 'parts/[name]-[hash]',
    bundle: true,
    splitting: true,
    plugins: [imports(root)],
    external: LEFT_OUT,
    format: 'esm',
    platform: 'node',
    target: 'node20',
    sourcemap: 'linked',
    // Node reads the map of each file that it loads. The sources are where the map says.
    sourcesContent: false,
    // Packages of the older kind of modules ask for Node's own by `require`.
    banner: {
      js: "import { createRequire as requireOf } from 'node:module'; const require = requireOf(import.meta.url);",
    },
    logLevel: 'error',
  });
}
