/** Outcomes of checks that could not be evaluated, whole or in part (decisions, Sync deadline and failures). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeRecord, type ResultRecord } from '#weir/shared/api/results/record';
import { renderSession, storedItem } from '#weir/shared/api/results/render';
import type { EventResult, EventsResponse, SessionResult } from '#weir/shared/api/types';
import { itemId } from '#weir/shared/ids';
import { compilePlan, compileTeam, interestsOf } from '#weir/shared/policy/compile';
import { NotThere } from '#weir/shared/policy/engine/probes/probe';
import type { Plan } from '#weir/shared/policy/plan';
import { keys } from '#weir/shared/streams/keys';
import type { WorkHeader } from '#weir/shared/streams/work';
import type { Entry, Gathered } from '#weir/workers/evaluator/draft';
import { evaluateEntry, failedEntry } from '#weir/workers/evaluator/outcome';
import { id, type Sketch, sketch } from '../../shared/policy/support.ts';
import { answerText } from '../../support/api/answer-text.ts';
import { pluck } from '../../support/pluck.ts';
import { entryOf as plainEntry } from './support.ts';

const term = (word: string) => ({ terms: { list: [word] } });
/** P0 finds `bad`; P1 needs a detector that breaks on `boom`; P2 finds `bad` and does not depend on that detector. */
const POLICIES = [
  { detect: term('bad') },
  { detect: { secrets: {} } },
  { detect: { any: [{ secrets: {} }, term('bad')] } },
];

/** A plan whose `secrets` detector breaks on a text with `boom`, as it always will, and does not find what it needs on one with `away`. */
function breaking(more: Partial<Sketch> = {}): Plan {
  const team = compileTeam(sketch({ policies: POLICIES, ...more }), 't', (parameters) => {
    if (!('secrets' in parameters)) return interestsOf(parameters);
    const look = (text: string, at: number): never => {
      throw text.startsWith('away', at) ? new NotThere('away') : new Error('broken');
    };
    const probe = { kind: 'place', label: 'broken', views: ['raw'], literals: ['boom', 'away'], look } as const;
    return [{ key: 'broken', probe: () => probe }];
  });
  return { version: 1, teams: new Map([['t', team]]) };
}

function entryOf(
  kind: WorkHeader['kind'],
  body: unknown,
  references: Gathered['references'] = {},
  more: Partial<WorkHeader> = {},
): Entry {
  return { ...plainEntry(kind, body, more), gathered: { references, context: {} } };
}

function evaluate(
  plan: Plan,
  kind: WorkHeader['kind'],
  body: unknown,
  references: Gathered['references'] = {},
): ResultRecord {
  return decodeRecord(evaluateEntry(plan, entryOf(kind, body, references)).record);
}

/** The record of a check that was given up. */
function givenUp(
  kind: WorkHeader['kind'],
  body: unknown,
  more: Partial<WorkHeader>,
  references: Gathered['references'] = {},
): ResultRecord {
  const made = failedEntry(entryOf(kind, body, references, more), 'given up');
  return decodeRecord(made.record);
}

const batchOf = (plan: Plan, contents: string[]): EventsResponse => {
  const events = contents.map((content, i) => ({ type: 'reasoning', event_id: `e${i}`, content }));
  return JSON.parse(answerText(evaluate(plan, 'events', { run_id: 'r', events })));
};
const flaggedOf = (result: EventResult | undefined): [string, boolean][] =>
  Object.entries(result!.policies).map(([policy, { flagged }]) => [policy, flagged]);

