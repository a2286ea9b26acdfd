import assert from 'node:assert/strict';
import { once } from 'node:events';
import { describe, it } from 'node:test';
import { Worker } from 'node:worker_threads';
import { readModelFile } from '#weir/shared/model-file';

const THREAD = `
const { parentPort } = require('node:worker_threads');
import('#weir/shared/model-file').then(({ readModelFile }) => {
  const bytes = readModelFile('weir');
  parentPort.postMessage([bytes.length, bytes[bytes.length - 1]]);
});`;

describe('the file of the models', () => {
  it('has one memory for the threads that start after it was read', async () => {
    const bytes = readModelFile('weir');
    const last = bytes.length - 1;
    const before = bytes[last]!;
    // A change that only memory can tell of.
    bytes[last] = before ^ 1;
    try {
      const [[length, seen]] = (await once(new Worker(THREAD, { eval: true }), 'message')) as [[number, number]];
      assert.deepEqual([length, seen], [bytes.length, before ^ 1]);
    } finally {
      bytes[last] = before;
    }
  });
});
