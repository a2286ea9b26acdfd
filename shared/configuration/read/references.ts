/** What no item of a configuration can tell by itself: that ids are unique, and that every name points at something of the same team. */
import { type AddressBlock, blockOf, contains, inOrder } from '../../address-blocks.js';
import { checkBackends } from '../backends.js';
import { checkHooks } from '../notify.js';
import { checkModels } from '../text-models.js';
import type { Configuration } from '../types.js';
import { metricIdOf, policyIdOf } from './derived-ids.js';
import { clip, type FindingsReport, suggestion } from './fields.js';
import type { ConfigurationPath } from './source.js';

export function checkReferences(configuration: Configuration, report: FindingsReport): void {
  const known: KnownNames = {
    report,
    teams: teamsOf(configuration, report),
    policies: new Map(),
    metrics: new Map(),
    deployments: new Set(),
    environments: new Set(),
    backends: new Set(),
  };
  const { policies, metrics } = configuration;
  indexGlobal(known, { what: 'policy', group: 'policies', list: policies, idOf: policyIdOf, to: known.policies });
  indexGlobal(known, { what: 'metric', group: 'metrics', list: metrics, idOf: metricIdOf, to: known.metrics });
  checkDeployments(configuration, known);
  checkEnvironments(configuration, known);
  checkKeys(configuration, known);
  checkLogins(configuration, known);
  checkBlocks(configuration, report);
  checkModels(configuration, report);
  configuration.backends.forEach(({ id, team }, i) => {
    const path = ['backends', i];
    checkTeam(known, [...path, 'team'], team);
    unique(report, [...path, 'id'], known.backends, { what: 'backend id', id: own(team, id), shown: id });
  });
  checkBackends(configuration, report);
  const hooks = new Set<string>();
  configuration.notify.forEach(({ id, team }, i) => {
    checkTeam(known, ['notify', i, 'team'], team);
    unique(report, ['notify', i, 'id'], hooks, { what: 'webhook id', id: own(team, id), shown: id });
  });
  checkHooks(configuration, report);
}

/** What names may point at. */
interface KnownNames {
  report: FindingsReport;
  teams: Set<string>;
  /** by id: the team */
  policies: Map<string, string>;
  metrics: Map<string, string>;
  /** of a team each; see `own` */
  deployments: Set<string>;
  environments: Set<string>;
  backends: Set<string>;
}

/** A name that is unique within its team. */
const own = (team: string, id: string): string => JSON.stringify([team, id]);

/** Reports an id that is among `seen`, and adds it. `shown`: as it is printed. */
function unique(
  report: FindingsReport,
  path: ConfigurationPath,
  seen: Set<string>,
  { what, id, shown = id }: ReferenceName,
): void {
  if (seen.has(id)) report.add(path, `${what} "${clip(shown)}" is used twice`);
  seen.add(id);
}

interface ReferenceName {
  what: string;
  id: string;
  shown?: string;
}

function teamsOf({ teams }: Configuration, report: FindingsReport): Set<string> {
  const ids = new Set<string>();
  teams.forEach(({ id }, i) => {
    unique(report, ['teams', i, 'id'], ids, { what: 'team id', id });
  });
  return ids;
}

function checkTeam({ report, teams }: KnownNames, path: ConfigurationPath, team: string): void {
  if (teams.has(team)) return;
  report.add(path, () => `there is no team "${clip(team)}"${suggestion(team, [...teams])}`);
}

interface ReferenceGroup {
  what: string;
  group: string;
  list: readonly { id: string; team: string; name: string }[];
  /** the id of one that the file gives none */
  idOf(team: string, name: string): string;
  to: Map<string, string>;
}

/** Items whose ids are unique over all teams. */
function indexGlobal(known: KnownNames, { what, group, list, idOf, to }: ReferenceGroup): void {
  const { report } = known;
  const seen = new Set<string>();
  list.forEach(({ id, team, name }, i) => {
    checkTeam(known, [group, i, 'team'], team);
    if (report.short && seen.has(id) && id === idOf(team, name)) {
      const why = 'and the id of one without an id follows from its name';
      report.add(
        [group, i, 'name'],
        `two of the ${group} are named "${clip(name)}", ${why}: rename one, or give it an id`,
      );
    } else unique(report, [group, i, 'id'], seen, { what: `${what} id`, id });
    to.set(id, team);
  });
}

