import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { looksOf } from '#weir/deploy/cli/mcp/looks';
import type { McpMessage, McpSide } from '#weir/deploy/cli/mcp/message';

const base64 = (text: string): string => Buffer.from(text).toString('base64');
const request = (method: string, params: unknown): McpMessage => ({ kind: 'request', id: 1, method, params });
const answer = (result: unknown): McpMessage => ({ kind: 'response', id: 1, result });
const looks = (message: McpMessage, side: McpSide, method = message.method ?? '') => looksOf(message, { side, method });
const eventsOf = (message: McpMessage, side: McpSide, method?: string) =>
  looks(message, side, method).flatMap(({ events }) => events);
const output = (value: unknown) => [{ type: 'tool', output: value }];

describe('what is checked of messages of MCP', () => {
  it('is the arguments of a call, and all that stands beside them', () => {
    const meta = { progressToken: 1, 'io.modelcontextprotocol/clientInfo': { name: 'x' } };
    const plain = request('tools/call', { name: 'search', arguments: { q: 'x' }, _meta: meta });
    assert.deepEqual(eventsOf(plain, 'client'), [{ type: 'tool', arguments: { q: 'x' }, name: 'search' }]);
    const params = { name: 'a b', arguments: { q: 'x' } };
    assert.deepEqual(eventsOf(request('tools/call', params), 'client')[0]!.arguments, params);
    const more = { name: 'search', arguments: { q: 'x' }, inputResponses: { one: { text: 'y' } } };
    assert.deepEqual(eventsOf(request('tools/call', more), 'client')[0]!.arguments, more);
    const told = { name: 'search', _meta: { 'acme/note': 'y' } };
    assert.deepEqual(eventsOf(request('tools/call', told), 'client')[0]!.arguments, told);
  });

  it('is nothing where a message has no content', () => {
    for (const message of [
      request('ping', undefined),
      request('tools/list', { cursor: 'eyJwIjoxfQ==', _meta: { progressToken: 'a' } }),
      request('tools/call', { name: 'now', arguments: {} }),
      { kind: 'notification', method: 'notifications/cancelled', params: { requestId: 7 } } as const,
    ]) {
      assert.deepEqual(looks(message, 'client'), []);
    }
    assert.deepEqual(looks(answer({ resultType: 'complete' }), 'server', 'ping'), []);
  });

  it('is every argument of a call, whatever it is called', () => {
    for (const given of [
      { cursor: '4111111111111111' },
      { total: 4111111111111111 },
      { _meta: { 'io.modelcontextprotocol/x': 'say open sesame' } },
    ]) {
      const call = request('tools/call', { name: 'search', arguments: given });
      assert.deepEqual(eventsOf(call, 'client'), [{ type: 'tool', arguments: given, name: 'search' }]);
    }
    const typed = request('tools/call', { name: 'search', arguments: { mimeType: '4111111111111111/x' } });
    assert.deepEqual(eventsOf(typed, 'client')[0]!.arguments, { mimeType: ['4111111111111111/x'] });
  });

  it('is a member of the protocol, too, where it says something', () => {
    const long = request('tools/list', { cursor: 'say open sesame' });
    assert.deepEqual(eventsOf(long, 'client')[0]!.arguments, { cursor: 'say open sesame' });
    const method = request('say open sesame', {});
    assert.deepEqual(eventsOf(method, 'client')[0]!.arguments, { method: 'say open sesame', params: {} });
  });

  it('goes into the field that its method has', () => {
    const said = { text: 'x' };
    for (const [message, side, method, type, field] of [
      [request('sampling/createMessage', said), 'server', undefined, 'agent', 'input'],
      [answer(said), 'client', 'sampling/createMessage', 'agent', 'output'],
      [answer(said), 'server', 'initialize', 'agent', 'instructions'],
      [answer(said), 'server', 'server/discover', 'agent', 'instructions'],
      [answer(said), 'server', '', 'tool', 'output'],
      [answer(said), 'client', 'elicitation/create', 'tool', 'arguments'],
      [request('acme/do', said), 'server', undefined, 'tool', 'output'],
    ] as const) {
      assert.deepEqual(eventsOf(message, side, method), [{ type, [field]: said }]);
    }
    const error = { code: -1, message: 'x' };
    assert.deepEqual(eventsOf({ kind: 'response', id: 1, error }, 'server', 'tools/call'), output(error));
  });

  it('is each entry of a list by itself, and what stands beside the list', () => {
    const tools = [{ name: 'one' }, { name: 'two', description: 'x' }];
    const found = looks(answer({ tools, nextCursor: 'p2', note: 'y' }), 'server', 'tools/list');
    assert.deepEqual(
      found.map(({ entry }) => entry),
      [0, 1, undefined],
    );
    assert.deepEqual(found[1]!.events, [{ type: 'tool', definition: tools[1], name: 'two' }]);
    assert.deepEqual(found[2]!.events, output({ note: 'y' }));
    // Of what is no list, all is checked at once.
    assert.deepEqual(eventsOf(answer({ tools: 'x' }), 'server', 'tools/list'), output({ tools: 'x' }));
  });

  it('is an image as an image, and a file as the text that it is', () => {
    const content = [
      { type: 'text', text: 'x' },
      { type: 'image', mimeType: 'image/png', data: 'iVBORw0KGgo=' },
      { type: 'resource', resource: { uri: 'a://b', mimeType: 'image/gif', blob: 'R0lGODdh' } },
      { type: 'resource', resource: { uri: 'a://c', blob: base64('secret') } },
      { type: 'image', mimeType: 'image/svg+xml', data: base64('<svg>') },
      { icons: [{ src: `data:image/svg+xml;base64,${base64('<svg/>')}`, mimeType: 'image/svg+xml' }] },
    ];
    const [look] = looks(answer({ content }), 'server', 'tools/call');
    const [text, ...images] = look!.events;
    assert.deepEqual((text!.output as { content: unknown }).content, [
      { type: 'text', text: 'x' },
      { mimeType: ['image/png'], data: '' },
      { type: 'resource', resource: { uri: 'a://b', mimeType: ['image/gif'], blob: '' } },
      { type: 'resource', resource: { uri: 'a://c', blob: 'secret' } },
      { mimeType: ['image/svg+xml'], data: '' },
      { icons: [{ src: '<svg/>', mimeType: ['image/svg+xml'] }] },
    ]);
    assert.deepEqual(
      images.map(({ type, content: image }) => [type, image]),
      [
        ['artifact', { kind: 'image', data: 'iVBORw0KGgo=', mime_type: 'image/png' }],
        ['artifact', { kind: 'image', data: 'R0lGODdh', mime_type: 'image/gif' }],
        ['artifact', { kind: 'image', data: base64('<svg>') }],
      ],
    );
    assert.deepEqual(look!.unlooked, []);
  });

  it('has what Weir cannot look at by name: recordings, files, too much text, large images', () => {
    const bytes = Buffer.from([0, 255, 254]).toString('base64');
    for (const [part, what] of [
      [{ type: 'audio', mimeType: 'audio/wav', data: bytes }, 'a recording'],
      [{ type: 'resource', resource: { uri: 'a://b', mimeType: 'application/pdf', blob: bytes } }, 'a file'],
      [{ type: 'text', text: 'x'.repeat(262_144) }, 'more than 256 KiB of text'],
      [{ type: 'image', mimeType: 'image/png', data: 'A'.repeat(262_148) }, 'an image of more than 256 KiB'],
      [{ type: 'resource', resource: { uri: 'a://b', blob: `${base64('ab')}${base64('secret')}` } }, 'a file'],
      [{ link: `data:application/zip;base64,${bytes}` }, 'a file'],
    ] as const) {
      const [look] = looks(answer({ content: [part] }), 'server', 'tools/call');
      assert.deepEqual(look!.unlooked, [what]);
    }
  });
});
