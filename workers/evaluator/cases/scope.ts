/** Where a case is checked: an environment or a deployment of a team. */
import type { Configuration } from '../../../shared/configuration/configuration.js';
import {
  type Cursor,
  clip,
  complain,
  fieldsOf,
  type ObjectFields,
  suggestion,
} from '../../../shared/configuration/read/fields.js';

export interface TestScope {
  team: string;
  kind: 'environment' | 'deployment';
  id: string;
}

/** What holds for cases that do not say it themselves; absent: the only one that the team has. */
export interface Defaults {
  team?: string;
  environment?: string;
  deployment?: string;
}

type ScopeKind = TestScope['kind'];

const KEYS = ['team', 'environment', 'deployment'] as const;

/** Reads `defaults` of a file; absent: there are none. */
export function readDefaults(cursor: Cursor, configuration: Configuration): Defaults | undefined {
  if (cursor.value === undefined || cursor.value === null) return {};
  const fields = fieldsOf(cursor, KEYS);
  if (!fields) return undefined;
  const team = readName(fields.get('team'), 'team', teamsOf(configuration));
  const defaults: Defaults = team === undefined ? {} : { team };
  const of = team ?? onlyOf(teamsOf(configuration));
  for (const kind of ['environment', 'deployment'] as const) {
    if (!fields.has(kind)) continue;
    if (of === undefined) complain(fields.get(kind), 'expected team beside it, as there are several');
    else {
      const id = readName(fields.get(kind), kind, idsOf(configuration, kind, of));
      if (id !== undefined) defaults[kind] = id;
    }
  }
  return defaults;
}

/** What is checked, and what is known of the file. */
interface ScopeReading {
  configuration: Configuration;
  defaults: Defaults;
  /** where cases are checked for which there is no default */
  where: TestScope | undefined;
  what: 'text' | 'event' | 'session' | 'image';
}

/**
 * The scope of a case: the one it names, else the default, else `where`, else the only one that its team has. Texts and images are events where
 * there is an environment for them. Reports why there is none.
 */
export function readScope(
  fields: ObjectFields,
  { configuration, defaults, where, what }: ScopeReading,
): TestScope | undefined {
  const team = readTeam(fields, configuration, defaults);
  if (team === undefined) return undefined;
  const kinds: readonly ScopeKind[] = what === 'event' ? ['environment'] : what === 'session' ? ['deployment'] : BOTH;
  const named = BOTH.filter((kind) => fields.has(kind));
  const stray = named.find((kind) => !kinds.includes(kind));
  if (stray) return complain(fields.get(stray), `expected ${kinds[0]}: ${ARTICLES[what]} is checked in one`);
  if (named.length > 1) return complain(fields.get('deployment'), 'expected environment or deployment, not both');
  const own = team === (defaults.team ?? team) ? defaults : {};
  const [kind] = named;
  if (kind !== undefined) {
    const id = readName(fields.get(kind), kind, idsOf(configuration, kind, team));
    return id === undefined ? undefined : { team, kind, id };
  }
  const only = (each: ScopeKind): string | undefined => onlyOf(idsOf(configuration, each, team));
  const fits = where?.team === team && kinds.includes(where.kind) ? where : undefined;
  for (const each of kinds) {
    const id = own[each] ?? (fits ? (fits.kind === each ? fits.id : undefined) : only(each));
    if (id !== undefined) return { team, kind: each, id };
  }
  return complain(fields.get(kinds[0]!), `is required: team "${clip(team)}" has none, or several`);
}

const BOTH = ['environment', 'deployment'] as const satisfies readonly ScopeKind[];
const ARTICLES = { text: 'a text', event: 'an event', session: 'a session', image: 'an image' };

function readTeam(fields: ObjectFields, configuration: Configuration, defaults: Defaults): string | undefined {
  const teams = teamsOf(configuration);
  const cursor = fields.get('team');
  if (fields.has('team')) return readName(cursor, 'team', teams);
  const team = defaults.team ?? onlyOf(teams);
  return team ?? complain(cursor, 'is required: the configuration has none, or several');
}

/** The name at `cursor` if it is one of `known`. Reports another one. */
function readName(cursor: Cursor, what: string, known: readonly string[]): string | undefined {
  const { value } = cursor;
  if (value === undefined || value === null) return undefined;
  if (typeof value === 'string' && known.includes(value)) return value;
  if (typeof value !== 'string') return complain(cursor, `expected the id of a ${what}; put it in quotes`);
  return complain(cursor, () => `there is no ${what} "${clip(value)}"${suggestion(value, known)}`);
}

const teamsOf = ({ teams }: Configuration): string[] => teams.map(({ id }) => id);

function idsOf({ environments, deployments }: Configuration, kind: ScopeKind, team: string): string[] {
  const list: readonly { id: string; team: string }[] = kind === 'environment' ? environments : deployments;
  return list.filter((each) => each.team === team).map(({ id }) => id);
}

const onlyOf = (list: readonly string[]): string | undefined => (list.length === 1 ? list[0] : undefined);
