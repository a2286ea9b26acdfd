/**
 * Reads a configuration (YAML or JSON), checks all of it and fills in the defaults. Nothing is applied in part: either
 * the whole of it is right, or the list of what is wrong comes back with file, line and column.
 */
import { type Cursor, clip, complain, createReport, fieldsOf, listOf, type Report, suggestion } from './fields.js';
import {
  readDeployment,
  readEnvironment,
  readKey,
  readMetric,
  readPolicy,
  readRetention,
  readRisk,
  readTeam,
} from './resources.js';
import { MAX_CONFIGURATION_LENGTH, type Path, readSource } from './source.js';
import { CONFIGURATION_VERSION, type Configuration, type Problem } from './types.js';
import { warningsOf } from './warnings.js';

export * from './types.js';

/** `warnings`: what is allowed and does nothing; worked out when it is asked for. */
export type Loaded =
  | { ok: true; configuration: Configuration; warnings(): Problem[] }
  | { ok: false; problems: Problem[] };

const MAX_ITEMS = 20_000;
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
] as const;

/** `file` is only repeated in the problems. */
export function loadConfiguration(text: string, file = 'configuration'): Loaded {
  const source = readSource(text);
  if (source.errors.length > 0) {
    const problems = source.errors.map(({ message, position }) => ({ file, ...position, path: '', message }));
    return { ok: false, problems: problems.slice(0, 50) };
  }
  const report = createReport();
  const configuration = readConfiguration({ report, value: source.value, path: [] });
  if (configuration && report.findings.length === 0) checkReferences(configuration, report);
  if (configuration && report.findings.length === 0) {
    const size = storedLength(configuration, text);
    if (size <= MAX_CONFIGURATION_LENGTH) {
      const warnings = (): Problem[] =>
        inOrder(
          warningsOf(configuration).map(({ path, message }) => {
            return { file, ...source.locate(path, 'value'), path: pathText(path), message };
          }),
        );
      return { ok: true, configuration, warnings };
    }
    const message = `the configuration has ${size} characters with its aliases and defaults written out, as it is stored; at most ${MAX_CONFIGURATION_LENGTH} are read`;
    return { ok: false, problems: [{ file, line: 1, column: 1, path: '', message }] };
  }
  const problems = report.findings.map(({ path, message, at }) => ({
    file,
    ...source.locate(path, at),
    path: pathText(path),
    message,
  }));
  return { ok: false, problems: inOrder(problems) };
}

function inOrder(problems: Problem[]): Problem[] {
  return problems.sort((a, b) => a.line - b.line || a.column - b.column);
}

/** Defaults make a text a few times longer; aliases, which JSON has not, make it as long as they like. */
const MOST_GROWTH = 8;

/** Characters of what is stored; what is applied and cannot be read back would leave the fleet without a configuration. */
function storedLength(configuration: Configuration, text: string): number {
  const small = text.length * MOST_GROWTH <= MAX_CONFIGURATION_LENGTH;
  return small && !text.includes('*') ? text.length : JSON.stringify(configuration).length;
}

/** `FILE:LINE:COL: path: message`, one line. */
export function problemText(problem: Problem): string {
  const where = `${problem.file}:${problem.line}:${problem.column}`;
  return problem.path === '' ? `${where}: ${problem.message}` : `${where}: ${problem.path}: ${problem.message}`;
}

function pathText(path: Path): string {
  let text = '';
  for (const step of path) {
    if (typeof step === 'number') text += `[${step}]`;
    else text += text === '' ? clip(step) : `.${clip(step)}`;
  }
  return text;
}

function readConfiguration(root: Cursor): Configuration | undefined {
  const fields = fieldsOf(root, KEYS);
  if (!fields) return undefined;
  const version = fields.get('version');
  if (version.value === undefined || version.value === null) complain(version, 'is required: expected version: 1');
  else if (version.value !== CONFIGURATION_VERSION) complain(version, 'expected version: 1, the only one there is');
  return {
    version: CONFIGURATION_VERSION,
    teams: listOf(fields.get('teams'), MAX_ITEMS, readTeam),
    keys: listOf(fields.get('keys'), MAX_ITEMS, readKey),
    policies: listOf(fields.get('policies'), MAX_ITEMS, readPolicy),
    metrics: listOf(fields.get('metrics'), MAX_ITEMS, readMetric),
    deployments: listOf(fields.get('deployments'), MAX_ITEMS, readDeployment),
    environments: listOf(fields.get('environments'), MAX_ITEMS, readEnvironment),
    risk: readRisk(fields.get('risk')),
    retention: readRetention(fields.get('retention')),
  };
}

