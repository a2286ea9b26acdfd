import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { halves } from '#weir/deploy/cli/backtest/read/question';
import { addResult, emptyResult } from '#weir/deploy/cli/backtest/result';
import { outcomesOf, parseMap } from '#weir/workers/evaluator/backtest/compare';
import { readingsOf } from '#weir/workers/evaluator/backtest/judge';
import { createPairs } from '#weir/workers/evaluator/backtest/pairs';

const SURE = { before: false, now: false, context: undefined };
const map = (policies: Record<string, boolean>): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(policies).map(([id, flagged]) => [id, { flagged, name: `<${id}>` }])),
  );
const outcomes = (then: Record<string, boolean>, now: Record<string, boolean>, doubts = {}): unknown =>
  Object.fromEntries(outcomesOf(parseMap(map(then)), parseMap(map(now)), { ...SURE, ...doubts }));

describe('a stored verdict and a new one', () => {
  it('differ by each policy that is flagged on one side', () => {
    const then = { a: true, b: true, c: false, d: false, gone: true, quiet: false };
    const now = { a: true, b: false, c: true, d: false, new: true, more: false };
    assert.deepEqual(outcomes(then, now), {
      a: 'still_flagged',
      b: 'newly_cleared',
      c: 'newly_flagged',
      d: 'still_clean',
      gone: 'newly_cleared',
      quiet: 'still_clean',
      new: 'newly_flagged',
      more: 'still_clean',
    });
  });

  it('say nothing of a policy that may not have been evaluated', () => {
    assert.deepEqual(outcomes({}, { a: true }, { before: true }), { a: 'not_evaluated' });
    assert.deepEqual(outcomes({ a: true }, {}, { now: true }), { a: 'not_evaluated' });
    assert.deepEqual(outcomes({ a: false }, { a: true }, { before: true }), { a: 'newly_flagged' });
  });

  it('say nothing of policies whose earlier texts are not known', () => {
    const context = new Set(['a']);
    assert.deepEqual(outcomes({ a: true, b: true }, { a: false, b: false }, { context }), {
      a: 'without_context',
      b: 'newly_cleared',
    });
  });

  it('are added up by policy, once for each item', () => {
    const pairs = createPairs();
    assert.deepEqual(pairs.unknown(new Set(['1', '2'])), ['1', '2']);
    pairs.learn('1', map({ a: false }));
    for (let i = 0; i < 3; i++) pairs.pair('1', map({ a: true }), SURE).count++;
    pairs.pair('1', map({ a: false }), SURE).count++;
    const [[id, { name, newly_flagged, still_clean }]] = [...pairs.take()] as unknown as [
      [string, Record<string, unknown>],
    ];
    assert.deepEqual([id, name, newly_flagged, still_clean], ['a', '<a>', 3, 1]);
    assert.equal(pairs.take().size, 0);
    assert.deepEqual(pairs.unknown(new Set(['1', '2'])), ['2']);
  });
});

describe('content as it is stored', () => {
  const texts = (content: string, kind: 'event' | 'session' = 'event'): unknown[] =>
    readingsOf({ kind, content }).map((reading) => reading?.text);

  it('of an event has two readings only where it is JSON without space', () => {
    assert.deepEqual(texts('{"a":"b"}'), ['a\nb', '{"a":"b"}']);
    for (const one of ['{"a": "b"}', '{"a":', '{a}', 'a', '']) assert.deepEqual(texts(one), [one]);
  });

  it('of a session has two readings only where one of several lines may be JSON', () => {
    const content = 'so\n{"a":"b"}';
    const [one, other] = readingsOf({ kind: 'session', content });
    assert.deepEqual([one.text, one.decoded?.text, other!.text], [content, one.decoded?.text, content]);
    assert.match(other!.decoded!.text, /a\nb/);
    for (const text of ['{"a":"b"}', 'a\nb']) assert.equal(texts(text, 'session').length, 1);
  });
});

describe('results', () => {
  it('add up, with few examples of each change', () => {
    const one = emptyResult();
    const example = {
      policy: 'a',
      change: 'newly_flagged',
      id: '',
      team: '',
      scope: '',
      time: '',
      type: '',
      text: '',
    } as const;
    one.examples.push(example, { ...example, policy: 'b' });
    one.counts.items = 2;
    one.versions = { 7: 2 };
    const sum = emptyResult();
    for (let i = 0; i < 3; i++) addResult(sum, one, 2);
    assert.deepEqual(
      sum.examples.map(({ policy }) => policy),
      ['a', 'b', 'a', 'b'],
    );
    assert.deepEqual([sum.counts.items, sum.versions], [6, { 7: 6 }]);
  });

  it('of a slice that is too large come from its halves', () => {
    const slice = { team: 't', scope: 's', from: 10, to: 13 };
    assert.deepEqual(
      halves(slice)!.map(({ from, to }) => [from, to]),
      [
        [10, 11],
        [11, 13],
      ],
    ); // prettier-ignore
    assert.equal(halves({ ...slice, to: 11 }), undefined);
  });
});
