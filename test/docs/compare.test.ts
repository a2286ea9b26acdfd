import assert from 'node:assert/strict';
import { it } from 'node:test';
import { isAsShown } from './compare.ts';

const ID = '01a1fdb6-e276-7f4f-81ed-501a7cec0001';
const OTHER = '01a1fe1d-5c02-7d30-8a4f-0c9d5f7e0001';

it('takes any id, time and what is left out for what a document shows', () => {
  const shown = `{"id": "${ID}", "at": "2026-11-21T10:46:23.612Z", "…": "…", "n": 1}`;
  assert.ok(isAsShown(shown, `{"id":"${OTHER}","at":"2027-01-02T00:00:00.000Z","x":{},"n":1}`, 'json'));
  assert.ok(isAsShown('{"list":[…]}', '{"list":[]}', 'json'));
  assert.ok(isAsShown('wk_abc took 2.5 s', 'wk_d  took 0 s\n', 'text'));
});

it('takes nothing else', () => {
  assert.ok(!isAsShown('{"n":1,…}', '{"n":2,"m":1}', 'json'), 'a figure');
  assert.ok(!isAsShown('{"flagged":true,…}', '{"flagged":false,"m":1}', 'json'), 'a word');
  assert.ok(!isAsShown('{"n":1}', '{"n":1,"m":2}', 'json'), 'more than is shown');
  assert.ok(!isAsShown('7d3c5b0e-6f0a-4e53-9a8d-0c8f9c3b8f21', ID, 'json'), 'the id of a policy');
  assert.ok(!isAsShown('a.c', 'abc', 'text'), 'a dot');
  assert.ok(!isAsShown('2 live', '2 dead', 'text'), 'words beside figures');
});
