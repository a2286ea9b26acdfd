/** Writes out the packs that a configuration names, and the policies that extend one of a pack. */

import { type Pack, type PackPolicy, type PackSource, packPolicyId, readPack, withThreshold } from './packs.js';
import {
  type Cursor,
  choiceOf,
  clip,
  complain,
  type FindingsReport,
  fieldsOf,
  isAbsent,
  listOf,
  noteShape,
  numberOf,
  type ObjectFields,
  suggestion,
  textOf,
} from './read/fields.js';
import { indexNames } from './read/names.js';
import { POLICY_MODES, readCondition, readPolicy } from './read/resources.js';
import type { Shape } from './read/shape.js';
import type { ConfigurationPath } from './read/source.js';
import type { Configuration, PolicyConfiguration } from './types.js';

/** What a pack has become in a configuration. */
export interface ExpandedPack {
  name: string;
  version: number;
  team: string;
  /** `own`: the configuration has it in place of that of the pack */
  policies: { key: string; id: string; name: string; own: boolean }[];
  deployments: string[];
  environments: string[];
}

/** Something that is not in the file: what it stands for there. `made`: the beginning of its path. */
export interface PackOrigin {
  made: ConfigurationPath;
  path: ConfigurationPath;
}

export interface Expander {
  /** Reads a policy, which may extend one of a pack. */
  readPolicy(cursor: Cursor): PolicyConfiguration | undefined;
  /** Adds the packs of the list at `cursor` to what was read of the rest. */
  expand(cursor: Cursor, configuration: Configuration): { packs: ExpandedPack[]; origins: PackOrigin[] };
}

const MAX_PACKS = 1000;
const EXTENDS = { expected: 'PACK/POLICY, such as pii-gate/contact-data' };
const SCORE = { default: 0, min: 0, max: 1, integer: false };
const KEYS = ['name', 'team', 'version', 'deployments', 'environments', 'when', 'without', 'mode'];
const WHERE_READ = 'packs are read by weir apply and weir check-config; elsewhere write the policies out';
/** Conditions that packs bring have ids with this before the name of the pack. */
const CONDITION = 'pack:';

/** `source`: absent where packs are not read, as in what is stored. */
export function createExpander(source: PackSource | undefined): Expander {
  const kept = new Map<string, Pack>();
  /** by id of a pack's policy in a team: the policies that stand in its place */
  const extended = new Map<string, string[]>();

  function packAt(cursor: Cursor, name: string): Pack | undefined {
    if (!source) return complain(cursor, WHERE_READ);
    const names = source.names();
    if (!names.includes(name)) {
      return complain(
        cursor,
        `there is no pack "${clip(name)}"; there are ${names.join(', ')}${suggestion(name, names)}`,
      );
    }
    const known = kept.get(name) ?? readPack(source, name);
    kept.set(name, known);
    return known;
  }

  /** The fields of a policy that extends one of a pack: its own, and those of the pack where it has none. */
  function extend(cursor: Cursor, own: Record<string, unknown>): Record<string, unknown> | undefined {
    const { report, path } = cursor;
    const at = (key: string): Cursor => ({ report, value: own[key], path: [...path, key] });
    const written = textOf(at('extends'), EXTENDS);
    const [name = '', key = ''] = written.split('/');
    const pack = written === '' ? undefined : packAt(at('extends'), name);
    const base = pack && policyOf(at('extends'), pack, key);
    if (!pack || !base) return undefined;
    const { extends: _, threshold, ...fields } = own;
    const detect = isAbsent(at('threshold')) ? undefined : rethreshold(at('threshold'), at('detect'), base);
    const team = typeof own.team === 'string' ? own.team : (report.short?.team ?? '');
    const packId = packPolicyId(team, pack.name, key);
    const id = isAbsent(at('id')) ? packId : own.id;
    extended.set(packId, [...(extended.get(packId) ?? []), String(id).toLowerCase()]);
    return { ...base.fields, ...fields, ...(detect === undefined ? {} : { detect }), id };
  }

  return {
    readPolicy(cursor) {
      const { value } = cursor;
      if (cursor.shape) return notePolicy(cursor, cursor.shape);
      const extending = typeof value === 'object' && value !== null && Object.hasOwn(value, 'extends');
      if (!extending) return readPolicy(cursor);
      const fields = extend(cursor, value as Record<string, unknown>);
      return fields && readPolicy({ ...cursor, value: fields });
    },
    expand(cursor, configuration) {
      const adding: Adding = { configuration, extended, origins: [], used: new Set() };
      const packs = listOf(cursor, MAX_PACKS, (item) => {
        const entry = readEntry(item, configuration, packAt);
        return entry && add(entry, adding);
      });
      return { packs, origins: adding.origins };
    },
  };
}

