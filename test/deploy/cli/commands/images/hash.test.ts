import assert from 'node:assert/strict';
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import sharp from 'sharp';
import { pdq, pdqFromHex, pdqToHex } from '#weir/shared/pdq/pdq';
import { animatedPng } from '../../../../support/images/images.ts';
import { distanceOf, picture, pixelsOf } from '../../../../support/images/pictures.ts';
import { weir } from '../../support.ts';

describe('weir hash', () => {
  let folder = '';
  let photo: Buffer;
  before(async () => {
    folder = mkdtempSync(join(tmpdir(), 'weir-test-'));
    photo = await picture('photo', 1, 400, 300);
  });
  after(() => rmSync(folder, { recursive: true, force: true }));

  function file(name: string, bytes: Uint8Array | string): string {
    const path = join(folder, name);
    writeFileSync(path, bytes);
    return path;
  }
  /** Hash and quality that the command prints for a file. */
  async function hashOf(path: string): Promise<{ hash: Uint8Array; quality: number }> {
    const { code, out, err } = await weir('hash', path);
    assert.deepEqual([code, err], [0, '']);
    const [hash, quality, name] = out.split(',');
    assert.equal(name, path);
    return { hash: pdqFromHex(hash!)!, quality: Number(quality) };
  }

  it('prints hash, quality and name of each file, in order', async () => {
    const a = file('a.png', photo);
    const b = file(
      'b.webp',
      await sharp(await picture('gradients', 1, 600, 700))
        .webp()
        .toBuffer(),
    );
    const { code, out, err } = await weir('hash', a, b);
    assert.deepEqual([code, err], [0, '']);
    const expected = pdq(await pixelsOf(photo));
    const [first, second] = out.split('\n');
    assert.equal(first, `${pdqToHex(expected.hash)},${expected.quality},${a}`);
    assert.match(second!, /^[0-9a-f]{64},100,.*b\.webp$/);
  });
  it('hashes an image as people see it: turned by EXIF, and on white', async () => {
    const upright = pdq(await pixelsOf(await sharp(photo).rotate(90).png().toBuffer())).hash;
    const turned = await sharp(photo).withMetadata({ orientation: 6 }).png().toBuffer();
    assert.deepEqual((await hashOf(file('turned.png', turned))).hash, upright);
    const clear = await sharp(photo).ensureAlpha(0.3).png().toBuffer();
    const onWhite = await sharp(clear).flatten({ background: '#ffffff' }).png().toBuffer();
    assert.deepEqual((await hashOf(file('clear.png', clear))).hash, pdq(await pixelsOf(onWhite)).hash);
  });
  it('takes grey, 16-bit and CMYK images, palettes and the first frame of an animation', async () => {
    const expected = pdq(await pixelsOf(photo)).hash;
    const grey = await sharp(photo).greyscale().png().toBuffer();
    assert.ok((await hashOf(file('grey.png', grey))).quality >= 80);
    const deep = await sharp(photo).toColourspace('rgb16').png().toBuffer();
    assert.equal((await sharp(deep).metadata()).depth, 'ushort');
    assert.ok(distanceOf((await hashOf(file('deep.png', deep))).hash, expected) <= 2);
    const print = await sharp(photo).toColourspace('cmyk').jpeg().toBuffer();
    assert.equal((await sharp(print).metadata()).space, 'cmyk');
    assert.ok((await hashOf(file('print.jpg', print))).quality >= 80);
    const other = await picture('gradients', 2, 400, 300);
    const animation = await sharp([photo, other], { join: { animated: true } })
      .gif()
      .toBuffer();
    assert.equal((await sharp(animation).metadata()).pages, 2);
    assert.ok(distanceOf((await hashOf(file('two.gif', animation))).hash, expected) <= 10);
  });
  it('scales what is larger than 512 × 512, and hashes what is smaller as it is', async () => {
    const large = await picture('photo', 3, 1500, 1000);
    const { hash } = await hashOf(file('large.png', large));
    assert.deepEqual(hash, pdq(await pixelsOf(large)).hash);
  });

  it('says why a file cannot be hashed, continues with the others, and exits with 1', async () => {
    const good = file('good.png', photo);
    const none = join(folder, 'none.png');
    const noImage = file('text.png', 'no image');
    const broken = file('broken.png', photo.subarray(0, photo.length / 2));
    const empty = file('empty.png', '');
    mkdirSync(join(folder, 'sub'));
    const { code, out, err } = await weir('hash', none, noImage, broken, empty, join(folder, 'sub'), good);
    assert.equal(code, 1);
    assert.equal(out.split('\n').length, 1);
    assert.match(out, /good\.png$/);
    const lines = err.split('\n');
    assert.equal(lines.length, 5);
    assert.equal(lines[0], `${none}: cannot be read: there is no such file`);
    for (const i of [1, 2, 3]) assert.match(lines[i]!, /\.png: cannot be decoded as an image: ./);
    assert.match(lines[4]!, /sub: cannot be read: expected a file, found a folder$/);
  });
  it('has no hash for a PNG that a viewer shows differently from what is decoded', async () => {
    const other = await picture('gradients', 3, 400, 300);
    const hidden = file('hidden.png', animatedPng(photo, [other], { cover: true }));
    const { code, out, err } = await weir('hash', hidden);
    assert.deepEqual([code, out], [1, '']);
    assert.match(err, /hidden\.png: cannot be decoded as an image: .*its animation begins with another image$/);
    const shown = await hashOf(file('shown.png', animatedPng(photo, [other])));
    assert.deepEqual(shown.hash, pdq(await pixelsOf(photo)).hash);
  });
  it('prints a name with a line break on one line', async () => {
    const { out } = await weir('hash', file('a\nb.png', photo));
    assert.match(out, /a\\nb\.png$/);
  });
  it('needs a file', async () => {
    const { code, err } = await weir('hash');
    assert.equal(code, 2);
    assert.match(err, /expected at least one FILE/);
  });
});
