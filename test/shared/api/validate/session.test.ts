import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { NAMELESS_SESSION } from '#weir/shared/api/conversation';
import { baseRole } from '#weir/shared/api/validate/session';
import { validateSession } from '#weir/shared/api/validate/validate';
import { type Json, judgeOf, KIB_256, partOf } from './support.ts';

const { good, bad } = judgeOf(validateSession);
/** the only message of a session */
const message = partOf({ good, bad }, 'messages[0].', (change: Json) => ({
  messages: [{ role: 'user', content: 'hi', ...change }],
}));
const session = (change: Json = {}): Json => ({ messages: [{ role: 'user', content: 'hi' }], ...change });

describe('sessions', () => {
  it('have 1 to 1,000 messages [2.3.messages] [session.messages] [8.session]', () => {
    const messages = (count: number): Json => ({ messages: new Array(count).fill({ role: 'user', content: 'x' }) });
    good(messages(1));
    good(messages(1000));
    bad(messages(0), 'messages too_few');
    bad(messages(1001), 'messages too_many');
    bad({}, 'messages required');
    bad(null, ' type');
  });

  it('have five roles, with any suffix after a hyphen [2.3.role] [2.3.role-postfix] [session.role]', () => {
    for (const role of ['system', 'user', 'assistant', 'tool', 'developer']) {
      message.good({ role });
      message.good({ role: `${role}-2` });
    }
    assert.equal(baseRole('assistant-2-b'), 'assistant');
    for (const role of ['', 'User', 'function', '-user', 'users-1']) {
      message.bad({ role }, 'role role');
    }
    message.bad({ role: null }, 'role type');
  });

  it('take text, and parts of text under three names [2.3.content-string] [2.3.content-parts] [2.3.content-required] [session.text-parts]', () => {
    message.good({ content: '' });
    const parts = ['text', 'input_text', 'output_text'].map((type) => ({ type, text: 'x' }));
    message.good({ content: parts });
    message.bad({ content: [{ type: 'text' }] }, 'content[0].text required');
    message.bad({ content: [{ type: 'text', text: 5 }] }, 'content[0].text type');
    message.bad({ content: [3, {}] }, 'content[0] type', 'content[1].type required');
    for (const content of [null, 5, {}]) {
      const [issue] = message.bad({ content }, 'content type');
      assert.match(issue!.message, /string/);
    }
    bad({ messages: [{ role: 'user' }] }, 'messages[0].content required');
  });

  it('take images only in artifact parts [2.3.content-image] [session.image-parts]', () => {
    for (const type of ['image_url', 'input_image']) {
      const [issue] = message.bad({ content: [{ type, image_url: 'x' }] }, 'content[0] unsupported_content_part');
      assert.match(issue!.message, /artifact/);
    }
    message.bad({ content: [{ type: 'audio' }] }, 'content[0].type unsupported_content_part');
  });

  it('take tool calls and their results in any shape of a provider', () => {
    const types = ['server_tool_use', 'web_search_tool_result', 'mcp_tool_use', 'mcp_tool_result', 'redacted_thinking'];
    const more = ['tool-invocation', 'custom_tool_call_output', 'reasoning_content', 'executable_code', 'source-url'];
    message.good({ role: 'assistant', content: [...types, ...more].map((type) => ({ type })) });
  });

  it('skip unknown parts in earlier messages, which are context [session.earlier-parts]', () => {
    const parts = ['image_url', 'input_image', 'audio', 'file'].map((type) => ({ type }));
    const last = { role: 'user', content: 'hi' };
    good({ messages: [{ role: 'user', content: parts }, last] });
    bad(
      { messages: [last, { role: 'user', content: parts.slice(2, 3) }] },
      'messages[1].content[0].type unsupported_content_part',
    );
  });

  it('are refused for the last message alone, since the others are context [session.context-refuses-nothing]', () => {
    const last = { role: 'user', content: 'hi' };
    const mib = 1024 * 1024;
    for (const earlier of [
      null,
      7,
      'x',
      [],
      {},
      { role: 'function', content: {} },
      { role: 'user', content: 'x'.repeat(2 * mib) },
    ]) {
      good({ messages: [earlier, last] });
    }
    good({ messages: [{ ...last, metadata: { a: 'x'.repeat(KIB_256) }, policies: ['p'] }, last] });
    bad({ messages: [last, null] }, 'messages[1] type');
    bad({ messages: [null, { role: 'user' }] }, 'messages[1].content required');
    bad({ messages: [last, { type: 'function_call_output', output: 'x' }] }, 'messages[1].role required');
  });

  it('take what an assistant says in any member as what it says, but no name and no recording alone [session.everything]', () => {
    for (const more of [
      { toolInvocations: [{ toolName: 'f', args: {} }] },
      { additional_kwargs: { tool_calls: [{ name: 'f' }] } },
      { reasoning_text: 'x' },
      { audio: { id: 'a', transcript: 'x' } },
    ]) {
      message.good({ role: 'assistant', content: null, ...more });
    }
    for (const more of [{ name: 'bot' }, { audio: { id: 'a', data: 'UklGRg==' } }, { id: 'm1', annotations: [] }]) {
      message.bad({ role: 'assistant', content: null, ...more }, 'content type');
    }
  });

  it('take a document in text, and no other one', () => {
    message.good({ content: [{ type: 'document', title: 'a', source: { type: 'text', data: 'x' } }] });
    const source = { type: 'base64', media_type: 'application/pdf', data: 'JVBERi0=' };
    message.bad({ content: [{ type: 'document', source }] }, 'content[0].type unsupported_content_part');
  });

  it('need content, except from an assistant that calls tools [session.tool-calls]', () => {
    const calls = [{ id: 'c', type: 'function', function: { name: 'f', arguments: '{}' } }];
    for (const content of [undefined, null, '']) {
      message.good({ role: 'assistant', content, tool_calls: calls });
      message.good({ role: 'assistant-2', content, function_call: { name: 'f', arguments: '' } });
      message.good({ role: 'assistant', content, refusal: 'no' });
    }
    message.good({
      role: 'assistant',
      content: null,
      tool_calls: [{ type: 'function', function: { name: '', arguments: '{}' } }],
    });
    message.good({ role: 'assistant', content: null, function_call: { name: '', arguments: '' } });
    message.bad({ role: 'assistant', content: null, tool_calls: [] }, 'content type');
    message.bad({ role: 'assistant', content: undefined }, 'content required');
    message.bad({ role: 'user', content: undefined, tool_calls: calls }, 'content required');
    message.bad({ role: 'assistant', content: 'x', tool_calls: 'x' }, 'tool_calls type');
    const long = [{ function: { name: 'f', arguments: 'x'.repeat(1024 * 1024) } }];
    message.bad({ role: 'assistant', content: null, tool_calls: long }, 'content content_too_large');
  });

  it('take at most 16 images in the last message, and count only those [session.artifacts]', () => {
    const part = { type: 'artifact', content: { kind: 'image', data: 'AAAA' }, external_artifact_id: 'a' };
    const images = (count: number): Json => ({ role: 'user', content: Array(count).fill(part) });
    assert.equal(good({ messages: [images(16)] }).images, 16);
    bad({ messages: [images(17)] }, 'messages[0].content too_many');
    assert.equal(good({ messages: [images(17), { role: 'user', content: 'x' }] }).images, 0);
    const fields = { type: 'artifact', kind: 'image', data: 'AAAA', external_artifact_id: 'a' };
    assert.equal(message.good({ content: [fields, { type: 'artifact', artifact: part.content }] }).images, 2);
    const long = { ...part, external_artifact_id: 'a'.repeat(257) };
    message.bad({ content: [long] }, 'content[0].external_artifact_id too_long');
    message.bad({ content: [{ type: 'artifact', content: {} }] }, 'content[0].content.kind required');
    message.bad({ content: [{ type: 'artifact' }] }, 'content[0].content required');
    message.bad({ content: [{ type: 'artifact', artifact: { kind: 'image' } }] }, 'content[0].artifact source');
    message.bad({ content: [{ type: 'artifact', kind: 'image' }] }, 'content[0] source');
    message.bad({ content: [{ ...fields, kind: 'video' }] }, 'content[0].kind type');
    message.bad({ content: [{ ...part, artifact: part.content }] }, 'content[0].artifact conflict');
    message.bad({ content: [{ ...part, kind: 'image' }] }, 'content[0].kind misplaced');
  });

  it('hold at most 1 MiB of text in the message that is checked, which is a setting [session.text]', () => {
    const mib = 1024 * 1024;
    message.good({ content: 'x'.repeat(mib) });
    message.bad({ content: 'x'.repeat(mib + 1) }, 'content content_too_large');
    const half = { type: 'text', text: 'x'.repeat(mib / 2) };
    message.good({ content: [half, half] });
    message.bad({ content: [half, half, { type: 'text', text: 'x' }] }, 'content content_too_large');
    message.bad({ content: 'x', extra: ['x'.repeat(mib)] }, 'content content_too_large');
    message.good({ content: 'x', images: ['A'.repeat(2 * mib)] });
    const body = { messages: [{ role: 'user', content: 'x'.repeat(2 * mib) }] };
    const json = JSON.stringify(body);
    assert.ok(validateSession(body, json.length, json, { messageBytes: 2 * mib }).ok);
    assert.ok(!validateSession(body, json.length, json, { messageBytes: 2 * mib - 1 }).ok);
  });

  it('can be limited to 1 to 100 policies, under either name [session.policies]', () => {
    const ids = (count: number): string[] => Array.from({ length: count }, (_, i) => `p${i}`);
    assert.deepEqual(good(session({ policies: ids(2) })).policies, ['p0', 'p1']);
    assert.equal(good(session({ policy_ids: ids(100) })).policiesField, 'policy_ids');
    assert.deepEqual(good(session({ policies: null })).policies, []);
    for (const field of ['policies', 'policy_ids']) {
      bad(session({ [field]: [] }), `${field} too_few`);
      bad(session({ [field]: ids(101) }), `${field} too_many`);
      bad(session({ [field]: [1] }), `${field}[0] type`);
    }
    bad(session({ policies: ids(1), policy_ids: ids(1) }), 'policy_ids conflict');
  });

  it('belong to the conversation of their external id, even if it is not merged in [session.external] [2.3.include_context]', () => {
    const input = good(session({ external_session_id: 'a b', deployment_id: 'chat' }));
    assert.deepEqual([input.scope, input.affinity, input.conversations], ['chat', 'a b', ['c:a b']]);
    const alone = good(session({ external_session_id: 'a', include_context: false }));
    assert.deepEqual(alone.conversations, ['c:a']);
    // Its internal id stands for one, once it has it.
    assert.deepEqual(good(session({ include_context: true })).conversations, [NAMELESS_SESSION]);
    good(session({ external_session_id: '😀'.repeat(256) }));
    bad(session({ external_session_id: 'x'.repeat(257) }), 'external_session_id too_long');
    bad(session({ include_context: 'yes' }), 'include_context type');
    bad(session({ deployment_id: '' }), 'deployment_id too_short');
  });

  it('name the session that they join by a UUID [session.joins]', () => {
    const internal = '01A1FDB6-E315-7EA2-ADAC-06DCDC390001';
    const joined = { internal: internal.toLowerCase(), external: '', field: 'external_session_id' };
    assert.deepEqual(good(session({ internal_session_id: internal })).joins, joined);
    const both = good(session({ internal_session_id: internal, external_session_id: 'e' }));
    assert.deepEqual(both.joins, { ...joined, external: 'e' });
    for (const none of [null, '', undefined])
      assert.equal(good(session({ internal_session_id: none })).joins, undefined);
    bad(session({ internal_session_id: 'chat-1' }), 'internal_session_id uuid');
    bad(session({ internal_session_id: 5 }), 'internal_session_id type');
  });

  it('take any object of at most 256 KiB as metadata [2.3.metadata] [session.metadata]', () => {
    good(session({ metadata: { session: { timestamp: 'whenever' }, user: { location: 7 } } }));
    bad(session({ metadata: [] }), 'metadata type');
    bad(session({ metadata: { a: 'x'.repeat(KIB_256) } }), 'metadata too_large');
    message.bad({ metadata: { a: 'x'.repeat(KIB_256) } }, 'metadata too_large');
  });
});