/** Policies and metrics that an item of `team` lists. */
function checkListed(
  { report, policies, metrics }: KnownNames,
  path: ConfigurationPath,
  team: string,
  listed: { policies: readonly string[]; metrics: readonly string[] },
): void {
  const check = (group: 'policies' | 'metrics', what: string, all: Map<string, string>): void => {
    listed[group].forEach((id, i) => {
      const of = all.get(id);
      const at = [...path, group, i];
      if (of === undefined) report.add(at, () => `there is no ${what} ${id}${suggestion(id, [...all.keys()])}`);
      else if (of !== team) report.add(at, `${what} ${id} belongs to another team than "${clip(team)}"`);
    });
  };
  check('policies', 'policy', policies);
  check('metrics', 'metric', metrics);
}

function checkDeployments({ deployments }: Configuration, known: KnownNames): void {
  deployments.forEach((deployment, i) => {
    const { id, team } = deployment;
    const path = ['deployments', i];
    checkTeam(known, [...path, 'team'], team);
    const name = { what: 'deployment id', id: own(team, id), shown: id };
    unique(known.report, [...path, 'id'], known.deployments, name);
    checkListed(known, path, team, deployment);
    for (const [category, policies] of Object.entries(deployment.moderations ?? {})) {
      policies.forEach((policy, j) => {
        if (deployment.policies.includes(policy)) return;
        known.report.add([...path, 'moderations', category, j], "expected one of the deployment's own policies");
      });
    }
  });
}

function checkEnvironments({ environments }: Configuration, known: KnownNames): void {
  environments.forEach(({ id, team, conditions }, i) => {
    const path = ['environments', i];
    checkTeam(known, [...path, 'team'], team);
    const name = { what: 'environment id', id: own(team, id), shown: id };
    unique(known.report, [...path, 'id'], known.environments, name);
    conditions.forEach((condition, j) => {
      checkListed(known, [...path, 'conditions', j], team, condition);
    });
  });
}

/** Reports addresses that are told to be of two keys. */
function checkBlocks({ keys }: Configuration, report: FindingsReport): void {
  const all = keys.flatMap(({ without_key_from: blocks = [] }, key) =>
    blocks.flatMap((text, place) => {
      const block = blockOf(text);
      return block ? [{ key, place, block }] : [];
    }),
  );
  all.sort((a, b) => inOrder(a.block, b.block));
  let outer: { key: number; block: AddressBlock } | undefined;
  for (const { key, place, block } of all) {
    if (!outer || !contains(outer.block, block)) outer = { key, block };
    else if (outer.key !== key) {
      const message = `these addresses are among those of the key "${clip(keys[outer.key]!.id)}": a request cannot be of both`;
      report.add(['keys', key, 'without_key_from', place], message);
    }
  }
}

function checkLogins({ logins = [] }: Configuration, known: KnownNames): void {
  const groups = new Set<string>();
  logins.forEach(({ group, team, environments, deployments }, i) => {
    const path = ['logins', i];
    if (groups.has(group)) known.report.add([...path, 'group'], `group "${clip(group)}" is used twice`);
    groups.add(group);
    if (team === null) return;
    checkTeam(known, [...path, 'team'], team);
    const named = (group: 'deployments' | 'environments', what: string, names: readonly string[]): void => {
      names.forEach((each, j) => {
        if (known[group].has(own(team, each))) return;
        known.report.add([...path, group, j], `team "${clip(team)}" has no ${what} "${clip(each)}"`);
      });
    };
    named('environments', 'environment', environments);
    named('deployments', 'deployment', deployments);
  });
}

function checkKeys({ keys, regions = {} }: Configuration, known: KnownNames): void {
  const regionNames = Object.values(regions);
  const { report } = known;
  const ids = new Set<string>();
  const digests = new Set<string>();
  keys.forEach((key, i) => {
    const { id, sha256 } = key;
    const team = key.team ?? '';
    const path = ['keys', i];
    if (key.team !== null) checkTeam(known, [...path, 'team'], team);
    unique(report, [...path, 'id'], ids, { what: 'key id', id: own(team, id), shown: id });
    // A digest is a secret of a kind, so a message shows only its beginning.
    const digest = { what: 'the sha256 of a key', id: sha256, shown: `${sha256.slice(0, 8)}…` };
    unique(report, [...path, 'sha256'], digests, digest);
    const named = (group: 'deployments' | 'environments', what: string): void => {
      key[group].forEach((each, j) => {
        if (known[group].has(own(team, each))) return;
        report.add([...path, group, j], `team "${clip(team)}" has no ${what} "${clip(each)}"`);
      });
    };
    named('deployments', 'deployment');
    named('environments', 'environment');
    key.regions?.forEach((name, j) => {
      if (regionNames.includes(name)) return;
      report.add([...path, 'regions', j], `expected a region that stands in regions${suggestion(name, regionNames)}`);
    });
    if (key.default_deployment !== null && !key.deployments.includes(key.default_deployment)) {
      report.add([...path, 'default_deployment'], "expected one of the key's own deployments");
    }
  });
}
