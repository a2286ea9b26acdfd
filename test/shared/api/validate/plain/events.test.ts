import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { listed, readPlainEvents } from '#weir/shared/api/validate/plain/events';
import { repeatsNames } from '#weir/shared/api/validate/repeated';
import { type CheckInput, validateEvents } from '#weir/shared/api/validate/validate';
import { batch, changed, message } from '../../../../support/api/plain-batch.ts';

/** What is made of a body, however it is read; undefined if it is refused. */
function validated(json: string): CheckInput | undefined {
  try {
    if (repeatsNames(json)) return undefined;
    const result = validateEvents(JSON.parse(json), Buffer.byteLength(json), json);
    return result.ok ? result.value : undefined;
  } catch {
    return undefined;
  }
}

/** Asserts that `json` is plain, and that the same is made of it as by `validateEvents`. */
function plain(json: string): void {
  const read = readPlainEvents(Buffer.from(json));
  assert.ok(read, `is plain: ${json.slice(0, 200)}`);
  assert.deepEqual(listed(read), validated(json));
}

/** Asserts that `body` is left to `validateEvents`, which takes it. */
function notPlain(body: unknown, json = JSON.stringify(body)): void {
  assert.ok(validated(json), `is valid: ${json.slice(0, 200)}`);
  assert.equal(readPlainEvents(Buffer.from(json)), undefined, json.slice(0, 200));
}

describe('a plain batch', () => {
  const events = [
    message,
    { ...message, role: 'assistant', event_id: '', run_id: 'x'.repeat(128), external_session_id: '' },
    { type: 'reasoning', content: 'a "quoted" \\ \n \u0001 é 😀 \ud800', external_session_id: 's' },
    {
      type: 'tool',
      name: 'é'.repeat(128),
      call_id: 'c',
      format: 'f',
      arguments: { a: [1, -0.5e3, true, null, {}, []] },
    },
    { type: 'function', output: ['a', { b: 'c' }], metadata: { é: [[[]]] }, environment_id: 'prod' },
    { type: 'agent', state: {}, input: null, parent: null, links: null, metadata: null, role: null, run_id: null },
    { type: 'message', role: 'user', content: { a: 1 }, external_artifact_id: 'i', external_session_id: 't' },
  ].map((event, i) => ({ ...event, event_id: `id-${'y'.repeat(i * 5)}` }));

  it('is read as validateEvents reads it', () => {
    plain(JSON.stringify(batch(...events)));
    plain(
      JSON.stringify({ events, environment_id: 'prod', run_id: null, external_session_id: 'a session of some length' }),
    );
    plain(JSON.stringify({ events: [{ ...message, environment_id: 'prod' }] }));
    plain(
      JSON.stringify(
        batch(...Array.from({ length: 50 }, (_, i) => ({ ...message, run_id: `run ${i % 3}`.replace(' ', '-') }))),
      ),
    );
    for (const gap of [' ', '  ']) plain(JSON.stringify(batch(message), null, 1).replaceAll(/\s+/g, gap));
    plain(`  ${JSON.stringify(batch(message))} `);
    plain(JSON.stringify(batch({ ...message, content: 'x'.repeat(200_000) })));
  });

  it('has ids that can be asked for after others were read', () => {
    const bodies = [batch(message), batch(...events), batch({ ...message, run_id: 'other' })].map((one) =>
      JSON.stringify(one),
    );
    const read = bodies.map((json) => readPlainEvents(Buffer.from(json))).map((one) => one && listed(one));
    assert.deepEqual(read, bodies.map(validated));
    assert.deepEqual(structuredClone(read), bodies.map(validated));
  });

  it('may be as deep as bodies may be', () => {
    const deep = (levels: number): string =>
      JSON.stringify(batch({ type: 'tool', output: 0 })).replace('0', '['.repeat(levels) + ']'.repeat(levels));
    plain(deep(61));
    assert.equal(validated(deep(62)), undefined);
    assert.equal(readPlainEvents(Buffer.from(deep(62))), undefined);
  });

  it('has no causes, images, references, unknown fields, line breaks or names with escapes', () => {
    notPlain(batch({ ...message, parent: { event_id: 'b' } }));
    notPlain(batch({ ...message, parent: 'b' }));
    notPlain(batch({ ...message, links: [] }));
    notPlain(batch({ ...message, role: 'user-2' }));
    notPlain(batch({ type: 'tool', output: 5 }));
    notPlain(batch({ type: 'tool', output: false }));
    notPlain(batch({ type: 'artifact', content: { kind: 'image', data: 'AAAA' } }));
    notPlain(batch({ ...message, content: [{ type: 'text', text: 'x' }] }));
    notPlain(batch({ type: 'tool', event_id: 'a' }));
    notPlain(batch({ ...message, timestamp: 1 }));
    notPlain({ ...batch(message), user: 'u' });
    notPlain({ ...batch(message), external_session_id: 'é' });
    notPlain(batch(message), JSON.stringify(batch(message), null, 2));
    notPlain(batch(message), JSON.stringify(batch(message)).replace('event_id', 'event\\u005fid'));
    notPlain(batch({ ...message, name: 'é'.repeat(256) }));
  });

  it('has each name once in its objects, however it is written', () => {
    for (const members of [
      '"a":1,"b":{"c":0},"a":2',
      '"b":[{"\\u0061":1,"a":2}]',
      '"b":{"c":[[{"é":1,"d":1,"é":1}]]}',
    ]) {
      for (const event of [
        `{"type":"tool","output":{${members}}}`,
        `{"type":"reasoning","content":"x","metadata":{${members}}}`,
      ]) {
        const json = JSON.stringify(batch(message)).replace(']', `,${event}]`);
        assert.doesNotThrow(() => JSON.parse(json));
        assert.equal(readPlainEvents(Buffer.from(json)), undefined, json);
      }
    }
    const once = '{"a":{"a":1},"b":[{"a":1},{"a":1},{"\\u0062":{"b":1}}],"A":0,"aa":0}';
    plain(JSON.stringify(batch(message)).replace(']', `,{"type":"tool","output":${once},"metadata":${once}}]`));
    const members = Array.from({ length: 3000 }, (_, i) => `"name ${i}":${i}`).join();
    plain(JSON.stringify(batch(message)).replace(']', `,{"type":"tool","output":{${members}}}]`));
  });

  it('is one that validateEvents takes, whatever is changed in it', () => {
    const json = JSON.stringify(
      batch(...events.slice(0, 3), {
        type: 'tool',
        arguments: { n: -1.5e2, s: 'a\\"b', m: { n: 1, nn: 2, sn: 3 } },
        name: 'n',
      }),
    );
    let taken = 0;
    fc.assert(
      fc.property(changed(json), (text) => {
        const read = readPlainEvents(Buffer.from(text));
        if (read === undefined) return;
        taken++;
        assert.deepEqual(listed(read), validated(text));
      }),
      { numRuns: 7000 },
    );
    assert.ok(taken > 250, `${taken} of the changed batches are plain`);
  });
});
