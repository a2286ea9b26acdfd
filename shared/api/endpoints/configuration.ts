/** What a team asks of the configuration: its own part. */
import { LIMITS } from '../limits.js';
import { EVERY_VERSION } from '../versions.js';
import { type AnswerExamples, endpoints, inPath, optional, type Parameter, TEXT, UUID } from './endpoint.js';
import { COMMANDS, CREATED } from './samples.js';

const VERSIONS: AnswerExamples = {
  two: {
    value: {
      versions: [
        {
          version: 7,
          active: true,
          applied_at: CREATED,
          changes: 1,
          summary: 'policies: 1 changed',
          by: 'ann',
          host: 'build-1',
          message: 'destructive commands are high',
        },
        { version: 6, active: false, applied_at: '2026-11-20T09:12:00.000Z', changes: 0 },
      ],
      next: 6,
    },
  },
};

const CHANGES: AnswerExamples = {
  one: {
    value: {
      version: 7,
      from: 6,
      summary: 'policies: 1 changed',
      changes: [
        {
          section: 'policies',
          what: 'changed',
          title: `"Destructive commands" (${COMMANDS})`,
          fields: ['severity: "medium" → "high"'],
        },
      ],
      left_out: 0,
    },
  },
};

const POLICIES: AnswerExamples = {
  one: {
    value: {
      version: 7,
      policies: [
        {
          policy_id: COMMANDS,
          policy_name: 'Destructive commands',
          severity: 'high',
          action: 'block',
          direction: 'any',
          sources: ['text'],
          events: ['tool.arguments'],
          mode: 'live',
          detect: { commands: { kinds: ['destructive'], threshold: 0.5 } },
          cut: false,
        },
      ],
    },
  },
};

const NUMBER = { type: 'integer', minimum: 1, maximum: 999_999_999 } as const;
const limit = (most: number, otherwise: number): Parameter =>
  optional('limit', 'Most entries in the answer.', {
    type: 'integer',
    minimum: 1,
    maximum: most,
    default: otherwise,
  });

const OF_TEAM = { method: 'GET', versions: EVERY_VERSION, scope: 'configure', tag: 'Policies' } as const;
const OWN =
  'It has what belongs to the team of the key, whatever the key was granted, and neither secrets nor addresses. Questions take turns, one at a time in each process, in five seconds, or with a 503.';

export const configurationEndpoints = endpoints({
  getConfigurationVersions: {
    ...OF_TEAM,
    path: '/api/configuration/versions',
    summary: 'List versions of the configuration',
    description: `Lists the versions that are kept, the newest first, with what each has changed for the team. Who has applied a version, and what was said of it, stands at those that have changed something for the team. A page may have fewer entries than the limit although there are more. ${OWN}`,
    parameters: [
      optional('before', 'Only versions before this one: `next` of the page before.', NUMBER),
      limit(LIMITS.configurationVersions, 10),
    ],
    answer: { description: 'The versions.', schema: 'ConfigurationVersions', examples: VERSIONS },
  },
  getConfigurationChanges: {
    ...OF_TEAM,
    path: '/api/configuration/versions/{version}',
    summary: 'See what a version has changed',
    description: `Says in words what a version has changed for the team, as \`weir config diff\` does. ${OWN}`,
    parameters: [
      inPath('version', 'The number of the version.', { ...TEXT, pattern: '^[1-9][0-9]{0,8}$' }, '1'),
      optional('from', 'The version that it is compared with. By default the one before it that is kept.', NUMBER),
    ],
    answer: { description: 'The changes.', schema: 'VersionChanges', examples: CHANGES },
  },
  getConfiguredPolicies: {
    ...OF_TEAM,
    path: '/api/configuration/policies',
    summary: 'List the policies of the team',
    description: `Lists the policies of the team as the configuration has them, with their detectors. ${OWN}`,
    parameters: [
      optional('version', 'The version that they are of. By default the active one.', NUMBER),
      optional('after', 'Only policies behind this one: `next` of the page before.', UUID),
      limit(LIMITS.configuredPolicies, 20),
    ],
    answer: { description: 'The policies.', schema: 'ConfiguredPolicies', examples: POLICIES },
    errors: ['not_found'],
  },
});
