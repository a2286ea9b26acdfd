import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readExif } from '#weir/workers/images/decode/formats/exif';
import { type ImageProperties, sniff } from '#weir/workers/images/decode/sniff';
import { IMAGE_LIMITS } from '#weir/workers/images/failure';
import * as images from '../../../support/images/images.ts';

const propertiesOf = (bytes: Buffer): ImageProperties => {
  const result = sniff(bytes);
  assert.ok(result.ok, JSON.stringify(result));
  return result.properties;
};
const reasonOf = (bytes: Buffer): string => {
  const result = sniff(bytes);
  return result.ok ? 'ok' : result.reason;
};

describe('formats', () => {
  it('are recognised with their size by their bytes alone [2.6.mime_type] [artifact.limits]', async () => {
    const scene = () => images.scene(37, 23);
    const files = {
      jpeg: [
        scene().jpeg(),
        scene().jpeg({ progressive: true }),
        scene().grayscale().jpeg(),
        scene().toColourspace('cmyk').jpeg(),
      ],
      png: [
        scene().png(),
        scene().png({ progressive: true }),
        scene().png({ palette: true }),
        scene().toColourspace('rgb16').png(),
      ],
      webp: [
        scene().webp(),
        scene().webp({ lossless: true }),
        scene().ensureAlpha(0.5).webp(),
        scene().webp().withExif({}),
      ],
      gif: [scene().gif(), scene().gif({ progressive: true })],
    };
    for (const [kind, makers] of Object.entries(files)) {
      for (const maker of makers) {
        const bytes = await maker.toBuffer();
        const expected = {
          kind,
          width: 37,
          height: 23,
          bytes: bytes.length,
          animated: false,
          hasGps: false,
          orientation: 1,
        };
        assert.deepEqual(propertiesOf(bytes), expected);
      }
    }
  });

  it('are recognised by the leading bytes when a file is valid as two', async () => {
    const png = await images.scene(8, 8).png().toBuffer();
    const jpeg = await images.scene(9, 9).jpeg().toBuffer();
    const gif = await images.scene(7, 7).gif().toBuffer();
    assert.equal(propertiesOf(Buffer.concat([png, jpeg])).kind, 'png');
    assert.equal(propertiesOf(Buffer.concat([gif, Buffer.from('<script>alert(1)</script>'), png])).kind, 'gif');
    assert.equal(propertiesOf(images.withSegment(jpeg, 0xfe, png)).width, 9);
    assert.equal(reasonOf(Buffer.concat([Buffer.from('<html>'), png])), 'not_an_image');
  });

  it('other than the four are not an image', () => {
    const others = [
      '<svg xmlns="http://www.w3.org/2000/svg"/>',
      '%PDF-1.7\n',
      'II*\0\x08\0\0\0',
      'MM\0*',
      'BM',
      'RIFF\0\0\0\0WAVE',
    ];
    for (const text of [...others, '8BPS', 'PK\x03\x04', '\0\0\0 ftypavif', '\0\0\0\x0cJXL ', 'GIF88a', 'ÿ', '\0']) {
      assert.equal(reasonOf(Buffer.concat([Buffer.from(text, 'latin1'), Buffer.alloc(64)])), 'not_an_image', text);
    }
    assert.equal(reasonOf(Buffer.alloc(0)), 'empty');
    assert.equal(reasonOf(Buffer.from([0xff])), 'not_an_image');
    assert.equal(reasonOf(Buffer.alloc(IMAGE_LIMITS.bytes + 1)), 'too_large');
  });
});