describe('an event that could not be evaluated', () => {
  it('is counted if its conditions took too many steps [config.when-steps]', () => {
    const when = 'metadata.roles.exists(r, r in metadata.allowed)';
    const conditions = [{ id: 'heavy', name: 'Heavy', when, policies: [id(0)] }];
    const metadata = { roles: Array(2000).fill('a'), allowed: Array(2000).fill('b') };
    const event = { type: 'reasoning', event_id: 'e', content: 'fine' };
    const events = [{ ...event, metadata }, event];
    const made = evaluateEntry(
      compilePlan(sketch({ policies: POLICIES, conditions }), 1),
      entryOf('events', { run_id: 'r', events }),
    );
    assert.deepEqual([made.items, made.failed, made.stopped], [2, 1, 1]);
  });

  it('is failed with a note where nothing is flagged, and the other events of the batch are not [failure.event] [failure.batch] [failure.clean] [batch.failures] [3.event-failed] [7.event-failed]', () => {
    const { results, order, flagged } = batchOf(breaking(), ['fine', 'boom', 'bad']);
    assert.deepEqual(pluck(order, 'status', 'flagged'), [
      ['completed', false],
      ['failed', false],
      ['completed', true],
    ]);
    assert.equal(flagged, true);
    const failed = results.reasoning.e1!;
    assert.deepEqual(flaggedOf(failed), [[id(0), false]], 'what was not evaluated is not in the map');
    assert.equal(failed.note, '2 policies could not be evaluated');
    assert.equal(failed.event.internal_event_id, order[1]!.internal_event_id);
    // A clean one has every policy that applies.
    const clean = flaggedOf(results.reasoning.e0);
    assert.deepEqual(
      clean,
      [0, 1, 2].map((n) => [id(n), false]),
    );
    assert.equal(results.reasoning.e0!.note, undefined);
  });

  it('is failed with a note where a repetition changes nothing, too [failure.lasting]', () => {
    const { order, results } = batchOf(breaking(), ['boom', 'away']);
    assert.deepEqual(pluck(order, 'status', 'flagged'), [
      ['failed', false],
      ['failed', false],
    ]);
    assert.equal(results.reasoning.e0!.note, results.reasoning.e1!.note);
  });

  it('is flagged where another policy is, without those not evaluated, and says how many [failure.partial]', () => {
    const { results, order } = batchOf(breaking(), ['bad boom']);
    assert.deepEqual([order[0]!.status, order[0]!.flagged], ['completed', true]);
    assert.deepEqual(flaggedOf(results.reasoning.e0), [
      [id(0), true],
      [id(2), true],
    ]);
    assert.equal(results.reasoning.e0!.note, '1 policy could not be evaluated');
  });

  it('is failed where its conditions take too many steps over its metadata, and the others of its batch are not [config.when-steps]', () => {
    const when = 'metadata.roles.exists(r, r in metadata.allowed)';
    const conditions = [{ id: 'c', name: 'C', when, policies: [id(0)] }];
    const plan = compilePlan(sketch({ policies: POLICIES, conditions }), 1);
    const names = (count: number, prefix: string) => Array.from({ length: count }, (_, i) => `${prefix}${i}`);
    const events = [3, 2000].map((count, i) => ({
      type: 'reasoning',
      event_id: `e${i}`,
      content: 'bad',
      metadata: { roles: names(count, 'a'), allowed: [...names(count, 'b'), ...(i === 0 ? ['a2'] : [])] },
    }));
    const record = evaluate(plan, 'events', { run_id: 'r', events });
    const { results, order }: EventsResponse = JSON.parse(answerText(record));
    assert.deepEqual(pluck(order, 'status', 'flagged'), [
      ['completed', true],
      ['failed', false],
    ]);
    assert.deepEqual(results.reasoning.e1!.policies, {});
    assert.match(results.reasoning.e1!.note!, /^1 policy could not be evaluated; the conditions take more than/);
  });

  it('is flagged by what could not be evaluated where the team fails closed [failure.fail_closed]', () => {
    const { results, order } = batchOf(breaking({ failClosed: true }), ['boom', 'fine']);
    assert.deepEqual(pluck(order, 'flagged'), [true, false]);
    assert.deepEqual(flaggedOf(results.reasoning.e0), [
      [id(0), false],
      [id(1), true],
      [id(2), true],
    ]);
    assert.match(results.reasoning.e0!.note!, /fails closed/);
  });

  it('is flagged where the team fails closed, also for a dead letter [failure.fail_closed] [failure.dead-letter]', () => {
    const events = [
      { type: 'reasoning', event_id: 'e', content: 'fine' },
      { type: 'reasoning', event_id: 'e' },
      { type: 'reasoning', event_id: 'unread' },
    ];
    for (const [more, flagged] of [[{ failClosed: true as const }, true] as const, [{}, false] as const]) {
      const made = givenUp('events', { run_id: 'r', events }, more, { 2: 'unavailable' });
      assert.deepEqual(pluck(made.items, 'status', 'flagged', 'note'), [
        ['failed', flagged, 'given up'],
        ['referenced', flagged, 'given up'],
        ['failed', flagged, 'given up'],
      ]);
      assert.equal(JSON.parse(answerText(made)).flagged, flagged);
    }
  });

  it('is flagged where the team fails closed and its reference could not be looked up, but not where it does not exist [failure.fail_closed]', () => {
    const events = ['unread', 'absent'].map((event_id) => ({ type: 'reasoning', event_id }));
    for (const failClosed of [true, false]) {
      const made = evaluate(breaking({ failClosed }), 'events', { run_id: 'r', events }, { 0: 'unavailable', 1: null });
      assert.deepEqual(pluck(made.items, 'status', 'flagged'), [
        ['failed', failClosed],
        ['not_found', false],
      ]);
      assert.match(made.items[0]!.note, /could not be looked up/);
    }
  });

  it('is one of four states [2.8.status] [2.8.note] [event.reference-failed] [general.absent]', () => {
    const events = [
      { type: 'reasoning', event_id: 'good', content: 'fine' },
      { type: 'reasoning', event_id: 'broken', content: 'boom' },
      { type: 'reasoning', event_id: 'good' },
      { type: 'reasoning', event_id: 'broken' },
      { type: 'reasoning', event_id: 'absent' },
    ];
    const made = evaluate(breaking(), 'events', { run_id: 'r', events });
    const { order } = JSON.parse(answerText(made)) as EventsResponse;
    assert.deepEqual(pluck(order, 'status', 'internal_event_id'), [
      ['completed', itemId(made.id, 1)],
      ['failed', itemId(made.id, 2)],
      ['referenced', itemId(made.id, 1)],
      ['referenced', itemId(made.id, 2)],
      ['not_found', undefined],
    ]);
  });

  it('can be referred to later, with its note; a reference to it cannot [event.reference-failed]', () => {
    const failed = evaluate(breaking(), 'events', {
      run_id: 'r',
      events: [{ type: 'reasoning', event_id: 'e', content: 'boom' }],
    });
    const stored = storedItem(failed, failed.items[0]!);
    const later = evaluate(
      breaking(),
      'events',
      { run_id: 'r', events: [{ type: 'reasoning', event_id: 'e' }] },
      { 0: stored },
    );
    const { results } = JSON.parse(answerText(later)) as EventsResponse;
    const { event, note, flagged } = results.reasoning.e!;
    assert.deepEqual([event.status, event.internal_event_id, flagged], ['referenced', itemId(failed.id, 1), false]);
    assert.equal(note, '2 policies could not be evaluated');
  });
});

