import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { readEvents as readAll, readEvent as readOne } from '#weir/shared/api/read/events';
import { compilePlan } from '#weir/shared/policy/compile';
import { linksOf } from '#weir/workers/evaluator/kinds/events/causes';
import { batchOf, draftOf, evaluateEvents } from '#weir/workers/evaluator/kinds/events/events';
import { readEvents } from '#weir/workers/evaluator/kinds/events/read';
import { contentValue, type SentBatch, type SentEvent } from '#weir/workers/evaluator/kinds/events/sent';
import { evaluateEntry } from '#weir/workers/evaluator/outcome';
import { WHOLE } from '#weir/workers/evaluator/slice';
import { sketch } from '../../../../shared/policy/support.ts';
import { batch, changed, message } from '../../../../support/api/plain-batch.ts';
import { sentIn } from '../../../../support/model/sent-events.ts';
import { entryOf } from '../../support.ts';

const parsed = (json: string): unknown => (json === '' ? undefined : JSON.parse(json));

/** What is read of a batch, with values where one of the two ways has parsed them and the other has not. Where texts stand is told apart. */
function whole({ events, ...rest }: SentBatch): unknown {
  const told = events.map((event) => ({
    ...event,
    inBytes: undefined,
    value: event.field === undefined ? undefined : contentValue(event),
    metadataValue: event.field === undefined ? undefined : (event.metadataValue ?? parsed(event.metadata)),
    metadata: event.field === undefined ? '' : event.metadata,
    causes: event.causes && linksOf(event.causes, 'own'),
  }));
  return { ...rest, events: told };
}

const kindOf = (json: string): 'events' | 'event' => (/"(?:event|\\u0065vent)"\s*:/.test(json) ? 'event' : 'events');

/** Asserts that the same is read of `json` as by `JSON.parse`, wherever it lies in memory. */
function same(json: string): void {
  const bytes = Buffer.from(json);
  for (let offset = 0; offset < 4; offset++) {
    const body = new Uint8Array(bytes.length + offset).subarray(offset);
    body.set(bytes);
    const read = readEvents(body, kindOf(json));
    assert.deepEqual(whole(read), whole(sentIn(body, kindOf(json))));
    assert.ok(read.events.every(standsThere));
  }
}

/** Whether the bytes that are named, if any, are those of the text. */
const standsThere = ({ source, inBytes }: SentEvent): boolean =>
  inBytes === undefined ||
  Buffer.from(inBytes.bytes).toString('latin1', inBytes.at, inBytes.at + source.length) === source;

const isValid = (json: string): boolean => readsOf(kindOf(json))(Buffer.from(json)) !== undefined;
const readsOf = (kind: 'events' | 'event'): typeof readAll => (kind === 'event' ? readOne : readAll);

/** Asserts that nothing is read of `json`, and that the error does not quote it. */
function unread(json: string | Uint8Array): void {
  assert.throws(() => readEvents(Buffer.from(json), 'events'), {
    message: 'the body of the entry has no events that can be read',
  });
}

