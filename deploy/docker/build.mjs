/**
 * `npm run images`: builds the images of Weir and prints their sizes.
 *
 *   npm run images -- [TARGET…] [--tag TAG] [--with docker|podman|buildah] [--own-base] [-- ARGUMENTS]
 *
 * TARGET: ingress, worker, all (default: these three). An image is called weir-TARGET:TAG; TAG is the version by default. What stands
 * behind `--` goes to the program that builds, for example `--build-arg BASE_IMAGE=…` or `--push`.
 *
 * `--own-base` needs no registry: Debian's mmdebstrap makes the base, with the Node and npm of this machine. It needs root and buildah.
 * Where NODE_EXTRA_CA_CERTS is set, npm trusts these certificates in the build, too.
 */
import { execFileSync, spawnSync } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, realpathSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';

const root = fileURLToPath(new URL('../..', import.meta.url));
const HERE = 'deploy/docker';
const TARGETS = ['ingress', 'worker', 'all'];
/** Debian, and the same with Node and npm. */
const OWN = { base: 'localhost/weir-base:own', node: 'localhost/weir-node:own' };

/** How each builds one target, and says its size. The format of Docker keeps the health check: that of OCI has none. */
const BUILDERS = {
  docker: { build: ['build'], size: ['image', 'inspect', '--format', '{{.Size}}'] },
  podman: { build: ['build', '--format', 'docker', '--layers'], size: ['image', 'inspect', '--format', '{{.Size}}'] },
  buildah: {
    build: [
      'bud',
      '--format',
      'docker',
      '--layers',
      '--force-rm',
      '--isolation',
      'chroot',
      '--ignorefile',
      `${HERE}/Dockerfile.dockerignore`,
    ],
  },
};

const works = (command) => spawnSync(command, ['version'], { stdio: 'ignore', timeout: 20_000 }).status === 0;
const output = (command, args) => execFileSync(command, args, { cwd: root, encoding: 'utf8' }).trim();
const show = (command, args) => execFileSync(command, args, { cwd: root, stdio: ['ignore', 'inherit', 'inherit'] });

/** What an image says of itself, from package.json and git. */
function about() {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'));
  const git = (...args) => {
    const asked = spawnSync('git', args, { cwd: root, encoding: 'utf8' });
    return asked.status === 0 ? asked.stdout.trim() : '';
  };
  const revision = git('rev-parse', 'HEAD') || 'unknown';
  // The time of the commit: the same sources make the same label.
  const created = git('log', '-1', '--format=%cd', '--date=format-local:%Y-%m-%dT%H:%M:%SZ') || '1970-01-01T00:00:00Z';
  return { version, revision, created };
}

/** The folder of npm beside the Node that runs this. */
function npmFolder() {
  const folder = join(dirname(dirname(realpathSync(process.execPath))), 'lib/node_modules/npm');
  if (!existsSync(folder)) throw new Error(`There is no npm in ${folder}: --own-base takes the one beside Node.`);
  return folder;
}

const has = (image) => spawnSync('buildah', ['inspect', '--type', 'image', image], { stdio: 'ignore' }).status === 0;

/** As in the images of Debian that are called "slim": no manuals and translations. With the hook no Perl is needed to merge /usr. */
const LEAN = [
  '--variant=apt',
  '--include=usr-is-merged,passwd',
  '--hook-dir=/usr/share/mmdebstrap/hooks/merged-usr',
  '--dpkgopt=path-exclude=/usr/share/man/*',
  '--dpkgopt=path-exclude=/usr/share/doc/*',
  '--dpkgopt=path-include=/usr/share/doc/*/copyright',
  '--dpkgopt=path-exclude=/usr/share/locale/*',
];

