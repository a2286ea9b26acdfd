/**
 * Ordinary texts that are the same everywhere: documentation, licences, code and configuration of the packages that the lockfile pins.
 * Packages that only some machines have are left out.
 */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { cannotRead, FileError, readTextAtMost } from '../../../shared/files.js';
import { packageRoot } from '../../../shared/paths.js';
import { hashOf } from '../random.js';

export interface PackageFile {
  kind: string;
  /** folder of the package: its files are never on both sides of a split */
  package: string;
  path: string;
}

const LOCKFILE = 'package-lock.json';
const MAX_LOCKFILE_BYTES = 8 * 1024 * 1024;
const MAX_FILE_BYTES = 4 * 1024 * 1024;
/** Files of a kind that a package gives, so that none stands for all. */
const MOST_OF_PACKAGE = 60;
const MOST_DEPTH = 8;

/** The first that fits a path says the kind. */
const KINDS: readonly [kind: string, fits: RegExp][] = [
  ['licence', /(^|\/)(licen[cs]e|copying|notice|copyright|third-?party)[^/]*$/i],
  ['changelog', /(^|\/)(change|history|release|upgrad|migrat)[^/]*\.(md|markdown|txt)$/i],
  ['documentation', /\.(md|markdown|txt|rst)$/i],
  ['types', /\.d\.[cm]?ts$/],
  ['code', /\.([cm]?js|[cm]?ts|jsx|tsx)$/],
  ['data', /\.json$|(^|\/)\.(eslintrc|nycrc|prettierrc)$/],
  [
    'configuration',
    /\.(ya?ml|toml|ini|editorconfig|npmignore|gypi?|gitignore|lock)$|(^|\/)\.[a-z]+(rc|ignore|config)$/,
  ],
  ['other code', /\.(sh|ps1|py|c|cc|h|hpp|rs|go|java|rb|lua|css|html|svg|xml)$/],
];

/**
 * Packages that came after the models were trained. With them, other texts would be kept apart than those that the figures are of. When all
 * models are trained anew, they are taken in: this list is empty then.
 */
const CAME_LATER: ReadonlySet<string> = new Set(
  [
    '@ai-sdk/provider',
    '@lezer/common',
    '@lezer/highlight',
    '@lezer/lr',
    '@modelcontextprotocol/client',
    '@modelcontextprotocol/core',
    '@modelcontextprotocol/server',
    '@opentelemetry/api-logs',
    '@opentelemetry/core',
    '@opentelemetry/exporter-trace-otlp-http',
    '@opentelemetry/otlp-exporter-base',
    '@opentelemetry/otlp-transformer',
    '@opentelemetry/resources',
    '@opentelemetry/sdk-logs',
    '@opentelemetry/sdk-metrics',
    '@opentelemetry/sdk-trace',
    '@opentelemetry/sdk-trace-base',
    '@opentelemetry/semantic-conventions',
    '@prometheus-io/lezer-promql',
    'accepts',
    'accepts/node_modules/mime-db',
    'accepts/node_modules/mime-types',
    'axe-core',
    'content-disposition',
    'content-type',
    'cookies',
    'cross-spawn',
    'cross-spawn/node_modules/isexe',
    'cross-spawn/node_modules/which',
    'deep-equal',
    'delegates',
    'depd',
    'destroy',
    'ee-first',
    'encodeurl',
    'escape-html',
    'eventsource',
    'eventsource-parser',
    'fresh',
    'http-assert',
    'http-assert/node_modules/depd',
    'http-assert/node_modules/http-errors',
    'http-assert/node_modules/statuses',
    'http-errors',
    'jose',
    'json-schema',
    'keygrip',
    'koa',
    'koa-compose',
    'media-typer',
    'mime-db',
    'mime-types',
    'negotiator',
    'oauth4webapi',
    'oidc-provider',
    'on-finished',
    'openid-client',
    'parseurl',
    'path-key',
    'pkce-challenge',
    'preact',
    'setprototypeof',
    'shebang-command',
    'shebang-regex',
    'statuses',
    'toidentifier',
    'tsscmp',
    'type-is',
    'type-is/node_modules/content-type',
    'vary',
    'zod',
  ].map((name) => `node_modules/${name}`),
);

/** All files of text, sorted. Throws an `Error` where the packages are not installed. */
export function packageFiles(): PackageFile[] {
  return pinned().flatMap((folder) => {
    const paths = filesOf(join(packageRoot, folder), 0).map((path) => `${folder}/${path}`);
    return KINDS.flatMap(([kind]) =>
      paths
        .filter((path) => kindOf(path) === kind)
        .sort((a, b) => hashOf(a) - hashOf(b))
        .slice(0, MOST_OF_PACKAGE)
        .map((path) => ({ kind, package: folder, path })),
    );
  });
}

/** The text of a file; empty where it has too many bytes. */
export function textOfPackage({ path }: PackageFile): string {
  try {
    return readTextAtMost(join(packageRoot, path), MAX_FILE_BYTES);
  } catch (error) {
    if (error instanceof FileError) return '';
    throw error;
  }
}

const kindOf = (path: string): string | undefined => KINDS.find(([, fits]) => fits.test(path))?.[0];

interface LockedPackage {
  os?: unknown;
  cpu?: unknown;
  libc?: unknown;
  optional?: boolean;
  devOptional?: boolean;
}

function pinned(): string[] {
  const path = join(packageRoot, LOCKFILE);
  try {
    const { packages } = JSON.parse(readTextAtMost(path, MAX_LOCKFILE_BYTES)) as {
      packages: Record<string, LockedPackage>;
    };
    return Object.entries(packages)
      .filter(
        ([folder, { os, cpu, libc, optional, devOptional }]) =>
          folder !== '' && !CAME_LATER.has(folder) && !os && !cpu && !libc && !optional && !devOptional,
      )
      .map(([folder]) => folder)
      .sort();
  } catch (error) {
    throw cannotRead(path, error);
  }
}

/** Paths below `folder`, without those of packages within it. */
function filesOf(folder: string, depth: number): string[] {
  if (depth > MOST_DEPTH) return [];
  return readdirSync(folder, { withFileTypes: true })
    .sort((a, b) => (a.name < b.name ? -1 : 1))
    .flatMap((entry) => {
      if (entry.isFile()) return [entry.name];
      if (!entry.isDirectory() || entry.name === 'node_modules') return [];
      return filesOf(join(folder, entry.name), depth + 1).map((path) => `${entry.name}/${path}`);
    });
}
