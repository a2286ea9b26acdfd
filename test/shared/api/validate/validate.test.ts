import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Issue } from '#weir/shared/api/types';
import { baseRole } from '#weir/shared/api/validate/session';
import { type CheckInput, validateEvent, validateEvents, validateSession } from '#weir/shared/api/validate/validate';

type Json = Record<string, unknown>;
type Validator = typeof validateEvents;

const UUID = '01890000-0000-7000-8000-000000000001';
const KIB_256 = 256 * 1024;

function good(validator: Validator, body: unknown): CheckInput {
  const bytes = Buffer.byteLength(JSON.stringify(body));
  const result = validator(body, bytes);
  assert.deepEqual(result.ok ? [] : result.issues, []);
  assert.ok(result.ok);
  // The length only saves measuring. The result is the same with and without it.
  assert.deepEqual(validator(body), result);
  return result.value;
}

function bad(validator: Validator, body: unknown, ...expected: string[]): Issue[] {
  const result = validator(body, Buffer.byteLength(JSON.stringify(body) ?? ''));
  assert.ok(!result.ok, 'expected to be refused');
  assert.deepEqual(
    result.issues.map((issue) => `${issue.path} ${issue.code}`),
    expected,
  );
  return result.issues;
}

const event = (change: Json = {}): Json => ({ type: 'message', role: 'user', content: 'x', ...change });
const batch = (...events: Json[]): Json => ({ environment_id: 'prod', run_id: 'r', events });
const one = (change: Json): Json => batch(event(change));
const tool = (change: Json): Json => batch({ type: 'tool', output: 'x', ...change });
const session = (change: Json = {}): Json => ({ messages: [{ role: 'user', content: 'hi' }], ...change });
const message = (change: Json): Json => ({ messages: [{ role: 'user', content: 'hi', ...change }] });

function nested(levels: number): unknown {
  return JSON.parse('['.repeat(levels) + ']'.repeat(levels));
}