/** Makes base images of packages of this Debian, and its Node. Keeps those that are there. */
function makeOwnBases() {
  if (has(OWN.base) && has(OWN.node)) return;
  const release = /^VERSION_CODENAME=(.+)$/m.exec(readFileSync('/etc/os-release', 'utf8'))?.[1];
  const folder = mkdtempSync(join(tmpdir(), 'weir-base-'));
  const archive = join(folder, 'base.tar');
  let container;
  try {
    show('mmdebstrap', ['--quiet', ...LEAN, release, archive]);
    container = output('buildah', ['from', 'scratch']);
    show('buildah', ['add', '--quiet', container, archive, '/']);
    show('buildah', ['commit', '--quiet', container, OWN.base]);
    show('buildah', ['copy', '--quiet', container, realpathSync(process.execPath), '/usr/local/bin/node']);
    show('buildah', ['copy', '--quiet', container, npmFolder(), '/usr/local/lib/node_modules/npm']);
    const link = 'ln -s ../lib/node_modules/npm/bin/npm-cli.js /usr/local/bin/npm';
    show('buildah', ['run', '--isolation', 'chroot', container, '--', 'sh', '-c', link]);
    show('buildah', ['commit', '--quiet', container, OWN.node]);
  } finally {
    if (container) output('buildah', ['rm', container]);
    rmSync(folder, { recursive: true, force: true });
  }
}

/** Bytes of an image. buildah prints sizes rounded, so its files are counted. */
function sizeOf(builder, image) {
  if (builder !== 'buildah') return Number(output(builder, [...BUILDERS[builder].size, image]));
  const container = output('buildah', ['from', image]);
  try {
    const folder = output('buildah', ['mount', container]);
    return Number(output('du', ['--summarize', '--bytes', '--one-file-system', folder]).split('\t')[0]);
  } finally {
    output('buildah', ['rm', container]);
  }
}

function main() {
  const all = process.argv.slice(2);
  const rest = all.includes('--') ? all.splice(all.indexOf('--')).slice(1) : [];
  const { positionals, values } = parseArgs({
    args: all,
    options: { tag: { type: 'string' }, with: { type: 'string' }, 'own-base': { type: 'boolean' } },
    allowPositionals: true,
  });
  const unknown = positionals.find((target) => !TARGETS.includes(target));
  if (unknown) throw new Error(`There is no target "${unknown}": targets are ${TARGETS.join(', ')}.`);
  const named = values.with ?? (values['own-base'] ? 'buildah' : undefined);
  if (named !== undefined && !Object.hasOwn(BUILDERS, named))
    throw new Error(`--with must be one of ${Object.keys(BUILDERS).join(', ')}, but is "${named}".`);
  const builder = named ?? Object.keys(BUILDERS).find(works);
  if (!builder || !works(builder))
    throw new Error(`${builder ?? 'None of docker, podman and buildah'} runs here: install one that builds images.`);
  if (values['own-base'] && builder !== 'buildah') throw new Error('--own-base works with buildah alone.');
  if (values['own-base']) makeOwnBases();

  const { version, revision, created } = about();
  const bases = values['own-base'] ? { NODE_IMAGE: OWN.node, BASE_IMAGE: OWN.base } : {};
  const args = { ...bases, VERSION: version, REVISION: revision, CREATED: created };
  const ca = process.env.NODE_EXTRA_CA_CERTS;
  const secret = ca && existsSync(ca) ? ['--secret', `id=ca,src=${ca}`] : [];
  for (const target of positionals.length > 0 ? positionals : TARGETS) {
    const image = `weir-${target}:${values.tag ?? version}`;
    const started = performance.now();
    const given = Object.entries(args).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]);
    show(builder, [
      ...BUILDERS[builder].build,
      '-f',
      `${HERE}/Dockerfile`,
      '--target',
      target,
      ...given,
      ...secret,
      '-t',
      image,
      ...rest,
      '.',
    ]);
    const seconds = Math.round((performance.now() - started) / 1000);
    console.log(`${image}: ${Math.round(sizeOf(builder, image) / 1e6)} MB, built in ${seconds} s`);
  }
}

try {
  main();
} catch (error) {
  // The program that was run has said what is wrong.
  console.error(
    error.status === undefined
      ? error.message
      : `Building failed: ${error.path ?? error.spawnargs?.[0] ?? 'a program'} ended with ${error.status}.`,
  );
  process.exit(1);
}