describe('animation', () => {
  it('is more than one frame', async () => {
    const three = await images.frames(3, 16, 12);
    assert.equal(propertiesOf(await three.clone().gif().toBuffer()).animated, true);
    assert.equal(propertiesOf(await three.clone().webp().toBuffer()).animated, true);
    const [first, second] = [
      await images.scene(16, 12).png().toBuffer(),
      await images.scene(16, 12, 2).png().toBuffer(),
    ];
    const animated = (...parts: Parameters<typeof images.animatedPng>): boolean =>
      propertiesOf(images.animatedPng(...parts)).animated;
    assert.equal(animated(first, [second]), true);
    assert.equal(animated(first, []), false);
    assert.equal(animated(first, [], { stated: 2 }), true);
    assert.equal(animated(first, [second], { stated: 1 }), true, 'viewers may go by the frames that there are');
  });

  it('of a PNG is corrupt if it may not begin with the image data: viewers would never show those', async () => {
    const [cover, hidden] = [await images.flat(16, 12).png().toBuffer(), await images.scene(16, 12).png().toBuffer()];
    const control = images.chunk('acTL', Buffer.concat([images.u32(1), images.u32(0)]));
    const frame = (number = 0, width = 16, height = 12, x = 0): Buffer =>
      images.chunk('fcTL', images.frameControl(number, { width, height, x }));
    const flipped = Buffer.from(frame());
    flipped[flipped.length - 1]! ^= 1;
    const data = images.pngData(hidden);
    const shown = [frame(), images.chunk('fdAT', Buffer.concat([images.u32(1), data]))];
    const file = (before: Buffer[], after: Buffer[] = shown): Buffer =>
      Buffer.concat([cover.subarray(0, 33), ...before, cover.subarray(33, -12), ...after, cover.subarray(-12)]);
    const hiding: Record<string, Buffer[]> = {
      'no frame header': [control],
      'no whole control chunk': [images.chunk('acTL', Buffer.alloc(3))],
      'a frame header before the control chunk': [frame(), control],
      'two frame headers': [control, frame(), frame(1)],
      'another number': [control, frame(1)],
      'a frame of another size': [control, frame(0, 16, 11)],
      'a frame in another place': [control, frame(0, 16, 12, 1)],
      'a wrong checksum': [control, flipped],
      'a longer frame header': [control, images.chunk('fcTL', Buffer.alloc(27))],
    };
    for (const [name, before] of Object.entries(hiding)) {
      assert.equal(reasonOf(file(before)), 'corrupt', name);
      assert.equal(reasonOf(file(before, [])), 'corrupt', `${name}, and no other frame`);
    }
    assert.equal(propertiesOf(file([control, frame()])).animated, true);
    // Without a control chunk before the image data there is no animation: every viewer shows the image data.
    for (const [before, after] of [[[frame()], shown] as const, [[], [control, ...shown]] as const]) {
      assert.equal(propertiesOf(file([...before], [...after])).animated, false);
    }
  });

  it('has the size of its canvas', async () => {
    const three = await images.frames(3, 16, 12);
    for (const file of [await three.clone().gif().toBuffer(), await three.clone().webp().toBuffer()]) {
      const { width, height } = propertiesOf(file);
      assert.deepEqual([width, height], [16, 12]);
    }
  });
});

describe('limits before any decoding', () => {
  const sizes: [number, number, string][] = [
    [0, 10, 'dimensions'],
    [10, 0, 'dimensions'],
    [16_385, 1, 'side_too_long'],
    [1, 16_385, 'side_too_long'],
    [65_535, 65_535, 'side_too_long'],
    [16_384, 3052, 'too_many_pixels'],
    [7072, 7071, 'too_many_pixels'],
    [16_384, 3051, 'ok'],
    [7071, 7071, 'ok'],
  ];

  it('hold for the size that a PNG states [8.image] [artifact.limits]', () => {
    for (const [width, height, expected] of [...sizes, [2 ** 31, 1, 'side_too_long'] as const]) {
      assert.equal(reasonOf(images.rawPng(width, height, Buffer.alloc(1))), expected, `${width} × ${height}`);
    }
  });

  it('hold for the size that a JPEG states [8.image] [artifact.limits]', async () => {
    const jpeg = await images.scene(9, 9).jpeg().toBuffer();
    const at = images.frameHeaderOf(jpeg);
    for (const [width, height, expected] of sizes) {
      const copy = Buffer.from(jpeg);
      copy.writeUInt16BE(height, at + 5);
      copy.writeUInt16BE(width, at + 7);
      assert.equal(reasonOf(copy), expected, `${width} × ${height}`);
    }
  });

  it('hold for screen and frame of a GIF', async () => {
    const gif = await images.scene(9, 9).gif().toBuffer();
    for (const [width, height, expected] of sizes) {
      if (expected === 'dimensions') continue; // the frame then says how large it is
      const screen = Buffer.from(gif);
      screen.writeUInt16LE(width, 6);
      screen.writeUInt16LE(height, 8);
      const small = width < 9 || height < 9;
      assert.equal(reasonOf(screen), expected, `${width} × ${height}`);
      if (small) continue;
      const frame = Buffer.from(gif);
      const at = gif.indexOf(0x2c, 13 + 3 * 2 ** ((gif[10]! & 7) + 1));
      frame.writeUInt16LE(width, at + 5);
      frame.writeUInt16LE(height, at + 7);
      assert.equal(reasonOf(frame), expected, `frame ${width} × ${height}`);
    }
  });

  it('hold for the canvas of a WebP', async () => {
    const frame = images.webpChunks(await images.scene(9, 9).webp().toBuffer());
    for (const [width, height, expected] of sizes) {
      if (expected === 'dimensions') continue; // cannot be written in a canvas
      assert.equal(reasonOf(images.webp(images.webpHeader(width, height), frame)), expected, `${width} × ${height}`);
    }
    const none = Buffer.from(images.webp(frame));
    none.writeUInt16LE(0, 26);
    assert.equal(reasonOf(none), 'dimensions');
  });
});

