import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { LIMITS } from '#weir/shared/api/limits';
import { listed, readEvent, readEvents } from '#weir/shared/api/read/events';
import { repeatsNames } from '#weir/shared/api/validate/repeated';
import type { CheckInput } from '#weir/shared/api/validate/validate';
import { batch, changed, message } from '../../../support/api/plain-batch.ts';
import { validateEvent, validateEvents } from '../../../support/model/check-input.ts';

const isSingle = (json: string): boolean => /"(?:event|\\u0065vent)"\s*:/.test(json);
const readerOf = (json: string): typeof readEvents => (isSingle(json) ? readEvent : readEvents);

/** What is made of a body, however it is read; undefined if it is refused. */
function validated(json: string): CheckInput | undefined {
  try {
    const body: unknown = JSON.parse(json);
    if (repeatsNames(json)) return undefined;
    const validate = isSingle(json) ? validateEvent : validateEvents;
    const result = validate(body, Buffer.byteLength(json), json);
    return result.ok ? result.value : undefined;
  } catch {
    return undefined;
  }
}

/** What is read of a body, with its lists. */
function readOf(json: string): CheckInput | undefined {
  const read = readerOf(json)(Buffer.from(json));
  return read && listed(read);
}

/** Asserts that `json` is read, and that the same is made of it as by validation. */
function plain(json: string): void {
  const read = readOf(json);
  assert.ok(read, `is read: ${json.slice(0, 200)}`);
  assert.deepEqual(read, validated(json));
}

/** Two names with one print, as the walk makes it: bytes are mixed in by multiplication, so one byte makes up for another. */
function sameInPrint(): [string, string] {
  const seen = new Map<number, string>();
  for (let i = 0; ; i++) {
    const name = `name ${7919 * i}${i}`;
    let print = 0;
    for (const byte of Buffer.from(name)) print = Math.imul(print ^ byte, 0x01000193);
    const other = seen.get(print);
    if (other !== undefined) return [name, other];
    seen.set(print, name);
  }
}

/** Asserts that `body` is refused by both. */
function refused(body: unknown, json = JSON.stringify(body)): void {
  assert.equal(validated(json), undefined, `is refused: ${json.slice(0, 200)}`);
  assert.equal(readOf(json), undefined, json.slice(0, 200));
}

/** Ways in which other programs write the same JSON. */
const WAYS: readonly ((json: string) => string)[] = [
  (json) => json,
  (json) => JSON.stringify(JSON.parse(json), null, 2),
  (json) => JSON.stringify(JSON.parse(json), null, '\t').replaceAll('\n', '\r\n'),
  (json) => json.replaceAll('":', '" : ').replaceAll(',"', ' , "'),
  (json) => json.replaceAll('"event_id"', '"event\\u005fid"').replaceAll('"type"', '"\\u0074ype"'),
  (json) => `\n ${json}\t`,
];

