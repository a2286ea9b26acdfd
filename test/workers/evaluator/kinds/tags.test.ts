/** What history keeps of metadata beside a verdict, where a team names it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePlan } from '#weir/shared/policy/compile';
import type { Plan } from '#weir/shared/policy/plan';
import type { WorkHeader } from '#weir/shared/streams/work';
import { evaluateEntry, failedEntry } from '#weir/workers/evaluator/outcome';
import { readRows } from '#weir/workers/rows/read-rows';
import { load } from '../../../shared/policy/support.ts';
import { entryOf } from '../support.ts';

const planOf = (tags: string[]): Plan =>
  compilePlan(
    load({
      version: 1,
      teams: [{ id: 't', tags }, { id: 'u' }],
      deployments: [{ id: 'd', team: 't', name: 'D' }],
      environments: [{ id: 'e', team: 't', conditions: [] }],
    }),
    1,
  );
const PLAN = planOf(['tenant', 'user.tier', 'n']);

/** The tags of each item, as they are packed. */
function tagsOf(
  kind: WorkHeader['kind'],
  body: unknown,
  { plan = PLAN, ...more }: { plan?: Plan; unkept?: true } = {},
) {
  const { format, rows } = evaluateEntry(plan, entryOf(kind, body, more));
  return readRows(format, rows, new Set(['tags'])).flatMap((row) =>
    (row.tags as [string, string][][]).map((pairs) => Object.fromEntries(pairs)),
  );
}
const event = (metadata?: string): string =>
  `{"type":"message","role":"user","content":"x"${metadata === undefined ? '' : `,"metadata":${metadata}`}}`;
const eventOf = (metadata?: string) => tagsOf('event', `{"environment_id":"e","event":${event(metadata)}}`)[0];

describe('the tags of an item', () => {
  it('are the values at the paths that its team names', () => {
    const sent = ['{"tenant":"a","user":{"tier":"pro","id":"u"},"other":1}', undefined, '{"user":{"tier":"free"}}'];
    const body = `{"environment_id":"e","events":[${sent.map(event).join()}]}`;
    assert.deepEqual(tagsOf('events', body), [{ tenant: 'a', 'user.tier': 'pro' }, {}, { 'user.tier': 'free' }]);
    assert.deepEqual(tagsOf('events', body, { plan: planOf([]) }), [{}, {}, {}]);
  });

  it('are numbers, true and false as they are written, and no objects, lists, null and empty texts', () => {
    for (const [value, kept] of [
      ['"ä\\u0041"', 'äA'],
      ['12345678901234567890', '12345678901234567890'],
      ['1.50', '1.50'],
      ['true', 'true'],
      ['false', 'false'],
      ['{"a":1}'],
      ['["a"]'],
      ['null'],
      ['""'],
    ] as const) {
      assert.deepEqual(eventOf(`{"n" : ${value}}`), kept === undefined ? {} : { n: kept }, value);
    }
    assert.deepEqual(eventOf('{"user":"tier"}'), {});
  });

  it('have 256 characters at most: what is longer is left out', () => {
    assert.deepEqual(eventOf(`{"tenant":"${'é'.repeat(256)}","n":7}`), { tenant: 'é'.repeat(256), n: '7' });
    assert.deepEqual(eventOf(`{"tenant":"${'é'.repeat(257)}","n":7}`), { n: '7' });
  });

  it('are no properties that every object has', () => {
    const plan = planOf(['constructor.name', '__proto__']);
    const body = `{"environment_id":"e","event":${event('{"a":1}')}}`;
    assert.deepEqual(tagsOf('event', body, { plan }), [{}]);
    assert.deepEqual(tagsOf('event', body.replace('"a":1', '"__proto__":"b"'), { plan }), [
      Object.fromEntries([['__proto__', 'b']]),
    ]);
  });

  it('of a session are those of its last message, else of the session; its images have them, too', () => {
    const content = [
      { type: 'text', text: 'x' },
      { type: 'artifact', content: { kind: 'image', data: 'AAAA' } },
    ];
    const earlier = { role: 'user', content: 'x', metadata: { tenant: 'earlier', n: 1 } };
    const last = { role: 'user', content, metadata: { tenant: 'last' } };
    const metadata = { tenant: 'whole', user: { tier: 'pro' } };
    const tags = { tenant: 'last', 'user.tier': 'pro' };
    assert.deepEqual(tagsOf('session', { messages: [earlier, last], metadata }), [tags, tags]);
  });

  it('of an image that came by itself are those of its own metadata', () => {
    const body = { content: { kind: 'image', data: 'AAAA' }, metadata: { tenant: 'a', n: 2 } };
    assert.deepEqual(tagsOf('artifact', body), [{ tenant: 'a', n: '2' }]);
  });

  it('stay where content and metadata are not kept', () => {
    const body = `{"environment_id":"e","event":${event('{"tenant":"a"}')}}`;
    assert.deepEqual(tagsOf('event', body, { unkept: true }), [{ tenant: 'a' }]);
  });

  it('are not known of a check that was given up', () => {
    const given = failedEntry(
      entryOf('event', `{"environment_id":"e","event":${event('{"tenant":"a"}')}}`),
      'given up',
    );
    assert.deepEqual(readRows(given.format, given.rows, new Set(['tags', 'metadata'])), [
      { tags: [[]], metadata: ['{"tenant":"a"}'] },
    ]);
  });
});
