/** What a case expects of a verdict. */
import type { Configuration } from '../../../shared/configuration/configuration.js';
import {
  type Cursor,
  clip,
  complain,
  fieldsOf,
  flagOf,
  listOf,
  suggestion,
} from '../../../shared/configuration/read/fields.js';

/** Policies are named by their ids. At least one of `flagged`, `policies`, `shadow` and `forbidden` says something. */
export interface Expectation {
  /** whether the item is flagged, by whichever policy */
  flagged?: boolean;
  /** these are flagged, and no others than `allowed` */
  policies?: readonly string[];
  /** these are flagged in the shadow, and no others than `allowed`; absent: any may be */
  shadow?: readonly string[];
  /** beside `policies` or `shadow`: these may be flagged as well */
  allowed: readonly string[] | 'any';
  /** these are not flagged, nor in the shadow */
  forbidden: readonly string[];
}

const KEYS = ['flagged', 'policies', 'shadow', 'allowed', 'forbidden'];
const ANY = 'any';
/** Policies that a list may name. */
const MOST_NAMED = 1000;

/** Reads `expect` of a case. Policies are named by name or id, and must be of `team`. */
export function readExpectation(
  cursor: Cursor,
  { configuration, team }: { configuration: Configuration; team: string },
): Expectation {
  const nothing: Expectation = { allowed: [], forbidden: [] };
  const shape = 'expected an object with flagged, policies or forbidden, such as {flagged: false}';
  if (cursor.value === undefined || cursor.value === null) return complain(cursor, `is required: ${shape}`) ?? nothing;
  const fields = fieldsOf(cursor, KEYS);
  if (!fields) return nothing;
  const named = namesOf(configuration, team);
  const list = (key: string): string[] => [
    ...new Set(listOf(fields.get(key), MOST_NAMED, (item) => readPolicyName(item, named))),
  ];
  const allowed = fields.get('allowed');
  const expected: Expectation = {
    ...(fields.has('flagged') ? { flagged: flagOf(fields.get('flagged'), false) } : {}),
    ...(fields.has('policies') ? { policies: list('policies') } : {}),
    ...(fields.has('shadow') ? { shadow: list('shadow') } : {}),
    allowed: allowed.value === ANY ? ANY : list('allowed'),
    forbidden: list('forbidden'),
  };
  const says = ['flagged', 'policies', 'shadow'].some((key) => fields.has(key));
  if (!says && expected.forbidden.length === 0) {
    complain(cursor, shape);
  }
  checkTogether(expected, { allowed, forbidden: fields.get('forbidden'), policies: fields.get('policies') });
  return expected;
}

/** Reports what cannot hold together, or would say nothing. */
function checkTogether(
  { flagged, policies, shadow, allowed, forbidden }: Expectation,
  cursors: Record<'allowed' | 'forbidden' | 'policies', Cursor>,
): void {
  const given = cursors.allowed.value !== undefined && cursors.allowed.value !== null;
  if (given && policies === undefined && shadow === undefined) {
    complain(cursors.allowed, 'expected policies or shadow beside it: allowed adds to them');
  }
  if (flagged === false && policies !== undefined && policies.length > 0) {
    complain(cursors.policies, 'expected none, as flagged is false');
  }
  const expected = new Set([...(policies ?? []), ...(shadow ?? []), ...(allowed === ANY ? [] : allowed)]);
  if (forbidden.some((id) => expected.has(id))) {
    complain(cursors.forbidden, 'names a policy that policies, shadow or allowed names, too');
  }
}

/** Policies of a team: ids by id, and by name. */
interface Names {
  team: string;
  ids: ReadonlySet<string>;
  byName: ReadonlyMap<string, readonly string[]>;
}

function namesOf({ policies }: Configuration, team: string): Names {
  const own = policies.filter((policy) => policy.team === team);
  const byName = new Map<string, string[]>();
  for (const { id, name } of own) byName.set(name, [...(byName.get(name) ?? []), id]);
  return { team, ids: new Set(own.map(({ id }) => id)), byName };
}

/** The id of the policy that a list names. */
function readPolicyName(cursor: Cursor, { team, ids, byName }: Names): string | undefined {
  const { value } = cursor;
  if (typeof value !== 'string') return complain(cursor, 'expected the name or the id of a policy');
  if (ids.has(value.toLowerCase())) return value.toLowerCase();
  const [id, ...others] = byName.get(value) ?? [];
  if (id !== undefined && others.length === 0) return id;
  if (id !== undefined) return complain(cursor, `${others.length + 1} policies have this name: expected an id`);
  return complain(
    cursor,
    () => `team "${clip(team)}" has no policy "${clip(value)}"${suggestion(value, [...byName.keys()])}`,
  );
}
