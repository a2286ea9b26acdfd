import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateSession } from '#weir/shared/api/validate/validate';
import { validateEvent, validateEvents } from '../../../support/model/check-input.ts';
import { issuesOf, type Json, judgeOf, KIB_256, partOf, type Validator } from './support.ts';

const UUID = '01890000-0000-7000-8000-000000000001';

const event = (change: Json = {}): Json => ({ type: 'message', role: 'user', content: 'x', ...change });
const batch = (...events: Json[]): Json => ({ environment_id: 'prod', run_id: 'r', events });
const tool = (change: Json): Json => batch({ type: 'tool', output: 'x', ...change });
const { good, bad } = judgeOf(validateEvents);
/** one event in a batch */
const one = partOf({ good, bad }, 'events[0].', (change: Json) => batch(event(change)));

function nested(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels));
}

describe('JSON that is measured', () => {
  const issues = (validate: Validator, json: string) => issuesOf(validate, JSON.parse(json), json);

  it('counts numbers as sent, but neither white space nor escapes [general.bytes] [event.json-size]', () => {
    const number = (length: number): string => `[1.${'0'.repeat(length - 4)}]`;
    const event = (value: string, metadata = '{}'): string =>
      `{"environment_id":"prod","event":{"type":"tool","output":${value},"metadata":${metadata}}}`;
    assert.deepEqual(issues(validateEvent, event(number(KIB_256))), []);
    assert.deepEqual(issues(validateEvent, event(number(KIB_256 + 1))), ['event.output content_too_large']);
    assert.deepEqual(issues(validateEvent, event('"x"', `{"a":${number(KIB_256)}}`)), ['event.metadata too_large']);
    const escaped = (more: string): string => `["${'\\u00e9'.repeat(KIB_256 / 2 - 2)}${more}"${' '.repeat(99)}]`;
    assert.deepEqual(issues(validateEvent, event(escaped(''))), [], 'two bytes each, and no space');
    assert.deepEqual(issues(validateEvent, event(escaped('x'))), ['event.output content_too_large']);
    const messages = (more: string): string => `{"messages":[{"role":"user","content":"x"${more}}]}`;
    const long = `{"a":${number(KIB_256)}}`;
    assert.deepEqual(issues(validateSession, messages(`,"metadata":${long}`)), ['messages[0].metadata too_large']);
    assert.deepEqual(issues(validateSession, messages('').replace('}]}', `}],"metadata":${long}}`)), [
      'metadata too_large',
    ]);
  });
});

describe('a message event with a list of parts', () => {
  it('is refused if a part is an image, and the error names the artifact event [event.message-images]', () => {
    const parts = [
      { type: 'image_url', image_url: { url: 'https://example.org/a.png' } },
      { type: 'input_image', image_url: 'x' },
      { type: 'artifact', content: { kind: 'image' } },
      { type: 'image', source: {} },
      { inline_data: 'x', mime_type: 'image/png' },
      { inlineData: { mimeType: 'image/png', data: 'AAAA' } },
      { type: 'resource', resource: { uri: 'file:///x.png', mimeType: 'image/png', blob: 'AAAA' } },
    ];
    for (const part of parts) {
      const [issue] = one.bad({ content: [{ type: 'text', text: 'x' }, part] }, 'content[1] unsupported_content_part');
      assert.match(issue!.message, /event of type artifact/);
    }
    one.good({ content: [{ type: 'text', text: 'image' }, 'image', null, 3] });
    good(batch({ type: 'tool', output: parts }));
  });
});

