/**
 * Copies what a host or an image needs to run Weir, and nothing else, out of a built checkout:
 *
 *   node deploy/docker/prune.mjs FOLDER TARGET…        targets: ingress, worker, all
 *
 * This is the one place that decides what an image has. Programs are taken with the parts that they load, packages by what these
 * import. Of packages with native code only the binary of this platform is taken. Plain JavaScript without dependencies: it runs in
 * the build of an image.
 */
import { cpSync, existsSync, lstatSync, mkdirSync, readdirSync, readFileSync, realpathSync } from 'node:fs';
import { isBuiltin } from 'node:module';
import { dirname, join, relative, sep } from 'node:path';
import { fileURLToPath } from 'node:url';
import { thisHost, unsupported } from '../preflight.mjs';

const COMMANDS = ['weir', 'backtest-thread'];
const INGRESS = ['ingress', 'parsing-thread', 'versions-thread', ...COMMANDS];
const WORKER = [
  'worker',
  'evaluation-thread',
  'metrics-thread',
  'decoder',
  'model',
  'model-watch',
  'hash-list-loader',
  ...COMMANDS,
];

/** The programs of each target (`deploy/programs.mjs`), and packages that it goes without although one of them could load them. */
export const TARGETS = {
  // Commands that decode images or run models need the target `worker`, and say so (`deploy/cli/main.ts`).
  ingress: { programs: INGRESS, without: ['sharp', 'onnxruntime-node'] },
  worker: { programs: WORKER, without: [] },
  all: { programs: [...INGRESS, ...WORKER, 'start', 'clickhouse', 'end-with-parent'], without: [] },
};

/** Files besides programs that these read, by folder and ending. Whole names are files. */
const DATA = [
  ['package.json'],
  ['LICENSE'],
  ['deploy/preflight.mjs'],
  ['deploy/progress.mjs'],
  ['deploy/local/redis/binary.mjs'],
  ['deploy/cli/weir.mjs'],
  ['deploy/docker/health.mjs'],
  ['deploy/local', '.yaml'],
  ['deploy/cli/plan', '.json'],
  ['deploy/packs', '.yaml'],
  ['ingress', '.html'],
  ['dist/console', '.html', '.js', '.css'],
  ['shared', '.lua', '.sql', '.txt', '.yaml', '.bin'],
];

/** What nothing loads at run time, of any package. */
const NOT_LOADED = /\.(?:map|d\.[cm]?ts|ts|md|markdown)$|(?:^|\/)(?:examples|tests?|docs|\.github)\//;

/**
 * Packages of which a part is enough. `keep`: only these files. `drop`: all but these. `alone`: dependencies that only their install
 * scripts use, which nobody runs here.
 */
