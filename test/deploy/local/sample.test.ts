/** The tests of the sample configuration that come with it. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { weir } from '../cli/support.ts';

describe('the sample configuration', () => {
  it('passes its own tests', async () => {
    const { code, out, err } = await weir('test', 'deploy/local/weir.yaml', 'deploy/local/tests.yaml');
    assert.equal(code, 0, out + err);
  });
});
