/** Webhooks: addresses that are told of flagged checks and of appeals, and the secrets that sign what they are told. */
import { SECRET_VARIABLE } from './backends.js';
import {
  type Cursor,
  choiceOf,
  clip,
  complain,
  type FindingsReport,
  fieldsOf,
  ID_RULE,
  isAbsent,
  listOf,
  noteShape,
  readOwner,
  requireGiven,
  suggestion,
  textOf,
} from './read/fields.js';
import { readListed } from './read/names.js';
import type { Configuration, HookConfiguration, HookEvent } from './types.js';

const KEYS = ['id', 'team', 'url', 'on', 'policies', 'secret_env'] as const;
/** What a webhook may be told of. */
const HOOK_EVENTS: readonly HookEvent[] = ['flagged', 'appeal'];
const ON_EXPECTED = '[flagged], [appeal] or both';
const MAX_POLICIES = 10_000;
/** Of a team. They share what Redis keeps for it. */
const MOST_HOOKS = 16;
const URL_EXPECTED = 'an address such as https://example.com/weir, http or https, without user, password or fragment';

export function readHook(cursor: Cursor): HookConfiguration | undefined {
  const fields = fieldsOf(cursor, KEYS);
  if (!fields) return undefined;
  const [on, policies] = [fields.get('on'), fields.get('policies')];
  const events = isAbsent(on) ? [] : listOf(on, HOOK_EVENTS.length, (item) => choiceOf(item, HOOK_EVENTS));
  if (on.shape) requireGiven(on, ON_EXPECTED);
  else if (events.length === 0) complain(on, `is required: expected ${ON_EXPECTED}`);
  noteShape(policies, { minItems: 1 });
  if (Array.isArray(policies.value) && policies.value.length === 0) {
    complain(policies, 'expected at least one policy; leave it out to tell of all policies of the team');
  }
  return {
    id: textOf(fields.get('id'), ID_RULE),
    team: readOwner(fields),
    url: readUrl(fields.get('url')),
    on: [...new Set(events)],
    policies: isAbsent(policies) ? null : [...new Set(listOf(policies, MAX_POLICIES, readListed))],
    secret_env: textOf(fields.get('secret_env'), SECRET_VARIABLE),
  };
}

function readUrl(cursor: Cursor): string {
  const text = textOf(cursor, { max: 2048, expected: URL_EXPECTED });
  noteShape(cursor, { pattern: '^https?://' });
  if (text === '') return text;
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const plain = url && /^https?:$/.test(url.protocol) && !url.username && !url.password && !text.includes('#');
  if (!plain) complain(cursor, `expected ${URL_EXPECTED}`);
  return text;
}

/** That policies are of the team of the webhook, and that a team has not too many webhooks. */
export function checkHooks({ notify, policies }: Configuration, report: FindingsReport): void {
  const teams = new Map(policies.map(({ id, team }) => [id, team]));
  const counts = new Map<string, number>();
  notify.forEach((hook, i) => {
    hook.policies?.forEach((id, j) => {
      const team = teams.get(id);
      const path = ['notify', i, 'policies', j];
      if (team === undefined) report.add(path, () => `there is no policy ${id}${suggestion(id, [...teams.keys()])}`);
      else if (team !== hook.team) report.add(path, `policy ${id} belongs to another team than "${clip(hook.team)}"`);
    });
    const count = (counts.get(hook.team) ?? 0) + 1;
    counts.set(hook.team, count);
    if (count === MOST_HOOKS + 1) report.add(['notify', i], `expected at most ${MOST_HOOKS} webhooks of a team`);
  });
}

/** Webhooks of a stored configuration, by their names. */
export function hooksOf({ notify = [] }: Partial<Configuration>): Map<string, HookConfiguration> {
  return new Map(notify.map((hook) => [hookName(hook), hook]));
}

/** `team/id`: ids have no slash. */
export const hookName = ({ team, id }: Pick<HookConfiguration, 'team' | 'id'>): string => `${team}/${id}`;

const SECRET = /^whsec_([A-Za-z0-9+/]+={0,2})$/;
/** In bytes, as Standard Webhooks says. */
const [SHORTEST_SECRET, LONGEST_SECRET] = [24, 64];
const MOST_SECRETS = 4;

export const SECRETS_EXPECTED = `whsec_ and ${SHORTEST_SECRET} to ${LONGEST_SECRET} bytes as base64, or up to ${MOST_SECRETS} of these separated by spaces`;

/** The keys in the value of a `secret_env`; undefined where it has none that can be used. Several sign side by side. */
export function hookSecrets(value: string | undefined): Buffer[] | undefined {
  const words = (value ?? '').split(/\s+/).filter((word) => word !== '');
  const secrets = words.map((word) => Buffer.from(SECRET.exec(word)?.[1] ?? '', 'base64'));
  const usable = secrets.every(({ length }) => length >= SHORTEST_SECRET && length <= LONGEST_SECRET);
  return usable && secrets.length >= 1 && secrets.length <= MOST_SECRETS ? secrets : undefined;
}
