import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import sharp from 'sharp';
import { PDQ_MAX_DISTANCE, PDQ_MIN_QUALITY, pdq, pdqDihedral, TRANSFORMS } from '#weir/shared/pdq/pdq';
import { distanceOf, KINDS, picture, pixelsOf } from '../../support/images/pictures.ts';
import { transformedPixels } from './pixels.ts';

/** `[width, height, seeds]`: below 512 pixels hashed as they are, above scaled first. */
const SIZES = [
  [480, 360, [1, 2]],
  [640, 480, [3]],
] as const;

/** Every picture of the test, with its hash. */
async function pictures() {
  const made = [];
  for (const [width, height, seeds] of SIZES) {
    for (const kind of KINDS) {
      for (const seed of seeds) {
        const file = await picture(kind, seed, width, height);
        const result = pdq(await pixelsOf(file));
        made.push({ name: `${kind} ${seed}, ${width} × ${height}`, kind, width, height, file, ...result });
      }
    }
  }
  return made;
}
const all = await pictures();

/** All that a random pattern has is detail of the finest kind that the hash keeps: a shift by a pixel turns many bits over. */
const withoutNoise = all.filter(({ kind }) => kind !== 'noise');
type Made = (typeof all)[number];

async function assertWithin(bound: number, edit: (picture: Made) => Promise<Buffer>, made = all): Promise<void> {
  for (const one of made) {
    const edited = pdq(await pixelsOf(await edit(one)));
    const distance = distanceOf(one.hash, edited.hash);
    assert.ok(distance <= bound, `${one.name}: expected a distance of at most ${bound}, got ${distance}`);
  }
}

describe('PDQ of an edited image', () => {
  it('has a quality of at least 80 for images with something in them', () => {
    for (const { name, quality } of all) assert.ok(quality >= 80, `${name}: quality ${quality}`);
  });

  for (const quality of [90, 70, 50]) {
    it(`is at most 10 bits away after compression as JPEG of quality ${quality}`, () =>
      assertWithin(10, ({ file }) => sharp(file).jpeg({ quality }).toBuffer()));
  }
  it('is at most 10 bits away after a change from PNG to WebP and back', () =>
    assertWithin(10, async ({ file }) => {
      const webp = await sharp(file).webp({ quality: 80 }).toBuffer();
      return sharp(webp).png({ compressionLevel: 1 }).toBuffer();
    }));
  it('is the same after compression without loss', () =>
    assertWithin(
      0,
      ({ file }) => sharp(file).webp({ lossless: true, effort: 0 }).toBuffer(),
      // A larger file is scaled while it is decoded, which each format does in its own way.
      all.filter(({ width }) => width === 480),
    ));

  for (const factor of [0.5, 2]) {
    it(`still matches after scaling by ${factor}`, () =>
      assertWithin(PDQ_MAX_DISTANCE, ({ file, width, height }) =>
        sharp(file)
          .resize(width * factor, height * factor)
          .png({ compressionLevel: 1 })
          .toBuffer(),
      ));
  }
  it('still matches after 2 % of its width and height were cut off', () =>
    assertWithin(
      PDQ_MAX_DISTANCE,
      ({ file, width, height }) => {
        const left = Math.round(width * 0.01);
        const top = Math.round(height * 0.01);
        return sharp(file)
          .extract({ left, top, width: width - 2 * left, height: height - 2 * top })
          .png({ compressionLevel: 1 })
          .toBuffer();
      },
      withoutNoise,
    ));
  it('still matches after a change of brightness and contrast', () =>
    assertWithin(PDQ_MAX_DISTANCE, ({ file }) => sharp(file).linear(0.85, 12).png({ compressionLevel: 1 }).toBuffer()));

  it('matches a turned or mirrored image by one of its eight hashes', async () => {
    // The filter looks half a pixel further to one side than to the other, which fine writing at 512 pixels does not survive.
    const coarse = all.filter(({ kind }) => kind === 'photo' || kind === 'gradients');
    for (const { name, file } of coarse) {
      const pixels = await pixelsOf(file);
      const { hashes } = pdqDihedral(pixels);
      for (const transform of TRANSFORMS) {
        const turned = pdq(transformedPixels(pixels, transform));
        const distances = hashes.map((hash) => distanceOf(hash, turned.hash));
        const expected = distances[TRANSFORMS.indexOf(transform)]!;
        assert.ok(expected <= PDQ_MAX_DISTANCE, `${name}, ${transform}: distance ${expected}`);
        assert.equal(Math.min(...distances), expected, `${name}, ${transform}`);
      }
    }
  });

  it('is far away from the hash of any other image', () => {
    const small = all.filter(({ width }) => width === 480);
    for (const a of small) {
      for (const b of small) {
        if (a !== b) assert.ok(distanceOf(a.hash, b.hash) > 2 * PDQ_MAX_DISTANCE, `${a.name} and ${b.name}`);
      }
    }
  });
});

describe('quality of PDQ', () => {
  it('is low for images without features', async () => {
    const featureless = {
      black: sharp({ create: { width: 300, height: 200, channels: 3, background: '#000' } }),
      grey: sharp({ create: { width: 600, height: 900, channels: 3, background: '#888' } }),
      'a gentle gradient': sharp(
        Buffer.from(
          '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><linearGradient id="g"><stop stop-color="#777"/>' +
            '<stop offset="1" stop-color="#999"/></linearGradient><rect width="400" height="400" fill="url(#g)"/></svg>',
        ),
      ),
      'one small dot': sharp(
        Buffer.from(
          '<svg xmlns="http://www.w3.org/2000/svg" width="400" height="400"><rect width="400" height="400" fill="#fff"/>' +
            '<circle cx="200" cy="150" r="12"/></svg>',
        ),
      ),
    };
    for (const [name, image] of Object.entries(featureless)) {
      const { quality } = pdq(await pixelsOf(await image.png().toBuffer()));
      assert.ok(quality < PDQ_MIN_QUALITY, `${name}: quality ${quality}`);
    }
  });
});
