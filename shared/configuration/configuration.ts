/**
 * Reads a configuration (YAML or JSON), checks all of it and fills in the defaults. If anything is wrong, nothing is read: the result
 * is a list of problems with file, line and column.
 */

import { readBackend } from './backends.js';
import { createExpander, type ExpandedPack, type PackOrigin, placeIn } from './expand-packs.js';
import { readMetric } from './metrics.js';
import { readHook } from './notify.js';
import type { PackSource } from './packs.js';
import {
  type Cursor,
  clip,
  complain,
  createReport,
  type Files,
  type Finding,
  fieldsOf,
  listOf,
  noteShape,
  shapeReport,
} from './read/fields.js';
import { readLogin } from './read/logins.js';
import { resolveNames } from './read/names.js';
import { checkReferences } from './read/references.js';
import {
  readDeployment,
  readEnvironment,
  readKey,
  readRegions,
  readRetention,
  readRisk,
  readTeam,
} from './read/resources.js';
import { type JsonSchema, schemaDocument } from './read/shape.js';
import { type ConfigurationPath, type ConfigurationText, MAX_CONFIGURATION_LENGTH, readSource } from './read/source.js';
import { type VariableOf, warningsOf } from './read/warnings.js';
import { addDefaults, defaultTeams, fillDefaults, noteTeams } from './short-forms.js';
import { CONFIGURATION_VERSION, type Configuration, type Problem } from './types.js';

export * from './types.js';

/**
 * `packs`: what the packs that it names have become. `warnings`: what is allowed and has no effect, or not with the variables of
 * `environment`; worked out on request.
 */
export type LoadedConfiguration =
  | {
      ok: true;
      configuration: Configuration;
      packs: readonly ExpandedPack[];
      /** the file does not say which keys there are */
      keyless: boolean;
      warnings(environment?: VariableOf): Problem[];
    }
  | { ok: false; problems: Problem[] };

const MAX_ITEMS = 20_000;
const MAX_BACKENDS = 1000;
const MAX_HOOKS = 1000;
const MAX_LOGINS = 1000;
const KEYS = [
  'version',
  'teams',
  'keys',
  'policies',
  'metrics',
  'deployments',
  'environments',
  'risk',
  'retention',
  'packs',
  'backends',
  'notify',
  'logins',
  'regions',
] as const;

/**
 * `file`: the name that problems show. `files` are those that it names, `packs` the packs that it may name. Without `files` it is a
 * version that is stored: everything must stand in it, and it is held to the rules of its time.
 */
export function loadConfiguration(
  text: string,
  file = 'configuration',
  files?: Files,
  packs?: PackSource,
): LoadedConfiguration {
  const source = readSource(text);
  if (source.errors.length > 0) return { ok: false, problems: problemsIn(file, source, []) };
  const report = createReport(files);
  const read = readConfiguration({ report, value: source.value, path: [] }, packs);
  const origins = read?.origins ?? [];
  if (read) resolveNames(read.configuration, report);
  if (read && report.findings.length === 0) checkReferences(read.configuration, report);
  if (!read || report.findings.length > 0) {
    const findings = report.findings.map((finding) => ({ ...finding, path: placeIn(origins, finding.path) }));
    return { ok: false, problems: problemsIn(file, source, findings) };
  }
  const { configuration } = read;
  const size = storedLength(configuration, text, files !== undefined || packs !== undefined);
  if (size > MAX_CONFIGURATION_LENGTH) {
    const message = `the configuration has ${size} characters with its aliases and defaults written out, as it is stored; at most ${MAX_CONFIGURATION_LENGTH} are read`;
    return { ok: false, problems: [{ file, line: 1, column: 1, path: '', message }] };
  }
  const warnings = (environment?: VariableOf): Problem[] => {
    const all = warningsOf(configuration, environment).map(({ path, message }): Finding => {
      return { path: placeIn(origins, path), message, at: 'value' };
    });
    return problemsIn(file, source, all);
  };
  return { ok: true, configuration, packs: read.packs, keyless: read.keyless, warnings };
}

