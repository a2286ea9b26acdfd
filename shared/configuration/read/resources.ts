/** Readers of teams, keys, policies, deployments, environments, risk and retention. */
import { blockOf } from '../../address-blocks.js';
import { MODERATIONS_CATEGORIES } from '../../api/dialects/moderations.js';
import { CHECKABLE_FIELDS, EVENT_TYPES, type EventType, SEVERITIES } from '../../api/types.js';
import { parseInstant } from '../../instant.js';
import { parseCondition } from '../../policy/conditions.js';
import { conditionProblem } from '../../policy/strict-conditions.js';
import { MAX_REGION, REGION_NAME } from '../../region.js';
import { KEY_SCOPES, type KeyScope, OPERATOR_SCOPES, USUAL_SCOPES } from '../key-scopes.js';
import type {
  ConditionConfiguration,
  DeploymentConfiguration,
  EnvironmentConfiguration,
  KeyConfiguration,
  Moderations,
  PolicyConfiguration,
  RetentionConfiguration,
  RiskConfiguration,
  TeamConfiguration,
} from '../types.js';
import { derivedId } from './derived-ids.js';
import { readDetect } from './detect.js';
import {
  type Cursor,
  choiceOf,
  clip,
  complain,
  fieldsOf,
  flagOf,
  ID_RULE,
  isAbsent,
  listOf,
  listOrText,
  noteShape,
  numberOf,
  type ObjectFields,
  readName,
  readOwner,
  requireGiven,
  suggestion,
  textOf,
} from './fields.js';
import { readListed, readNamed } from './names.js';

const TIME = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(\.\d{1,9})?(Z|[+-]\d\d:\d\d)$/;
const MAX_REFERENCES = 10_000;
const MAX_CONDITIONS = 1000;
const MAX_TAGS = 16;
const MAX_BLOCKS = 100;
const BLOCK_RULE = {
  max: 43,
  pattern: /^[0-9A-Fa-f.:]+(\/[0-9]{1,3})?$/,
  expected: 'an address such as 192.0.2.7, or a block of them by its first one, such as 10.2.0.0/16 or 2001:db8::/32',
};
const TAG_RULE = {
  max: 128,
  pattern: /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*$/,
  expected:
    'a path in metadata such as tenant or user.tier: names of letters, digits, "_" and "-" joined by ".", 128 characters at most',
};
export const POLICY_MODES = ['live', 'shadow'] as const;

/** What `events` of a policy may name: `message`, `tool.output`, `artifact.image` and so on. */
const SELECTORS: readonly string[] = EVENT_TYPES.flatMap((type) => [
  type,
  ...(type === 'artifact' ? ['image'] : CHECKABLE_FIELDS[type]).map((field) => `${type}.${field}`),
]);

const readIds = (cursor: Cursor, read = (item: Cursor): string => textOf(item, ID_RULE)): string[] => [
  ...new Set(listOf(cursor, MAX_REFERENCES, read)),
];

export function readTeam(cursor: Cursor): TeamConfiguration | undefined {
  const fields = fieldsOf(cursor, ['id', 'fail_closed', 'tags']);
  if (!fields) return undefined;
  const tags = new Set(listOf(fields.get('tags'), MAX_TAGS, (item) => textOf(item, TAG_RULE)));
  return {
    id: textOf(fields.get('id'), ID_RULE),
    fail_closed: flagOf(fields.get('fail_closed'), false),
    ...(tags.size > 0 ? { tags: [...tags] } : {}),
  };
}