function policyOf(cursor: Cursor, { name, policies }: Pack, key: string): PackPolicy | undefined {
  const keys = policies.map((policy) => policy.key);
  const found = policies.find((policy) => policy.key === key);
  if (found) return found;
  const names = keys.map((each) => `${name}/${each}`).join(', ');
  return complain(cursor, () => `the pack has no policy "${clip(key)}"; it has ${names}${suggestion(key, keys)}`);
}

/** What the pack's policy detects, with another threshold. */
function rethreshold(cursor: Cursor, detect: Cursor, { key, fields }: PackPolicy): unknown {
  const threshold = numberOf(cursor, SCORE);
  if (!isAbsent(detect)) return complain(cursor, 'expected detect or threshold, not both');
  const changed = withThreshold(fields.detect, threshold);
  return changed ?? complain(cursor, `no detector of "${key}" has a threshold`);
}

/** What a policy may have besides its own fields, where it extends another. */
function notePolicy(cursor: Cursor, shape: Shape): undefined {
  readPolicy(cursor);
  const required = shape.schema().required ?? [];
  const fields = fieldsOf(cursor, ['extends', 'threshold'])!;
  textOf(fields.get('extends'), EXTENDS);
  numberOf(fields.get('threshold'), SCORE);
  shape.is({ if: { required: ['extends'] }, else: { required } });
  shape.free();
}

/** A pack as the configuration names it. */
interface PackEntry {
  cursor: Cursor;
  pack: Pack;
  team: string;
  policies: readonly PackPolicy[];
  deployments: string[];
  environments: string[];
  when: unknown;
  /** of its policies, where the configuration has none in their place */
  mode: (typeof POLICY_MODES)[number];
}

type PackAt = (cursor: Cursor, name: string) => Pack | undefined;

/** A name, or an object with a name and where the pack holds. */
function readEntry(cursor: Cursor, configuration: Configuration, packAt: PackAt): PackEntry | undefined {
  const { report, path, value, shape } = cursor;
  const bare = typeof value === 'string';
  shape?.form().is({ type: 'string', description: 'the name of a pack' });
  const whole = shape ? { ...cursor, shape: shape.form() } : cursor;
  const fields = fieldsOf(bare ? { report, path, value: { name: value } } : whole, KEYS);
  if (!fields) return undefined;
  const named = bare ? cursor : fields.get('name');
  const name = textOf(named, { expected: 'the name of a pack' });
  const pack = name === '' ? undefined : packAt(named, name);
  const team = readTeam(cursor, fields, configuration);
  const pinned = fields.get('version');
  noteShape(pinned, { type: 'integer', minimum: 1 });
  const isPinned = !isAbsent(pinned);
  const without = new Set(
    listOf(fields.get('without'), MAX_PACKS, (item) => {
      const key = textOf(item);
      return pack && key !== '' ? policyOf(item, pack, key) : undefined;
    }),
  );
  const deployments = readPlaces(fields.get('deployments'), 'deployment', team, configuration);
  const environments = readPlaces(fields.get('environments'), 'environment', team, configuration);
  const mode = choiceOf(fields.get('mode'), POLICY_MODES, 'live');
  if (shape) textOf(fields.get('when'), { default: 'true', max: 4096 });
  if (!pack || team === undefined) return undefined;
  if (isPinned && pinned.value !== pack.version) {
    complain(
      pinned,
      `this version of Weir has version ${pack.version} of the pack; the changelog says what has changed`,
    );
  }
  return {
    cursor,
    pack,
    team,
    policies: pack.policies.filter((policy) => !without.has(policy)),
    deployments,
    environments,
    when: fields.has('when') ? fields.get('when').value : 'true',
    mode,
  };
}