/** What was reported of a text, with line and column, in their order. */
export function problemsIn(file: string, source: ConfigurationText, findings: readonly Finding[]): Problem[] {
  const unread = source.errors.map(({ message, position }) => ({ file, ...position, path: '', message }));
  if (unread.length > 0) return unread.slice(0, MOST_UNREAD);
  return inOrder(
    findings.map(({ path, message, at }) => ({ file, ...source.locate(path, at), path: pathText(path), message })),
  );
}

/** More reasons why a text does not parse are not told: most follow from the first. */
const MOST_UNREAD = 50;

function inOrder(problems: Problem[]): Problem[] {
  return problems.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Defaults make a text at most this many times longer. Aliases, which JSON does not have, and files make it longer without bound. */
const MOST_GROWTH = 64;

/** Length of what is stored. A stored text that is too long to be read back would leave the fleet without a configuration. */
function storedLength(configuration: Configuration, text: string, files: boolean): number {
  const small = text.length * MOST_GROWTH <= MAX_CONFIGURATION_LENGTH;
  return small && !text.includes('*') && !(files && /file|packs/.test(text))
    ? text.length
    : JSON.stringify(configuration).length;
}

/** `FILE:LINE:COL: path: message`, one line. */
export function problemText(problem: Problem): string {
  const where = `${problem.file}:${problem.line}:${problem.column}`;
  return problem.path === '' ? `${where}: ${problem.message}` : `${where}: ${problem.path}: ${problem.message}`;
}

/** Such as `policies[0].detect`. */
export function pathText(path: ConfigurationPath): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? clip(step) : `.${clip(step)}`;
  }
  return text;
}

/** The JSON Schema of a file, for editors, as the readers of its parts note it. */
export const configurationSchema = (): JsonSchema =>
  schemaDocument('Configuration of Weir', (shape) => {
    readConfiguration({ report: shapeReport(), value: undefined, path: [], shape }, undefined);
  });

interface ExpandedConfiguration {
  configuration: Configuration;
  packs: ExpandedPack[];
  origins: PackOrigin[];
  keyless: boolean;
}

function readConfiguration(root: Cursor, source: PackSource | undefined): ExpandedConfiguration | undefined {
  const fields = fieldsOf(root, KEYS);
  if (!fields) return undefined;
  const version = fields.get('version');
  noteShape(version, { const: CONFIGURATION_VERSION });
  version.shape?.must();
  if (version.value === undefined || version.value === null) complain(version, 'is required: expected version: 1');
  else if (version.value !== CONFIGURATION_VERSION) complain(version, 'expected version: 1, the only one there is');
  const expander = createExpander(source);
  const { short } = root.report;
  const teams = short && !fields.has('teams') ? defaultTeams() : listOf(fields.get('teams'), MAX_ITEMS, readTeam);
  if (short) noteTeams(teams, short);
  const configuration: Configuration = {
    version: CONFIGURATION_VERSION,
    teams,
    keys: listOf(fields.get('keys'), MAX_ITEMS, readKey),
    backends: listOf(fields.get('backends'), MAX_BACKENDS, readBackend),
    policies: listOf(fields.get('policies'), MAX_ITEMS, expander.readPolicy),
    metrics: listOf(fields.get('metrics'), MAX_ITEMS, readMetric),
    deployments: listOf(fields.get('deployments'), MAX_ITEMS, readDeployment),
    environments: listOf(fields.get('environments'), MAX_ITEMS, readEnvironment),
    notify: listOf(fields.get('notify'), MAX_HOOKS, readHook),
    risk: readRisk(fields.get('risk')),
    retention: readRetention(fields.get('retention')),
    ...(fields.has('logins') ? { logins: listOf(fields.get('logins'), MAX_LOGINS, readLogin) } : {}),
    ...(fields.has('regions') ? { regions: readRegions(fields.get('regions')) } : {}),
  };
  const bare = short !== undefined && !fields.has('environments') && !fields.has('deployments');
  if (bare) addDefaults(configuration);
  const expanded = expander.expand(fields.get('packs'), configuration);
  if (bare) fillDefaults(configuration);
  return { configuration, ...expanded, keyless: short !== undefined && !fields.has('keys') };
}