describe('batches of events', () => {
  it('have 1 to 50 events [8.events] [batch.size]', () => {
    good(batch(event()));
    good(batch(...Array.from({ length: 50 }, () => event())));
    bad(batch(), 'events too_few');
    bad(batch(...Array.from({ length: 51 }, () => event())), 'events too_many_events');
  });

  it('get errors that say what was expected', () => {
    for (const body of [null, 3, 'x', true]) assert.equal(bad(body, ' type')[0]?.message, 'expected object');
    bad([], 'events required');
    bad({ environment_id: 'prod' }, 'events required');
    bad({ environment_id: 3, events: {} }, 'events type', 'environment_id type');
    const [issue] = bad(batch(event({ type: 'mesage' })), 'events[0].type type');
    assert.match(issue!.message, /"message"/);
  });

  it('name one environment, in any place [batch.one-environment]', () => {
    assert.equal(good({ events: [event(), event({ environment_id: 'prod' })] }).scope, 'prod');
    bad({ events: [event()] }, 'environment_id required');
    one.bad({ environment_id: 'staging' }, 'environment_id conflict');
    bad({ events: [event()], environment_id: '' }, 'environment_id too_short');
  });

  it('take null as absent everywhere [general.null]', () => {
    const nulls = Object.fromEntries(
      ['event_id', 'run_id', 'metadata', 'name', 'call_id', 'format', 'parent', 'links', 'output', 'state'].map(
        (key) => [key, null],
      ),
    );
    one.good({ ...nulls, external_session_id: null, external_artifact_id: null, environment_id: null });
    assert.equal(good({ ...batch(event()), run_id: null, external_session_id: null }).affinity, '');
  });

  it('take ids of 1 to 128 letters, digits, dots, colons, underscores and hyphens [8.ids] [2.7.event_id-characters] [2.7.run_id-characters]', () => {
    for (const id of ['a', 'A.b_c:d-9', 'x'.repeat(128)]) one.good({ event_id: id, run_id: id });
    for (const id of ['', 'a b', 'é', 'a/b', 'x'.repeat(129)]) {
      one.bad({ event_id: id }, 'event_id id');
      one.bad({ run_id: id }, 'run_id id');
      bad({ ...batch(event()), run_id: id }, 'run_id id');
    }
  });

  it('count the characters of names in code points [8.names] [2.7.external_session_id] [2.7.external_artifact_id] [2.7.name] [general.code-points]', () => {
    for (const field of ['external_session_id', 'external_artifact_id', 'name', 'call_id', 'format']) {
      for (const character of ['x', 'é', '😀']) {
        good(tool({ [field]: character.repeat(256) }));
        bad(tool({ [field]: character.repeat(257) }), `events[0].${field} too_long`);
      }
      bad(tool({ [field]: 7 }), `events[0].${field} type`);
    }
    bad({ ...batch(event()), external_session_id: 'x'.repeat(257) }, 'external_session_id too_long');
  });

  it('need a role on messages with content [2.7.role] [6.4] [general.empty]', () => {
    bad(batch({ type: 'message', content: 'x' }), 'events[0].role required');
    one.bad({ role: null }, 'role required');
    one.bad({ role: 'tool' }, 'role type');
    good(batch({ type: 'reasoning', content: '' }));
  });

  it('have at most one content field in each event, of its type [2.7.one-field] [event.two-fields]', () => {
    good(batch({ type: 'tool', arguments: { a: 1 } }, { type: 'agent', state: [1] }));
    good(batch({ type: 'function', definition: 'x' }, { type: 'agent', instructions: '' }));
    bad(batch({ type: 'tool', arguments: 'a', output: 'b' }), 'events[0].output conflict');
    bad(batch({ type: 'tool', content: 'a' }), 'events[0].content unexpected');
    one.bad({ output: 'a' }, 'output unexpected');
    for (const value of [1, true]) one.bad({ content: value }, 'content type');
  });

  it('take images only in artifact events, and count them [2.7.artifact] [4.6.artifact]', () => {
    const content = { kind: 'image', url: 'https://example.org/a.png' };
    const images = { type: 'artifact', content };
    assert.equal(good(batch(images, images, { type: 'reasoning', content: 'x' })).images, 2);
    good(batch({ type: 'artifact', event_id: 'a' }));
    bad(batch({ type: 'artifact', content: 'x' }), 'events[0].content type');
    bad(batch({ type: 'artifact', content: { kind: 'image' } }), 'events[0].content source');
    // Any other object is JSON whose strings are checked.
    assert.equal(one.good({ content }).images, 0);
  });

  it('hold at most 256 KiB of an image as sent [event.image-size]', () => {
    const image = (data: string): Json => batch({ type: 'artifact', content: { kind: 'image', data } });
    good(image('A'.repeat(KIB_256)));
    const [issue] = bad(image('A'.repeat(KIB_256 + 1)), 'events[0].content.data content_too_large');
    assert.match(issue!.message, /url/);
  });

  it('hold at most 256 KiB in a content field, counted in bytes of UTF-8 [8.content] [event.json-size] [general.bytes]', () => {
    const texts = ['x'.repeat(KIB_256), '€'.repeat(KIB_256 / 3), '😀'.repeat(KIB_256 / 4)];
    for (const text of texts) {
      one.good({ content: text });
      one.bad({ content: `${text}xx` }, 'content content_too_large');
    }
    // As JSON the value is its compact form: 8 bytes of {"a":""} beside the text.
    good(tool({ output: { a: 'x'.repeat(KIB_256 - 8) } }));
    bad(tool({ output: { a: 'x'.repeat(KIB_256 - 7) } }), 'events[0].output content_too_large');
  });

  it('measure numbers as sent, not as they would be written again', () => {
    const json = `{"environment_id":"p","events":[{"type":"tool","output":[${'1e20,'.repeat(15_000)}0]}]}`;
    assert.ok(validateEvents(JSON.parse(json), json.length, json).ok);
  });

  it('hold at most 256 KiB of metadata in an event [8.metadata] [2.7.metadata]', () => {
    one.good({ metadata: { a: 'x'.repeat(KIB_256 - 8) } });
    one.bad({ metadata: { a: 'x'.repeat(KIB_256 - 7) } }, 'metadata too_large');
    for (const metadata of [[], 'x', 3]) one.bad({ metadata }, 'metadata type');
  });

  it('hold at most 50 links in an event and 500 declarations in all [8.links] [8.declarations]', () => {
    const links = (count: number): Json[] => Array.from({ length: count }, () => ({ event_id: 'a' }));
    one.good({ links: links(50) });
    one.bad({ links: links(51) }, 'links too_many');
    const full = Array.from({ length: 10 }, () => event({ links: links(50) }));
    good(batch(...full));
    bad(batch(...full, event({ parent: { event_id: 'a' } })), 'events too_many');
    // A long list costs no more than a short one, even with wrong types.
    one.bad({ links: new Array(100_000).fill(1) }, 'links too_many');
  });

  it('refer to other events by the caller’s ids or by the internal one [2.7.parent] [2.7.links] [event.parent] [event.links]', () => {
    const references = [{ event_id: 'a' }, { event_id: 'a', run_id: 'b' }, { internal_event_id: UUID }];
    for (const reference of references) {
      one.good({ parent: reference, links: [{ ...reference, relation: 'x'.repeat(64) }] });
    }
    one.bad({ parent: {} }, 'parent reference');
    one.bad({ parent: { run_id: 'a' } }, 'parent reference');
    one.bad({ parent: { event_id: 'a', internal_event_id: UUID } }, 'parent reference');
    one.bad({ parent: { internal_event_id: 'a' } }, 'parent.internal_event_id uuid');
    one.bad({ links: [{ event_id: 'a b' }] }, 'links[0].event_id id');
    one.bad({ links: [{ event_id: 'a', run_id: '' }] }, 'links[0].run_id id');
    const long = { event_id: 'a', relation: 'x'.repeat(65) };
    one.bad({ links: [{ event_id: 'a' }, long] }, 'links[1].relation too_long');
    one.bad({ links: [{ event_id: 3 }] }, 'links[0].event_id type');
    one.bad({ links: {} }, 'links type');
  });

  it('take an id for a reference, as if it were written in full [event.short-references]', () => {
    for (const more of [{}, { run_id: 'q' }]) {
      const full = {
        parent: { event_id: 'm1' },
        links: [{ event_id: 'a' }, { internal_event_id: UUID }, { event_id: 'b', run_id: 'c' }],
      };
      const short = { parent: 'm1', links: ['a', { internal_event_id: UUID }, { event_id: 'b', run_id: 'c' }] };
      const input = one.good({ ...more, ...short });
      assert.equal(input.causes?.length, 4);
      assert.deepEqual(input, one.good({ ...more, ...full }));
    }
    assert.deepEqual(good(batch(event({ event_id: 'm1' }), event({ parent: 'm1', links: ['m1'] }))).causes, undefined);
    // An id of a reference is one of the caller, also where it looks like an internal one.
    assert.deepEqual(one.good({ parent: UUID }).causes, [{ run_id: 'r', event_id: UUID, internal_event_id: '' }]);
    one.bad({ parent: '' }, 'parent id');
    one.bad({ parent: 'a b', links: ['c', '', 'x'.repeat(129)] }, 'parent id', 'links[1] id', 'links[2] id');
    one.bad({ parent: ['m1'] }, 'parent type');
    const [parent] = one.bad(
      { parent: 5, links: [5, [], null, true] },
      'parent type',
      'links[0] type',
      'links[1] type',
      'links[2] type',
      'links[3] type',
    );
    assert.equal(parent!.message, 'expected object or string');
    one.bad({ links: 'a' }, 'links type');
    const many = Array.from({ length: 10 }, () => event({ links: Array.from({ length: 50 }, () => 'a') }));
    good(batch(...many));
    bad(batch(...many, event({ parent: 'a' })), 'events too_many');
  });

  it('have a role with a postfix, which counts for nothing [event.role-postfix]', () => {
    for (const role of ['user', 'user-', 'user-2', 'assistant-2', 'assistant-a-b', 'assistant- é']) one.good({ role });
    for (const role of ['', 'system', 'tool', 'user2', 'User', '-user', 'users-1', 'system-user', 5]) {
      const [issue] = one.bad({ role }, 'role type');
      assert.equal(issue!.message, 'expected "assistant" or "user"');
    }
  });

  it('have numbers and booleans as arguments and output [event.scalar-content]', () => {
    for (const value of [0, 4111111111111111, -0.5, true, false]) {
      for (const [type, field] of [
        ['tool', 'arguments'],
        ['tool', 'output'],
        ['function', 'arguments'],
        ['function', 'output'],
        ['agent', 'output'],
      ]) {
        assert.deepEqual(good(batch({ type, [field!]: value })).eventIds, ['']);
      }
      one.bad({ content: value }, 'content type');
      for (const [type, field] of [
        ['reasoning', 'content'],
        ['agent', 'state'],
        ['agent', 'input'],
        ['tool', 'definition'],
      ])
        bad(batch({ type, [field!]: value }), `events[0].${field} type`);
      bad(batch({ type: 'artifact', content: value }), 'events[0].content type');
      bad(batch({ type: 'tool', output: value, arguments: value }), 'events[0].arguments conflict');
    }
    // Measured as it is written.
    const long = (digits: number): string =>
      `{"environment_id":"p","events":[{"type":"tool","output":${'1'.repeat(digits)}}]}`;
    const judged = (json: string) => issuesOf(validateEvents, JSON.parse(json), json);
    assert.deepEqual(judged(long(KIB_256)), []);
    assert.deepEqual(judged(long(KIB_256 + 1)), ['events[0].output content_too_large']);
  });

  it('take an event without content as a reference only if it has no unknown field [2.7.event_id-reference] [event.reference-run] [general.misspelt-content]', () => {
    const reference = { type: 'message', event_id: 'a', metadata: {}, name: 'x', role: 'user' };
    assert.deepEqual(good(batch(reference)).references, [{ index: 0, run_id: 'r', event_id: 'a' }]);
    assert.deepEqual(good(batch({ ...reference, role: null, content: null })).eventIds, [null]);
    const [issue] = bad(batch({ ...reference, contnet: 'x' }), 'events[0] unknown_field');
    assert.ok(!issue!.message.includes('contnet'));
    bad(batch({ type: 'message' }), 'events[0].event_id required');
    bad({ environment_id: 'prod', events: [reference] }, 'events[0].run_id required');
    // An event with content may have unknown fields.
    one.good({ contnet: 'x' });
  });

  it('are no references where their content got lost [event.null-content]', () => {
    for (const [type, field] of [
      ['message', 'content'],
      ['tool', 'output'],
      ['agent', 'state'],
    ] as const) {
      const event = { type, event_id: 'a', [field]: null };
      // Typed clients send null for whatever is absent.
      const absent = { ...event, role: null, metadata: null, parent: null, arguments: null };
      assert.equal(good(batch(absent)).references.length, 1);
      bad(batch({ ...event, role: 'user' }), `events[0].${field} required`);
      bad(batch({ ...absent, role: 'assistant' }), `events[0].arguments required`);
    }
    assert.equal(good(batch({ type: 'message', event_id: 'a', role: 'user' })).references.length, 1);
  });

  it('without content take the run that is generated for the batch, if one is [batch.reference-run]', () => {
    const reference = { type: 'message', event_id: 'a' };
    const body = (...events: Json[]): Json => ({ environment_id: 'prod', events });
    const referred = { index: 1, type: 'message', run_id: '', event_id: 'a', external_session_id: '' };
    const input = good(body(event({ event_id: 'a' }), reference));
    assert.deepEqual([input.references, input.referred], [[], [referred]]);
    // It has no earlier events, so none need be looked for.
    assert.deepEqual(good(body(event({ event_id: 'b' }), reference)).references, []);
    assert.deepEqual(good(body(event({ event_id: 'b', run_id: 'q' }), reference, event())).referred, [referred]);
    bad(body(reference), 'events[0].run_id required');
    bad(body(event({ event_id: 'a', run_id: 'q' }), reference), 'events[1].run_id required');
    bad(body(reference, { type: 'tool', event_id: 'a' }), 'events[0].run_id required', 'events[1].run_id required');
  });

  it('resolve a reference to an earlier event with content in the same run, not to a later one', () => {
    const reference = { type: 'message', event_id: 'a' };
    assert.deepEqual(good(batch(event({ event_id: 'a' }), reference)).references, []);
    assert.equal(good(batch(reference, event({ event_id: 'a' }))).references.length, 1);
    assert.equal(good(batch(event({ event_id: 'a', run_id: 'q' }), reference)).references.length, 1);
    assert.equal(good(batch(reference, reference)).references.length, 2);
  });

  it('belong to the conversations of their sessions, else of their runs', () => {
    const events = [event(), event(), event({ external_session_id: 's' }), event({ run_id: 'q' }), event()];
    const input = good(batch(...events));
    assert.deepEqual(input.conversations, ['r:r', 's:s', 'r:q']);
    assert.equal(input.affinity, 'r');
    const sessions = good({
      environment_id: 'p',
      external_session_id: 's',
      events: [event(), event()],
    });
    assert.deepEqual(sessions.conversations, ['s:s']);
    assert.equal(sessions.affinity, 's');
    const none = good({ environment_id: 'p', events: [event()] });
    assert.deepEqual([none.affinity, none.conversations], ['', ['r:']], 'that of the run which is generated');
  });

  it('nest at most 64 levels, anywhere [general.depth]', () => {
    // Batch, events, event: the value is on the fourth level.
    good(tool({ output: nested(61) }));
    bad(tool({ output: nested(62) }), ' too_deep');
    bad({ ...batch(event()), extra: nested(64) }, ' too_deep');
    // Deeper than recursion could follow.
    const result = validateEvents(batch(event({ extra: { a: nested(100_000) } })));
    assert.ok(!result.ok);
    assert.equal(result.issues[0]?.code, 'too_deep');
  });

  it('treat __proto__ and constructor as ordinary keys [general.prototype]', () => {
    const text = '{"type":"message","role":"user","content":"x","metadata":{"__proto__":{"a":1},"constructor":2}}';
    good(batch(JSON.parse(text)));
    const reference = JSON.parse('{"type":"message","event_id":"a","__proto__":{"content":"x"}}');
    bad(batch(reference), 'events[0] unknown_field');
    bad(JSON.parse('{"__proto__":{"events":[]}}'), 'events required');
    assert.equal(({} as Json).a, undefined);
  });

  it('list at most 50 issues [error.issues]', () => {
    const links = Array.from({ length: 50 }, () => ({}));
    const result = validateEvents(batch(event({ links }), event({ links })));
    assert.ok(!result.ok);
    assert.equal(result.issues.length, 50);
    const types = validateEvents(batch(...Array.from({ length: 50 }, () => ({ type: 1, role: 1 }))));
    assert.ok(!types.ok);
    assert.equal(types.issues.length, 50);
  });
});

describe('single events', () => {
  const { good, bad } = judgeOf(validateEvent);
  const single = (change: Json = {}, top: Json = {}): Json => ({
    event: event(change),
    environment_id: 'prod',
    ...top,
  });

  it('take their run and environment at the top, inside, or in both places if equal [event.agree] [4.6.place]', () => {
    assert.equal(good(single({ run_id: 'r' }, { run_id: 'r' })).affinity, 'r');
    assert.equal(good({ event: event({ environment_id: 'prod', run_id: 'r' }) }).scope, 'prod');
    bad(single({ run_id: 'q' }, { run_id: 'r' }), 'event.run_id conflict');
    bad(single({ environment_id: 'dev' }), 'event.environment_id conflict');
    bad({ event: event() }, 'environment_id required');
  });

  it('have issues with paths below `event`', () => {
    bad({}, 'event required');
    bad({ event: [] }, 'event.type required');
    bad({ event: 'x' }, 'event type');
    bad(single({ content: 5 }), 'event.content type');
    bad(single({ name: 5, links: [{ event_id: 5 }] }), 'event.name type', 'event.links[0].event_id type');
  });
});
