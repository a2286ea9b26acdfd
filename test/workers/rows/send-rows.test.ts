import assert from 'node:assert/strict';
import { it } from 'node:test';
import { ClickHouseError } from '@clickhouse/client';
import { NotInserted } from '#weir/workers/rows/send-rows';

it('an error of an insert says what refused it and never quotes a row, as messages of ClickHouse do', () => {
  const said = (code: string, type: string, message: string): [string, boolean] => {
    const { message: told, rowFault } = new NotInserted(new ClickHouseError({ message, code, type }));
    return [told, rowFault];
  };
  const pushing = ': while pushing to view weir.checked_contents. ';
  const violated = "Constraint `taken` for table weir.contents is violated at row 1. Expression: (content != 'secret')";
  const taken = 'VIOLATED_CONSTRAINT (constraint taken of weir.contents)';
  assert.deepEqual(said('469', 'VIOLATED_CONSTRAINT', `${violated}. Column values: content = 'secret'${pushing}`), [
    taken,
    true,
  ]);
  // A content in brackets may stand where the type is looked for.
  assert.deepEqual(said('469', 'TIMEOUT_EXCEEDED', `${violated}. Column values: content = 'secret `), [taken, true]);
  assert.deepEqual(said('376', 'CANNOT_PARSE_UUID', `Cannot parse uuid secret: Cannot parse UUID${pushing}`), [
    'CANNOT_PARSE_UUID (view weir.checked_contents)',
    true,
  ]);
  // These may pass, so the rows wait.
  for (const [code, type] of [
    ['16', 'NO_SUCH_COLUMN_IN_TABLE'],
    ['60', 'UNKNOWN_TABLE'],
    ['159', 'TIMEOUT_EXCEEDED'],
    ['241', 'MEMORY_LIMIT_EXCEEDED'],
    ['242', 'TABLE_IS_READ_ONLY'],
    ['252', 'TOO_MANY_PARTS'],
    ['285', 'TOO_FEW_LIVE_REPLICAS'],
    ['319', 'UNKNOWN_STATUS_OF_INSERT'],
    ['497', 'ACCESS_DENIED'],
  ] as const) {
    assert.deepEqual(said(code, type, 'secret'), [type, false]);
    assert.deepEqual(said(code, 'A_SECRET', '(A_SECRET)'), [type, false]);
  }
  const unfinished = 'weir migrate has not finished';
  const thrown = `${unfinished}: while executing 'FUNCTION throwIf(0, '${unfinished}')'`;
  assert.deepEqual(said('395', 'FUNCTION_THROW_IF_VALUE_IS_NON_ZERO', thrown), [unfinished, false]);
  // A row that says so is at fault as any other.
  assert.deepEqual(said('376', 'CANNOT_PARSE_UUID', `Cannot parse uuid ${unfinished}`), ['CANNOT_PARSE_UUID', true]);
  assert.deepEqual(said('999', 'A_SECRET', '(A_SECRET)'), ['error 999', false]);
});
