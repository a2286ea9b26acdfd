import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type PdqPixels, pdq, pdqDihedral, pdqFromHex, pdqToHex, TRANSFORMS } from '#weir/shared/pdq/pdq';
import { randomFrom as random } from '../../support/images/images.ts';
import { distanceOf } from '../../support/images/pictures.ts';
import { stepByStep } from './pdq-steps.ts';
import { blocks, transformedPixels } from './pixels.ts';

/**
 * What the steps of the published C++ implementation (downscaling.cpp, pdqhashing.cpp and torben.cpp of facebook/ThreatExchange, the
 * same floating-point operations in the same order, compiled by g++ -O3 for x86-64) give for `blocks`: seed, width, height, channels,
 * bits by which the values are shifted down, quality, hash.
 */
const GOLDEN = [
  [1, 5, 5, 3, 0, 100, 'c3f07e1f3c0f91e091a43e0f81e0c1f07c1f6e1bc3f07e1f3c0f91e491e03e0f'],
  [2, 64, 64, 1, 0, 100, '6f23560b5d2b24b3c8febb448c8c2b55d0f8b06c2f17d4ac336350fa77215b4a'],
  [3, 64, 64, 3, 0, 100, '60fb54fbb1bb2a511b0114ee9cc401bf9e0c17ac60fb3b40663b6311c0fbd4fe'],
  [4, 100, 60, 1, 0, 100, '54a8c4fc90ec2f88cb7534df6dd03b71461a433b38e5cd9894a7d7285caaa0f6'],
  [5, 128, 128, 3, 0, 100, 'cb51de0115aebdac51aaff016733b34c148f677beb42649398cc01fcaa51cb43'],
  [6, 129, 127, 3, 0, 100, '51ef94ad01afaa61ba1541ea097ef7216a52627a95ec0256b4adbe1551eb15ae'],
  [7, 512, 512, 1, 0, 100, 'ee107bc910ef55ae572a2a57437a7265f5a00e5f0a5f0c1abc85d5a8ee10fb41'],
  [8, 512, 512, 3, 0, 100, '6a55fb8555bad9aa51aa2655c4b1675071e3065c9e1c55ab7b4a51aaea51ba45'],
  [9, 700, 300, 4, 0, 100, '95ae51eb84a0ff15ae5595afa63191feae15080051eafe2159ceea5055ae51ea'],
  [10, 1025, 770, 3, 0, 100, 'af117b44d1ee44ba10ea6b5059ca437944bb55aebb453c86a63514afaf15bb44'],
  [11, 9, 640, 3, 0, 100, '11ef11ef6e12ae15ee1015aeab54c4999e0dfb4060f23b6654abea5111ef51ea'],
  [12, 300, 200, 3, 3, 13, '65fe69d742009f38eb5931fb633348c29f51c6d415feeed198849f0454a208df'],
  [13, 512, 512, 1, 4, 13, '11ee4d98fe6173e7ff004c1a962c5e2929565069d4a929d669d3b26511efcd98'],
  [14, 64, 64, 3, 3, 15, '60ffc4ffb137aa511f0070fa88cc972d524073a80ccf29d426372705f0ff94be'],
  [15, 777, 777, 3, 4, 4, 'be08674530e2459f00ffbb4419ce536b14ad65d5eb50ec94e63144bbfe08fb60'],
] as const;

/** Its eight hashes of `blocks(3, 200, 150, 3)`. */
const GOLDEN_DIHEDRAL = [
  '21fe18ae7351ee05bf0461ce98c405bf9f2cf64260f3bb44467bee2101ff01ea',
  '1ad44b93bc74952f5a94e63338dc526cc7235984c1af5ed5c58b206dc56b4ed1',
  '74abfb042604c5ffea55cb64cf91af15ca795cea35a611ee132e448b54aaab40',
  '4f816139e9013f850fc14c994d89f8c69276f32e90faf47f90de82c7903e647b',
  '21fee751715111fabf009e1198c4fa409f2c09bd40f344bb467b11de01fffe15',
  '34aa4dfb2604bb50ea51349bcd9150eaca79a31735a6ee11132ebb7454aa54bf',
  '1ad4346cbc746ad05a9419cc38dcad93c723a67bc1afa12ac58bdf92c56b312e',
  '5f81dec6e921c07a4fc1b3666f89573992761cd194fa1b8090de7d38907e9b84',
];

/** Sizes whose boxes have odd and even widths, with sides below, at and above 64 and 128. */
const SIDES = [
  [5, 5],
  [7, 300],
  [63, 65],
  [64, 64],
  [128, 129],
  [300, 200],
  [385, 513],
] as const;

function noise(seed: number, width: number, height: number, channels: 1 | 3): PdqPixels {
  const next = random(seed);
  return { data: Uint8Array.from({ length: width * height * channels }, () => next() * 256), width, height, channels };
}

