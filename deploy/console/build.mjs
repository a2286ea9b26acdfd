/** Makes the console: the page, one script and one style sheet below `dist/console`, which ingress serves. Plain JavaScript: it runs as part of the build. */
import { copyFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';

const folder = dirname(fileURLToPath(import.meta.url));
const outdir = join(folder, '../../dist/console');

await build({
  entryPoints: [
    { in: join(folder, 'main.tsx'), out: 'console' },
    { in: join(folder, 'console.css'), out: 'console' },
  ],
  outdir,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  jsx: 'automatic',
  jsxImportSource: 'preact',
  legalComments: 'eof',
  logLevel: 'warning',
});
copyFileSync(join(folder, 'index.html'), join(outdir, 'index.html'));
