import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { parseBody } from '#weir/ingress/parse/parse-body';
import { batch, changed, message } from '../../support/api/plain-batch.ts';

const tool = { type: 'tool', arguments: { a: [1, 'b'] }, name: 'n', event_id: 'k', parent: 'a', links: ['a'] };
const image = { type: 'artifact', content: { kind: 'image', url: 'https://a.b/c.png' } };

describe('a body of events', () => {
  it('is taken, or refused for a reason that is found', () => {
    for (const [kind, body] of [
      ['events', batch(message, tool, image, { type: 'tool', event_id: 'k' })],
      ['event', { environment_id: 'prod', run_id: 'r', event: tool }],
    ] as const) {
      const found = { taken: 0, refused: 0, invalid: 0 };
      fc.assert(
        fc.property(changed(JSON.stringify(body)), (text) => {
          const result = parseBody(kind, Buffer.from(text));
          if (result.ok === null) found.invalid++;
          else if (result.ok) found.taken++;
          else {
            found.refused++;
            assert.equal(result.unexplained, undefined, text);
            assert.ok(result.issues.length > 0, text);
          }
        }),
        { numRuns: 4000 },
      );
      assert.ok(Math.min(...Object.values(found)) > 40, JSON.stringify(found));
    }
  });

  it('is refused with all that is wrong with it', () => {
    const body = batch({ ...message, name: 5 }, { ...message, links: ['ä'] }, { type: 'tool' });
    const issuesIn = (text: string): string[] => {
      const result = parseBody('events', Buffer.from(text));
      assert.ok(result.ok === false, text);
      return result.issues.map(({ path, code }) => `${path} ${code}`);
    };
    assert.deepEqual(issuesIn(JSON.stringify(body)), ['events[0].name type']);
    assert.deepEqual(issuesIn(JSON.stringify({ ...body, events: body.events.slice(1) })), [
      'events[0].links[0] id',
      'events[1].event_id required',
    ]);
    assert.deepEqual(issuesIn('{"events":[],"environment_id":"e","a":{"b":1,"b":2}}'), ['a.b repeated']);
  });
});
