/** Turns of teams that try, and what the answers of evaluators become. Evaluators are stood in for: `test/e2e/tries` has real ones. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import type { CheckRequest, Dispatcher } from '#weir/ingress/dispatch/types';
import type { Edge } from '#weir/ingress/http/exchange';
import { createTries } from '#weir/ingress/tries/tries';
import type { TriedOut } from '#weir/ingress/tries/types';
import { ApiError } from '#weir/shared/api/errors';
import { LIMITS } from '#weir/shared/api/limits';
import { LOOK_FORMAT } from '#weir/shared/formats';
import { lookAnswerBytes } from '#weir/shared/streams/looks';
import { type TryAnswer, tryAnswerBytes } from '#weir/shared/streams/tries';
import { until } from '../support/wait.ts';

const VERDICT: TryAnswer = {
  verdict: {
    flagged: false,
    note: '',
    policies: '{}',
    explained: '',
    shadow: [],
    scores: [],
    conditions: [],
    steps: 0,
    beside: 0,
  },
  cost: { evaluating: 1, images: 0, asking: 0 },
};

interface UnderWay {
  request: CheckRequest;
  answer(stored: Buffer): void;
}

function started(writes = LOOK_FORMAT) {
  const underWay: UnderWay[] = [];
  const dispatcher: Pick<Dispatcher, 'check'> = {
    check: (request) =>
      new Promise((resolve) => {
        const answer = (stored: Buffer): void => {
          underWay.splice(underWay.indexOf(one), 1);
          // Nothing of a try is a record.
          resolve({ status: 'done', stored } as never);
        };
        const one = { request, answer };
        underWay.push(one);
      }),
  };
  const directory = () => ({ version: 7, id: '7-a@b' });
  const edge = { dispatcher, directory, settings: { deadlineMs: 8000 } } as unknown as Edge;
  const tries = createTries(
    () => writes,
    () => edge,
  );
  const run = (team: string, received = Date.now()): Promise<TriedOut> =>
    tries.run(
      { key: { id: 'k', team }, received, traceparent: '00-1-2-01', traced: true, redact: false, wait: 5 },
      {
        tried: { kind: 'session', item: '{"messages":[]}', edits: '{"policies":[]}' },
        scope: { id: 'chat' } as never,
        images: 0,
        messageBytes: undefined,
      },
    );
  const teams = (): string[] => underWay.map(({ request }) => request.team);
  return { underWay, run, teams, tries };
}

const refusal = (code: string) => (error: unknown) => error instanceof ApiError && error.code === code;

describe('tries', () => {
  // As the connections of a server do: time limits of signals alone keep no process.
  let alive: NodeJS.Timeout;
  before(() => {
    alive = setInterval(() => undefined, 1000);
  });
  after(() => clearInterval(alive));

  it('run one at a time of a team and four of all, and each is a look that says where the edits begin [try.turns]', async () => {
    const { underWay, run, teams } = started();
    const all = ['a', 'a', 'b', 'c', 'd', 'e'].map((team) => run(team));
    await until('four are under way', () => underWay.length === 4);
    assert.deepEqual(teams(), ['a', 'b', 'c', 'd']);
    const { body, look, deadlineMs, waitMs, traced, config, configId, conversations } = underWay[0]!.request;
    assert.equal(body.subarray(0, look!.tried).toString(), '{"messages":[]}');
    assert.equal(body.subarray(look!.tried).toString(), '{"policies":[]}');
    assert.deepEqual([deadlineMs, config, configId, conversations], [LIMITS.tryMs, 7, '7-a@b', []]);
    assert.deepEqual([traced, waitMs], [true, undefined], 'its trace is recorded, and no caller waits longer');
    for (let left = all.length; left > 0; left--) {
      await until('one is under way', () => underWay.length > 0);
      assert.equal(new Set(teams()).size, teams().length, 'no team has two');
      underWay[0]!.answer(tryAnswerBytes(VERDICT));
      await new Promise(setImmediate);
    }
    assert.equal((await Promise.all(all)).length, 6);
  });

  it('that wait for longer than a try may take are 504, and too many of a team 503 [try.turns]', async () => {
    const { underWay, run } = started();
    const first = run('a');
    await until('it is under way', () => underWay.length === 1);
    await assert.rejects(run('a', Date.now() - LIMITS.tryMs - 1), refusal('evaluation_timeout'));
    const waiting = Promise.all(Array.from({ length: 32 }, () => run('a')));
    await assert.rejects(run('a'), refusal('overloaded'));
    const other = run('b');
    await until('another team is not kept', () => underWay.length === 2);
    for (const { answer } of [...underWay]) answer(tryAnswerBytes(VERDICT));
    await Promise.all([first, other]);
    for (let left = 32; left > 0; left--) {
      await until('the next one is under way', () => underWay.length === 1);
      underWay[0]!.answer(tryAnswerBytes(VERDICT));
      await new Promise(setImmediate);
    }
    assert.equal((await waiting).length, 32);
  });

  it('of stored items are read once it is the turn of their team, and have two seconds from then on [try.turns]', async () => {
    const { underWay, run, tries } = started();
    const first = run('a');
    await until('it is under way', () => underWay.length === 1);
    let read = 0;
    const received = Date.now() - LIMITS.tryMs / 2;
    const caller = {
      key: { id: 'k', team: 'a' },
      received,
      traceparent: '00-1-2-01',
      traced: true,
      redact: false,
      wait: 5,
    } as const;
    const of = { kind: 'environment' as const, scope: { id: 'prod' } as never, edits: '{"policies":[]}' };
    const page = async () => {
      read++;
      return { items: [], maps: [] };
    };
    const second = tries.backtest(caller, of, page);
    const third = tries.test({ ...caller, received: Date.now() }, of, {
      text: '',
      start: 0,
      environments: [],
      deployments: [],
    });
    assert.equal(read, 0);
    underWay[0]!.answer(tryAnswerBytes(VERDICT));
    await first;
    await until('its page is under way', () => underWay.length === 1);
    const { request } = underWay[0]!;
    assert.deepEqual([read, request.kind, request.look?.many, request.look?.tried], [1, 'event', 'backtest', 22]);
    assert.equal(request.body.toString(), '{"items":[],"maps":[]}{"policies":[]}');
    assert.ok(request.received > received);
    const nothing = {
      done: 0,
      evaluated: 0,
      not_stored: 0,
      images: 0,
      failed: 0,
      two_readings: 0,
      policies: [],
      differing: [],
    };
    underWay[0]!.answer(tryAnswerBytes({ backtest: nothing }));
    assert.deepEqual(await second, nothing);
    await until('the cases are under way', () => underWay.length === 1);
    assert.equal(underWay[0]!.request.look?.many, 'cases');
    underWay[0]!.answer(tryAnswerBytes({ cases: { total: 0, results: [] } }));
    assert.deepEqual(await third, { total: 0, results: [] });
  });

  it('are refused in words that say what to do', async () => {
    const answers: [stored: Buffer, code: string][] = [
      [tryAnswerBytes({ late: true }), 'evaluation_timeout'],
      [tryAnswerBytes({ over: 'It takes more memory than a try may.' }), 'not_evaluable'],
      [tryAnswerBytes({ busy: true }), 'overloaded'],
      [tryAnswerBytes({ failed: true }), 'internal_error'],
      [
        tryAnswerBytes({ refused: [{ path: 'policies', code: 'configuration', message: 'expected a list' }] }),
        'validation_failed',
      ],
      // Of an evaluator of the release before, which takes it for a look at a stream.
      [
        lookAnswerBytes({
          flagged: [],
          safe: { units: 0, points: 0, bytes: 0 },
          looked: 0,
          next: { units: 0, points: 0, bytes: 0 },
          delayed: [],
        }),
        'unavailable',
      ],
    ];
    for (const [stored, code] of answers) {
      const { underWay, run } = started();
      const one = run('a');
      await until('it is under way', () => underWay.length === 1);
      underWay[0]!.answer(stored);
      await assert.rejects(one, refusal(code), code);
    }
    await assert.rejects(started(LOOK_FORMAT - 1).run('a'), refusal('unavailable'));
  });
});
