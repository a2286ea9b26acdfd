/**
 * A configuration with policies and conditions of one team edited, as they are tried. All else is as it stands in the version: backends, models,
 * lists and files are those that its policies of the team name, and nothing else is read or asked.
 */
import { leavesOf } from '../policy/detect-expression.js';
import { type DetectorParameters, detectorOf } from '../policy/detectors/registry.js';
import { loadConfiguration, pathText } from './configuration.js';
import { createExpander } from './expand-packs.js';
import { ownPart } from './own-part.js';
import {
  type Cursor,
  clip,
  complain,
  createReport,
  type Files,
  type Finding,
  type FindingsReport,
  listOf,
  suggestion,
} from './read/fields.js';
import { resolveNames } from './read/names.js';
import { checkReferences } from './read/references.js';
import { readEnvironment } from './read/resources.js';
import type { ConfigurationPath } from './read/source.js';
import type { Configuration, Detect, PolicyConfiguration } from './types.js';

/** Where is tried. */
export interface TriedScope {
  team: string;
  kind: 'environment' | 'deployment';
  id: string;
}

/** As the file has them, in JSON; absent: as in the version. */
export interface Edits {
  policies?: unknown;
  conditions?: unknown;
}

export interface EditProblem {
  /** such as `policies[0].detect.regex.patterns[0]` */
  path: string;
  message: string;
}

export type EditedConfiguration =
  | { ok: true; configuration: Configuration }
  | { ok: false; problems: readonly EditProblem[] };

/** Labels of a model that is at hand, by the SHA-256 of its file. */
export type LabelsOf = (sha256: string) => readonly string[] | undefined;

const MOST_POLICIES = 1000;

/**
 * What the team has in the version `text`, with the edits. Of several policies with the id, or the name, of one of the version each takes its
 * place, and has its fields where it has none of its own. A new policy is tried in the scope, though that does not list it.
 */
export function editedConfiguration(
  text: string,
  scope: TriedScope,
  edits: Edits,
  labelsOf: LabelsOf = () => undefined,
): EditedConfiguration {
  const own = triedPart(text, scope.team);
  const report = reportFor(own, scope.team, labelsOf);
  const names = namesIn(own);
  const policies = listOf({ report, value: edits.policies, path: ['policies'] }, MOST_POLICIES, (cursor) =>
    readEdited(cursor, own, names),
  );
  const environment = own.environments.findIndex(({ id }) => scope.kind === 'environment' && id === scope.id);
  if (edits.conditions !== undefined && edits.conditions !== null) {
    const value = { id: scope.id, team: scope.team, conditions: edits.conditions };
    const read = readEnvironment({ report, value, path: [] });
    if (read && environment >= 0) own.environments[environment] = read;
  }
  if (report.findings.length > 0) return refused(report.findings);
  const places = putInPlace(own.policies, policies);
  const checked = reportFor(own, scope.team, labelsOf);
  resolveNames(own, checked);
  if (checked.findings.length === 0) {
    addNew(
      own,
      scope,
      policies.filter(({ id }) => !names.ids.has(id)),
    );
    checkReferences(own, checked);
  }
  if (checked.findings.length === 0) return { ok: true, configuration: own };
  return refused(checked.findings.map((finding) => ({ ...finding, path: pathIn(finding.path, places, environment) })));
}

const refused = (findings: readonly Finding[]): EditedConfiguration => ({
  ok: false,
  problems: findings.map(({ path, message }) => ({ path: pathText(path), message })),
});

/** What a team has in a version that is stored, without keys and webhooks. */
function triedPart(text: string, team: string): Configuration {
  const part = { ...ownPart(JSON.parse(text) as Configuration, team), keys: [], notify: [] };
  const loaded = loadConfiguration(JSON.stringify(part));
  if (!loaded.ok) throw new Error(`the configuration does not load: ${loaded.problems[0]?.message ?? ''}`);
  return loaded.configuration;
}

/** What the policies of a version name. */
interface NamedInVersion {
  ids: ReadonlySet<string>;
  lists: ReadonlySet<string>;
  models: ReadonlySet<string>;
}

function namesIn({ policies }: Configuration): NamedInVersion {
  const [lists, models] = [new Set<string>(), new Set<string>()];
  for (const leaf of policies.flatMap(({ detect }) => allLeaves(detect))) {
    if ('image_hash' in leaf) lists.add(leaf.image_hash.list);
    if ('onnx' in leaf) models.add(leaf.onnx.model);
  }
  return { ids: new Set(policies.map(({ id }) => id)), lists, models };
}

/** The detectors of an expression, and those that judge the text of images in it. */
function allLeaves(detect: Detect): DetectorParameters[] {
  return leavesOf<DetectorParameters>(detect).leaves.flatMap((leaf) => {
    const { detect: inner } = detectorOf(leaf).parameters as { detect?: Detect };
    return inner ? [leaf, ...allLeaves(inner)] : [leaf];
  });
}

