/** Files whose header states another size or orientation than what is decoded. */
import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { PDQ_SIDE, pdq, pdqFromHex } from '#weir/shared/pdq/pdq';
import { createDecoder, type DecodedImage, type DecoderPool } from '#weir/workers/images/decode/pool';
import { sniff } from '#weir/workers/images/decode/sniff';
import type { Rendition } from '#weir/workers/images/decode/types';
import { weir } from '../../../deploy/cli/support.ts';
import * as images from '../../../support/images/images.ts';
import { distanceOf, picture, pixelsOf } from '../../../support/images/pictures.ts';

/** The size that is decoded, and sizes that need all pixels or few. */
const AS_IT_IS: Rendition = { width: 2048, height: 2048, kind: 'rgb', fit: 'inside' };
const RENDITIONS: Rendition[][] = [
  [],
  [{ width: 32, height: 32, kind: 'gray', fit: 'fill' }],
  [AS_IT_IS],
  [AS_IT_IS, { width: 224, height: 224, kind: 'rgb', fit: 'cover' }],
];
const SIZES: [number, number][] = [
  [300, 200],
  [500, 130],
  [600, 450],
];

/** Names, files, and whether the header states another size than what is decoded. */
async function files(width: number, height: number): Promise<[string, Buffer, boolean][]> {
  const plain = await picture('photo', width, width, height);
  const [jpeg, gif] = [
    await sharp(plain).jpeg({ quality: 95 }).toBuffer(),
    await sharp(plain).gif({ effort: 1 }).toBuffer(),
  ];
  const webp = images.webpChunks(await sharp(plain).webp({ quality: 95 }).toBuffer());
  const turned = (orientation: number, type: 'byte' | 'short' | 'long' = 'short') => images.exif({ orientation, type });
  const extended = (data: Buffer): Buffer =>
    images.webp(images.webpHeader(width, height, 8), webp, images.riff('EXIF', data));
  const twice = images.withExif(images.withExif(jpeg, turned(1)), turned(6));
  const screens: [number, number][] = [
    [0, 0],
    [1, 1],
    [640, 480],
    [1024, 768],
    [4000, 4000],
    [7000, 7000],
  ];
  return [
    ['a PNG as it should be', plain, false],
    ['a PNG that is turned', images.withChunk(plain, 'eXIf', turned(6)), false],
    ['a PNG whose EXIF data come behind its pixels', images.withLateChunk(plain, 'eXIf', turned(6)), true],
    ['a JPEG as it should be', jpeg, false],
    ['a JPEG that is turned', images.withExif(jpeg, turned(8)), false],
    ['a JPEG with an orientation of type LONG', images.withExif(jpeg, turned(6, 'long')), true],
    ['a JPEG with an orientation of type BYTE', images.withExif(jpeg, turned(5, 'byte')), true],
    ['a JPEG with an orientation that is none', images.withExif(jpeg, turned(9)), false],
    ['a JPEG with an orientation of 0', images.withExif(jpeg, turned(0)), false],
    ['a JPEG with two orientations', twice, false],
    ['a WebP that is turned', extended(turned(6)), false],
    ['a WebP with an orientation of type LONG', extended(turned(6, 'long')), true],
    ['a GIF as it should be', gif, false],
    ...screens.map(([w, h]): [string, Buffer, boolean] => [
      `a GIF whose screen is ${w} × ${h}`,
      images.withScreen(gif, w, h),
      w > width || h > height,
    ]),
  ];
}

/** The hash of an image that the library alone has decoded, turned and written. */
async function hashOf(bytes: Buffer): Promise<Uint8Array> {
  return pdq(await pixelsOf(await sharp(bytes).autoOrient().png({ compressionLevel: 1 }).toBuffer())).hash;
}

describe('an image whose header contradicts its pixels', () => {
  let decoder: DecoderPool;
  const folder = mkdtempSync(join(tmpdir(), 'weir-test-'));
  before(() => {
    decoder = createDecoder({ workers: 1 });
  });
  after(async () => {
    await decoder.close();
    rmSync(folder, { recursive: true, force: true });
  });

  async function decode(bytes: Buffer, renditions: Rendition[]): Promise<DecodedImage> {
    const result = await decoder.decode(bytes, { renditions, hash: true });
    assert.ok(result.ok && result.hash, result.ok ? 'it has no hash' : JSON.stringify(result));
    return result;
  }

  for (const [width, height] of SIZES) {
    it(`has the size, and one hash, of what is decoded: ${width} × ${height}`, async () => {
      const all = await files(width, height);
      const paths = all.map(([, bytes], n) => {
        const path = join(folder, `${width}-${n}`);
        writeFileSync(path, bytes);
        return path;
      });
      const { code, out, err } = await weir('hash', ...paths);
      assert.deepEqual([code, err], [0, '']);
      const lines = out.split('\n').map((line) => line.split(','));
      for (const [n, [name, bytes, differs]] of all.entries()) {
        const [hash, quality] = lines[n]!;
        const expected = await hashOf(bytes);
        const decoded = await Promise.all(RENDITIONS.map((renditions) => decode(bytes, renditions)));
        const shown = decoded.at(-1)!.pixels[0]!;
        const size = [shown.width, shown.height];
        for (const [i, { properties, hash: found }] of decoded.entries()) {
          const what = `${name}, with ${RENDITIONS[i]!.length} renditions`;
          assert.deepEqual([properties.width, properties.height], size, what);
          assert.deepEqual([found!.hashes[0], String(found!.quality)], [hash, quality], `${what}: weir hash`);
          // A large image is scaled down before it is turned, a WebP while it is decoded.
          const distance = distanceOf(pdqFromHex(found!.hashes[0]!)!, expected);
          assert.ok(distance <= (Math.max(...size) > PDQ_SIDE ? 10 : 0), `${what}: ${distance} bits off`);
        }
        const stated = sniff(bytes);
        assert.ok(stated.ok);
        const said = [stated.properties.width, stated.properties.height];
        assert.equal(`${said}` !== `${size}`, differs, `${name}: ${said}, and ${size}`);
      }
    });
  }
});
