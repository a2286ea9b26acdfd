/** What a check would come to, maybe by edited policies (decisions, Try). */
import { LIMITS } from '../limits.js';
import { EVERY_VERSION } from '../versions.js';
import { type Exchanges, endpoints } from './endpoint.js';
import { SAMPLE } from './samples.js';

const NEW = '6f1c0f0e-52a1-4c3e-9d3b-0b6a3c1f7a10';
const EVENT = { type: 'message', role: 'user', content: 'Project Falcon ships on Monday.' } as const;
const FALCON = {
  id: NEW,
  name: 'Code names',
  severity: 'high',
  detect: { terms: { list: ['project falcon'] } },
};

const TRY: Exchanges = {
  requests: {
    active: {
      summary: 'A chat against the active version',
      value: {
        deployment_id: SAMPLE.deployment,
        messages: [{ role: 'user', content: 'My card is 4111 1111 1111 1111.' }],
      },
    },
    edited: {
      summary: 'An event against a new policy',
      value: { environment_id: SAMPLE.environment, event: EVENT, policies: [FALCON] },
    },
    wrong: {
      summary: 'Refused: a policy that is not as the configuration has them',
      value: {
        environment_id: SAMPLE.environment,
        event: EVENT,
        policies: [{ ...FALCON, severity: 'hihg' }],
      },
      refused: [
        {
          path: 'policies[0].severity',
          code: 'configuration',
          message: 'expected one of low, medium, high; did you mean "high"?',
        },
      ],
    },
  },
  answers: {
    edited: {
      value: {
        policies: {
          [NEW]: {
            flagged: true,
            name: 'Code names',
            enabled_by_conditions: [{ id: 'new', name: 'New policies' }],
            severity: 'high',
            evidence: [{ detector: 'terms', view: 'folded', source: 'text', start: 0, end: 14 }],
          },
        },
        flagged: true,
        shadow: [],
        scores: [],
        conditions: [
          { id: 'everything', name: 'Everything', matched: true },
          { id: 'new', name: 'New policies', matched: true },
        ],
        cost: {
          evaluation_us: 180,
          images_us: 0,
          asking_us: 0,
          condition_steps: 0,
          most_condition_steps: 200_000,
        },
      },
    },
  },
};

const COUNTS = { still_flagged: 0, newly_cleared: 0, still_clean: 1, not_evaluated: 0, not_stored: 0 };

const BACKTEST: Exchanges = {
  requests: {
    edited: {
      summary: 'A new policy over the last day of events',
      value: { environment_id: SAMPLE.environment, policies: [FALCON] },
    },
    wrong: {
      summary: 'Refused: nowhere',
      value: { policies: [FALCON] },
      refused: [
        {
          path: 'environment_id',
          code: 'required',
          message: 'expected exactly one of environment_id and deployment_id',
        },
      ],
    },
  },
  answers: {
    edited: {
      value: {
        total: 2,
        items: 2,
        evaluated: 2,
        not_stored: 0,
        images: 0,
        failed: 0,
        policies: [{ policy_id: NEW, policy_name: 'Code names', ...COUNTS, newly_flagged: 1 }],
        differing: [{ internal_event_id: SAMPLE.internalEvent, newly_flagged: [NEW], newly_cleared: [] }],
      },
    },
  },
};

const CASES = `cases:
- name: A code name is one
  text: Project Falcon ships on Monday.
  expect: {policies: [Code names]}
- name: A bird is not
  text: A falcon sits on the roof.
  expect: {flagged: true}
`;

const TESTS: Exchanges = {
  requests: {
    edited: {
      summary: 'Two cases by a new policy',
      value: { environment_id: SAMPLE.environment, policies: [FALCON], cases: CASES },
    },
    wrong: {
      summary: 'Refused: a file that has no cases',
      value: { environment_id: SAMPLE.environment, cases: '{"cases": []}' },
      refused: [{ path: 'cases', code: 'case', message: 'expected a list of at least one case (line 1, column 11)' }],
    },
  },
  answers: {
    edited: {
      value: {
        total: 2,
        cases: [
          { name: 'A code name is one', line: 2, outcome: 'passed', why: [] },
          {
            name: 'A bird is not',
            line: 5,
            outcome: 'failed',
            why: ['- flagged: expected, and no policy is flagged'],
          },
        ],
      },
    },
  },
};

export const tryEndpoints = endpoints({
  tryPolicies: {
    method: 'POST',
    path: '/api/try',
    versions: EVERY_VERSION,
    scope: 'try',
    alone: true,
    mostBytes: LIMITS.tryBytes,
    tag: 'Policies',
    summary: 'Try policies on a text, an event, a chat or an image',
    description: `Says what a check would answer, with what detectors scored, which conditions matched and what it took: by the active version, or with policies and conditions of your team as you edit them. Nothing of it is stored. A body has at most ${LIMITS.tryBytes / 1024} KiB, and a try takes at most ${LIMITS.tryMs / 1000} seconds. A team tries one thing at a time.`,
    body: { schema: 'TryRequest', examples: TRY.requests },
    answer: { description: 'What a check would answer, and why.', schema: 'TryResult', examples: TRY.answers },
    errors: ['content_too_large', 'evaluation_timeout', 'not_evaluable', 'not_found', 'unsupported_content_part'],
  },
  backtestPolicies: {
    method: 'POST',
    path: '/api/try/backtest',
    versions: EVERY_VERSION,
    scope: 'try',
    also: 'content',
    alone: true,
    mostBytes: LIMITS.tryBytes,
    tag: 'Policies',
    summary: 'Say what edited policies would change in what was checked',
    description: `Evaluates stored items of an environment or a deployment again, the newest first, with policies and conditions of your team as you edit them, and says what differs from the verdicts that they had. An answer has a page: as many of at most 200 items as there is time for. Send its \`next\` as \`before\` for the next one. Nothing is stored. A page takes its turn, and at most ${LIMITS.tryMs / 1000} seconds, as a try does. No image is looked at, and no backend or model asked.`,
    body: { schema: 'BacktestRequest', examples: BACKTEST.requests },
    answer: { description: 'What differs in a page of items.', schema: 'BacktestPage', examples: BACKTEST.answers },
    errors: ['content_too_large', 'evaluation_timeout', 'not_evaluable', 'not_found'],
  },
  testPolicies: {
    method: 'POST',
    path: '/api/try/test',
    versions: EVERY_VERSION,
    scope: 'try',
    alone: true,
    mostBytes: LIMITS.tryBytes,
    tag: 'Policies',
    summary: 'Run cases by edited policies',
    description: `Evaluates the cases of a file as \`weir test\` reads it, with policies and conditions of your team as you edit them, and says which pass. As many are evaluated as there is time for: send \`next\` as \`start\` to go on. Nothing is stored. It takes its turn, and at most ${LIMITS.tryMs / 1000} seconds, as a try does. Cases with images, and those about which a backend or a model would be asked, are not run.`,
    body: { schema: 'PolicyTestRequest', examples: TESTS.requests },
    answer: { description: 'Which cases pass.', schema: 'PolicyTestResult', examples: TESTS.answers },
    errors: ['content_too_large', 'evaluation_timeout', 'not_evaluable', 'not_found'],
  },
});
