import assert from 'node:assert/strict';
import { afterEach, beforeEach, describe, it } from 'node:test';
import { createTurns, type RequestTurn, type RequestTurns } from '#weir/ingress/http/turns';
import { LARGE_BODY } from '#weir/ingress/parse/body-parser';
import { Registry } from '#weir/shared/telemetry';
import { until } from '../../support/wait.ts';

interface Request {
  key: { team: string };
  place: RequestTurn | undefined;
  begun: boolean;
}

describe('requests of several teams', () => {
  let registry: Registry;
  let turns: RequestTurns;
  let begun: Request[];
  beforeEach(() => {
    registry = new Registry();
    turns = createTurns(registry);
    begun = [];
  });
  afterEach(() => turns.close());

  function enter(team: string, bytes = 100, then: (request: Request) => void = () => undefined): Request {
    const request: Request = { key: { team }, place: undefined, begun: false };
    turns.enter(request, bytes, () => {
      request.begun = true;
      begun.push(request);
      then(request);
    });
    return request;
  }
  const many = (count: number, team: string, bytes?: number): Request[] =>
    Array.from({ length: count }, () => enter(team, bytes));
  const begunOf = (requests: readonly Request[]): number => requests.filter((one) => one.begun).length;
  const waiting = async (): Promise<string> => /weir_http_waiting (\d+)/.exec(await registry.metrics())![1]!;

  it('wait beyond what a team may have under way, and go on in their order as earlier ones are answered', async () => {
    const sent = many(400, 'a');
    const first = begunOf(sent);
    assert.ok(first > 200 && first < 300, `${first}`);
    assert.equal(await waiting(), String(400 - first));
    for (const one of sent.slice(0, 50)) turns.leave(one);
    assert.deepEqual(begun, sent.slice(0, first + 50));
    for (const one of begun) turns.leave(one);
    for (const one of begun) turns.leave(one);
    assert.deepEqual(begun, sent);
    assert.equal(await waiting(), '0');
  });

  it('have their turn before what another team has waiting, which has less under way from then on', () => {
    const sent = many(1000, 'a');
    const first = begunOf(sent);
    const other = enter('b');
    assert.equal(other.begun, false);
    turns.leave(sent[0]!);
    assert.equal(other.begun, true);
    turns.leave(other);
    assert.equal(begunOf(sent), first, 'the first team has more than its part');
    for (const one of sent.slice(1, first)) turns.leave(one);
    const next = begunOf(sent) - first;
    assert.ok(next > first / 8 && next < first / 2, `${next} of ${first}`);
    assert.equal(enter('b').begun, true, 'there is room for others');
  });

  it('are weighed by the bytes of their bodies, up to those of large ones, which have turns elsewhere', () => {
    const small = begunOf(many(1000, 'a'));
    const [fresh, large] = [createTurns(new Registry()), enter('a', LARGE_BODY + 1)];
    assert.ok(large.begun);
    assert.equal(large.place, undefined);
    turns.close();
    turns = fresh;
    assert.ok(begunOf(many(1000, 'a', LARGE_BODY)) * 5 < small);
  });

  it('are not counted any more after a while: they wait for something else', async () => {
    const sent = many(1000, 'a');
    await until('all have begun, though none was answered', () => begunOf(sent) === sent.length);
    for (const one of sent) turns.leave(one);
    const next = many(1000, 'a');
    assert.ok(begunOf(next) > 200, 'what is answered late is not taken off twice');
    assert.ok(begunOf(next) < 300);
  });

  it('are begun one after the other where each is answered at once', () => {
    const held = many(1000, 'a').filter((one) => one.begun);
    const waiting = 1000 - held.length;
    const sent = Array.from({ length: 20_000 }, () => enter('a', 100, (one) => turns.leave(one)));
    for (let n = 0; n < waiting; n++) turns.leave(begun[n]!);
    assert.equal(begunOf(sent), 0, 'those before them have the room');
    turns.leave(begun[waiting]!);
    assert.deepEqual(begun.slice(1000), sent);
  });
});