describe('a request of events', () => {
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
    const read = bodies.map((json) => readEvents(Buffer.from(json))).map((one) => one && listed(one));
    assert.deepEqual(read, bodies.map(validated));
    assert.deepEqual(structuredClone(read), bodies.map(validated));
  });

  it('may be as deep as bodies may be', () => {
    const deep = (levels: number): string =>
      JSON.stringify(batch({ type: 'tool', output: 0 })).replace('0', '['.repeat(levels) + ']'.repeat(levels));
    plain(deep(61));
    assert.equal(validated(deep(62)), undefined);
    assert.equal(readOf(deep(62)), undefined);
    for (const [levels, taken] of [
      [58, true],
      [61, false],
    ] as const) {
      const json = JSON.stringify(batch({ ...message, links: [{ event_id: 'b', more: 0 }] }));
      const text = json.replace('"more":0', `"more":${'['.repeat(levels)}${']'.repeat(levels)}`);
      assert.equal(readOf(text) !== undefined, taken);
      assert.equal(validated(text) !== undefined, taken);
    }
  });

  it('may have all that agents send, in every way of writing JSON', () => {
    const image = { kind: 'image', data: 'AAAA', mime_type: 'image/png' };
    const first = { type: 'message', role: 'user', event_id: 'a', content: 'x' };
    for (const of of [
      [{ ...message, parent: { event_id: 'b' } }],
      [
        { ...message, parent: 'b' },
        { ...message, parent: null, links: [] },
      ],
      [{ ...message, links: ['b', { event_id: 'c', run_id: 'q', relation: 'é'.repeat(20), note: [1] }] }],
      [
        {
          ...message,
          links: [{ internal_event_id: '01A1fdb6-e276-7f4f-81ed-501a7cec0041' }],
          parent: { event_id: 'z' },
        },
      ],
      [
        first,
        { ...message, event_id: 'b', parent: 'a', links: [{ event_id: 'a' }, { event_id: 'a', run_id: 'other' }] },
      ],
      [
        { ...message, role: 'user-2' },
        { ...message, role: 'assistant-\n' },
      ],
      [
        { type: 'tool', output: 5 },
        { type: 'function', arguments: false },
        { type: 'agent', output: -1.5e3 },
      ],
      [{ type: 'artifact', content: image, external_artifact_id: 'p' }],
      [
        { ...message, content: [{ type: 'text', text: 'x' }] },
        { ...message, content: [] },
      ],
      [
        {
          ...message,
          content: [
            { type: 'text', text: 'an image of an artifact \\u0041' },
            { type: 'file', file: {} },
          ],
        },
      ],
      [first, { type: 'message', event_id: 'a' }, { type: 'tool', event_id: 't', parent: 'a', links: [] }],
      [
        { type: 'tool', event_id: 'a', run_id: 'q', external_session_id: 'sé' },
        { type: 'tool', event_id: 'a', name: 'n' },
      ],
      [{ type: 'tool', event_id: 'a', links: ['x', { event_id: 'y' }], output: null }],
      [{ ...message, timestamp: 1, trace_id: 'a', span: { id: [] }, session_id: 's', url: 'u', kind: 'k', __proto: 1 }],
      [{ ...message, tool_name: 't', image_url: null, parent_id: null, runId: null }],
      [
        { ...message, external_session_id: 'é \\ "quoted"' },
        { ...message, environment_id: 'prod' },
      ],
      Array.from({ length: 50 }, (_, i) => ({
        ...message,
        event_id: `e${i}`,
        parent: `e${i - 1}`,
        links: [`e${i - 7}`],
      })),
    ]) {
      for (const way of WAYS) {
        for (const body of [
          { ...batch(...of), user: 'u', more: { a: [] } },
          { environment_id: 'prod', external_session_id: 'ß', events: of },
          { events: of, run_id: 'r', environment_id: 'prod' },
        ]) {
          const json = way(JSON.stringify(body));
          if (validated(json)) plain(json);
          else refused(body, json);
        }
        const { length } = of;
        if (length > 1) continue;
        for (const more of [{}, { run_id: 'r', external_session_id: 's', more: 1 }]) {
          const json = way(JSON.stringify({ environment_id: 'prod', ...more, event: of[0] }));
          if (validated(json)) plain(json);
          else refused(json, json);
        }
      }
    }
  });

  it('of one event may name run and session in both places, where they agree', () => {
    const body = { environment_id: 'prod', run_id: 'r', external_session_id: 's' };
    plain(
      JSON.stringify({ ...body, event: { ...message, run_id: 'r', external_session_id: 's', environment_id: 'prod' } }),
    );
    refused({ ...body, event: { ...message, run_id: 'q' } });
    refused({ ...body, event: { ...message, external_session_id: 't' } });
    refused({ event: message });
    refused({ environment_id: 'prod', event: { type: 'tool', event_id: 'a' } });
    plain(JSON.stringify({ environment_id: 'prod', event: { type: 'tool', event_id: 'a', run_id: 'r' } }));
  });

  it('is refused as ever', () => {
    for (const event of [
      { ...message, parent: {} },
      { ...message, parent: 5 },
      { ...message, parent: 'ä' },
      { ...message, parent: { event_id: 'a', internal_event_id: '01a1fdb6-e276-7f4f-81ed-501a7cec0041' } },
      { ...message, parent: { internal_event_id: 'no' } },
      { ...message, parent: { event_id: 'a', relation: 'r' } },
      { ...message, parent: { eventId: 'a' } },
      { ...message, links: 'a' },
      { ...message, links: [null] },
      { ...message, links: [[]] },
      { ...message, links: [{ event_id: 'a', relation: 5 }] },
      { ...message, links: Array.from({ length: 51 }, () => 'a') },
      { ...message, parent_id: 'a' },
      { ...message, policies: [] },
      { ...message, runId: 'a' },
      { ...message, role: 'system' },
      { ...message, role: undefined },
      { ...message, output: 'x' },
      { ...message, content: 5 },
      { ...message, content: [{ type: 'image_url', image_url: { url: 'http://a' } }] },
      { ...message, content: [{ type: 'text' }, { source: { media_type: 'image/png' } }] },
      { type: 'artifact', content: 'x' },
      { type: 'artifact', content: { kind: 'image', data: 'A', url: 'http://a' } },
      { type: 'artifact', content: { kind: 'image', data: 'A', run_id: 'r' } },
      { type: 'artifact', content: { kind: 'image', data: 'A' }, url: 'u' },
      { type: 'tool', event_id: 'a', other: 1 },
      { type: 'message', event_id: 'a', content: null, role: 'user' },
      { type: 'tool' },
      { type: 'tool', tool_name: 'a', output: 'x' },
      { type: 'other', content: 'x' },
      { ...message, name: 5 },
      { ...message, metadata: [] },
      { ...message, external_session_id: 'é'.repeat(257) },
      { ...message, environment_id: 'test' },
    ]) {
      refused(batch(event));
      refused({ environment_id: 'prod', run_id: 'r', event });
    }
    refused({ ...batch(message), content: 'x' });
    refused(batch());
    refused({ environment_id: '', events: [message] });
    const many = Array.from({ length: 50 }, () => ({ ...message, links: Array.from({ length: 11 }, () => 'a') }));
    refused(batch(...many));
    for (const control of ['\n', '\u0000', '\t'])
      for (const at of ['"x"', '"event_id"', '"a"']) {
        const text = at.replace(/.$/, `${control}"`);
        refused(undefined, JSON.stringify(batch(message), null, 1).replace(at, text));
      }
  });

  it('is read where nearly nobody writes it so', () => {
    const json = JSON.stringify(batch(message));
    for (const name of ['name', 'call_id', 'external_session_id']) {
      plain(JSON.stringify(batch({ ...message, [name]: 'é'.repeat(256) })));
      plain(JSON.stringify(batch({ ...message, [name]: '😀'.repeat(256) })));
      refused(batch({ ...message, [name]: '😀'.repeat(257) }));
    }
    for (const word of ['message', 'user', 'prod', 'r', 'a']) {
      const escaped = `"\\u00${word.charCodeAt(0).toString(16)}${word.slice(1)}"`;
      plain(json.replace(`"${word}"`, escaped));
      if (word !== 'prod') refused(undefined, json.replace(`"${word}"`, escaped.replace('\\u00', '\\u01')));
    }
    plain(json.replace('"user"', '"\\u0075ser-2"'));
    refused(undefined, json.replace('"user"', '"\\u0075sers"'));
    plain(JSON.stringify({ ...batch(message), environment_id: 'x'.repeat(300) }));
    plain(
      json
        .replace('"events"', '"more":{"environment_id":1},"events"')
        .replace('}]', ',"environment_id":"\\u0070rod"}]'),
    );
    for (const [one, other] of [
      ['run_id', 'runId'],
      ['event_id', 'eventId'],
      ['external_session_id', 'externalSessionId'],
    ] as const) {
      plain(JSON.stringify(batch({ ...message, [one]: 'r', [other]: 'q' })));
      refused(batch({ ...message, [one]: null, [other]: 'q' }));
    }
    plain(JSON.stringify({ ...batch(message), runId: 'q', eventId: null }));
    refused({ ...batch(message), run_id: null, runId: 'q' });
    plain(JSON.stringify(batch({ ...message, parent: { event_id: 'b', eventId: 'c' } })));
    plain(JSON.stringify(batch({ ...message, links: [{ event_id: 'b', relation: 'é'.repeat(64), rel: 'c' }] })));
    refused(batch({ ...message, links: [{ event_id: 'b', rel: 'c' }] }));
    const id = '01a1fdb6-e276-7f4f-81ed-501a7cec0041';
    for (const parent of [{ internal_event_id: id }, 'b', { event_id: 'b', run_id: 'q' }]) {
      const text = JSON.stringify(batch(message, { ...message, event_id: 'b' }, { ...message, parent }));
      for (const letter of [id, 'b', 'q'])
        plain(text.replaceAll(`"${letter}"`, `"\\u00${letter.charCodeAt(0).toString(16)}${letter.slice(1)}"`));
    }
  });

  it('may be as large as its limits, however it is written', () => {
    const at = (characters: number): string => 'x'.repeat(characters);
    for (const [most, of] of [
      [262_144, (text: string) => ({ ...message, content: text })],
      [262_144 - 8, (text: string) => ({ ...message, content: { a: text } })],
      [LIMITS.metadataBytes - 8, (text: string) => ({ ...message, metadata: { a: text } })],
    ] as const) {
      for (const way of WAYS) plain(way(JSON.stringify(batch(of(at(most))))));
      plain(JSON.stringify(batch(of(at(most)))).replace('xxx', '\\u0078xx'));
      plain(JSON.stringify(batch(of(at(most - 2).replace('x', 'é')))));
      refused(batch(of(at(most + 1))));
      refused(batch(of(at(most - 1).replace('x', 'éé'))));
    }
    const data = at(262_144);
    plain(JSON.stringify(batch({ type: 'artifact', content: { kind: 'image', data, name: at(256) } })));
    refused(batch({ type: 'artifact', content: { kind: 'image', data: `${data}x` } }));
  });

  it('may have fields beside it that are as deep as bodies may be', () => {
    const json = JSON.stringify({ ...batch({ ...message, parent: { event_id: 'b', more: 1 } }), extra: 2 });
    const deep = (levels: number): string => '['.repeat(levels) + ']'.repeat(levels);
    plain(json.replace(':2}', `:${deep(63)}}`));
    refused(undefined, json.replace(':2}', `:${deep(64)}}`));
    plain(json.replace(':1}', `:${deep(60)}}`));
    refused(undefined, json.replace(':1}', `:${deep(61)}}`));
  });

  it('may have names that are taken for each other at first sight', () => {
    const [one, other] = sameInPrint();
    assert.notEqual(one, other);
    plain(JSON.stringify(batch({ ...message, [one]: 1, [other]: 2 })));
    const more = Object.fromEntries(Array.from({ length: 40 }, (_, i) => [`n${i}`, i]));
    for (const output of [
      { [one]: 1, [other]: 2 },
      { ...more, [one]: 1, [other]: [{ [other]: 1, [one]: 2 }] },
    ]) {
      const json = JSON.stringify(batch({ type: 'tool', output }));
      plain(json);
      refused(undefined, json.replaceAll(`"${other}"`, `"\\u00${one.charCodeAt(0).toString(16)}${one.slice(1)}"`));
    }
    plain(`{"environment_id":"prod","run_id":"r","events":[{"type":"tool","output":{"\\ud800":1,"\\ud801":2}}]}`);
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
        assert.equal(readEvents(Buffer.from(json)), undefined, json);
      }
    }
    const once = '{"a":{"a":1},"b":[{"a":1},{"a":1},{"\\u0062":{"b":1}}],"A":0,"aa":0}';
    plain(JSON.stringify(batch(message)).replace(']', `,{"type":"tool","output":${once},"metadata":${once}}]`));
    const members = Array.from({ length: 3000 }, (_, i) => `"name ${i}":${i}`).join();
    plain(JSON.stringify(batch(message)).replace(']', `,{"type":"tool","output":{${members}}}]`));
  });

  it('is one that validation takes, whatever is changed in it', () => {
    const rich = [
      ...events.slice(0, 3),
      {
        type: 'tool',
        arguments: { n: -1.5e2, s: 'a\\"b', m: { n: 1, nn: 2, sn: 3 } },
        name: 'n',
        event_id: 'k',
        other: [1],
      },
      { type: 'tool', event_id: 'k', parent: 'k' },
      {
        ...message,
        event_id: 'm',
        parent: { event_id: 'k' },
        links: ['k', { event_id: 'n', run_id: 'q', relation: 'of' }],
      },
      { ...message, content: [{ type: 'text', text: 'image' }], tool_name: 'x', session_id: null },
      { type: 'artifact', content: { kind: 'image', url: 'https://a.b/c.png' } },
    ];
    for (const [body, least] of [
      [batch(...events.slice(0, 3), rich[3]), 40],
      [batch(...rich), 40],
      [{ environment_id: 'prod', run_id: 'r', event: rich[5] }, 40],
    ] as const) {
      for (const json of [JSON.stringify(body), JSON.stringify(body, null, 1)]) {
        let taken = 0;
        fc.assert(
          fc.property(changed(json), (text) => {
            const read = readOf(text);
            if (read) taken++;
            assert.deepEqual(read, validated(text), text);
          }),
          { numRuns: 6000 },
        );
        assert.ok(taken > least, `${taken} of the changed requests are read`);
      }
    }
  });

  it('is read as it is validated, whatever is in it', () => {
    const names = ['event_id', 'run_id', 'internal_event_id', 'relation', 'eventId', 'x'] as const;
    const value = fc.oneof(
      fc.constantFrom<unknown>('a', 'b', 'r', null, 5, true, '', 'é', '01a1fdb6-e276-7f4f-81ed-501a7cec0041', {}, []),
      fc.jsonValue({ maxDepth: 2 }),
    );
    const some = (keys: readonly string[], of: fc.Arbitrary<unknown>) =>
      fc.array(fc.tuple(fc.constantFrom(...keys), of), { maxLength: 4 }).map((all) => Object.fromEntries(all));
    const named = fc.oneof(fc.constantFrom<unknown>('a', 'b', { event_id: 'a' }), some(names, value), value);
    const event = fc
      .tuple(
        fc.constantFrom<Record<string, unknown>>(
          message,
          { type: 'tool', output: { a: 1 } },
          { type: 'tool', event_id: 'a' },
          { type: 'reasoning', content: 'x', event_id: 'b' },
          { type: 'artifact', content: { kind: 'image', data: 'AAAA' } },
        ),
        fc.option(named),
        fc.option(fc.array(named, { maxLength: 3 })),
        some(
          ['event_id', 'run_id', 'role', 'name', 'metadata', 'other', 'url', 'tool_name', 'external_session_id'],
          value,
        ),
      )
      .map(([of, parent, links, more]) => ({
        ...of,
        ...(parent == null ? {} : { parent }),
        ...(links == null ? {} : { links }),
        ...(Object.keys(more).length < 3 ? more : {}),
      }));
    const body = fc
      .tuple(fc.array(event, { minLength: 1, maxLength: 4 }), fc.option(fc.constantFrom('r', 'q')), fc.boolean())
      .map(([all, run, single]) => ({
        ...(single ? { event: all[0] } : { events: all }),
        environment_id: 'prod',
        ...(run === null ? {} : { run_id: run }),
      }));
    let valid = 0;
    fc.assert(
      fc.property(body, fc.constantFrom(...WAYS), (of, way) => {
        const json = way(JSON.stringify(of));
        const known = validated(json);
        if (known) valid++;
        assert.deepEqual(readOf(json), known, json);
      }),
      { numRuns: 6000 },
    );
    assert.ok(valid > 500, `${valid} requests are valid`);
  });
});
