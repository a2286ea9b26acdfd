/** Streams through the whole system: pieces in, what is safe out, one stored check. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { LIMITS } from '#weir/shared/api/limits';
import { decodeRecord } from '#weir/shared/api/results/record';
import { writeRecord } from '#weir/shared/api/results/write-record';
import type { StreamResult } from '#weir/shared/api/types';
import { keys } from '#weir/shared/streams/keys';
import { until } from '../../support/wait.ts';
import { CARD, KEY, POLICY } from '../configuration.ts';
import { type Answer, type CallOptions, newRun, type System, startSystem } from '../system.ts';
import { guardedStreams } from './guard.ts';

let system: System;
before(async () => {
  system = await startSystem();
});
after(() => system?.close());

guardedStreams(() => system);

interface Piece {
  stream_id: string;
  sequence: number;
  [name: string]: unknown;
}

const send = (piece: Piece, options?: CallOptions): Promise<Answer> => system.post('/api/stream/check', piece, options);

async function sent(piece: Piece, options?: CallOptions): Promise<StreamResult> {
  const { status, text, json } = await send(piece, options);
  assert.equal(status, 200, text);
  return json;
}

/** What is stored of a check, each row of it. */
async function stored(id: string): Promise<{ content: string; role: string; flagged: boolean }[]> {
  await system.archived();
  const rows = await system.sql(
    `SELECT c.content AS content, i.role AS role, i.flagged AS flagged FROM items AS i FINAL JOIN contents AS c FINAL ON c.id = i.id WHERE i.id = '${id}'`,
  );
  return rows as unknown as Awaited<ReturnType<typeof stored>>;
}

/** Sends `text` in pieces of `length` units until it is flagged; the last one with `final`. */
async function streamed(
  text: string,
  length: number,
  more: object = { deployment_id: 'chat' },
): Promise<StreamResult[]> {
  const stream_id = newRun('stream');
  const answers: StreamResult[] = [];
  for (let at = 0, sequence = 0; at < text.length; at += length, sequence++) {
    const final = at + length >= text.length;
    answers.push(
      await sent({ stream_id, sequence, delta: text.slice(at, at + length), ...(final ? { final } : {}), ...more }),
    );
    if (answers.at(-1)!.flagged) break;
  }
  return answers;
}

const LONG = 'The parcel left our house on Monday, and it has been on its way to you ever since. '.repeat(5);