describe('unusual headers', () => {
  it('are corrupt when a file ends before its size is known', async () => {
    const scene = () => images.scene(9, 9);
    const files: [Buffer, number][] = [];
    const jpeg = await scene().jpeg().toBuffer();
    files.push([jpeg, jpeg.indexOf(Buffer.from([0xff, 0xda]))]);
    files.push([await scene().png().toBuffer(), 33]);
    files.push([await scene().gif().toBuffer(), 13]);
    files.push([await scene().webp().toBuffer(), 30]);
    for (const [file, known] of files) {
      for (let cut = 12; cut < known; cut++) assert.equal(reasonOf(file.subarray(0, cut)), 'corrupt', `${cut} bytes`);
      assert.equal(reasonOf(file.subarray(0, 2)), 'not_an_image');
    }
  });

  it('with two frame headers are corrupt: readers would disagree on the size', async () => {
    const jpeg = await images.scene(9, 9).jpeg().toBuffer();
    const at = images.frameHeaderOf(jpeg);
    const header = jpeg.subarray(at + 4, at + 2 + jpeg.readUInt16BE(at + 2));
    assert.equal(reasonOf(images.withSegment(jpeg, 0xc0, header)), 'corrupt');
  });

  it('may have fill bytes, unknown segments and bare markers, which are skipped', async () => {
    const jpeg = await images.scene(9, 9).jpeg().toBuffer();
    const odd = Buffer.concat([
      jpeg.subarray(0, 2),
      Buffer.from([0xff, 0xff, 0xff, 0x01, 0xff, 0xd0]),
      jpeg.subarray(2),
    ]);
    assert.equal(propertiesOf(images.withSegment(odd, 0xee, Buffer.alloc(500, 0xff))).width, 9);
  });
});

describe('a file of nothing but tiny parts', () => {
  /** An image of each format whose header has `count` of the smallest parts before it or in it. */
  async function stuffed(count: number): Promise<Buffer[]> {
    const scene = () => images.scene(9, 9);
    const [jpeg, png] = await Promise.all([scene().jpeg().toBuffer(), scene().png().toBuffer()]);
    const [webp, gif] = await Promise.all([scene().webp().toBuffer(), scene().gif().toBuffer()]);
    const screen = 13 + 3 * 2 ** ((gif[10]! & 7) + 1);
    const behind = (file: Buffer, at: number, part: Buffer): Buffer =>
      Buffer.concat([file.subarray(0, at), ...Array(count).fill(part), file.subarray(at)]);
    const comment = Buffer.concat([
      Buffer.from([0x21, 0xfe]),
      Buffer.alloc(2 * count, Buffer.from([1, 0x20])),
      Buffer.alloc(1),
    ]);
    return [
      behind(jpeg, 2, images.segment(0xe1, Buffer.alloc(0))),
      behind(jpeg, 2, Buffer.from([0xff])),
      behind(jpeg, 2, Buffer.from([0xff, 0xd0])),
      behind(png, 33, images.chunk('teSt', Buffer.alloc(0))),
      images.webp(
        images.webpHeader(9, 9),
        images.webpChunks(webp),
        ...Array(count).fill(images.riff('TEST', Buffer.alloc(0))),
      ),
      behind(gif, screen, Buffer.from([0x21, 0xfe, 0])),
      Buffer.concat([gif.subarray(0, screen), comment, gif.subarray(screen)]),
    ];
  }

  it('is read up to more parts than any real file has', async () => {
    for (const file of await stuffed(30_000)) assert.equal(propertiesOf(file).width, 9);
  });

  it('is corrupt beyond that, so that no file blocks the event loop of a worker', async () => {
    for (const [n, file] of (await stuffed(70_000)).entries()) assert.equal(reasonOf(file), 'corrupt', `file ${n}`);
  });
});

