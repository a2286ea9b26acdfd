import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import { MAX_MODEL_BYTES } from '#weir/shared/policy/models/format';
import { packModel, sha256Of, unpackModel } from '#weir/shared/policy/models/packed';
import { textModel } from '../../../support/models/text-model.ts';

describe('a packed model', () => {
  const { bytes, sha256 } = textModel({ spam: 'lottery' });

  it('becomes the same bytes again, in memory that threads share', async () => {
    const packed = packModel(bytes);
    assert.ok(packed.length < bytes.length / 10);
    const shared = await unpackModel(packed, sha256);
    assert.ok(shared instanceof SharedArrayBuffer);
    assert.deepEqual(new Uint8Array(shared), bytes);
  });

  it('is refused where it is cut, of another hash, or unpacks to more than a model has', async () => {
    const damaged = /what Redis has of it is damaged/;
    await assert.rejects(unpackModel(packModel(bytes).subarray(0, 100), sha256), damaged);
    await assert.rejects(unpackModel(packModel(bytes), sha256Of(Buffer.from('other'))), damaged);
    const huge = Buffer.alloc(MAX_MODEL_BYTES + 1);
    await assert.rejects(unpackModel(deflateSync(huge), sha256Of(huge)), damaged);
  });

  it('is refused where weights of other features are in it, and says what to do', async () => {
    const old = textModel({ spam: 'lottery' }, { features: 0 });
    await assert.rejects(unpackModel(packModel(old.bytes), old.sha256), /version 0 of the features.*train it again/);
  });
});