export function readKey(cursor: Cursor): KeyConfiguration | undefined {
  const fields = fieldsOf(cursor, [
    'id',
    'team',
    'sha256',
    'deployments',
    'default_deployment',
    'environments',
    'scopes',
    'expires_at',
    'rate',
    'without_key_from',
    'regions',
  ]);
  if (!fields) return undefined;
  const fallback = fields.get('default_deployment');
  const blocks = new Set(listOf(fields.get('without_key_from'), MAX_BLOCKS, readBlock));
  const regions = new Set(listOf(fields.get('regions'), MAX_REGION, (item) => textOf(item, REGION_NAME)));
  const scopes = readScopes(fields.get('scopes'));
  return {
    id: textOf(fields.get('id'), ID_RULE),
    team: scopes.some(spansTeams) ? readNoOwner(fields, scopes) : readOwner(fields),
    sha256: textOf(fields.get('sha256'), {
      max: 64,
      pattern: /^[0-9a-fA-F]{64}$/,
      expected: 'the SHA-256 of the key as 64 hexadecimal digits (weir keys create prints it)',
    }).toLowerCase(),
    deployments: readIds(fields.get('deployments'), readNamed),
    default_deployment: isAbsent(fallback) ? null : readNamed(fallback),
    environments: readIds(fields.get('environments')),
    scopes,
    expires_at: readTime(fields.get('expires_at')),
    rate: readRate(fields.get('rate')),
    ...(blocks.size > 0 ? { without_key_from: [...blocks] } : {}),
    ...(regions.size > 0 ? { regions: [...regions] } : {}),
  };
}

function readBlock(cursor: Cursor): string {
  const text = textOf(cursor, BLOCK_RULE);
  if (BLOCK_RULE.pattern.test(text) && !blockOf(text)) complain(cursor, `expected ${BLOCK_RULE.expected}`);
  return text;
}

function readScopes(cursor: Cursor): KeyConfiguration['scopes'] {
  if (isAbsent(cursor)) return [...USUAL_SCOPES];
  return [...new Set(listOf(cursor, KEY_SCOPES.length, (item) => choiceOf(item, KEY_SCOPES)))];
}

const spansTeams = (scope: KeyScope): boolean => OPERATOR_SCOPES.includes(scope);

/** Of a key that spans teams: it has none, and may ask for nothing that a team has. */
function readNoOwner(fields: ObjectFields, scopes: readonly KeyScope[]): null {
  const none = 'a key with the scope operate belongs to no team';
  for (const name of ['team', 'deployments', 'default_deployment', 'environments', 'without_key_from']) {
    const cursor = fields.get(name);
    const isEmpty = isAbsent(cursor) || (Array.isArray(cursor.value) && cursor.value.length === 0);
    if (!isEmpty) complain(cursor, `expected nothing here: ${none}`);
  }
  if (!scopes.every(spansTeams))
    complain(fields.get('scopes'), `expected operate alone: ${none}, so it may see nothing that teams have checked`);
  return null;
}

function readTime(cursor: Cursor): string | null {
  if (isAbsent(cursor)) return null;
  noteShape(cursor, { type: 'string', pattern: TIME.source });
  const { value, report } = cursor;
  // In YAML 1.2 an unquoted time is a text, so this is never a Date. A version that is stored is held to the rules of its time.
  const parse = report.short ? parseInstant : Date.parse;
  if (typeof value === 'string' && TIME.test(value) && !Number.isNaN(parse(value))) return value;
  complain(cursor, 'expected a time such as 2027-01-31T00:00:00Z, or null for no expiry');
  return null;
}

function readRate(cursor: Cursor): KeyConfiguration['rate'] {
  if (isAbsent(cursor)) return null;
  const fields = fieldsOf(cursor, ['requests_per_minute']);
  if (!fields) return null;
  const limit = fields.get('requests_per_minute');
  requireGiven(limit, 'a whole number from 1 to 100000000');
  return { requests_per_minute: numberOf(limit, { default: 1, min: 1, max: 100_000_000 }) };
}

