/**
 * `npm run pack:client`: makes the client for TypeScript a package of its own, and prints where its archive lies. It is made of what the
 * build has left of `shared/client`: one module, one file of types, no dependency. `package.json` beside this file has its name.
 *
 *     node deploy/clients/typescript/pack.mjs [folder, default dist/clients]
 */
import { execFileSync } from 'node:child_process';
import { copyFileSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { basename, join, relative } from 'node:path';
import { fileURLToPath, pathToFileURL } from 'node:url';
import { build } from 'esbuild';
import { declarationsOf } from './declarations.mjs';

const root = fileURLToPath(new URL('../../..', import.meta.url));
const here = fileURLToPath(new URL('.', import.meta.url));
const dist = join(root, 'dist');
const importBuilt = (module) => import(pathToFileURL(join(dist, `${module}.js`)).href);

const client = (await importBuilt('shared/client/client')).createClient({ url: 'http://127.0.0.1', apiKey: 'none' });
const { CALLED_BY } = await importBuilt('shared/client/transport');
const sources = readdirSync(join(dist, 'shared/client'), { recursive: true })
  .filter((name) => name.endsWith('.js'))
  .map((name) => readFileSync(join(dist, 'shared/client', name), 'utf8'))
  .join('');

/** Of endpoints that the client has a method for, what calls go by. Their words and examples are longer than the client. */
function endpointsOf({ ENDPOINTS }) {
  const called = Object.entries(ENDPOINTS).flatMap(([name, endpoint]) => {
    const known = CALLED_BY.flatMap((key) => (key in endpoint ? [[key, endpoint[key]]] : []));
    return name in client ? [[name, Object.fromEntries(known)]] : [];
  });
  return { ENDPOINTS: Object.fromEntries(called) };
}

/** The limits that the client names. */
function limitsOf({ LIMITS }) {
  return { LIMITS: Object.fromEntries(Object.entries(LIMITS).filter(([name]) => sources.includes(`LIMITS.${name}`))) };
}

/** Modules of which the client needs a part of a constant, which no bundler knows. */
const SHORTENED = { endpoints: endpointsOf, limits: limitsOf };
const shortened = {
  name: 'shortened',
  setup({ onLoad }) {
    onLoad({ filter: /shared[\\/]api[\\/](?:endpoints|limits)\.js$/ }, async ({ path }) => {
      const name = basename(path, '.js');
      const [[constant, value]] = Object.entries(SHORTENED[name](await importBuilt(`shared/api/${name}`)));
      const { VERSIONS } = await importBuilt('shared/api/versions');
      // Most endpoints have all versions, which the client has anyway.
      const text = JSON.stringify(value).replaceAll(JSON.stringify(VERSIONS), 'VERSIONS');
      return { contents: `import { VERSIONS } from './versions.js'; export const ${constant} = ${text};` };
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
  plugins: [shortened],
  format: 'esm',
  // Nothing of Node is known there, so an import of it ends the build.
  platform: 'neutral',
  target: 'es2022',
  minify: true,
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
