/** Fields in the wrong place of a request (decisions, General). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateArtifact, validateSession } from '#weir/shared/api/validate/validate';
import { validateEvent, validateEvents } from '../../../support/model/check-input.ts';
import type { Json } from './support.ts';

function issuesOf(validate: typeof validateEvents, body: unknown): string[] {
  const result = validate(body);
  return result.ok ? [] : result.issues.map(({ path, code, message }) => `${path} ${code}: ${message}`);
}

const event = { type: 'message', role: 'user', content: 'x', event_id: 'e' };
const image = { kind: 'image', url: 'https://example.org/a.png' };
const single = (more: Json, inside: Json = {}): Json => ({
  environment_id: 'prod',
  event: { ...event, ...inside },
  ...more,
});
const batch = (more: Json, inside: Json = {}): Json => ({
  environment_id: 'prod',
  events: [{ ...event, ...inside }],
  ...more,
});
const session = (more: Json, inside: Json = {}): Json => ({
  messages: [{ role: 'user', content: 'x', ...inside }],
  ...more,
});

describe('a field in the wrong place', () => {
  it('is refused beside an event that it belongs into [general.misplaced]', () => {
    const fields = {
      metadata: {},
      parent: { event_id: 'e' },
      links: [],
      role: 'user',
      content: 'x',
      name: 'n',
      type: 'tool',
      output: 'x',
    };
    for (const [name, value] of Object.entries(fields)) {
      assert.deepEqual(issuesOf(validateEvent, single({ [name]: value })), [`${name} misplaced: belongs into event`]);
      const [issue] = issuesOf(validateEvents, batch({ [name]: value }));
      assert.match(issue!, new RegExp(`^${name} misplaced: belongs into event`));
      assert.deepEqual(issuesOf(validateEvent, single({ [name]: null })), [], 'null is absent');
    }
    assert.match(issuesOf(validateEvents, batch({ event })).join(), /^event misplaced/);
    assert.match(issuesOf(validateEvent, single({ events: [event] })).join(), /^events misplaced/);
  });

  it('is refused if it is parent_event_id, in an event and beside it, with a hint at parent.event_id [general.parent_event_id]', () => {
    for (const [validate, body] of [
      [validateEvent, single({ parent_event_id: 'e' })],
      [validateEvents, batch({ parent_event_id: 'e' })],
      [validateEvent, single({}, { parent_event_id: 'e' })],
      [validateEvents, batch({}, { parent_event_id: 'e', content: undefined, role: undefined })],
    ] as const)
      assert.match(issuesOf(validate, body)[0]!, /parent_event_id misplaced: use parent\.event_id/);
  });

  it('is refused in an event or a parent if it belongs to a link or an image', () => {
    assert.match(issuesOf(validateEvent, single({}, { relation: 'x' }))[0]!, /^event\.relation misplaced: .*links/);
    const parent = { event_id: 'p', relation: 'x' };
    assert.match(issuesOf(validateEvents, batch({}, { parent }))[0]!, /^events\[0\]\.parent\.relation misplaced/);
    const artifact = { environment_id: 'prod', event: { type: 'artifact', content: image, url: image.url } };
    assert.deepEqual(issuesOf(validateEvent, artifact), ['event.url misplaced: belongs into content']);
    const inside = { environment_id: 'prod', event: { type: 'artifact', content: { ...image, metadata: {} } } };
    assert.deepEqual(issuesOf(validateEvent, inside), ['event.content.metadata misplaced: belongs beside content']);
    assert.deepEqual(issuesOf(validateEvent, single({}, { url: 'x', trace: 1 })), [], 'others carry what they like');
  });

  it('is refused beside the messages, in a message, and in the wrong kind of part', () => {
    const paths = (body: Json): string[] => issuesOf(validateSession, body).map((issue) => issue.split(':')[0]!);
    assert.deepEqual(paths(session({ role: 'user', content: 'x', tool_calls: [{}] })), [
      'role misplaced',
      'content misplaced',
      'tool_calls misplaced',
    ]);
    assert.deepEqual(paths(session({}, { external_session_id: 's', text: 'x' })), [
      'messages[0].external_session_id misplaced',
      'messages[0].text misplaced',
    ]);
    const parts = [
      { type: 'text', text: 'x', content: 'y' },
      { type: 'artifact', content: image, text: 'y' },
      { type: 'artifact', content: { ...image, external_artifact_id: 'a' } },
    ];
    assert.deepEqual(paths(session({}, { content: parts })), [
      'messages[0].content[0].content misplaced',
      'messages[0].content[1].text misplaced',
      'messages[0].content[2].content.external_artifact_id misplaced',
    ]);
    assert.deepEqual(paths(session({ model: 'm', user: 'u' }, { type: 'message', id: 'm1', name: 'n' })), []);
  });

  it('is refused in and beside an event, if it is another name for what causes it, or is of sessions [general.other-names]', () => {
    const names: Record<string, RegExp> = {
      parent_id: /use parent\.event_id/,
      parentId: /use parent\.event_id/,
      parents: /use parent, and links/,
      caused_by: /use links/,
      causes: /use links/,
      causal_links: /use links/,
      causalLinks: /use links/,
      policies: /conditions of the environment/,
      policy_ids: /conditions of the environment/,
      deployment_id: /environment_id/,
    };
    const reference = { content: undefined, role: undefined };
    for (const [name, hint] of Object.entries(names)) {
      for (const value of ['m1', ['m1'], [], { event_id: 'm1' }]) {
        const field = { [name]: value };
        for (const [found, path] of [
          [issuesOf(validateEvent, single(field)), name],
          [issuesOf(validateEvent, single({}, field)), `event.${name}`],
          [issuesOf(validateEvent, single({ run_id: 'r' }, { ...field, ...reference })), `event.${name}`],
          [issuesOf(validateEvents, batch(field)), name],
          [issuesOf(validateEvents, batch({}, { ...field, parent: 'p', links: ['l'] })), `events[0].${name}`],
        ] as const) {
          assert.equal(found.length, 1, found.join());
          assert.ok(found[0]!.startsWith(`${path} misplaced: `), found[0]);
          assert.match(found[0]!, hint);
        }
        assert.deepEqual(issuesOf(validateEvent, single({ [name]: null }, { [name]: null })), []);
      }
    }
    const artifact = { type: 'artifact', content: image, session_id: 's' };
    assert.deepEqual(issuesOf(validateEvents, { environment_id: 'prod', events: [artifact] }), [
      'events[0].session_id misplaced: use external_session_id',
    ]);
    assert.deepEqual(issuesOf(validateEvent, single({ session_id: 's' }, { session_id: 's' })), []);
  });

  it('is refused if it is one of ours in camel case, unless the field itself is there', () => {
    const inside: [Json, string][] = [
      [single({ runId: 'r' }), 'runId misplaced: use run_id'],
      [single({ externalSessionId: 's' }), 'externalSessionId misplaced: use external_session_id'],
      [single({ eventId: 'r' }), 'eventId misplaced: use event_id, in the event'],
      [single({}, { eventId: 'e', event_id: undefined }), 'event.eventId misplaced: use event_id'],
      [single({}, { runId: 'r' }), 'event.runId misplaced: use run_id'],
      [single({}, { callId: 'c' }), 'event.callId misplaced: use call_id'],
      [single({}, { parent: { event_id: 'a', runId: 'r' } }), 'event.parent.runId misplaced: use run_id'],
      [
        single({}, { links: [{ event_id: 'a' }, { event_id: 'a', rel: 'x' }] }),
        'event.links[1].rel misplaced: use relation',
      ],
      [
        single({}, { type: 'tool', role: null, content: null, output: 'x', tool_name: 't' }),
        'event.tool_name misplaced: use name',
      ],
      [
        single({}, { type: 'agent', role: null, content: null, output: 'x', agentName: 't' }),
        'event.agentName misplaced: use name',
      ],
    ];
    for (const [body, expected] of inside) assert.deepEqual(issuesOf(validateEvent, body), [expected]);
    const beside = [
      single({ runId: 'r', run_id: 'r' }),
      single({}, { eventId: 'x', runId: 'x', run_id: 'r' }),
      single({}, { type: 'tool', role: null, content: null, output: 'x', tool_name: 't', name: 'n' }),
      single(
        {},
        {
          agent_name: 'a',
          toolName: 't',
          model: 'm',
          timestamp: 1,
          id: 'x',
          user: 'u',
          traceId: 't',
          link: 'http://x',
          cause: 'c',
        },
      ),
      single({}, { parent: { event_id: 'a', run_id: 'q', runId: 'r', type: 'message' } }),
    ];
    for (const body of beside) assert.deepEqual(issuesOf(validateEvent, body), []);
    assert.deepEqual(issuesOf(validateSession, session({ deploymentId: 'd', includeContext: true, model: 'm' })), [
      'deploymentId misplaced: use deployment_id',
      'includeContext misplaced: use include_context',
    ]);
    assert.deepEqual(issuesOf(validateArtifact, { content: image, externalArtifactId: 'a' }), [
      'externalArtifactId misplaced: use external_artifact_id',
    ]);
  });

  it('does not include the extras that callers send in a message of a chat', () => {
    const calls = [{ id: 'c', function: { name: 'f', arguments: '{}' } }];
    for (const name of ['tool_calls', 'reasoning_content', 'text', 'images', 'attachments', 'messages']) {
      for (const made of [single({}, { [name]: calls }), single({ [name]: calls })]) {
        assert.deepEqual(issuesOf(validateEvent, made), [], name);
      }
    }
    const said = {
      role: 'user',
      content: [{ type: 'text', text: 'x', image_url: { url: 'http://x' } }],
      images: ['A'],
    };
    assert.deepEqual(issuesOf(validateSession, { messages: [said] }), []);
  });

  it('is refused beside the content of an image, and within it', () => {
    assert.deepEqual(issuesOf(validateArtifact, { content: image, data: 'AAAA', name: 'x' }), [
      'data misplaced: belongs into content',
      'name misplaced: belongs into content',
    ]);
    assert.deepEqual(issuesOf(validateArtifact, { content: { ...image, metadata: {}, role: 'user' } }), [
      'content.metadata misplaced: belongs beside content',
      'content.role misplaced: belongs beside content',
    ]);
    const hint = 'misplaced: use internal_session_id or external_session_id, beside content';
    assert.deepEqual(issuesOf(validateArtifact, { content: image, session_id: 's' }), [`session_id ${hint}`]);
    assert.deepEqual(issuesOf(validateArtifact, { content: { ...image, session_id: 's' } }), [
      `content.session_id ${hint}`,
    ]);
    assert.deepEqual(issuesOf(validateArtifact, { content: 'x'.repeat(100) }), ['content type: expected object']);
  });
});

describe('external_session_id beside an event', () => {
  it('is a default for events, and must agree with that of a single event [event.session-beside]', () => {
    const taken = validateEvent(single({ external_session_id: 's' }));
    assert.ok(taken.ok && taken.value.conversations.includes('s:s'));
    assert.deepEqual(issuesOf(validateEvent, single({ external_session_id: 's' }, { external_session_id: 's' })), []);
    const other = issuesOf(validateEvent, single({ external_session_id: 's' }, { external_session_id: 't' })).join();
    assert.match(other, /^event\.external_session_id conflict/);
    const long = issuesOf(validateEvent, single({ external_session_id: 'x'.repeat(257) })).join();
    assert.match(long, /^external_session_id too_long/);
  });
});