describe('a request of events that is evaluated', () => {
  const events = [
    message,
    { ...message, role: 'assistant', event_id: 'b', run_id: 'x'.repeat(128), external_session_id: '' },
    { type: 'reasoning', content: 'a "quoted" \\ \n \u0001 é 😀 \ud800 \\u00e9', external_session_id: 's\n"é"' },
    {
      type: 'tool',
      name: 'é'.repeat(128),
      call_id: 'c',
      format: 'f',
      arguments: { a: [1, -0.5e3, true, null, {}, []] },
    },
    {
      type: 'function',
      output: ['a "b"', { b: 'c d' }],
      metadata: { é: [[[]]], 'a b': ' "c" ' },
      environment_id: 'prod',
    },
    { type: 'agent', state: {}, input: null, parent: null, links: null, metadata: null, role: null, run_id: null },
    { type: 'message', role: 'user', content: { a: 1 }, external_artifact_id: 'i', parent: { event_id: 'a' } },
    { ...message, event_id: 'c', links: [{ event_id: 'a', relation: 'caused by "it"' }], metadata: { tier: 'free' } },
    { ...message, event_id: 'd', links: [] },
    { ...message, event_id: 'e', content: [{ type: 'text', text: 'an image; a file' }] },
    { type: 'tool', event_id: 'a', run_id: 'r', metadata: {} },
    { type: 'artifact', event_id: 'a' },
    { ...message, event_id: 'f', parent: 'a', links: ['a', { event_id: 'b' }] },
  ];

  it('is read as by JSON.parse', () => {
    for (const event of events) same(JSON.stringify(batch(event)));
    const json = JSON.stringify(batch(...events));
    same(json);
    same(json.replaceAll(/[^ -~]/g, ''));
    same(JSON.stringify({ events, environment_id: 'prod', run_id: null, external_session_id: 'a session' }));
    for (const gap of [' ', '  ']) same(JSON.stringify(batch(...events), null, 1).replaceAll(/\n */g, gap));
    same(`  ${json.replace('"x"', '"data:image/png;base64,AAAA"')} `);
    same(json.replace('-500', '-0.50e+3').replace('"free"', '"free","t\\u0069ers":"\\u0070aid"'));
  });

  it('says where a text stands that is ASCII without escapes, and is no JSON', () => {
    const placed = (content: unknown, name = 'n'): boolean[] => {
      const json = JSON.stringify(batch({ ...message, content }, { ...message, name }));
      return readEvents(Buffer.from(json), 'events').events.map(({ inBytes }) => inBytes !== undefined);
    };
    for (const content of ['x', 'the "a', '', ' a {b} ', `${'y'.repeat(20_000)}`]) {
      const hidden = content.includes('"');
      assert.deepEqual(placed(content), [!hidden, true], content.slice(0, 20));
    }
    for (const content of ['{"a":1}', ' [1] ', 'a\\b', 'a\nb', { a: 'x' }])
      assert.deepEqual(placed(content), [false, true]);
    // One character that is not ASCII moves all that is behind it.
    assert.deepEqual(placed('x', 'é'), [false, false]);
  });

  it('may be written in any way, with fields that are not known', () => {
    for (const more of [
      { images: ['x'], tool_calls: [], text: '', thinking: 'so', body: null, audio: {}, error: 0, query: true },
      { trace_id: 'a', span: { id: [1] }, tool_input: { a: 1 }, result: [[]], stdout: ' ' },
    ]) {
      const body = { ...batch({ ...message, ...more }, { type: 'tool', output: 5, ...more }), user: 'u' };
      same(JSON.stringify(body));
      same(JSON.stringify(body, null, 2));
      same(JSON.stringify(body, null, '\t').replaceAll('\n', '\r\n'));
    }
    const json = JSON.stringify(batch(message));
    same(json.replace('event_id', 'event\\u005fid'));
    same(json.replace('"event_id":', '"event_id" : '));
    same(json.replace('"user"', '"user-2"'));
    same(JSON.stringify(batch({ type: 'tool', output: true }, { type: 'tool', arguments: -1.5e3 })));
    same(json.replace('"event_id"', '"text":[ ],"thoug\\u0068t":{ },"event_id"'));
  });

  it('may have images, and words that are written with escapes', () => {
    const json = JSON.stringify(batch(message));
    const image = { kind: 'image', data: 'AAAA', mime_type: 'image/png', name: 'é' };
    same(JSON.stringify(batch({ type: 'artifact', content: image, external_artifact_id: 'i' }, message)));
    same(JSON.stringify(batch({ content: image, metadata: { a: 1 }, type: 'artifact' }), null, 1));
    for (const word of ['message', 'user', 'a', 'r', 'x'])
      same(json.replace(`"${word}"`, `"\\u00${word.charCodeAt(0).toString(16)}${word.slice(1)}"`));
    same(json.replace('"content"', '"output":null,"content"'));
  });

  it('may be a single one', () => {
    for (const event of events) {
      const body = { environment_id: 'prod', event };
      for (const more of [{}, { run_id: 'r', external_session_id: 's', other: { events: [1] } }])
        for (const gap of [0, 1]) same(JSON.stringify({ ...body, ...more }, null, gap));
    }
  });

  it('has no name twice, and is JSON', () => {
    const json = JSON.stringify(batch(message));
    for (const text of [
      json.replace('"content":"x"', '"content":1,"content":"x"'),
      json.replace('"content":"x"', '"other":1,"content":"x","oth\\u0065r":2'),
      json.slice(1),
      `${json}x`,
      '{"events":[]}',
      '{}',
      '',
    ])
      unread(text);
  });

  it('has no control characters in a string, wherever it lies in memory', () => {
    const json = JSON.stringify(batch(message));
    for (let offset = 0; offset < 4; offset++) {
      for (const at of [3, 40, 'message', 'event_id'].map((at) =>
        typeof at === 'string' ? json.indexOf(at) + 2 : at,
      )) {
        const body = Buffer.alloc(json.length + offset, json).subarray(offset);
        body.write(json);
        body[at] = 10;
        unread(body);
      }
    }
  });

  it('is read as by JSON.parse, whatever is changed in it', () => {
    const image = { type: 'artifact', content: { kind: 'image', data: 'AAAA' } };
    const single = { environment_id: 'prod', run_id: 'r', event: events[7] };
    for (const body of [batch(...events, image), single]) {
      const json = JSON.stringify(body);
      let taken = 0;
      fc.assert(
        fc.property(changed(json), (text) => {
          // Only what was validated is evaluated.
          if (!isValid(text)) return;
          taken++;
          const read = readEvents(Buffer.from(text), kindOf(json));
          assert.deepEqual(whole(read), whole(sentIn(Buffer.from(text), kindOf(json))));
          assert.ok(read.events.every(standsThere));
        }),
        { numRuns: 5000 },
      );
      assert.ok(taken > 150, `${taken} of the changed requests are valid`);
    }
  });

  it('has the outcome of one that is parsed, wherever its texts stand', () => {
    const detect = [
      { secrets: {} },
      { pii: { entities: ['CREDIT_CARD'] } },
      { terms: { list: ['bad word'], context: 2 } },
    ];
    const plan = compilePlan(sketch({ policies: detect.map((each) => ({ detect: each })) }), 1);
    const word = fc.constantFrom(
      'bad',
      'word',
      '4111 1111 1111 1111',
      'token="x7Kq2Lm9ZaP4"',
      'é',
      '\n',
      '{}',
      'x'.repeat(9000),
    );
    const text = fc.array(word, { maxLength: 8 }).map((words) => words.join(' '));
    const event = fc.oneof(
      text.map((content) => ({ type: 'reasoning', content })),
      text.map((content) => ({ type: 'message', role: 'user', content, metadata: { content } })),
      text.map((query) => ({ type: 'tool', arguments: { query } })),
    );
    let flagged = 0;
    fc.assert(
      fc.property(
        fc.array(event, { minLength: 1, maxLength: 6 }),
        fc.boolean(),
        fc.boolean(),
        (sent, ascii, redact) => {
          const json = JSON.stringify({ run_id: 'r', events: sent });
          const entry = entryOf('events', ascii ? json.replaceAll(/[^ -~]/g, '') : json, {
            conversations: ['r:r'],
            contextDepth: 2,
          });
          if (redact) entry.header.redact = true;
          flagged += evaluateEntry(plan, entry).flagged;
          const [made, known] = [readEvents(entry.body, 'events'), sentIn(entry.body, 'events')].map((read) => {
            const all = batchOf(plan, entry, read, '');
            evaluateEvents(all, WHOLE);
            return draftOf(all);
          });
          assert.deepEqual(made, known);
        },
      ),
      { numRuns: 200 },
    );
    assert.ok(flagged > 100, `${flagged} events are flagged`);
  });
});