describe('a session that could not be evaluated', () => {
  const check = (plan: Plan, content: string): ResultRecord =>
    evaluate(plan, 'session', { messages: [{ role: 'user', content }] });
  const answerOf = (made: ResultRecord): SessionResult => JSON.parse(renderSession(storedItem(made, made.items[0]!)));

  it('is an error where nothing is flagged, and clean only with every policy evaluated [failure.session] [failure.clean]', () => {
    const { error } = check(breaking(), 'away');
    assert.deepEqual([error?.status, error?.code], [503, 'unavailable']);
    const clean = check(breaking(), 'fine');
    assert.equal(clean.error, null);
    assert.deepEqual(Object.keys(answerOf(clean).policies), [id(0), id(1), id(2)]);
  });

  it('is an error that says so where a repetition changes nothing, and not where it may [failure.lasting]', () => {
    const { error } = check(breaking(), 'boom');
    assert.deepEqual([error?.status, error?.code], [422, 'not_evaluable']);
    assert.match(error!.message, /^2 policies could not be evaluated; sending it again changes nothing$/);
    const content = [
      { type: 'text', text: 'boom' },
      { type: 'artifact', content: { kind: 'image', url: 'http://a/b' } },
    ];
    const lost = {
      ok: false,
      reason: 'timeout',
      fault: 'origin',
      note: 'gone',
      bytes: 0,
      fetchMs: 0,
      decodeMs: 0,
    } as const;
    const entry = entryOf('session', { messages: [{ role: 'user', content }] }, {}, { images: 1 });
    const { record } = evaluateEntry(breaking(), { ...entry, gathered: { ...entry.gathered, images: { 2: lost } } });
    assert.equal(decodeRecord(record).error?.status, 503, 'its image may be there then');
  });

  it('is no such error where its configuration is lost, since it may be evaluated by another one', () => {
    const entry = entryOf('session', { messages: [{ role: 'user', content: 'fine' }] }, {}, { scope: 'gone' });
    assert.equal(decodeRecord(evaluateEntry(breaking(), entry).record).error?.status, 503);
  });

  it('is flagged where another policy is, without those not evaluated, and says how many [failure.partial]', () => {
    const made = check(breaking(), 'bad boom');
    assert.equal(made.error, null);
    const { flagged, policies, note } = answerOf(made);
    assert.equal(flagged, true);
    assert.deepEqual(Object.keys(policies), [id(0), id(2)]);
    assert.equal(note, '1 policy could not be evaluated');
  });

  it('is flagged where the team fails closed [failure.fail_closed]', () => {
    const made = check(breaking({ failClosed: true }), 'boom');
    assert.equal(made.error, null);
    assert.equal(answerOf(made).flagged, true);
  });

  it('leaves no trace under the external id, unless it was given up [session.no-verdict]', () => {
    const body = { external_session_id: 's', messages: [{ role: 'user', content: 'boom' }] };
    const named = (made: { index: [key: string, member: string][] }): boolean =>
      made.index.some(([key]) => key === keys.ext('t', 'd', 's'));
    assert.equal(named(evaluateEntry(breaking(), entryOf('session', body))), false);
    assert.equal(named(evaluateEntry(breaking({ failClosed: true }), entryOf('session', body))), true);
    assert.equal(named(failedEntry(entryOf('session', body), 'given up')), true);
  });

  it('says whether it was finished so late that something newer may have left Redis', () => {
    const body = { messages: [{ role: 'user', content: 'fine' }] };
    for (const late of [true, false]) {
      const { record } = evaluateEntry(breaking(), { ...entryOf('session', body), late });
      assert.equal(decodeRecord(record).late, late || undefined);
    }
  });

  it('is an error when it was given up, however the team fails [failure.dead-letter]', () => {
    for (const more of [{ failClosed: true as const }, {}]) {
      const made = givenUp('session', { messages: [{ role: 'user', content: 'fine' }] }, more);
      assert.deepEqual([made.error?.status, made.error?.code, made.items[0]!.flagged], [500, 'internal_error', null]);
    }
  });
});