export function readPolicy(cursor: Cursor): PolicyConfiguration | undefined {
  const known = [
    'id',
    'team',
    'name',
    'severity',
    'action',
    'direction',
    'sources',
    'events',
    'mode',
    'unknown_language',
    'detect',
  ];
  const fields = fieldsOf(cursor, known);
  if (!fields) return undefined;
  const events = fields.get('events');
  const sources = fields.get('sources');
  const chosen = listOf(sources, 2, (item) => choiceOf(item, ['text', 'image'] as const));
  noteShape(sources, { minItems: 1 });
  if (Array.isArray(sources.value) && sources.value.length === 0) complain(sources, 'expected text, image or both');
  if (Array.isArray(events.value) && events.value.length === 0) {
    complain(events, 'expected at least one event selector; leave it out to select every type and field');
  }
  const [team, name] = [readOwner(fields), readName(fields.get('name'))];
  return {
    id: derivedId(fields.get('id'), 'policy', team, name),
    team,
    name,
    severity: choiceOf(fields.get('severity'), SEVERITIES, 'medium'),
    action: choiceOf(fields.get('action'), ['block', 'redact'] as const, 'block'),
    direction: choiceOf(fields.get('direction'), ['input', 'output', 'any'] as const, 'any'),
    sources: isAbsent(sources) ? ['text', 'image'] : [...new Set(chosen)],
    events: isAbsent(events) ? null : [...new Set(listOf(events, 100, readSelector))],
    // Live policies are stored as they were before there was a mode, so that releases without it read them.
    ...(choiceOf(fields.get('mode'), POLICY_MODES, 'live') === 'shadow' ? { mode: 'shadow' } : {}),
    ...(choiceOf(fields.get('unknown_language'), UNKNOWN_LANGUAGE, 'leave_out') === 'fail'
      ? { unknown_language: 'fail' }
      : {}),
    detect: readDetect(fields.get('detect')),
  };
}

/** What becomes of a text in a language that the detectors of a policy do not know. */
const UNKNOWN_LANGUAGE = ['leave_out', 'fail'] as const;

function readSelector(cursor: Cursor): string {
  noteShape(cursor, { enum: [...SELECTORS] });
  const { value } = cursor;
  if (typeof value === 'string' && SELECTORS.includes(value)) return value;
  const shown = typeof value === 'string' ? value : '';
  const [type = ''] = shown.split('.');
  if ((EVENT_TYPES as readonly string[]).includes(type)) {
    const fields = type === 'artifact' ? ['image'] : CHECKABLE_FIELDS[type as EventType];
    complain(cursor, `expected ${type} or ${fields.map((field) => `${type}.${field}`).join(', ')}`);
  } else {
    const expected = `expected an event type (${EVENT_TYPES.join(', ')}) or type.field such as tool.output`;
    complain(cursor, `${expected}${shown === '' ? '' : suggestion(shown, SELECTORS)}`);
  }
  return 'message';
}

export function readDeployment(cursor: Cursor): DeploymentConfiguration | undefined {
  const fields = fieldsOf(cursor, ['id', 'team', 'name', 'policies', 'metrics', 'litellm', 'moderations']);
  if (!fields) return undefined;
  const litellm = fields.has('litellm') ? readLitellm(fields.get('litellm')) : undefined;
  const moderations = fields.has('moderations') ? readModerations(fields.get('moderations')) : undefined;
  return {
    id: textOf(fields.get('id'), ID_RULE),
    team: readOwner(fields),
    name: readName(fields.get('name')),
    policies: readIds(fields.get('policies'), readListed),
    metrics: readIds(fields.get('metrics'), readListed),
    ...(litellm ? { litellm } : {}),
    ...(moderations ? { moderations } : {}),
  };
}

const LITELLM_CHECKS = ['newest', 'all'] as const;

function readLitellm(cursor: Cursor): DeploymentConfiguration['litellm'] {
  const fields = fieldsOf(cursor, ['check']);
  return fields && { check: choiceOf(fields.get('check'), LITELLM_CHECKS, 'newest') };
}

function readModerations(cursor: Cursor): Moderations | undefined {
  const fields = fieldsOf(cursor, MODERATIONS_CATEGORIES);
  if (!fields) return undefined;
  const listed = MODERATIONS_CATEGORIES.filter((category) => fields.has(category)).map((category) => {
    return [category, listOrText(fields.get(category), MAX_REFERENCES, readListed)] as const;
  });
  return Object.fromEntries(listed);
}

export function readEnvironment(cursor: Cursor): EnvironmentConfiguration | undefined {
  const fields = fieldsOf(cursor, ['id', 'team', 'conditions']);
  if (!fields) return undefined;
  const id = textOf(fields.get('id'), ID_RULE);
  const conditions = listOf(fields.get('conditions'), MAX_CONDITIONS, readCondition);
  const seen = new Set<string>();
  conditions.forEach((condition, i) => {
    if (condition.id !== '' && seen.has(condition.id)) {
      const path = [...cursor.path, 'conditions', i, 'id'];
      cursor.report.add(path, `condition id "${clip(condition.id)}" is used twice in this environment`);
    }
    seen.add(condition.id);
  });
  return {
    id,
    team: readOwner(fields),
    conditions,
  };
}

