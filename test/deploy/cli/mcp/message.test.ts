import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { INVALID_REQUEST, PARSE_ERROR, readMessages } from '#weir/deploy/cli/mcp/message';

const read = (value: unknown) => readMessages(typeof value === 'string' ? value : JSON.stringify(value));
const errorOf = (value: unknown): unknown => {
  const found = read(value);
  return 'error' in found ? [found.error.code, found.id] : undefined;
};
const kindsOf = (value: unknown): unknown => {
  const found = read(value);
  return 'error' in found ? found.error : found.units.map(({ message }) => message.kind);
};

describe('messages of MCP', () => {
  it('are requests, notifications and responses, alone or in a batch', () => {
    const request = { jsonrpc: '2.0', id: 1, method: 'ping' };
    const notification = { jsonrpc: '2.0', method: 'notifications/initialized' };
    const response = { jsonrpc: '2.0', id: 'a', result: {} };
    const failure = { jsonrpc: '2.0', id: null, error: { code: -1, message: 'no' } };
    assert.deepEqual(kindsOf(request), ['request']);
    const batch = [request, notification, response, failure];
    assert.deepEqual(kindsOf(batch), ['request', 'notification', 'response', 'response']);
  });

  it('are refused with the id of what cannot be used', () => {
    assert.deepEqual(errorOf('{'), [PARSE_ERROR, null]);
    const ping = { jsonrpc: '2.0', id: 7, method: 'ping' };
    for (const wrong of [
      { ...ping, jsonrpc: '1.0' },
      { ...ping, result: {} },
      { ...ping, more: 1 },
      { jsonrpc: '2.0', id: 7, params: {}, result: {} },
      { jsonrpc: '2.0', id: 7, result: {}, error: {} },
      { jsonrpc: '2.0', id: 7 },
    ]) {
      assert.deepEqual(errorOf(wrong), [INVALID_REQUEST, 7], JSON.stringify(wrong));
    }
    for (const wrong of [
      'null',
      '1',
      '[]',
      '[1]',
      '{"jsonrpc":"2.0","id":{},"method":"ping"}',
      '{"jsonrpc":"2.0","id":null,"result":{}}',
    ]) {
      assert.deepEqual(errorOf(wrong), [INVALID_REQUEST, null], wrong);
    }
    assert.deepEqual(errorOf(Array.from({ length: 101 }, () => ping)), [INVALID_REQUEST, null]);
  });

  it('with a name twice are refused, however it is written', () => {
    assert.deepEqual(errorOf('{"jsonrpc":"2.0","id":1,"method":"a","params":{"x":1,"\\u0078":2}}'), [
      INVALID_REQUEST,
      1,
    ]);
  });

  it('are cut out of a batch as they were written', () => {
    const text =
      '[ {"jsonrpc":"2.0","id":1,"method":"a","params":{"n":1.0,"s":"]}, [{"}} , {"jsonrpc":"2.0","id":2,"method":"b"}]';
    const found = read(text);
    assert.ok('units' in found && found.isBatch);
    assert.deepEqual(
      found.units.map(({ source }) => source),
      [
        '{"jsonrpc":"2.0","id":1,"method":"a","params":{"n":1.0,"s":"]}, [{"}}',
        '{"jsonrpc":"2.0","id":2,"method":"b"}',
      ],
    );
  });

  it('keep numbers as they were written for checks', () => {
    const found = read(
      '{"jsonrpc":"2.0","id":12345678901234567890,"method":"a","params":[12345678901234567890,1.50,7,-2.5,"1.50"]}',
    );
    assert.ok('units' in found);
    const [{ exact, message }] = found.units as [(typeof found.units)[number]];
    assert.deepEqual(exact.params, ['12345678901234567890', '1.50', 7, -2.5, '1.50']);
    assert.equal(exact.id, message.id);
  });
});