describe('EXIF', () => {
  it('gives orientation and position in JPEG, PNG and WebP, in both byte orders', async () => {
    const jpeg = await images.scene(20, 10).jpeg().toBuffer();
    const png = await images.scene(20, 10).png().toBuffer();
    const frame = images.webpChunks(await images.scene(20, 10).webp().toBuffer());
    for (const little of [false, true]) {
      for (let orientation = 1; orientation <= 8; orientation++) {
        for (const gps of [false, true]) {
          const data = images.exif({ orientation, gps, little });
          const files = [
            images.withExif(jpeg, data),
            images.withChunk(png, 'eXIf', data),
            images.webp(images.webpHeader(20, 10, 8), frame, images.riff('EXIF', data)),
            images.webp(
              images.webpHeader(20, 10, 8),
              frame,
              images.riff('EXIF', Buffer.concat([Buffer.from('Exif\0\0'), data])),
            ),
          ];
          for (const file of files) {
            const found = propertiesOf(file);
            assert.deepEqual([found.orientation, found.hasGps], [orientation, gps]);
            assert.deepEqual([found.width, found.height], orientation >= 5 ? [10, 20] : [20, 10]);
          }
        }
      }
    }
  });

  it('that is damaged counts as absent and costs no time', () => {
    const good = images.exif({ orientation: 6, gps: true });
    const none = { orientation: 1, hasGps: false };
    for (let cut = 0; cut < 20; cut++) assert.deepEqual(readExif(good.subarray(0, cut)), none);
    for (let i = 0; i < good.length; i++) {
      for (const value of [0, 0x7f, 0xff]) {
        const damaged = Buffer.from(good);
        damaged[i] = value;
        const { orientation } = readExif(damaged);
        assert.ok(orientation >= 1 && orientation <= 8);
      }
    }
    // A directory that is its own GPS directory, and one that claims 65,535 entries.
    const loop = images.exif({ gps: true });
    loop.writeUInt32BE(8, 8 + 2 + 12 + 8);
    assert.equal(readExif(loop).hasGps, false);
    const many = Buffer.alloc(800_000);
    images.exif().copy(many);
    many.writeUInt16BE(65_535, 8);
    assert.deepEqual(readExif(many), none);
    assert.deepEqual(readExif(images.exif({ orientation: 9 })), none);
  });

  it('with several GPS directories has a position if one of the first four has', () => {
    const single = images.exif({ gps: true });
    const [count, entry] = [single.readUInt16BE(8), single.subarray(22, 34)];
    assert.equal(count, 2);
    /** `empty` entries that point to the first bytes, which are not a directory, then the real one. */
    const several = (empty: number): Buffer => {
      const nowhere = Buffer.from(entry);
      nowhere.writeUInt32BE(0, 8);
      const moved = Buffer.from(entry);
      moved.writeUInt32BE(single.readUInt32BE(30) + 12 * empty, 8);
      const head = Buffer.from(single.subarray(0, 22));
      head.writeUInt16BE(count + empty, 8);
      return Buffer.concat([head, ...Array(empty).fill(nowhere), moved, single.subarray(34)]);
    };
    const located = [0, 3, 4].map((empty) => readExif(several(empty)).hasGps);
    assert.deepEqual(located, [true, true, false]);
    const last = several(3);
    last.copyWithin(22 + 12, 22 + 36, 22 + 48);
    assert.equal(readExif(last).hasGps, true, 'a later one that is empty takes nothing back');
  });
});
