/** Makes the console: the page, one script and one style sheet below `dist/console`, which ingress serves. Plain JavaScript: it runs as part of the build. */
import { copyFileSync, readdirSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { build } from 'esbuild';
import { parse } from 'yaml';

const folder = dirname(fileURLToPath(import.meta.url));
const outdir = join(folder, '../../dist/console');

/** The packs that ship with Weir, with how often each flags what it should not: for `parts/packs.tsx`. */
function packs() {
  const from = join(folder, '../packs');
  const { cases, ordinary } = JSON.parse(readFileSync(join(from, 'figures.json'), 'utf8'));
  const names = readdirSync(from).filter((name) => name.endsWith('.yaml'));
  return names.sort().map((file) => {
    const name = file.replace(/\.yaml$/, '');
    const { version, title, policies } = parse(readFileSync(join(from, file), 'utf8'));
    return {
      name,
      version,
      title,
      policies: policies.map((policy) => {
        const flagged = ordinary.flagged[name]?.[policy.name];
        if (flagged === undefined) throw new Error(`deploy/packs/figures.json has nothing of ${name}: ${policy.name}`);
        return { name: policy.name, severity: policy.severity ?? 'medium', flagged, of: ordinary.texts };
      }),
      cases: cases.filter((one) => one.packs.includes(name)).map(({ texts, flagged, of }) => ({ texts, flagged, of })),
    };
  });
}

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
  define: { WEIR_PACKS: JSON.stringify(packs()) },
  logLevel: 'warning',
});
copyFileSync(join(folder, 'index.html'), join(outdir, 'index.html'));
