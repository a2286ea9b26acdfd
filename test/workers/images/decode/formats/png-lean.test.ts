import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { deflateSync } from 'node:zlib';
import sharp from 'sharp';
import { leanPng } from '#weir/workers/images/decode/formats/png-lean';
import { createDecoder } from '#weir/workers/images/decode/pool';
import { chunk, exif, scene, withChunk, withLateChunk } from '../../../../support/images/images.ts';

const MIB = 1024 * 1024;
const packs = new Map<number, Buffer>();
/** So many MiB of zeros, packed. */
function packed(mib: number): Buffer {
  const pack = packs.get(mib) ?? deflateSync(Buffer.alloc(mib * MIB), { level: 1 });
  packs.set(mib, pack);
  return pack;
}
const ztxt = (mib: number): Buffer => Buffer.concat([Buffer.from('Comment\0\0'), packed(mib)]);
const itxt = (mib: number): Buffer => Buffer.concat([Buffer.from('Comment\0\x01\0\0\0'), packed(mib)]);
const iccp = (mib: number): Buffer => Buffer.concat([Buffer.from('p\0\0'), packed(mib)]);

const picture = (): Promise<Buffer> => scene(120, 90).png().toBuffer();
const typesOf = (png: Buffer): string[] => {
  const types: string[] = [];
  for (let at = 8; at + 12 <= png.length; at += 12 + png.readUInt32BE(at))
    types.push(png.toString('latin1', at + 4, at + 8));
  return types;
};

describe('a PNG before it is decoded', () => {
  it('loses the chunks that do not affect how it is shown', async () => {
    const plain = await picture();
    let crowded = plain;
    const data = Buffer.from('Comment\0text');
    for (const type of ['tEXt', 'zTXt', 'iTXt', 'tIME', 'sPLT', 'prVt']) crowded = withChunk(crowded, type, data);
    for (const type of ['tEXt', 'iTXt']) crowded = withLateChunk(crowded, type, data);
    const trailed = Buffer.concat([crowded, chunk('tEXt', data), Buffer.alloc(1000)]);
    const lean = leanPng(trailed)!;
    assert.deepEqual(typesOf(lean), typesOf(leanPng(plain)!));
    assert.deepEqual(await sharp(lean).raw().toBuffer(), await sharp(plain).raw().toBuffer());
  });

  it('keeps the chunks that do, and those that no reader may skip', async () => {
    const turned = withChunk(await picture(), 'eXIf', exif({ orientation: 6 }));
    for (const type of ['gAMA', 'tRNS', 'sRGB', 'cHRM', 'cICP', 'QQQQ', 'eXIf', 'IHDR', 'IDAT', 'IEND']) {
      assert.ok(typesOf(leanPng(withChunk(turned, type, Buffer.alloc(4)))!).includes(type), type);
    }
    const profiled = await scene(64, 64).withIccProfile('p3').png().toBuffer();
    assert.ok(typesOf(leanPng(profiled)!).includes('iCCP'));
    assert.deepEqual(
      await sharp(leanPng(profiled)!)
        .metadata()
        .then(({ icc }) => icc),
      await sharp(profiled)
        .metadata()
        .then(({ icc }) => icc),
    );
  });

  it('stays broken if it is: cut off, with a wrong checksum, or empty', async () => {
    const png = withChunk(leanPng(await picture())!, 'gAMA', Buffer.alloc(4));
    png[45] = png[45]! ^ 1;
    assert.deepEqual(leanPng(png), png);
    for (const bytes of [png.subarray(0, -20), png.subarray(0, 40), png.subarray(0, 8), Buffer.alloc(0)]) {
      assert.deepEqual(leanPng(bytes), bytes);
    }
  });

  it('is refused if its profile unpacks to more than profiles have, in one chunk or in many', async () => {
    assert.equal(leanPng(withChunk(await picture(), 'iCCP', iccp(9))), undefined);
    let many = await picture();
    for (let n = 0; n < 5; n++) many = withChunk(many, 'iCCP', iccp(2));
    assert.equal(leanPng(many), undefined);
    assert.ok(leanPng(withChunk(await picture(), 'iCCP', Buffer.from('no profile at all'))));
  });

  it('costs no memory for texts: six of 30 MiB, and a profile of 200 MiB', async (t) => {
    // Enough for a small picture, but far too little for its texts.
    const decoder = createDecoder({ workers: 1, memoryBytes: 160 * MIB, cpuMs: 20_000, limitMs: 20_000 });
    t.after(() => decoder.close());
    const plain = await picture();
    const wanted = await decoder.decode(plain, { renditions: [], hash: true });
    assert.ok(wanted.ok);
    let texts = plain;
    for (let n = 0; n < 3; n++) texts = withLateChunk(withChunk(texts, 'zTXt', ztxt(30)), 'iTXt', itxt(30));
    assert.ok(texts.length < 1024 * 1024);
    const found = await decoder.decode(texts, { renditions: [], hash: true });
    assert.ok(found.ok, JSON.stringify(found));
    assert.deepEqual(found.hash, wanted.hash);
    const bomb = await decoder.decode(withChunk(plain, 'iCCP', iccp(200)), { renditions: [], hash: true });
    assert.deepEqual([bomb.ok, !bomb.ok && bomb.reason], [false, 'corrupt']);
  });
});