describe('POST /api/stream/check', () => {
  it('hands on what can be shown, and stores an innocent text once, as a chat [stream.stored]', async () => {
    const answers = await streamed(LONG, 40);
    const last = answers.at(-1)!;
    assert.ok(answers.every(({ flagged }) => !flagged));
    const safe = answers.map(({ safe_until }) => safe_until);
    assert.deepEqual(
      safe,
      [...safe].sort((a, b) => a - b),
    );
    assert.ok(safe.at(-2)! > 0, 'something is shown before the end');
    assert.equal(last.safe_until, LONG.length);
    assert.equal(last.final, true);
    assert.deepEqual(Object.keys(last.policies).sort(), [POLICY.card, POLICY.mail]);
    assert.deepEqual(answers[0]!.policies, {});
    const id = last.internal_session_id!;
    const { json } = await system.get(`/api/session/${id}?deployment_id=chat`);
    assert.equal(json.session.flagged, false);
    assert.deepEqual(await stored(id), [{ content: LONG, role: 'assistant', flagged: false }]);
  });

  it('flags a find that comes in pieces before any of it can be shown, and stores what has come [stream.safe]', async () => {
    const text = `${LONG}Your card is ${CARD}, as you know. ${LONG}`;
    const answers = await streamed(text, 7);
    const last = answers.at(-1)!;
    assert.equal(last.flagged, true);
    assert.equal(last.final, false);
    assert.equal(last.policies[POLICY.card]!.flagged, true);
    assert.ok(last.safe_until <= text.indexOf(CARD), `${last.safe_until}`);
    assert.ok(answers.length * 7 < text.length, 'before the end');
    const content = text.slice(0, answers.length * 7);
    assert.deepEqual(await stored(last.internal_session_id!), [{ content, role: 'assistant', flagged: true }]);
  });

  it('stays flagged for what still comes, under the same id [stream.sticky]', async () => {
    const stream_id = newRun('stream');
    const first = await sent({ stream_id, sequence: 0, delta: `${CARD} ${LONG}` });
    assert.equal(first.flagged, true);
    const second = await sent({ stream_id, sequence: 1, delta: 'and more' });
    assert.deepEqual(second, { ...first, sequence: 1 });
    assert.deepEqual(await sent({ stream_id, sequence: 1, delta: 'and more' }), second);
    const last = await sent({ stream_id, sequence: 2, final: true });
    assert.deepEqual(last, { ...first, sequence: 2, final: true });
    const over = await send({ stream_id, sequence: 3, delta: 'x' });
    assert.equal(over.json.error.code, 'stream_conflict');
  });

  it('is a message event in an environment, by the conditions on the metadata of its first piece', async () => {
    const run_id = newRun();
    const stream_id = newRun('stream');
    const scope = { environment_id: 'prod', run_id };
    const metadata = { user: { tier: 'free' } };
    await sent({ stream_id, sequence: 0, delta: 'All of it', metadata, ...scope });
    const flagged = await sent({ stream_id, sequence: 1, delta: ` for nothing! ${LONG}`, ...scope });
    assert.equal(flagged.policies[POLICY.cheap]!.flagged, true);
    const id = flagged.internal_event_id!;
    const { json } = await system.get(`/api/event/${id}?environment_id=prod`);
    assert.equal(json.event.run_id, run_id);
    assert.deepEqual(json.metadata, metadata);
    const other = await streamed(`All of it for nothing! ${LONG}`, 50, scope);
    assert.equal(other.at(-1)!.flagged, false, 'without the metadata no condition selects the policy');
  });

  it('answers the newest piece again, and refuses what does not follow it [stream.sequence]', async () => {
    const stream_id = newRun('stream');
    const none = await send({ stream_id, sequence: 1, delta: 'b' });
    assert.equal(none.status, 409);
    assert.match(none.json.error.message, /there is no such stream/);
    const first = await sent({ stream_id, sequence: 0, delta: LONG });
    assert.deepEqual(await sent({ stream_id, sequence: 0, delta: LONG }), first);
    for (const [piece, message] of [
      [{ sequence: 0, delta: 'another' }, /said something else/],
      [{ sequence: 0, delta: LONG, final: true }, /said something else/],
      [{ sequence: 2, delta: 'b' }, /expected 1, or 0 again, and got 2/],
      [{ sequence: 1, delta: 'b', role: 'user' }, /role: differs/],
      [{ sequence: 1, delta: 'b', metadata: { a: 1 } }, /metadata: differs/],
    ] as const) {
      const { status, json } = await send({ stream_id, ...piece });
      assert.equal(status, 409);
      assert.equal(json.error.code, 'stream_conflict');
      assert.match(json.error.message, message);
    }
    const last = await sent({ stream_id, sequence: 1, final: true });
    assert.equal(last.safe_until, LONG.length);
    assert.deepEqual(await sent({ stream_id, sequence: 1, final: true }), last, 'the last one too, under the same id');
  });

  it('puts characters together that two pieces share', async () => {
    const stream_id = newRun('stream');
    const [high, low] = ['\ud83d', '\ude80'];
    await sent({ stream_id, sequence: 0, delta: `up ${high}` });
    await sent({ stream_id, sequence: 1, delta: `${low} away ${high}` });
    const last = await sent({ stream_id, sequence: 2, delta: '!', final: true });
    assert.equal(last.safe_until, 13);
    const [row] = await stored(last.internal_session_id!);
    assert.equal(row!.content, 'up 🚀 away \ufffd!');
  });

  it('counts in the units of the caller, and shows what was found to a key that may see it', async () => {
    const stream_id = newRun('stream');
    const opening = { stream_id, sequence: 0, delta: `Ünï🚀 ${LONG}` };
    const at = async (unit: string): Promise<number> =>
      (await system.post(`/api/stream/check?offsets=${unit}`, opening)).json.safe_until;
    const [utf16, codepoints, bytes] = [await at('utf16'), await at('codepoints'), await at('bytes')];
    assert.ok(utf16 > 100);
    assert.deepEqual([codepoints, bytes], [utf16 - 1, utf16 + 4]);
    const last = { stream_id, sequence: 1, delta: CARD, final: true };
    const { json } = await system.post('/api/stream/check?offsets=codepoints&matched=true&policies=flagged', last);
    const [evidence] = json.policies[POLICY.card].evidence;
    assert.equal(evidence.matched, CARD);
    assert.equal(evidence.start, [...opening.delta].length);
    assert.deepEqual(Object.keys(json.policies), [POLICY.card]);
    const plain = await system.post('/api/stream/check?offsets=codepoints', last);
    assert.equal(plain.json.safe_until, json.safe_until);
    assert.equal(plain.json.policies[POLICY.card].evidence, undefined, 'offsets alone ask for no evidence');
  });

  it('keeps streams of other scopes and teams apart [stream.team]', async () => {
    const stream_id = newRun('stream');
    await sent({ stream_id, sequence: 0, delta: 'one' });
    await sent({ stream_id, sequence: 1, delta: 'two' });
    for (const [more, options] of [
      [{ environment_id: 'prod' }, {}],
      [{ deployment_id: 'support' }, {}],
      [{}, { key: KEY.globex }],
    ] as const) {
      const { status } = await send({ stream_id, sequence: 2, delta: 'three', ...more }, options);
      assert.equal(status, 409);
      assert.equal((await sent({ stream_id, sequence: 0, delta: 'x', final: true, ...more }, options)).safe_until, 1);
    }
    assert.equal((await sent({ stream_id, sequence: 2, delta: 'three', final: true })).safe_until, 11);
    const foreign = await send({ stream_id, sequence: 0, environment_id: 'staging' }, { key: KEY.globex });
    assert.equal(foreign.status, 404);
  });

  it('names policies that it cannot guard as delayed, and has their verdict at the end [stream.delayed]', async () => {
    const external_session_id = newRun('chat');
    await system.session({
      deployment_id: 'support',
      external_session_id,
      messages: [{ role: 'user', content: 'purple elephants' }],
    });
    const scope = { deployment_id: 'support', external_session_id };
    const answers = await streamed(`dance all night. ${LONG}`, 60, scope);
    assert.deepEqual(answers[0]!.delayed_policies, [POLICY.split]);
    assert.equal(answers.at(-1)!.policies[POLICY.split]!.flagged, true);
    assert.deepEqual(answers.at(-1)!.delayed_policies, []);
  });

  it('stores what was handed on of a stream that nobody ends [stream.stored]', async () => {
    const stream_id = newRun('stream');
    const external_session_id = newRun('chat');
    const { safe_until } = await sent({ stream_id, sequence: 0, delta: LONG, external_session_id });
    assert.ok(safe_until > 0);
    const key = keys.stream('acme', 'deployment', 'chat', stream_id);
    const member = JSON.stringify(['acme', 'deployment', 'chat', stream_id]);
    const sets = Array.from({ length: 8 }, (_, set) => keys.openStreams(set));
    const found = await Promise.all(sets.map((set) => system.redis.zscore(set, member)));
    const set = sets[found.findIndex((score) => score !== null)]!;
    // Ten minutes pass.
    await system.redis.hset(key, 'last', 0);
    await system.redis.zadd(set, 0, member);
    await until('the stream is ended', async () => (await system.redis.hget(key, 'status')) === 'ended');
    await until('it is noted no more', async () => (await system.redis.zscore(set, member)) === null);
    const { json } = await system.get(`/api/session?external_session_id=${external_session_id}&deployment_id=chat`);
    assert.equal((await stored(json.session.internal_session_id))[0]!.content, LONG);
    const late = await send({ stream_id, sequence: 1, delta: 'x' });
    assert.equal(late.status, 409);
  });

  it('never calls clean what ended by itself and could not be evaluated', async () => {
    const stream_id = newRun('stream');
    const last = { stream_id, sequence: 0, delta: LONG, final: true };
    await sent(last);
    const key = keys.stream('acme', 'deployment', 'chat', stream_id);
    const record = decodeRecord((await system.redis.hgetBuffer(key, 'record'))!);
    const error = { status: 503, code: 'unavailable', message: 'a backend was away' } as const;
    const items = record.items.map((item) => ({ ...item, flagged: null }));
    await system.redis.hset(key, 'record', Buffer.from(writeRecord({ ...record, items, error })));
    const { status, json } = await send(last);
    assert.equal(status, 503);
    assert.match(json.error.message, /a backend was away/);
  });

  it('takes nothing of what an API key may remember once it has ended, and is one check for all keys of its team', async () => {
    const claims = keys.claims('acme', 'acme');
    const before = await system.redis.zcard(claims);
    const stream_id = newRun('stream');
    await sent({ stream_id, sequence: 0, delta: LONG });
    const last = await sent({ stream_id, sequence: 1, final: true }, { key: KEY.spare });
    assert.equal(last.safe_until, LONG.length);
    assert.deepEqual(await sent({ stream_id, sequence: 1, final: true }), last);
    assert.equal(await system.redis.zcard(claims), before);
    assert.equal(await system.redis.zcard(keys.claims('acme', 'spare')), 0);
  });

  it('bounds the text of a stream, and the streams of an API key [stream.limits]', async () => {
    const stream_id = newRun('stream');
    const scope = { environment_id: 'prod' };
    const half = 'word '.repeat(LIMITS.contentBytes / 10);
    await sent({ stream_id, sequence: 0, delta: half, ...scope });
    const long = await send({ stream_id, sequence: 1, delta: `${half}and more`, ...scope });
    assert.equal(long.status, 400);
    assert.equal(long.json.error.code, 'content_too_large');
    assert.equal((await sent({ stream_id, sequence: 1, final: true, ...scope })).safe_until, half.length);
    const places = keys.streamPlaces('globex', 'globex');
    const soon = Date.now() + 600_000;
    await system.redis.zadd(places, ...Array.from({ length: LIMITS.streamPlaces }, (_, i) => [soon, `x${i}`]).flat());
    const full = await send({ stream_id, sequence: 0, delta: 'x' }, { key: KEY.globex });
    assert.equal(full.status, 429);
    assert.equal(full.json.error.code, 'rate_limited');
    await system.redis.del(places);
    await sent({ stream_id, sequence: 0, delta: 'x', final: true }, { key: KEY.globex });
    assert.equal(await system.redis.exists(places), 0, 'its place is given back');
  });

  it('skips a byte order mark before the body [general.byte-order-mark]', async () => {
    const piece = { stream_id: newRun('stream'), sequence: 0, delta: 'x', final: true };
    assert.equal((await system.post('/api/stream/check', Buffer.from(`\ufeff${JSON.stringify(piece)}`))).status, 200);
  });

  it('says what is wrong with a piece', async () => {
    const piece = { stream_id: 's', sequence: 0, delta: 'x' };
    for (const [more, path] of [
      [{ stream_id: 'a b' }, 'stream_id'],
      [{ sequence: -1 }, 'sequence'],
      [{ sequence: 0.5 }, 'sequence'],
      [{ delta: 7 }, 'delta'],
      [{ content: 'x' }, 'content'],
      [{ environment_id: 'prod', deployment_id: 'chat' }, 'deployment_id'],
      [{ run_id: 'r' }, 'run_id'],
      [{ metadata: { x: 'y'.repeat(LIMITS.streamMetadataBytes) } }, 'metadata'],
      [{ metadata: nested(LIMITS.jsonDepth - 1) }, 'metadata'],
    ] as const) {
      const { status, json } = await send({ ...piece, ...more });
      assert.equal(status, 400);
      assert.equal(json.error.issues[0].path, path);
    }
    // As deep as they may be, they can be stored with the text.
    const deep = { ...piece, stream_id: newRun('stream'), metadata: nested(LIMITS.jsonDepth - 2), final: true };
    assert.equal((await sent({ ...deep, delta: LONG })).final, true);
  });
});

const nested = (levels: number): object => JSON.parse(`${'{"a":'.repeat(levels)}1${'}'.repeat(levels)}`);