function readTeam({ report, path, value }: Cursor, fields: ObjectFields, { teams }: Configuration): string | undefined {
  const cursor = fields.get('team');
  const ids = teams.map(({ id }) => id);
  if (!isAbsent(cursor)) {
    const team = textOf(cursor);
    if (ids.includes(team)) return team;
    return complain(cursor, () => `there is no team "${clip(team)}"${suggestion(team, ids)}`);
  }
  if (ids.length === 1) return ids[0];
  const name = typeof value === 'string' ? clip(value) : 'NAME';
  report.add(path, `expected {name: ${name}, team: TEAM}, since the configuration has ${ids.length} teams`);
  return undefined;
}

/** Ids of the list at `cursor`, which must be of the team; absent: all of the team. Deployments may stand by their names. */
function readPlaces(
  cursor: Cursor,
  what: 'deployment' | 'environment',
  team: string | undefined,
  { deployments, environments }: Configuration,
): string[] {
  const all = what === 'deployment' ? deployments : environments;
  const ids = all.filter((each) => each.team === team).map(({ id }) => id);
  if (isAbsent(cursor)) return ids;
  const names = what === 'deployment' ? indexNames(what, deployments) : undefined;
  const read = listOf(cursor, ids.length + MAX_PACKS, (item) => {
    const id = textOf(item);
    if (team === undefined || id === '') return undefined;
    const found = names?.find(id, team);
    if (found && 'id' in found && ids.includes(found.id)) return found.id;
    if (ids.includes(id)) return id;
    return complain(item, () => `team "${clip(team)}" has no ${what} "${clip(id)}"${suggestion(id, ids)}`);
  });
  return [...new Set(read)];
}

/** What a configuration grows by. */
interface Adding {
  configuration: Configuration;
  extended: ReadonlyMap<string, readonly string[]>;
  origins: PackOrigin[];
  /** packs and teams so far */
  used: Set<string>;
}

function add(entry: PackEntry, { configuration, extended, origins, used }: Adding): ExpandedPack | undefined {
  const { cursor, pack, team, deployments, environments, mode } = entry;
  const name = JSON.stringify([team, pack.name]);
  if (used.has(name)) return complain(cursor, `the pack "${pack.name}" is used twice in team "${clip(team)}"`);
  used.add(name);
  const policies = entry.policies.flatMap(({ key, fields }): ExpandedPack['policies'] => {
    const id = packPolicyId(team, pack.name, key);
    const own = extended.get(id);
    if (own) return own.map((each) => ({ key, id: each, name: nameOf(configuration, each), own: true }));
    // Mistakes in a pack are told where the pack is named.
    const policy = readPolicy({ report: reportAt(cursor), value: { ...fields, id, team, mode }, path: [] });
    if (!policy) return [];
    origins.push({ made: ['policies', configuration.policies.length], path: cursor.path });
    configuration.policies.push(policy);
    return [{ key, id, name: policy.name, own: false }];
  });
  const ids = policies.map(({ id }) => id);
  for (const deployment of configuration.deployments) {
    if (deployment.team !== team || !deployments.includes(deployment.id)) continue;
    deployment.policies.push(...ids.filter((id) => !deployment.policies.includes(id)));
  }
  configuration.environments.forEach((environment, i) => {
    if (environment.team !== team || !environments.includes(environment.id)) return;
    const { conditions } = environment;
    const id = `${CONDITION}${pack.name}`;
    if (conditions.some((condition) => condition.id === id)) {
      complain(cursor, `environment "${clip(environment.id)}" has a condition of the id "${id}" already`);
    }
    const value = { id, name: pack.title, when: entry.when, policies: ids };
    const condition = readCondition({ report: cursor.report, value, path: cursor.path });
    if (!condition) return;
    origins.push({ made: ['environments', i, 'conditions', conditions.length], path: cursor.path });
    conditions.push(condition);
  });
  return { name: pack.name, version: pack.version, team, policies, deployments, environments };
}

const nameOf = ({ policies }: Configuration, id: string): string =>
  policies.find((policy) => policy.id === id)?.name ?? '';

/** Reports at `cursor` whatever is reported. */
function reportAt({ report, path }: Cursor): FindingsReport {
  return {
    findings: report.findings,
    add: (_, message) => report.add(path, message),
  };
}

/** Where something that may have come from a pack is in the file. */
export function placeIn(origins: readonly PackOrigin[], path: ConfigurationPath): ConfigurationPath {
  const origin = origins.find(({ made }) => made.every((step, i) => path[i] === step));
  return origin ? origin.path : path;
}