/** Uniqueness and references: every name points at something of the same team. */
function checkReferences(configuration: Configuration, report: Report): void {
  const { teams, keys, policies, metrics, deployments, environments } = configuration;
  const unique = (what: string, path: Path, seen: Set<string>, id: string, shown: string): void => {
    if (seen.has(id)) report.add(path, `${what} "${clip(shown)}" is used twice`);
    seen.add(id);
  };
  const own = (team: string, id: string): string => JSON.stringify([team, id]);

  const teamIds = new Set<string>();
  teams.forEach((team, i) => {
    unique('team id', ['teams', i, 'id'], teamIds, team.id, team.id);
  });
  const checkTeam = (path: Path, team: string): void => {
    if (teamIds.has(team)) return;
    report.add(path, () => `there is no team "${clip(team)}"${suggestion(team, [...teamIds])}`);
  };

  const policyTeams = new Map<string, string>();
  const metricTeams = new Map<string, string>();
  const index = (
    what: string,
    list: readonly { id: string; team: string }[],
    group: string,
    to: Map<string, string>,
  ) => {
    const seen = new Set<string>();
    list.forEach((item, i) => {
      checkTeam([group, i, 'team'], item.team);
      unique(what, [group, i, 'id'], seen, item.id, item.id);
      to.set(item.id, item.team);
    });
  };
  index('policy id', policies, 'policies', policyTeams);
  index('metric id', metrics, 'metrics', metricTeams);

  const checkAll = (path: Path, team: string, what: string, ids: readonly string[], all: Map<string, string>): void => {
    ids.forEach((id, i) => {
      const of = all.get(id);
      if (of === undefined)
        report.add([...path, i], () => `there is no ${what} ${id}${suggestion(id, [...all.keys()])}`);
      else if (of !== team) report.add([...path, i], `${what} ${id} belongs to another team than "${clip(team)}"`);
    });
  };

  const deploymentIds = new Set<string>();
  deployments.forEach((deployment, i) => {
    const path = ['deployments', i];
    checkTeam([...path, 'team'], deployment.team);
    unique('deployment id', [...path, 'id'], deploymentIds, own(deployment.team, deployment.id), deployment.id);
    checkAll([...path, 'policies'], deployment.team, 'policy', deployment.policies, policyTeams);
    checkAll([...path, 'metrics'], deployment.team, 'metric', deployment.metrics, metricTeams);
  });

  const environmentIds = new Set<string>();
  environments.forEach((environment, i) => {
    const path = ['environments', i];
    checkTeam([...path, 'team'], environment.team);
    unique('environment id', [...path, 'id'], environmentIds, own(environment.team, environment.id), environment.id);
    environment.conditions.forEach((condition, j) => {
      const at = [...path, 'conditions', j];
      checkAll([...at, 'policies'], environment.team, 'policy', condition.policies, policyTeams);
      checkAll([...at, 'metrics'], environment.team, 'metric', condition.metrics, metricTeams);
    });
  });

  const keyIds = new Set<string>();
  const digests = new Set<string>();
  keys.forEach((key, i) => {
    const path = ['keys', i];
    checkTeam([...path, 'team'], key.team);
    unique('key id', [...path, 'id'], keyIds, own(key.team, key.id), key.id);
    unique('the sha256 of a key', [...path, 'sha256'], digests, key.sha256, `${key.sha256.slice(0, 8)}…`);
    const named = (list: readonly string[], group: string, what: string, known: Set<string>): void => {
      list.forEach((id, j) => {
        if (!known.has(own(key.team, id))) {
          report.add([...path, group, j], `team "${clip(key.team)}" has no ${what} "${clip(id)}"`);
        }
      });
    };
    named(key.deployments, 'deployments', 'deployment', deploymentIds);
    named(key.environments, 'environments', 'environment', environmentIds);
    if (key.default_deployment !== null && !key.deployments.includes(key.default_deployment)) {
      report.add([...path, 'default_deployment'], "expected one of the key's own deployments");
    }
  });
}