/** No file is read: what is known of models is what the version has. */
function reportFor(own: Configuration, team: string, labelsOf: LabelsOf): FindingsReport {
  const models = new Map<string, { sha256: string; labels: Set<string> }>();
  for (const leaf of own.policies.flatMap(({ detect }) => allLeaves(detect))) {
    if (!('classifier' in leaf)) continue;
    const { file, sha256, label } = leaf.classifier;
    if (file === undefined || sha256 === undefined) continue;
    const known = models.get(file) ?? { sha256, labels: new Set(labelsOf(sha256)) };
    known.labels.add(label);
    models.set(file, known);
  }
  const files: Files = {
    terms() {
      throw new Error('no file is read here: give its words as a list');
    },
    model(name) {
      const known = models.get(name);
      if (!known)
        throw new Error(`no file is read here: expected one that a policy of the team names in the active version`);
      return { sha256: known.sha256, labels: [...known.labels] };
    },
  };
  const report = createReport(files);
  report.short!.team = team;
  return report;
}

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

function readEdited(cursor: Cursor, own: Configuration, names: NamedInVersion): PolicyConfiguration | undefined {
  const { value } = cursor;
  // Packs are no part of a version: their policies are written out in it.
  const { readPolicy } = createExpander(undefined);
  if (!isObject(value)) return readPolicy(cursor);
  checkNames({ ...cursor, value: value.detect, path: [...cursor.path, 'detect'] }, names);
  const base = baseOf(value, own.policies);
  return readPolicy(base ? { ...cursor, value: { ...base, ...value } } : cursor);
}

/** The policy in whose place the edited one stands. */
function baseOf({ id, name }: Record<string, unknown>, policies: readonly PolicyConfiguration[]) {
  if (typeof id === 'string') return policies.find((policy) => policy.id === id.toLowerCase());
  const named = id === undefined || id === null ? policies.filter((policy) => policy.name === name) : [];
  return named.length === 1 ? named[0] : undefined;
}

/** Lists and models are files in folders of the operator: those alone are looked at that the version names for the team. */
function checkNames(cursor: Cursor, names: NamedInVersion): void {
  const { report, value, path } = cursor;
  if (!isObject(value)) {
    if (Array.isArray(value))
      value.forEach((each: unknown, i) => {
        checkNames({ report, value: each, path: [...path, i] }, names);
      });
    return;
  }
  for (const [word, inner] of Object.entries(value)) {
    const at = [...path, word];
    if (word === 'image_hash') checkName({ report, value: inner, path: at }, 'list', names.lists);
    else if (word === 'onnx') checkName({ report, value: inner, path: at }, 'model', names.models);
    else if (WITHIN.has(word)) checkNames({ report, value: inner, path: at }, names);
  }
}

/** Keys under which an expression stands. */
const WITHIN: ReadonlySet<string> = new Set(['any', 'all', 'not', 'escalate', 'from', 'to', 'image_text', 'detect']);

function checkName({ report, value, path }: Cursor, key: 'list' | 'model', known: ReadonlySet<string>): void {
  const name = isObject(value) ? value[key] : undefined;
  if (typeof name !== 'string' || known.has(name)) return;
  complain({ report, value: name, path: [...path, key] }, () => {
    return `no policy of the team names the ${key} "${clip(name)}" in the active version${suggestion(name, [...known])}`;
  });
}

/** Puts each policy in the place of that with its id, or behind all. Returns the numbers of the edited ones by place. */
function putInPlace(all: PolicyConfiguration[], edited: readonly PolicyConfiguration[]): Map<number, number> {
  const places = new Map<number, number>();
  edited.forEach((policy, i) => {
    const at = all.findIndex(({ id }) => id === policy.id);
    const place = at >= 0 && !places.has(at) ? at : all.length;
    all[place] = policy;
    places.set(place, i);
  });
  return places;
}

/** Policies that the version does not have are tried where nothing lists them. */
function addNew(own: Configuration, { kind, id }: TriedScope, added: readonly PolicyConfiguration[]): void {
  const ids = [...new Set(added.map((policy) => policy.id))];
  if (kind === 'deployment') {
    own.deployments.find((each) => each.id === id)?.policies.push(...ids);
    return;
  }
  const conditions = own.environments.find((each) => each.id === id)?.conditions;
  const listed = new Set(conditions?.flatMap(({ policies }) => policies));
  const rest = ids.filter((each) => !listed.has(each));
  if (rest.length > 0) {
    conditions?.push({ id: 'new', name: 'New policies', active: true, when: 'true', policies: rest, metrics: [] });
  }
}

/** Where something is in what was edited. */
function pathIn(path: ConfigurationPath, places: ReadonlyMap<number, number>, environment: number): ConfigurationPath {
  const [group, place, ...rest] = path;
  if (group === 'policies' && places.has(Number(place))) return [group, places.get(Number(place))!, ...rest];
  if (group === 'environments' && place === environment) return rest;
  return path;
}
