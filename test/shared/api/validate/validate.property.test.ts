import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { validateSession } from '#weir/shared/api/validate/validate';
import { validateEvent, validateEvents } from '../../../support/model/check-input.ts';

const value = fc.jsonValue({ maxDepth: 3 });
const oneOf = (...values: unknown[]): fc.Arbitrary<unknown> => fc.oneof(fc.constantFrom(...values), value);
const optional = { requiredKeys: [] as never[] };
const reference = fc.record(
  { event_id: oneOf('a', 'b'), run_id: oneOf('r'), internal_event_id: value, relation: value },
  optional,
);
const event = fc.record(
  {
    type: oneOf('message', 'tool', 'agent', 'artifact', 'reasoning'),
    role: oneOf('user', 'assistant'),
    event_id: oneOf('a', 'b', 'c'),
    run_id: oneOf('r', 'q'),
    environment_id: oneOf('prod'),
    content: oneOf('x'),
    output: value,
    metadata: oneOf({}),
    name: oneOf('n'),
    parent: fc.oneof(reference, value),
    links: fc.oneof(fc.array(fc.oneof(reference, value)), value),
    other: value,
  },
  optional,
);
const events = fc.record(
  { environment_id: oneOf('prod'), run_id: oneOf('r'), events: fc.oneof(fc.array(fc.oneof(event, value)), value) },
  optional,
);
const part = fc.record({ type: oneOf('text', 'image_url', 'artifact'), text: oneOf('x') }, optional);
const message = fc.record(
  {
    role: oneOf('user', 'assistant-2'),
    content: fc.oneof(fc.array(fc.oneof(part, value)), oneOf('x')),
    metadata: value,
  },
  optional,
);
const session = fc.record(
  { messages: fc.oneof(fc.array(fc.oneof(message, value)), value), policies: fc.oneof(fc.array(value), value) },
  optional,
);

describe('validation of arbitrary bodies', () => {
  for (const [name, validator, body] of [
    ['a batch', validateEvents, events],
    ['an event', validateEvent, fc.record({ event: fc.oneof(event, value), run_id: oneOf('r') }, optional)],
    ['a session', validateSession, session],
  ] as const) {
    it(`either takes ${name} or lists at most 50 issues, each with its own path`, () => {
      fc.assert(
        fc.property(fc.oneof(body, value), (input) => {
          const result = validator(input);
          if (result.ok) {
            assert.equal(typeof result.value.scope, 'string');
            return;
          }
          const paths = result.issues.map((issue) => issue.path);
          assert.ok(paths.length >= 1 && paths.length <= 50);
          assert.equal(new Set(paths).size, paths.length);
          for (const issue of result.issues) assert.ok(issue.message !== '' && issue.code !== '');
          // The fallback issue is never needed: both typia validators agree.
          assert.ok(!result.issues.some((issue) => issue.message === 'does not have the expected shape'));
        }),
        { numRuns: 2000 },
      );
    });
  }
});
