import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Sharp } from 'sharp';
import { ImageTooLarge, openSource } from '#weir/workers/images/decode/render';
import { sniff } from '#weir/workers/images/decode/sniff';
import type { Rendition } from '#weir/workers/images/decode/types';
import * as images from '../../../support/images/images.ts';

const [WIDTH, HEIGHT] = [640, 560];
const PIXELS = 50_000_000;

const rgb = (width: number, height: number, fit: Rendition['fit']): Rendition => ({ width, height, kind: 'rgb', fit });
const HASHED = rgb(512, 512, 'fill');
const TEXT: Rendition = { width: 2048, height: 2048, kind: 'gray', fit: 'inside' };
const OTHERS = [rgb(214, 188, 'fill'), rgb(320, 320, 'inside'), rgb(179, 179, 'cover'), rgb(213, 207, 'contain')];
const ALL = [HASHED, TEXT, ...OTHERS];

const scene = (): Sharp => images.scene(WIDTH, HEIGHT);
const PLAIN: Record<string, () => Sharp> = {
  'a JPEG': () => scene().jpeg(),
  'a progressive JPEG': () => scene().jpeg({ progressive: true }),
  'a gray JPEG': () => scene().grayscale().jpeg(),
  'a CMYK JPEG': () => scene().toColourspace('cmyk').jpeg(),
  'a JPEG with a profile': () => scene().withIccProfile('p3').jpeg(),
  'a PNG': () => scene().png(),
  'an interlaced PNG': () => scene().png({ progressive: true }),
  'a PNG with a palette': () => scene().png({ palette: true, effort: 1 }),
  'a gray PNG': () => scene().toColourspace('b-w').png(),
  'a PNG with transparency': () => scene().ensureAlpha(0.4).png(),
  'a GIF': () => scene().gif({ effort: 1 }),
};
const OTHER: Record<string, () => Sharp> = {
  'a WebP': () => scene().webp(),
  'a WebP with transparency': () => scene().ensureAlpha(0.5).webp({ lossless: true, effort: 0 }),
  'a PNG of 16 bits': () => scene().toColourspace('rgb16').png(),
  'a turned JPEG': () => scene().withMetadata({ orientation: 6 }).jpeg(),
};

/** Each is made once, because encoding takes longer than the tests. */
const files = new Map<string, Promise<Buffer>>();
function fileOf(name: string): Promise<Buffer> {
  const file = files.get(name) ?? { ...PLAIN, ...OTHER }[name]!().toBuffer();
  files.set(name, file);
  return file;
}

async function open(file: Buffer | Sharp, renditions: Rendition[]) {
  const bytes = Buffer.isBuffer(file) ? file : await file.toBuffer();
  const sniffed = sniff(bytes);
  assert.ok(sniffed.ok);
  return openSource(bytes, { image: sniffed.properties, renditions, hashed: false, pixelLimit: PIXELS });
}

describe('the pixels of an image', () => {
  for (const name of Object.keys({ ...PLAIN, ...OTHER })) {
    it(`are the same to the bit whatever else is asked for: ${name}`, async () => {
      const file = await fileOf(name);
      const together = await open(file, ALL);
      for (const rendition of ALL) {
        const alone = await open(file, [rendition]);
        assert.equal(alone.held, 0);
        const expected = await alone.render(rendition);
        const { data, ...shape } = await together.render(rendition);
        assert.deepEqual(shape, { width: expected.width, height: expected.height, channels: expected.channels });
        assert.ok(data.equals(expected.data), `${rendition.width} × ${rendition.height}, ${rendition.fit}`);
      }
    });
  }

  it('are the same whatever the header says, and it is refused when they are too many', async () => {
    const asked = { renditions: [], hashed: true, pixelLimit: PIXELS };
    const claims = (width: number, height: number) => ({ kind: 'png' as const, width, height });
    const bytes = await scene().png().toBuffer();
    const made: Buffer[] = [];
    for (const image of [claims(WIDTH, HEIGHT), claims(10, 10), claims(9000, 10)]) {
      const { width, height, toHash, render } = await openSource(bytes, { ...asked, image });
      assert.deepEqual([width, height, toHash], [WIDTH, HEIGHT, HASHED]);
      made.push((await render(toHash!)).data);
    }
    assert.ok(made.every((data) => data.equals(made[0]!)));
    const small = await images.flat(30, 20).png().toBuffer();
    for (const image of [claims(30, 20), claims(600, 600)]) {
      const { width, height, toHash, render } = await openSource(small, { ...asked, image });
      assert.deepEqual([width, height, toHash], [30, 20, { ...HASHED, width: 30, height: 20 }]);
      assert.equal((await render(toHash!)).data.length, 30 * 20 * 3);
    }
    const many = openSource(bytes, { ...asked, image: claims(600, 600), pixelLimit: WIDTH * HEIGHT - 1 });
    await assert.rejects(many, new ImageTooLarge('too_many_pixels'));
    const long = await images.flat(16_385, 1).png().toBuffer();
    await assert.rejects(openSource(long, { ...asked, image: claims(16, 1) }), new ImageTooLarge('side_too_long'));
  });

  it('are decoded once when several sizes need all of them', async () => {
    for (const name of Object.keys(PLAIN)) {
      const { held } = await open(await fileOf(name), [HASHED, TEXT]);
      assert.ok([WIDTH * HEIGHT, 3 * WIDTH * HEIGHT].includes(held), `${name}: ${held}`);
    }
  });

  it('are not kept when one size needs them and the loader scales down for the others', async () => {
    const small = [rgb(159, 179, 'fill'), rgb(96, 96, 'cover')];
    for (const maker of [() => scene().jpeg(), () => scene().webp()]) {
      assert.equal((await open(maker(), [TEXT, ...small])).held, 0);
    }
    assert.equal((await open(scene().png(), [TEXT])).held, 0);
    assert.notEqual((await open(scene().png(), small)).held, 0);
  });
});