describe('PDQ', () => {
  it('gives the bits and the quality that the published implementation gives for the same pixels', () => {
    for (const [seed, width, height, channels, shift, quality, hash] of GOLDEN) {
      const pixels = blocks(seed, width, height, channels);
      const result = pdq({ ...pixels, data: pixels.data.map((value) => value >> shift) });
      const name = `blocks ${seed}, ${width} × ${height} × ${channels}`;
      assert.equal(pdqToHex(result.hash), hash, name);
      assert.equal(result.quality, quality, name);
    }
  });
  it('gives the eight hashes that the published implementation gives', () => {
    const { hash, hashes, quality } = pdqDihedral(blocks(3, 200, 150, 3));
    assert.deepEqual(hashes.map(pdqToHex), GOLDEN_DIHEDRAL);
    assert.deepEqual({ hash, quality }, pdq(blocks(3, 200, 150, 3)));
  });

  it('gives the bits and the quality that its steps give one by one in floats of 32 bits', () => {
    const next = random(20);
    const sizes = [...SIDES, [64, 65], [65, 64], [512, 512], [640, 480], [5, 17_000], [2_000, 6]];
    for (let i = 0; i < 12; i++) sizes.push([5 + Math.floor(next() * 200), 5 + Math.floor(next() * 200)]);
    for (const [i, [width, height]] of (sizes as [number, number][]).entries()) {
      const channels = ([3, 1, 4, 2] as const)[i % 4]!;
      const mild = blocks(i, width, height, channels);
      const wild = { ...mild, data: mild.data.map(() => next() * 256) };
      for (const pixels of [mild, wild, { ...mild, data: mild.data.map((value) => value >> 5) }]) {
        const { hash, quality } = pdq(pixels);
        const name = `${width} × ${height} × ${channels}`;
        assert.deepEqual({ hash: pdqToHex(hash), quality }, stepByStep(pixels), name);
      }
    }
  });

  it('sets half of the bits', () => {
    for (const [width, height] of SIDES.slice(1)) {
      const ones = distanceOf(pdq(noise(1, width, height, 3)).hash, new Uint8Array(32));
      assert.equal(ones, 128, `${width} × ${height}`);
    }
  });
  it('ignores alpha', () => {
    const rgb = blocks(1, 90, 70, 3);
    const rgba = new Uint8Array(90 * 70 * 4).map((_, i) => (i % 4 === 3 ? i % 251 : rgb.data[(i >> 2) * 3 + (i % 4)]!));
    assert.deepEqual(pdq({ data: rgba, width: 90, height: 70, channels: 4 }), pdq(rgb));
    const grey = blocks(1, 90, 70, 1);
    const greyAlpha = new Uint8Array(90 * 70 * 2).map((_, i) => (i % 2 === 1 ? i % 251 : grey.data[i >> 1]!));
    assert.deepEqual(pdq({ data: greyAlpha, width: 90, height: 70, channels: 2 }), pdq(grey));
  });
  it('gives zeros and a quality of 0 for an image of one colour, and for one with a side below 5 pixels', () => {
    const none = { hash: new Uint8Array(32), quality: 0 };
    for (const [width, height] of [
      [4, 900],
      [900, 4],
      [1, 1],
    ] as const) {
      assert.deepEqual(pdq(noise(1, width, height, 3)), none);
      assert.deepEqual(pdqDihedral(noise(1, width, height, 3)).hashes, Array(8).fill(none.hash));
    }
    assert.deepEqual(pdq({ data: new Uint8Array(90_000), width: 300, height: 300, channels: 1 }), none);
    assert.equal(pdq({ data: new Uint8Array(90_000).fill(200), width: 300, height: 300, channels: 1 }).quality, 0);
  });
  it('refuses data of another length than the size says', () => {
    const data = new Uint8Array(299);
    assert.throws(() => pdq({ data, width: 10, height: 10, channels: 3 }), {
      name: 'RangeError',
      message: 'PDQ: expected 10 × 10 pixels of 3 bytes each, got 299 bytes in all',
    });
    assert.throws(() => pdq({ data: new Uint8Array(0), width: 0, height: 10, channels: 3 }), RangeError);
  });

  it('gives the hashes of the turned and mirrored image', () => {
    for (const channels of [1, 3] as const) {
      const pixels = blocks(5, 64, 64, channels);
      const { hashes } = pdqDihedral(pixels);
      for (const [i, transform] of TRANSFORMS.entries()) {
        const distance = distanceOf(hashes[i]!, pdq(transformedPixels(pixels, transform)).hash);
        assert.ok(distance <= 2, `${transform}: distance ${distance}`);
      }
    }
  });
});

describe('hexadecimal form of PDQ', () => {
  it('has 64 digits and can be read back', () => {
    const { hash } = pdq(blocks(1, 90, 70, 3));
    assert.match(pdqToHex(hash), /^[0-9a-f]{64}$/);
    assert.deepEqual(pdqFromHex(pdqToHex(hash)), hash);
    assert.deepEqual(pdqFromHex(pdqToHex(hash).toUpperCase()), hash);
  });
  it('is not read from anything else', () => {
    for (const text of ['', 'f'.repeat(63), 'f'.repeat(65), `${'f'.repeat(63)}g`, ` ${'f'.repeat(63)}`]) {
      assert.equal(pdqFromHex(text), undefined);
    }
  });
});
