/**
 * `npm run pack:client`: makes the client for TypeScript a package of its own, and prints where its archive lies. It is made of what the
 * build has left of `shared/client`: one module, one file of types, no dependency. `package.json` beside this file has its name.
 *
 *     node deploy/clients/typescript/pack.mjs [folder, default dist/clients]
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { declarationsOf } from './declarations.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');
const importBuilt = (module) => import(pathToFileURL(join(dist, `${module}.js`)).href);

/** Of each endpoint only what calls need: its words and examples, for the OpenAPI document, are twice as long as the client. */
const endpoints = {
  name: 'endpoints',
  setup({ onLoad }) {
    onLoad({ filter: /shared[\\/]api[\\/]endpoints\.js$/ }, async () => {
      const [{ ENDPOINTS }, { CALLED_BY }] = await Promise.all(
        ['shared/api/endpoints', 'shared/client/transport'].map(importBuilt),
      );
      const called = Object.entries(ENDPOINTS).map(([name, endpoint]) => [
        name,
        Object.fromEntries(CALLED_BY.flatMap((key) => (key in endpoint ? [[key, endpoint[key]]] : []))),
      ]);
      return { contents: `export const ENDPOINTS = ${JSON.stringify(Object.fromEntries(called))};` };
    });
  },
};

const out = process.argv[2] ?? join(dist, 'clients');
const folder = join(out, 'typescript');
rmSync(folder, { recursive: true, force: true });
mkdirSync(folder, { recursive: true });

const { metafile } = await build({
  absWorkingDir: root,
  entryPoints: [join(dist, 'shared/client/index.js')],
  outfile: join(folder, 'index.js'),
  bundle: true,
  plugins: [endpoints],
  format: 'esm',
  // Nothing of Node is known there, so an import of it ends the build.
  platform: 'neutral',
  target: 'es2022',
  minifyWhitespace: true,
  minifySyntax: true,
  legalComments: 'none',
  metafile: true,
  logLevel: 'warning',
});
const foreign = Object.values(metafile.outputs).flatMap(({ imports }) => imports.map(({ path }) => path));
if (foreign.length > 0) throw new Error(`The client imports ${foreign.join(', ')}: it must run without anything else.`);

const { proseOf } = await importBuilt('shared/api/openapi/forms');
writeFileSync(join(folder, 'index.d.ts'), declarationsOf(join(dist, 'shared/client/index.d.ts'), dist, proseOf));
const template = JSON.parse(readFileSync(join(here, 'package.json'), 'utf8'));
const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
const { name, ...rest } = template;
writeFileSync(join(folder, 'package.json'), `${JSON.stringify({ name, version, ...rest }, undefined, 2)}\n`);
copyFileSync(join(here, 'README.md'), join(folder, 'README.md'));
copyFileSync(join(root, 'LICENSE'), join(folder, 'LICENSE'));

const packed = execFileSync('npm', ['pack', '--json', '--offline', '--pack-destination', out], {
  cwd: folder,
  encoding: 'utf8',
  stdio: ['ignore', 'pipe', 'inherit'],
});
const [{ filename, size, unpackedSize }] = JSON.parse(packed);
console.log(`${relative(process.cwd(), join(out, filename))} (${size} bytes, ${unpackedSize} unpacked)`);