export function readCondition(cursor: Cursor): ConditionConfiguration | undefined {
  const fields = fieldsOf(cursor, ['id', 'name', 'active', 'when', 'policies', 'metrics']);
  if (!fields) return undefined;
  const when = fields.get('when');
  const text = textOf(when, { max: 4096, expected: 'a CEL expression in quotes, such as "true"' });
  if (text !== '') {
    const problem = whenProblem(when, text);
    if (problem !== undefined) complain(when, problem);
  }
  return {
    id: textOf(fields.get('id'), ID_RULE),
    name: readName(fields.get('name')),
    active: flagOf(fields.get('active'), true),
    when: text,
    policies: readIds(fields.get('policies'), readListed),
    metrics: readIds(fields.get('metrics'), readListed),
  };
}

/** Files are held to more than versions that are stored. */
function whenProblem({ report }: Cursor, text: string): string | undefined {
  if (report.short) {
    const problem = conditionProblem(text);
    return problem && `expected a CEL expression over metadata and event that is true or false: ${problem}`;
  }
  const parsed = parseCondition(text);
  return parsed.ok ? undefined : `expected a CEL expression over metadata and event: ${parsed.message}`;
}

const AMOUNT = { min: 0, max: 1_000_000, integer: false } as const;

export function readRisk(cursor: Cursor): RiskConfiguration {
  const base = isAbsent(cursor) ? { ...cursor, value: {} } : cursor;
  const fields = fieldsOf(base, ['window_days', 'weights', 'elevated', 'severe']);
  const none = { ...cursor, value: null };
  const given = fields?.get('weights') ?? none;
  const weights = fieldsOf(isAbsent(given) ? { ...given, value: {} } : given, SEVERITIES);
  const weight = (key: string, value: number): number =>
    numberOf(weights?.get(key) ?? none, { ...AMOUNT, default: value });
  const elevated = numberOf(fields?.get('elevated') ?? none, { ...AMOUNT, default: 4 });
  const severe = numberOf(fields?.get('severe') ?? none, { ...AMOUNT, default: 10 });
  if (severe < elevated) complain(fields?.get('severe') ?? none, `expected at least elevated (${elevated})`);
  return {
    window_days: numberOf(fields?.get('window_days') ?? none, { default: 30, min: 1, max: 3650 }),
    weights: { low: weight('low', 1), medium: weight('medium', 2), high: weight('high', 5) },
    elevated,
    severe,
  };
}

export function readRetention(cursor: Cursor): RetentionConfiguration {
  const base = isAbsent(cursor) ? { ...cursor, value: {} } : cursor;
  const fields = fieldsOf(base, ['content', 'content_days', 'results_days', 'audit_days']);
  const none = { ...cursor, value: null };
  const content_days = numberOf(fields?.get('content_days') ?? none, { default: 30, min: 0, max: 36_500 });
  const results_days = numberOf(fields?.get('results_days') ?? none, { default: 365, min: 1, max: 36_500 });
  const content = choiceOf(fields?.get('content') ?? none, ['original', 'masked'], 'original');
  const given = fields?.get('audit_days') ?? none;
  const audit_days = numberOf(given, { default: 400, min: 1, max: 36_500 });
  return {
    content_days,
    results_days,
    ...(content === 'masked' ? { content } : {}),
    ...(isAbsent(given) ? {} : { audit_days }),
  };
}

const REGION_NUMBERS = Array.from({ length: MAX_REGION }, (_, i) => String(i + 1));

/** Names by number. Two regions with one name could not be told apart. */
export function readRegions(cursor: Cursor): Record<string, string> {
  const fields = fieldsOf(cursor, REGION_NUMBERS);
  const regions: Record<string, string> = {};
  const seen = new Set<string>();
  for (const number of REGION_NUMBERS) {
    if (!fields?.has(number)) continue;
    const field = fields.get(number);
    const name = textOf(field, REGION_NAME);
    if (name !== '' && seen.has(name)) complain(field, `two regions are named "${clip(name)}"`);
    seen.add(name);
    regions[number] = name;
  }
  return regions;
}