describe('JSON that is measured', () => {
  const issuesOf = (validate: Validator, json: string): string[] => {
    const result = validate(JSON.parse(json), Buffer.byteLength(json), json);
    return result.ok ? [] : result.issues.map((issue) => `${issue.path} ${issue.code}`);
  };

  it('counts numbers as sent, but neither white space nor escapes [general.bytes] [event.json-size]', () => {
    const number = (length: number): string => `[1.${'0'.repeat(length - 4)}]`;
    const event = (value: string, metadata = '{}'): string =>
      `{"environment_id":"prod","event":{"type":"tool","output":${value},"metadata":${metadata}}}`;
    assert.deepEqual(issuesOf(validateEvent, event(number(KIB_256))), []);
    assert.deepEqual(issuesOf(validateEvent, event(number(KIB_256 + 1))), ['event.output content_too_large']);
    assert.deepEqual(issuesOf(validateEvent, event('"x"', `{"a":${number(KIB_256)}}`)), ['event.metadata too_large']);
    const escaped = (more: string): string => `["${'\\u00e9'.repeat(KIB_256 / 2 - 2)}${more}"${' '.repeat(99)}]`;
    assert.deepEqual(issuesOf(validateEvent, event(escaped(''))), [], 'two bytes each, and no space');
    assert.deepEqual(issuesOf(validateEvent, event(escaped('x'))), ['event.output content_too_large']);
    const messages = (more: string): string => `{"messages":[{"role":"user","content":"x"${more}}]}`;
    const long = `{"a":${number(KIB_256)}}`;
    assert.deepEqual(issuesOf(validateSession, messages(`,"metadata":${long}`)), ['messages[0].metadata too_large']);
    assert.deepEqual(issuesOf(validateSession, messages('').replace('}]}', `}],"metadata":${long}}`)), [
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
      const [issue] = bad(
        validateEvents,
        one({ content: [{ type: 'text', text: 'x' }, part] }),
        'events[0].content[1] unsupported_content_part',
      );
      assert.match(issue!.message, /event of type artifact/);
    }
    good(validateEvents, one({ content: [{ type: 'text', text: 'image' }, 'image', null, 3] }));
    good(validateEvents, batch({ type: 'tool', output: parts }));
  });
});

describe('batches of events', () => {
  it('have 1 to 50 events [8.events] [batch.size]', () => {
    good(validateEvents, batch(event()));
    good(validateEvents, batch(...Array.from({ length: 50 }, () => event())));
    bad(validateEvents, batch(), 'events too_few');
    bad(validateEvents, batch(...Array.from({ length: 51 }, () => event())), 'events too_many_events');
  });

  it('get errors that say what was expected', () => {
    for (const body of [null, 3, 'x', true])
      assert.equal(bad(validateEvents, body, ' type')[0]?.message, 'expected object');
    bad(validateEvents, [], 'events required');
    bad(validateEvents, { environment_id: 'prod' }, 'events required');
    bad(validateEvents, { environment_id: 3, events: {} }, 'events type', 'environment_id type');
    const [issue] = bad(validateEvents, batch(event({ type: 'mesage' })), 'events[0].type type');
    assert.match(issue!.message, /"message"/);
  });

  it('name one environment, in any place [batch.one-environment]', () => {
    assert.equal(good(validateEvents, { events: [event(), event({ environment_id: 'prod' })] }).scope, 'prod');
    bad(validateEvents, { events: [event()] }, 'environment_id required');
    bad(validateEvents, one({ environment_id: 'staging' }), 'events[0].environment_id conflict');
    bad(validateEvents, { events: [event()], environment_id: '' }, 'environment_id too_short');
  });

  it('take null as absent everywhere [general.null]', () => {
    const nulls = Object.fromEntries(
      ['event_id', 'run_id', 'metadata', 'name', 'call_id', 'format', 'parent', 'links', 'output', 'state'].map(
        (key) => [key, null],
      ),
    );
    good(
      validateEvents,
      one({ ...nulls, external_session_id: null, external_artifact_id: null, environment_id: null }),
    );
    assert.equal(good(validateEvents, { ...batch(event()), run_id: null, external_session_id: null }).affinity, '');
  });

  it('take ids of 1 to 128 letters, digits, dots, colons, underscores and hyphens [8.ids] [2.7.event_id-characters] [2.7.run_id-characters]', () => {
    for (const id of ['a', 'A.b_c:d-9', 'x'.repeat(128)]) good(validateEvents, one({ event_id: id, run_id: id }));
    for (const id of ['', 'a b', 'é', 'a/b', 'x'.repeat(129)]) {
      bad(validateEvents, one({ event_id: id }), 'events[0].event_id id');
      bad(validateEvents, one({ run_id: id }), 'events[0].run_id id');
      bad(validateEvents, { ...batch(event()), run_id: id }, 'run_id id');
    }
  });

  it('count the characters of names in code points [8.names] [2.7.external_session_id] [2.7.external_artifact_id] [2.7.name] [general.code-points]', () => {
    for (const field of ['external_session_id', 'external_artifact_id', 'name', 'call_id', 'format']) {
      for (const character of ['x', 'é', '😀']) {
        good(validateEvents, tool({ [field]: character.repeat(256) }));
        bad(validateEvents, tool({ [field]: character.repeat(257) }), `events[0].${field} too_long`);
      }
      bad(validateEvents, tool({ [field]: 7 }), `events[0].${field} type`);
    }
    bad(validateEvents, { ...batch(event()), external_session_id: 'x'.repeat(257) }, 'external_session_id too_long');
  });

  it('need a role on messages with content [2.7.role] [6.4] [general.empty]', () => {
    bad(validateEvents, batch({ type: 'message', content: 'x' }), 'events[0].role required');
    bad(validateEvents, one({ role: null }), 'events[0].role required');
    bad(validateEvents, one({ role: 'tool' }), 'events[0].role type');
    good(validateEvents, batch({ type: 'reasoning', content: '' }));
  });

  it('have at most one content field in each event, of its type [2.7.one-field] [event.two-fields]', () => {
    good(validateEvents, batch({ type: 'tool', arguments: { a: 1 } }, { type: 'agent', state: [1] }));
    good(validateEvents, batch({ type: 'function', definition: 'x' }, { type: 'agent', instructions: '' }));
    bad(validateEvents, batch({ type: 'tool', arguments: 'a', output: 'b' }), 'events[0].output conflict');
    bad(validateEvents, batch({ type: 'tool', content: 'a' }), 'events[0].content unexpected');
    bad(validateEvents, one({ output: 'a' }), 'events[0].output unexpected');
    for (const value of [1, true]) bad(validateEvents, one({ content: value }), 'events[0].content type');
  });

  it('take images only in artifact events, and count them [2.7.artifact] [4.6.artifact]', () => {
    const content = { kind: 'image', url: 'https://example.org/a.png' };
    const images = { type: 'artifact', content };
    assert.equal(good(validateEvents, batch(images, images, { type: 'reasoning', content: 'x' })).images, 2);
    good(validateEvents, batch({ type: 'artifact', event_id: 'a' }));
    bad(validateEvents, batch({ type: 'artifact', content: 'x' }), 'events[0].content type');
    bad(validateEvents, batch({ type: 'artifact', content: { kind: 'image' } }), 'events[0].content source');
    // Any other object is JSON whose strings are checked.
    assert.equal(good(validateEvents, one({ content })).images, 0);
  });

  it('hold at most 256 KiB of an image as sent [event.image-size]', () => {
    const image = (data: string): Json => batch({ type: 'artifact', content: { kind: 'image', data } });
    good(validateEvents, image('A'.repeat(KIB_256)));
    const [issue] = bad(validateEvents, image('A'.repeat(KIB_256 + 1)), 'events[0].content.data content_too_large');
    assert.match(issue!.message, /url/);
  });

  it('hold at most 256 KiB in a content field, counted in bytes of UTF-8 [8.content] [event.json-size] [general.bytes]', () => {
    const texts = ['x'.repeat(KIB_256), '€'.repeat(KIB_256 / 3), '😀'.repeat(KIB_256 / 4)];
    for (const text of texts) {
      good(validateEvents, one({ content: text }));
      bad(validateEvents, one({ content: `${text}xx` }), 'events[0].content content_too_large');
    }
    // As JSON the value is its compact form: 8 bytes of {"a":""} beside the text.
    good(validateEvents, tool({ output: { a: 'x'.repeat(KIB_256 - 8) } }));
    bad(validateEvents, tool({ output: { a: 'x'.repeat(KIB_256 - 7) } }), 'events[0].output content_too_large');
  });

  it('measure numbers as sent, not as they would be written again', () => {
    const json = `{"environment_id":"p","events":[{"type":"tool","output":[${'1e20,'.repeat(15_000)}0]}]}`;
    assert.ok(validateEvents(JSON.parse(json), json.length, json).ok);
  });

  it('hold at most 256 KiB of metadata in an event [8.metadata] [2.7.metadata]', () => {
    good(validateEvents, one({ metadata: { a: 'x'.repeat(KIB_256 - 8) } }));
    bad(validateEvents, one({ metadata: { a: 'x'.repeat(KIB_256 - 7) } }), 'events[0].metadata too_large');
    for (const metadata of [[], 'x', 3]) bad(validateEvents, one({ metadata }), 'events[0].metadata type');
  });

  it('hold at most 50 links in an event and 500 declarations in all [8.links] [8.declarations]', () => {
    const links = (count: number): Json[] => Array.from({ length: count }, () => ({ event_id: 'a' }));
    good(validateEvents, one({ links: links(50) }));
    bad(validateEvents, one({ links: links(51) }), 'events[0].links too_many');
    const full = Array.from({ length: 10 }, () => event({ links: links(50) }));
    good(validateEvents, batch(...full));
    bad(validateEvents, batch(...full, event({ parent: { event_id: 'a' } })), 'events too_many');
    // A long list costs no more than a short one, even with wrong types.
    bad(validateEvents, one({ links: new Array(100_000).fill(1) }), 'events[0].links too_many');
  });

  it('refer to other events by the caller’s ids or by the internal one [2.7.parent] [2.7.links] [event.parent] [event.links]', () => {
    const references = [{ event_id: 'a' }, { event_id: 'a', run_id: 'b' }, { internal_event_id: UUID }];
    for (const reference of references) {
      good(validateEvents, one({ parent: reference, links: [{ ...reference, relation: 'x'.repeat(64) }] }));
    }
    bad(validateEvents, one({ parent: {} }), 'events[0].parent reference');
    bad(validateEvents, one({ parent: { run_id: 'a' } }), 'events[0].parent reference');
    bad(validateEvents, one({ parent: { event_id: 'a', internal_event_id: UUID } }), 'events[0].parent reference');
    bad(validateEvents, one({ parent: { internal_event_id: 'a' } }), 'events[0].parent.internal_event_id uuid');
    bad(validateEvents, one({ links: [{ event_id: 'a b' }] }), 'events[0].links[0].event_id id');
    bad(validateEvents, one({ links: [{ event_id: 'a', run_id: '' }] }), 'events[0].links[0].run_id id');
    const long = { event_id: 'a', relation: 'x'.repeat(65) };
    bad(validateEvents, one({ links: [{ event_id: 'a' }, long] }), 'events[0].links[1].relation too_long');
    bad(validateEvents, one({ links: [{ event_id: 3 }] }), 'events[0].links[0].event_id type');
    bad(validateEvents, one({ links: {} }), 'events[0].links type');
  });

  it('take an event without content as a reference only if it has no unknown field [2.7.event_id-reference] [event.reference-run] [general.misspelt-content]', () => {
    const reference = { type: 'message', event_id: 'a', metadata: {}, name: 'x', role: 'user' };
    assert.deepEqual(good(validateEvents, batch(reference)).references, [{ index: 0, run_id: 'r', event_id: 'a' }]);
    assert.deepEqual(good(validateEvents, batch({ ...reference, content: null })).eventIds, [null]);
    const [issue] = bad(validateEvents, batch({ ...reference, contnet: 'x' }), 'events[0] unknown_field');
    assert.ok(!issue!.message.includes('contnet'));
    bad(validateEvents, batch({ type: 'message' }), 'events[0].event_id required');
    bad(validateEvents, { environment_id: 'prod', events: [reference] }, 'events[0].run_id required');
    // An event with content may have unknown fields.
    good(validateEvents, one({ contnet: 'x' }));
  });

  it('resolve a reference to an earlier event with content in the same run, not to a later one', () => {
    const reference = { type: 'message', event_id: 'a' };
    assert.deepEqual(good(validateEvents, batch(event({ event_id: 'a' }), reference)).references, []);
    assert.equal(good(validateEvents, batch(reference, event({ event_id: 'a' }))).references.length, 1);
    assert.equal(good(validateEvents, batch(event({ event_id: 'a', run_id: 'q' }), reference)).references.length, 1);
    assert.equal(good(validateEvents, batch(reference, reference)).references.length, 2);
  });

  it('belong to the conversations of their sessions, else of their runs', () => {
    const events = [event(), event(), event({ external_session_id: 's' }), event({ run_id: 'q' }), event()];
    const input = good(validateEvents, batch(...events));
    assert.deepEqual(input.conversations, ['r:r', 's:s', 'r:q']);
    assert.equal(input.affinity, 'r');
    const sessions = good(validateEvents, {
      environment_id: 'p',
      external_session_id: 's',
      events: [event(), event()],
    });
    assert.deepEqual(sessions.conversations, ['s:s']);
    assert.equal(sessions.affinity, 's');
    const none = good(validateEvents, { environment_id: 'p', events: [event()] });
    assert.deepEqual([none.affinity, none.conversations], ['', ['r:']], 'that of the run which is generated');
  });

  it('nest at most 64 levels, anywhere [general.depth]', () => {
    // Batch, events, event: the value is on the fourth level.
    good(validateEvents, tool({ output: nested(61) }));
    bad(validateEvents, tool({ output: nested(62) }), ' too_deep');
    bad(validateEvents, { ...batch(event()), extra: nested(64) }, ' too_deep');
    // Deeper than recursion could follow.
    const result = validateEvents(one({ extra: { a: nested(100_000) } }));
    assert.ok(!result.ok);
    assert.equal(result.issues[0]?.code, 'too_deep');
  });

  it('treat __proto__ and constructor as ordinary keys [general.prototype]', () => {
    const text = '{"type":"message","role":"user","content":"x","metadata":{"__proto__":{"a":1},"constructor":2}}';
    good(validateEvents, batch(JSON.parse(text)));
    const reference = JSON.parse('{"type":"message","event_id":"a","__proto__":{"content":"x"}}');
    bad(validateEvents, batch(reference), 'events[0] unknown_field');
    bad(validateEvents, JSON.parse('{"__proto__":{"events":[]}}'), 'events required');
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
  const single = (change: Json = {}, top: Json = {}): Json => ({
    event: event(change),
    environment_id: 'prod',
    ...top,
  });

  it('take their run and environment at the top, inside, or in both places if equal [event.agree] [4.6.place]', () => {
    assert.equal(good(validateEvent, single({ run_id: 'r' }, { run_id: 'r' })).affinity, 'r');
    assert.equal(good(validateEvent, { event: event({ environment_id: 'prod', run_id: 'r' }) }).scope, 'prod');
    bad(validateEvent, single({ run_id: 'q' }, { run_id: 'r' }), 'event.run_id conflict');
    bad(validateEvent, single({ environment_id: 'dev' }), 'event.environment_id conflict');
    bad(validateEvent, { event: event() }, 'environment_id required');
  });

  it('have issues with paths below `event`', () => {
    bad(validateEvent, {}, 'event required');
    bad(validateEvent, { event: [] }, 'event.type required');
    bad(validateEvent, { event: 'x' }, 'event type');
    bad(validateEvent, single({ content: 5 }), 'event.content type');
    bad(
      validateEvent,
      single({ name: 5, links: [{ event_id: 5 }] }),
      'event.name type',
      'event.links[0].event_id type',
    );
  });
});

describe('sessions', () => {
  it('have 1 to 1,000 messages [2.3.messages] [session.messages] [8.session]', () => {
    const messages = (count: number): Json => ({ messages: new Array(count).fill({ role: 'user', content: 'x' }) });
    good(validateSession, messages(1));
    good(validateSession, messages(1000));
    bad(validateSession, messages(0), 'messages too_few');
    bad(validateSession, messages(1001), 'messages too_many');
    bad(validateSession, {}, 'messages required');
    bad(validateSession, null, ' type');
  });

  it('have five roles, with any suffix after a hyphen [2.3.role] [2.3.role-postfix] [session.role]', () => {
    for (const role of ['system', 'user', 'assistant', 'tool', 'developer']) {
      good(validateSession, message({ role }));
      good(validateSession, message({ role: `${role}-2` }));
    }
    assert.equal(baseRole('assistant-2-b'), 'assistant');
    for (const role of ['', 'User', 'function', '-user', 'users-1']) {
      bad(validateSession, message({ role }), 'messages[0].role role');
    }
    bad(validateSession, message({ role: null }), 'messages[0].role type');
  });

  it('take text, and parts of text under three names [2.3.content-string] [2.3.content-parts] [2.3.content-required] [session.text-parts]', () => {
    good(validateSession, message({ content: '' }));
    const parts = ['text', 'input_text', 'output_text'].map((type) => ({ type, text: 'x' }));
    good(validateSession, message({ content: parts }));
    bad(validateSession, message({ content: [{ type: 'text' }] }), 'messages[0].content[0].text required');
    bad(validateSession, message({ content: [{ type: 'text', text: 5 }] }), 'messages[0].content[0].text type');
    bad(
      validateSession,
      message({ content: [3, {}] }),
      'messages[0].content[0] type',
      'messages[0].content[1].type required',
    );
    for (const content of [null, 5, {}]) {
      const [issue] = bad(validateSession, message({ content }), 'messages[0].content type');
      assert.match(issue!.message, /string/);
    }
    bad(validateSession, { messages: [{ role: 'user' }] }, 'messages[0].content required');
  });

  it('take images only in artifact parts [2.3.content-image] [session.image-parts]', () => {
    for (const type of ['image_url', 'input_image']) {
      const [issue] = bad(
        validateSession,
        message({ content: [{ type, image_url: 'x' }] }),
        'messages[0].content[0] unsupported_content_part',
      );
      assert.match(issue!.message, /artifact/);
    }
    bad(
      validateSession,
      message({ content: [{ type: 'audio' }] }),
      'messages[0].content[0].type unsupported_content_part',
    );
  });

  it('take tool calls and their results in any shape of a provider', () => {
    const types = ['server_tool_use', 'web_search_tool_result', 'mcp_tool_use', 'mcp_tool_result', 'redacted_thinking'];
    good(validateSession, message({ role: 'assistant', content: types.map((type) => ({ type })) }));
  });

  it('skip unknown parts in earlier messages, which are context [session.earlier-parts]', () => {
    const parts = ['image_url', 'input_image', 'audio', 'file'].map((type) => ({ type }));
    const last = { role: 'user', content: 'hi' };
    good(validateSession, { messages: [{ role: 'user', content: parts }, last] });
    bad(
      validateSession,
      { messages: [last, { role: 'user', content: parts.slice(2, 3) }] },
      'messages[1].content[0].type unsupported_content_part',
    );
  });

  it('need content, except from an assistant that calls tools [session.tool-calls]', () => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    for (const content of [undefined, null, '']) {
      good(validateSession, message({ role: 'assistant', content, tool_calls: calls }));
      good(validateSession, message({ role: 'assistant-2', content, function_call: { name: 'f', arguments: '' } }));
      good(validateSession, message({ role: 'assistant', content, refusal: 'no' }));
    }
    bad(validateSession, message({ role: 'assistant', content: null, tool_calls: [] }), 'messages[0].content type');
    bad(validateSession, message({ role: 'assistant', content: undefined }), 'messages[0].content required');
    bad(
      validateSession,
      message({ role: 'user', content: undefined, tool_calls: calls }),
      'messages[0].content required',
    );
    bad(validateSession, message({ role: 'assistant', content: 'x', tool_calls: 'x' }), 'messages[0].tool_calls type');
    const long = [{ function: { name: 'f', arguments: 'x'.repeat(1024 * 1024) } }];
    bad(
      validateSession,
      message({ role: 'assistant', content: null, tool_calls: long }),
      'messages[0].content content_too_large',
    );
  });

  it('take at most 16 images in the last message, and count only those [session.artifacts]', () => {
    const part = { type: 'artifact', content: { kind: 'image', data: 'AAAA' }, external_artifact_id: 'a' };
    const images = (count: number): Json => ({ role: 'user', content: Array(count).fill(part) });
    assert.equal(good(validateSession, { messages: [images(16)] }).images, 16);
    bad(validateSession, { messages: [images(17)] }, 'messages[0].content too_many');
    assert.equal(good(validateSession, { messages: [images(17), { role: 'user', content: 'x' }] }).images, 0);
    const long = { ...part, external_artifact_id: 'a'.repeat(257) };
    bad(validateSession, message({ content: [long] }), 'messages[0].content[0].external_artifact_id too_long');
    bad(
      validateSession,
      message({ content: [{ type: 'artifact', content: {} }] }),
      'messages[0].content[0].content.kind required',
    );
  });

  it('hold at most 1 MiB of text in a message [session.text]', () => {
    const mib = 1024 * 1024;
    good(validateSession, message({ content: 'x'.repeat(mib) }));
    bad(validateSession, message({ content: 'x'.repeat(mib + 1) }), 'messages[0].content content_too_large');
    const half = { type: 'text', text: 'x'.repeat(mib / 2) };
    good(validateSession, message({ content: [half, half] }));
    bad(
      validateSession,
      message({ content: [half, half, { type: 'text', text: 'x' }] }),
      'messages[0].content content_too_large',
    );
  });

  it('can be limited to 1 to 100 policies, under either name [session.policies]', () => {
    const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `p${i}`);
    assert.deepEqual(good(validateSession, session({ policies: ids(2) })).policies, ['p0', 'p1']);
    assert.equal(good(validateSession, session({ policy_ids: ids(100) })).policiesField, 'policy_ids');
    assert.deepEqual(good(validateSession, session({ policies: null })).policies, []);
    for (const field of ['policies', 'policy_ids']) {
      bad(validateSession, session({ [field]: [] }), `${field} too_few`);
      bad(validateSession, session({ [field]: ids(101) }), `${field} too_many`);
      bad(validateSession, session({ [field]: [1] }), `${field}[0] type`);
    }
    bad(validateSession, session({ policies: ids(1), policy_ids: ids(1) }), 'policy_ids conflict');
  });

  it('belong to the conversation of their external id, even if it is not merged in [session.external] [2.3.include_context]', () => {
    const input = good(validateSession, session({ external_session_id: 'a b', deployment_id: 'chat' }));
    assert.deepEqual([input.scope, input.affinity, input.conversations], ['chat', 'a b', ['c:a b']]);
    const alone = good(validateSession, session({ external_session_id: 'a', include_context: false }));
    assert.deepEqual(alone.conversations, ['c:a']);
    assert.deepEqual(good(validateSession, session({ include_context: true })).conversations, []);
    good(validateSession, session({ external_session_id: '😀'.repeat(256) }));
    bad(validateSession, session({ external_session_id: 'x'.repeat(257) }), 'external_session_id too_long');
    bad(validateSession, session({ include_context: 'yes' }), 'include_context type');
    bad(validateSession, session({ deployment_id: '' }), 'deployment_id too_short');
  });

  it('take any object of at most 256 KiB as metadata [2.3.metadata] [session.metadata]', () => {
    good(validateSession, session({ metadata: { session: { timestamp: 'whenever' }, user: { location: 7 } } }));
    bad(validateSession, session({ metadata: [] }), 'metadata type');
    bad(validateSession, session({ metadata: { a: 'x'.repeat(KIB_256) } }), 'metadata too_large');
    bad(validateSession, message({ metadata: { a: 'x'.repeat(KIB_256) } }), 'messages[0].metadata too_large');
  });
});