const rulesOf = ({ platform, arch, abi }) => ({
  'uWebSockets.js': {
    keep: (path) =>
      ['package.json', 'LICENSE', 'uws.js', 'ESM_wrapper.mjs', `uws_${platform}_${arch}_${abi}.node`].includes(path),
  },
  'onnxruntime-node': {
    drop: (path) =>
      path.startsWith('script/') || (path.startsWith('bin/') && !path.startsWith(`bin/napi-v6/${platform}/${arch}/`)),
    alone: ['adm-zip', 'global-agent'],
  },
  'onnxruntime-common': { drop: (path) => path.startsWith('lib/') },
  // Of the pages only what `ingress/routes/docs.ts` serves.
  'swagger-ui-dist': {
    keep: (path) =>
      /^(?:package\.json|LICENSE|NOTICE|swagger-ui-bundle\.js|swagger-ui\.css|favicon-32x32\.png)$/.test(path),
    alone: ['@scarf/scarf'],
  },
  'libphonenumber-js': { drop: (path) => /^(?:bundle|es6|es6-modern|source)\//.test(path) },
  sharp: { drop: (path) => /^(?:src|install)\//.test(path) },
  chdb: { alone: ['node-addon-api'] },
});

const slashed = (path) => path.split(sep).join('/');

/** Paths of the files below a folder, from it. */
function filesBelow(folder) {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() || entry.isSymbolicLink())
    .map((entry) => slashed(relative(folder, join(entry.parentPath, entry.name))));
}

/** Specifiers in what esbuild writes. `createRequire` is called `require2` there where a file has several. */
const SPECIFIERS = [
  /^(?:import|export)\b[^"';]*?["']([^"'\n]+)["'];?$/gm,
  /\bimport\(["']([^"'\n]+)["']\)/g,
  /\brequire\d*\(["']([^"'\n]+)["']\)/g,
  /\bresolve\d*\(["']((?:@[\w.-]+\/)?[\w.-]+(?:\/[\w./-]+)?)["']\)/g,
];

/**
 * Files of a program (itself and the parts that it loads, also later), and the specifiers of packages that they name.
 * @param {string} root
 * @param {string} program
 * @returns {{files: string[], specifiers: string[]}} files from `root`
 */
export function reachOf(root, program) {
  const files = new Set();
  const specifiers = new Set();
  const visit = (path) => {
    if (files.has(path) || !existsSync(path)) return;
    files.add(path);
    const text = readFileSync(path, 'utf8');
    for (const pattern of SPECIFIERS) {
      for (const [, specifier] of text.matchAll(pattern)) {
        if (specifier.startsWith('.')) visit(join(dirname(path), specifier));
        else if (!isBuiltin(specifier)) specifiers.add(specifier);
      }
    }
  };
  const start = join(root, 'dist/programs', `${program}.js`);
  if (!existsSync(start)) throw new Error(`dist/programs/${program}.js is missing: run "npm run build" first.`);
  visit(start);
  return { files: [...files].map((path) => slashed(relative(root, path))), specifiers: [...specifiers] };
}

/** `@a/b/c` → `@a/b`, `a/b` → `a` */
export const packageOf = (specifier) =>
  specifier
    .split('/')
    .slice(0, specifier.startsWith('@') ? 2 : 1)
    .join('/');

/** The folder of an installed package, seen from `folder`; undefined where it is not installed. */
function folderOf(root, folder, name) {
  for (let at = folder; ; at = dirname(at)) {
    const path = join(at, 'node_modules', name);
    if (existsSync(join(path, 'package.json'))) return path;
    if (at === root || at === dirname(at)) return undefined;
  }
}

function addPackage(root, folder, { rules, files, seen }) {
  if (seen.has(folder)) return;
  seen.add(folder);
  const {
    name,
    dependencies = {},
    optionalDependencies = {},
  } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8'));
  // A package may be installed under another name.
  const rule = rules[slashed(relative(root, folder)).split('node_modules/').at(-1)] ?? rules[name] ?? {};
  for (const path of filesBelow(folder)) {
    if (path.startsWith('node_modules/') || NOT_LOADED.test(path)) continue;
    if (rule.keep ? rule.keep(path) : !rule.drop?.(path)) files.add(slashed(relative(root, join(folder, path))));
  }
  for (const needed of Object.keys({ ...dependencies, ...optionalDependencies })) {
    if (rule.alone?.includes(needed)) continue;
    const found = folderOf(root, folder, needed);
    if (found) addPackage(root, found, { rules, files, seen });
    else if (!(needed in optionalDependencies)) throw new Error(`${needed}, which ${name} needs, is not installed.`);
  }
}

/**
 * What `targets` need.
 * @param {readonly string[]} targets
 * @param {{root: string, platform?: string, arch?: string, abi?: string}} options  `abi`: version of Node's modules
 * @returns {string[]} paths from `root`, sorted
 */
export function filesOf(
  targets,
  { root, platform = process.platform, arch = process.arch, abi = process.versions.modules },
) {
  const rules = rulesOf({ platform, arch, abi });
  const files = new Set();
  const seen = new Set();
  for (const target of targets) {
    const { programs, without } = TARGETS[target];
    for (const program of programs) {
      const reach = reachOf(root, program);
      for (const file of reach.files) files.add(file);
      for (const name of new Set(reach.specifiers.map(packageOf))) {
        const folder = without.includes(name) ? undefined : folderOf(root, root, name);
        // What is not installed is a name in a text of a program, or an optional package: tests load what is imported.
        if (folder) addPackage(root, folder, { rules, files, seen });
      }
    }
  }
  for (const [path, ...endings] of DATA) {
    if (endings.length === 0) files.add(path);
    else
      for (const file of filesBelow(join(root, path)))
        if (endings.some((end) => file.endsWith(end))) files.add(`${path}/${file}`);
  }
  return [...files].sort();
}

/** Copies `files` from `root` into `folder`. Returns their bytes. */
export function copyFiles(files, root, folder) {
  let bytes = 0;
  for (const file of files) {
    const from = realpathSync(join(root, file));
    const to = join(folder, file);
    mkdirSync(dirname(to), { recursive: true });
    cpSync(from, to);
    bytes += lstatSync(to).size;
  }
  return bytes;
}

function main([folder, ...targets]) {
  const wrong = unsupported(thisHost());
  if (wrong) throw new Error(wrong);
  if (folder === undefined || targets.length === 0 || !targets.every((target) => Object.hasOwn(TARGETS, target)))
    throw new Error(
      `Usage: node deploy/docker/prune.mjs FOLDER TARGET…  (targets: ${Object.keys(TARGETS).join(', ')})`,
    );
  if (existsSync(folder) && readdirSync(folder).length > 0)
    throw new Error(`${folder} is not empty: name a new folder, or remove that one first.`);
  const root = fileURLToPath(new URL('../..', import.meta.url)).replace(/\/$/, '');
  const files = filesOf(targets, { root });
  const bytes = copyFiles(files, root, folder);
  console.log(`${folder}: ${targets.join(', ')}, ${files.length} files, ${Math.round(bytes / 1e6)} MB`);
}

if (process.argv[1] && realpathSync(process.argv[1]) === fileURLToPath(import.meta.url)) {
  try {
    main(process.argv.slice(2));
  } catch (error) {
    console.error(error.message);
    process.exit(1);
  }
}
