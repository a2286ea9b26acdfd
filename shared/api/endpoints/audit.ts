/** The audit log: who did what, when and from where. */
import { LIMITS } from '../limits.js';
import { EVERY_VERSION } from '../versions.js';
import { type AnswerExamples, endpoints, NAME, optional, type Parameter, TEXT, UUID } from './endpoint.js';
import { CREATED, SAMPLE, UPDATED } from './samples.js';

const READ = {
  audit_id: '01a1fdb6-e4b7-7d02-9c11-5a7e3c2f0000',
  at: UPDATED,
  action: 'content.read',
  actor_kind: 'key',
  actor: 'acme-desk',
  address: '10.20.0.7',
  request_id: '01a1fdb6-e4b6-7a91-8f4e-0b1c2d3e0000',
  team: 'acme',
  scope: SAMPLE.environment,
  subject_kind: 'event',
  subject: SAMPLE.internalEvent,
} as const;

const APPLIED = {
  audit_id: '01a1fdb6-e2d1-7b3f-8a2c-1f9e8d7c0000',
  at: CREATED,
  action: 'configuration.applied',
  actor_kind: 'command',
  actor: 'ann@desk-7',
  address: 'desk-7',
  subject_kind: 'configuration',
  subject: '12',
  message: 'A key for the new desk',
} as const;

const TIME = { ...TEXT, format: 'date-time' };

const ACTIONS = [
  'configuration.applied',
  'configuration.rolled_back',
  'key.added',
  'key.changed',
  'key.removed',
  'key.expired',
  'content.read',
  'label.set',
  'label.withdrawn',
  'appeal.made',
  'erasure.requested',
  'export.begun',
  'replay.requested',
  'policies.tried',
  'login.begun',
  'login.refused',
  'login.ended',
];

const FILTER: readonly Parameter[] = [
  optional('from', 'The beginning of the time. By default 24 hours before its end.', TIME),
  optional(
    'to',
    `The end of the time, which is not in it. By default now. At most ${LIMITS.historyDays} days after its beginning.`,
    TIME,
  ),
  optional('action', 'Only entries of this action.', { ...TEXT, enum: ACTIONS }),
  optional('actor', 'Only what this key did, by its name, or this user of a command, as `user@host`.', NAME),
  optional('subject', 'Only what was done to this: an id, or a hash, as an entry has it.', NAME),
  optional('before', 'Only entries before this one: `next` of the page before.', UUID),
  optional('limit', 'Most entries in the answer.', {
    type: 'integer',
    minimum: 1,
    maximum: LIMITS.auditEntries,
    default: 50,
  }),
];

const PAGE: AnswerExamples = { read: { value: { entries: [READ, APPLIED] } } };

const LATER = 'An entry shows up a second or two after the act.';

export const auditEndpoints = endpoints({
  getAudit: {
    method: 'GET',
    path: '/api/audit',
    versions: EVERY_VERSION,
    scope: 'audit',
    tag: 'Audit',
    summary: 'List who did what',
    description: `Lists what was done that concerns the team of the API key, the newest first: keys that were added, changed, removed or have expired, content that was read, labels, appeals, erasures, tries; and configurations, which are those of all teams. ${LATER}`,
    parameters: FILTER,
    answer: { description: 'The entries.', schema: 'AuditPage', examples: PAGE },
  },
  getAuditOfAll: {
    method: 'GET',
    path: '/api/operation/audit',
    versions: EVERY_VERSION,
    scope: 'operate',
    tag: 'Operation',
    summary: 'List who did what, over all teams',
    description: `Lists what [\`GET /api/audit\`](#operations-Audit-getAudit) lists, of all teams, and what operators did. ${LATER}`,
    parameters: [optional('team', 'Only what concerns this team.', NAME), ...FILTER],
    answer: { description: 'The entries.', schema: 'AuditPage', examples: PAGE },
  },
});
