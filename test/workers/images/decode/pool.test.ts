import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import sharp from 'sharp';
import { pdq, pdqToHex } from '#weir/shared/pdq/pdq';
import { UNCONFINED } from '#weir/workers/child-process/confine';
import { FrameError } from '#weir/workers/child-process/frames';
import { checked, startWorker } from '#weir/workers/images/decode/child';
import { createDecoder, type DecodedImage, type DecodeEvent, type DecoderPool } from '#weir/workers/images/decode/pool';
import type { DecodedPixels, Rendition } from '#weir/workers/images/decode/types';
import { failure } from '#weir/workers/images/failure';
import * as images from '../../../support/images/images.ts';
import { picture, pixelsOf } from '../../../support/images/pictures.ts';
import { lives, sessionOf } from '../../../support/installation/processes.ts';
import { pluck } from '../../../support/pluck.ts';
import { until } from '../../../support/wait.ts';

const GRAY: Rendition = { width: 32, height: 32, kind: 'gray', fit: 'fill' };
const rgb = (width: number, height: number, fit: Rendition['fit'] = 'fill'): Rendition => ({
  width,
  height,
  kind: 'rgb',
  fit,
});

/** The bytes of the pixel at a position. */
const at = ({ data, width, channels }: DecodedPixels, x: number, y: number): number[] => [
  ...data.subarray((y * width + x) * channels, (y * width + x + 1) * channels),
];

const close = (actual: number[], expected: number[], by: number, what = ''): void => {
  assert.equal(actual.length, expected.length, what);
  for (const [i, value] of actual.entries()) {
    assert.ok(Math.abs(value - expected[i]!) <= by, `${what}: ${actual} is not about ${expected}`);
  }
};

/** A file that takes long to decode. */
const large = await images.flat(4000, 4000).png().toBuffer();

describe('decoding', () => {
  let decoder: DecoderPool;
  before(() => {
    decoder = createDecoder({ workers: 1 });
  });
  after(() => decoder.close());

  async function decode(bytes: Buffer, ...renditions: Rendition[]): Promise<DecodedImage> {
    const result = await decoder.decode(bytes, { renditions });
    assert.ok(result.ok, JSON.stringify(result));
    return result;
  }

  it('gives the properties, and pixels in the sizes and kinds asked for', async () => {
    const bytes = await images.halves(200, 100).png().toBuffer();
    const { properties, pixels } = await decode(
      bytes,
      GRAY,
      rgb(50, 50),
      rgb(50, 50, 'inside'),
      rgb(400, 400, 'inside'),
    );
    assert.deepEqual([properties.kind, properties.width, properties.height], ['png', 200, 100]);
    const [gray, filled, inside, small] = pixels as [DecodedPixels, DecodedPixels, DecodedPixels, DecodedPixels];
    assert.deepEqual([gray.width, gray.height, gray.channels, gray.data.length], [32, 32, 1, 1024]);
    assert.deepEqual([filled.width, filled.height, filled.channels, filled.data.length], [50, 50, 3, 7500]);
    assert.deepEqual([inside.width, inside.height], [50, 25]);
    assert.deepEqual([small.width, small.height], [200, 100]);
    close(at(filled, 5, 5), [255, 0, 0], 2);
    close(at(filled, 45, 45), [0, 0, 255], 2);
    // Luma: 0.299 of red, 0.114 of blue.
    close(at(gray, 3, 3), [76], 1);
    close(at(gray, 28, 28), [29], 1);
  });

  it('cuts an image of another shape, or adds white margins', async () => {
    const bytes = await images.halves(200, 100).png().toBuffer();
    const { pixels } = await decode(bytes, rgb(40, 40, 'cover'), rgb(40, 40, 'contain'));
    const [cover, contain] = pixels as [DecodedPixels, DecodedPixels];
    close(at(cover, 2, 0), [255, 0, 0], 2);
    close(at(cover, 37, 39), [0, 0, 255], 2);
    close(at(contain, 20, 2), [255, 255, 255], 2);
    close(at(contain, 2, 20), [255, 0, 0], 2);
  });

  it('gives the same pixels, whatever else is asked for', async () => {
    const bytes = await images.scene(300, 200).jpeg().toBuffer();
    const alone = (await decode(bytes, GRAY)).pixels[0]!.data;
    const among = (await decode(bytes, rgb(200, 200), GRAY, rgb(10, 10))).pixels[1]!.data;
    assert.deepEqual(alone, among);
  });

  it('reads all variants of the four formats to about the same pixels', async () => {
    const scene = () => images.scene(120, 80);
    const files: Record<string, Buffer> = {
      'baseline JPEG': await scene().jpeg({ quality: 95 }).toBuffer(),
      'progressive JPEG': await scene().jpeg({ quality: 95, progressive: true }).toBuffer(),
      'CMYK JPEG': await scene().toColourspace('cmyk').jpeg({ quality: 95 }).toBuffer(),
      'palette PNG': await scene().png({ palette: true }).toBuffer(),
      'interlaced PNG': await scene().png({ progressive: true }).toBuffer(),
      '16-bit PNG': await scene().toColourspace('rgb16').png().toBuffer(),
      'PNG with alpha': await scene().ensureAlpha(1).png().toBuffer(),
      'lossy WebP': await scene().webp({ quality: 95 }).toBuffer(),
      'lossless WebP': await scene().webp({ lossless: true }).toBuffer(),
      GIF: await scene().gif().toBuffer(),
    };
    const reference = (await decode(await scene().png().toBuffer(), rgb(12, 8))).pixels[0]!;
    for (const [name, bytes] of Object.entries(files)) {
      const found = (await decode(bytes, rgb(12, 8))).pixels[0]!;
      // Conversion to CMYK and back changes colours.
      for (const [x, y] of [
        [1, 1],
        [10, 1],
        [1, 6],
        [10, 6],
      ] as const) {
        close(at(found, x, y), at(reference, x, y), name === 'CMYK JPEG' ? 60 : 16, name);
      }
    }
  });

  it('reads gray images, of 8 and 16 bits, as gray and as colours', async () => {
    const wide = Buffer.alloc(16 * 16 * 2);
    for (let i = 0; i < 256; i++) wide.writeUInt16LE(0x8000, 2 * i);
    const deep = sharp(new Uint16Array(wide.buffer, wide.byteOffset, 256), {
      raw: { width: 16, height: 16, channels: 1 },
    });
    const files = [
      await images.flat(16, 16, '#808080').toColourspace('b-w').png().toBuffer(),
      await images.flat(16, 16, '#808080').toColourspace('b-w').jpeg().toBuffer(),
      await deep.toColourspace('grey16').png().toBuffer(),
    ];
    for (const file of files) {
      const { pixels } = await decode(file, { ...GRAY, width: 8, height: 8 }, rgb(8, 8));
      close(at(pixels[0]!, 4, 4), [128], 1);
      close(at(pixels[1]!, 4, 4), [128, 128, 128], 1);
    }
  });

  it('shows transparency on white', async () => {
    const clear = sharp({
      create: { width: 20, height: 20, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0 } },
    });
    const half = sharp({
      create: { width: 20, height: 20, channels: 4, background: { r: 255, g: 0, b: 0, alpha: 0.5 } },
    });
    for (const file of [
      await clear.clone().png().toBuffer(),
      await clear.clone().webp().toBuffer(),
      await clear.gif().toBuffer(),
    ]) {
      close(at((await decode(file, rgb(4, 4))).pixels[0]!, 2, 2), [255, 255, 255], 2);
    }
    close(at((await decode(await half.png().toBuffer(), rgb(4, 4))).pixels[0]!, 2, 2), [255, 127, 127], 2);
  });

  it('turns the image as EXIF says', async () => {
    const jpeg = await images.halves(64, 32).jpeg({ quality: 95 }).toBuffer();
    const png = await images.halves(64, 32).png().toBuffer();
    // The position of the red half: left, right, or (turned by a quarter) top, bottom.
    const red: Record<number, [number, number]> = {
      1: [1, 8],
      2: [14, 8],
      3: [14, 8],
      4: [1, 8],
      5: [8, 1],
      6: [8, 1],
      7: [8, 14],
      8: [8, 14],
    };
    for (const [orientation, [x, y]] of Object.entries(red)) {
      const data = images.exif({ orientation: Number(orientation) });
      for (const file of [images.withExif(jpeg, data), images.withChunk(png, 'eXIf', data)]) {
        const { pixels, properties } = await decode(file, rgb(16, 16));
        const turned = Number(orientation) >= 5;
        assert.deepEqual([properties.width, properties.height], turned ? [32, 64] : [64, 32]);
        close(at(pixels[0]!, x, y), [255, 0, 0], 12, `${properties.kind} with orientation ${orientation}`);
        close(at(pixels[0]!, 15 - x, 15 - y), [0, 0, 255], 12, `${properties.kind} with orientation ${orientation}`);
      }
    }
  });

  it('hashes what people see: upright, on white, large images scaled down; also without any pixels', async () => {
    const hashed = async (bytes: Buffer): Promise<string[]> => {
      const result = await decoder.decode(bytes, { renditions: [], hash: true });
      assert.ok(result.ok && result.hash && result.pixels.length === 0, JSON.stringify(result));
      return result.hash.hashes;
    };
    const expected = async (bytes: Buffer): Promise<string> => pdqToHex(pdq(await pixelsOf(bytes)).hash);
    const small = await picture('photo', 3, 400, 300);
    const large = await picture('photo', 4, 900, 700);
    for (const bytes of [small, large]) {
      const [upright, ...others] = await hashed(bytes);
      assert.equal(upright, await expected(bytes));
      assert.equal(new Set(others).size, 7);
    }
    const turned = await sharp(small).withMetadata({ orientation: 6 }).png().toBuffer();
    assert.equal((await hashed(turned))[0], await expected(await sharp(small).rotate(90).png().toBuffer()));
    const clear = await sharp(small).ensureAlpha(0.3).png().toBuffer();
    const onWhite = await sharp(clear).flatten({ background: '#fff' }).png().toBuffer();
    assert.equal((await hashed(clear))[0], await expected(onWhite));
    const both = await decoder.decode(small, { renditions: [GRAY], hash: true });
    assert.ok(both.ok && both.pixels.length === 1 && both.hash?.quality);
    assert.equal((await decode(small, GRAY)).hash, undefined);
  });

  it('takes the first frame of an animation', async () => {
    const sheet = await Promise.all(
      ['#ff0000', '#00ff00'].map((colour) => images.flat(20, 20, colour).png().toBuffer()),
    );
    const animation = sharp(sheet, { join: { animated: true } });
    for (const file of [
      await animation.clone().gif().toBuffer(),
      await animation.clone().webp({ lossless: true }).toBuffer(),
    ]) {
      const { pixels, properties } = await decode(file, rgb(4, 4));
      assert.equal(properties.animated, true);
      close(at(pixels[0]!, 2, 2), [255, 0, 0], 2);
    }
  });

  it('fails for files that are cut off or damaged, without returning a part', async () => {
    const makers = [images.scene(200, 150).jpeg(), images.scene(200, 150).jpeg({ progressive: true })];
    makers.push(images.scene(200, 150).png(), images.scene(200, 150).png({ progressive: true }));
    makers.push(
      images.scene(200, 150).webp(),
      images.scene(200, 150).webp({ lossless: true }),
      images.scene(200, 150).gif(),
    );
    for (const maker of makers) {
      const file = await maker.toBuffer();
      for (const share of [0.3, 0.6, 0.9]) {
        const result = await decoder.decode(file.subarray(0, Math.floor(file.length * share)), { renditions: [GRAY] });
        assert.deepEqual(result, failure('corrupt'));
      }
    }
    const png = Buffer.from(await images.scene(200, 150).png().toBuffer());
    png[png.length - 200]! ^= 0xff;
    assert.deepEqual(await decoder.decode(png, { renditions: [GRAY] }), failure('corrupt'));
  });

  it('rejects by the header what is too large or no image, without a process', async () => {
    const idle = createDecoder({ workers: 1 });
    const renditions = [GRAY];
    const large = await idle.decode(images.rawPng(16_384, 16_384, Buffer.alloc(1)), { renditions });
    assert.deepEqual(large, failure('too_many_pixels'));
    assert.deepEqual(await idle.decode(Buffer.from('<svg/>'), { renditions }), failure('not_an_image'));
    assert.equal(idle.counts().workers, 0);
    await idle.close();
  });

  it('has bounded sizes', async () => {
    const bytes = await images.scene(8, 8).png().toBuffer();
    const wrong: Rendition[][] = [[], [{ ...GRAY, width: 0 }], [{ ...GRAY, height: 4097 }], [{ ...GRAY, width: 1.5 }]];
    wrong.push(Array(9).fill(GRAY), [rgb(4096, 4096)]);
    for (const renditions of wrong) await assert.rejects(decoder.decode(bytes, { renditions }), RangeError);
  });
});

describe('a decoding process', () => {
  it('is replaced when it dies, and only its image fails', async () => {
    const decoder = createDecoder({ workers: 2 });
    const good = await images.scene(64, 64).jpeg().toBuffer();
    assert.ok((await decoder.decode(good, { renditions: [GRAY] })).ok);
    const [pid] = decoder.pids();
    // Asleep, so that it is not done before it dies.
    process.kill(pid!, 'SIGSTOP');
    const victim = decoder.decode(good, { renditions: [GRAY] });
    await until('it is at work', () => decoder.counts().busy === 1);
    const beside = decoder.decode(good, { renditions: [GRAY] });
    process.kill(pid!, 'SIGSEGV');
    process.kill(pid!, 'SIGCONT');
    assert.deepEqual(await victim, failure('crashed'));
    assert.ok((await beside).ok);
    assert.ok((await decoder.decode(good, { renditions: [GRAY] })).ok);
    await decoder.close();
  });

  it('is replaced when it dies while it is idle', async () => {
    const decoder = createDecoder({ workers: 1 });
    const good = await images.scene(64, 64).jpeg().toBuffer();
    assert.ok((await decoder.decode(good, { renditions: [GRAY] })).ok);
    const [pid] = decoder.pids();
    process.kill(pid!, 'SIGKILL');
    await until('it is gone', () => !lives(pid!));
    const result = await decoder.decode(good, { renditions: [GRAY] });
    // Its end may be noticed only when the next image comes.
    if (!result.ok) assert.deepEqual(result, failure('crashed'));
    assert.ok((await decoder.decode(good, { renditions: [GRAY] })).ok);
    await decoder.close();
  });

  it('is killed when it hangs and reacts to nothing', async () => {
    const decoder = createDecoder({ workers: 1, limitMs: 1500 });
    const good = await images.scene(64, 64).jpeg().toBuffer();
    assert.ok((await decoder.decode(good, { renditions: [GRAY] })).ok);
    const [pid] = decoder.pids();
    process.kill(pid!, 'SIGSTOP');
    assert.deepEqual(await decoder.decode(good, { renditions: [GRAY] }), failure('decode_late'));
    await until('it is gone', () => !lives(pid!));
    await decoder.close();
  });

  it('ends above its time limits; only too much computing is the fault of the image', async (t) => {
    for (const { limits, reason, fault } of [
      { limits: { cpuMs: 1, limitMs: 60_000 }, reason: 'decode_timeout', fault: 'caller' },
      { limits: { cpuMs: 60_000, limitMs: 1 }, reason: 'decode_late', fault: 'service' },
    ] as const) {
      const decoder = createDecoder({ workers: 1, ...limits });
      t.after(() => decoder.close());
      assert.deepEqual(await decoder.decode(large, { renditions: [GRAY] }), failure(reason));
      assert.equal(failure(reason).fault, fault);
    }
  });

  it('keeps the hash of an image whose renditions cost too much', async (t) => {
    const events: DecodeEvent[] = [];
    const observe = (event: DecodeEvent): void => void events.push(event);
    const decoder = createDecoder({
      workers: 1,
      memoryBytes: 180 * 1024 * 1024,
      limitMs: 60_000,
      cpuMs: 60_000,
      observe,
    });
    t.after(() => decoder.close());
    // 49 megapixels: hashed line by line, but 147 MB when all of them are kept.
    const huge = await images.flat(7000, 7000).png().toBuffer();
    const result = await decoder.decode(huge, { renditions: [GRAY], hash: true });
    assert.ok(result.ok && result.hash, JSON.stringify(result));
    assert.deepEqual([result.pixels, result.unmade], [[], failure('decode_memory')]);
    const alone = await decoder.decode(huge, { renditions: [], hash: true });
    assert.ok(alone.ok);
    assert.deepEqual([alone.hash, alone.unmade], [result.hash, undefined]);
    assert.deepEqual(pluck(events, 'outcome'), ['decode_memory', 'decoded']);
  });

  it('keeps the hash of an image when it dies of the renditions', async (t) => {
    const times = { cpuMs: 60_000, limitMs: 60_000 };
    const limits = { memoryBytes: 2 ** 30, pixels: 50_000_000, ...times, confinement: UNCONFINED };
    const worker = startWorker(limits);
    t.after(() => worker.end());
    const bytes = await images.scene(1200, 900).png().toBuffer();
    const renditions = Array.from({ length: 8 }, (_, i): Rendition => ({ ...GRAY, width: 2000 + i, height: 2000 }));
    const image = { kind: 'png', width: 1200, height: 900 } as const;
    const measured: unknown[] = [];
    const { made } = await worker.run({ image, renditions, hashed: true }, bytes, (found) => {
      measured.push(found);
      process.kill(worker.pid!, 'SIGKILL');
    });
    assert.ok(made.ok && made.measured.hash, JSON.stringify(made));
    assert.deepEqual([made.pixels, made.unmade, measured], [[], failure('crashed'), [made.measured]]);
  });

  it('ends itself above its memory limit', async () => {
    const decoder = createDecoder({ workers: 1, memoryBytes: 150 * 1024 * 1024, limitMs: 60_000 });
    const good = await images.scene(64, 64).jpeg().toBuffer();
    // 49 megapixels, interlaced: 147 MB of pixels must be held at once.
    const bomb = await images.flat(7000, 7000).png({ progressive: true }).toBuffer();
    assert.ok(bomb.length < 1024 * 1024);
    assert.deepEqual(await decoder.decode(bomb, { renditions: [GRAY] }), failure('decode_memory'));
    assert.ok((await decoder.decode(good, { renditions: [GRAY] })).ok);
    await decoder.close();
  });

  it('cannot report a size or a hash that no image has', () => {
    const hash = { quality: 80, hashes: Array.from({ length: 8 }, () => 'a'.repeat(64)) };
    const measured = { width: 10, height: 20, hash };
    assert.equal(checked(measured, true), measured);
    assert.ok(checked({ width: 10, height: 20 }, false));
    const none = { width: 10, height: 20 };
    const wrong: unknown[] = [
      ...[0, 1.5, '10', 1e9].flatMap((side) => [
        { ...measured, width: side },
        { ...measured, height: side },
      ]),
      ...[-1, 101, 0.5, '80', null].map((quality) => ({ ...none, hash: { ...hash, quality } })),
      ...[[], hash.hashes.slice(1), hash.hashes.with(3, 'a'), hash.hashes.with(7, 'G'.repeat(64)), 'a'].map(
        (hashes) => ({
          ...none,
          hash: { ...hash, hashes },
        }),
      ),
      none,
    ];
    for (const one of wrong)
      assert.throws(() => checked(one as typeof measured, true), FrameError, JSON.stringify(one));
  });

  it('fails its image when no file descriptors are left, and starts when there are some', async () => {
    const script = `
      import { closeSync, openSync, readFileSync } from 'node:fs';
      import { createDecoder } from '#weir/workers/images/decode/pool';
      const image = Buffer.from('${(await images.scene(8, 8).png().toBuffer()).toString('base64')}', 'base64');
      const decoder = createDecoder({ workers: 1 });
      const outcome = async () => {
        const result = await decoder.decode(image, { renditions: [], hash: true });
        return result.ok ? 'decoded' : result.reason;
      };
      const files = [];
      try {
        for (;;) files.push(openSync('/dev/null'));
      } catch {}
      const without = await Promise.all([outcome(), outcome()]);
      for (const file of files) closeSync(file);
      console.log(JSON.stringify([...without, await outcome()]));
      await decoder.close();
    `;
    const node = [process.execPath, '--input-type=module', '-e', script];
    const { stdout } = await promisify(execFile)('sh', ['-c', 'ulimit -n 96 && exec "$0" "$@"', ...node]);
    assert.deepEqual(JSON.parse(stdout), ['crashed', 'crashed', 'decoded']);
  });

  it('gets no variables of its parent', async () => {
    if (process.platform !== 'linux') return;
    process.env.WEIR_TEST_SECRET = 'hush';
    const decoder = createDecoder({ workers: 1 });
    await decoder.decode(await images.scene(8, 8).png().toBuffer(), { renditions: [GRAY] });
    const environment = readFileSync(`/proc/${decoder.pids()[0]}/environ`, 'utf8');
    delete process.env.WEIR_TEST_SECRET;
    assert.doesNotMatch(environment, /hush|HOME|PATH=\/usr/);
    assert.equal(readFileSync(`/proc/${decoder.pids()[0]}/oom_score_adj`, 'utf8').trim(), '1000');
    // Also by session, if the kernel shares the processor among sessions. The priority of our own session does not change.
    assert.notEqual(sessionOf(decoder.pids()[0]!), sessionOf(process.pid));
    await decoder.close();
  });
});

describe('the pool', () => {
  it('lets images wait, in order, and rejects those beyond its limits', async () => {
    const decoder = createDecoder({ workers: 1, waiting: { images: 2, bytes: 1_000_000 } });
    const good = await images.scene(64, 64).jpeg().toBuffer();
    const order: number[] = [];
    const decode = (n: number) =>
      decoder.decode(good, { renditions: [GRAY] }).then((result) => {
        order.push(n);
        return result;
      });
    const all = [decode(0), decode(1), decode(2)];
    await until('two wait', () => decoder.counts().waiting === 2);
    assert.deepEqual(decoder.counts(), { workers: 1, busy: 1, waiting: 2, waitingBytes: 2 * good.length });
    assert.deepEqual(await decode(3), failure('decode_busy'));
    assert.ok((await Promise.all(all)).every(({ ok }) => ok));
    assert.deepEqual(order, [3, 0, 1, 2]);
    assert.deepEqual(decoder.counts(), { workers: 1, busy: 0, waiting: 0, waitingBytes: 0 });
    await decoder.close();

    const tight = createDecoder({ workers: 1, waiting: { images: 9, bytes: good.length } });
    const results = await Promise.all([0, 1, 2].map(() => tight.decode(good, { renditions: [GRAY] })));
    assert.deepEqual(pluck(results, 'ok'), [true, true, false]);
    await tight.close();
  });

  it('takes the images of teams in turn, and lets one have half of the queue at most', async (t) => {
    const good = await images.scene(64, 64).jpeg().toBuffer();
    const order: string[] = [];
    const start = (waiting: { images: number; bytes: number }) => {
      const decoder = createDecoder({ workers: 1, waiting });
      t.after(() => decoder.close());
      return async (name: string): Promise<boolean> => {
        const { ok } = await decoder.decode(good, { renditions: [GRAY], team: name[0]! });
        if (ok) order.push(name);
        return ok;
      };
    };
    const decode = start({ images: 12, bytes: 1_000_000 });
    const names = ['a0', 'a1', 'a2', 'a3', 'a4', 'a5', 'a6', 'a7', 'b1', 'b2', 'c1'];
    const done = await Promise.all(names.map(decode));
    const left = names.filter((_, i) => !done[i]);
    assert.deepEqual(left, ['a7']);
    assert.deepEqual(order, ['a0', 'a1', 'b1', 'c1', 'a2', 'b2', 'a3', 'a4', 'a5', 'a6']);

    const tight = start({ images: 12, bytes: 4 * good.length });
    assert.deepEqual(await Promise.all(['a0', 'a1', 'a2', 'a3', 'b1', 'b2', 'b3'].map(tight)), [
      ...[true, true, true, false],
      ...[true, true, false],
    ]);
  });

  it('drops an image whose caller gave up while it waited or ran, and goes on', async () => {
    const decoder = createDecoder({ workers: 1 });
    const good = await images.scene(64, 64).jpeg().toBuffer();
    const stop = new AbortController();
    const running = decoder.decode(good, { renditions: [GRAY], signal: stop.signal });
    const waiting = decoder.decode(good, { renditions: [GRAY], signal: stop.signal });
    const other = decoder.decode(good, { renditions: [GRAY] });
    stop.abort();
    assert.deepEqual(await running, failure('cancelled'));
    assert.deepEqual(await waiting, failure('cancelled'));
    assert.ok((await other).ok);
    assert.deepEqual(await decoder.decode(good, { renditions: [GRAY], signal: stop.signal }), failure('cancelled'));
    await decoder.close();
  });

  it('ends processes that have decoded enough, hold much memory, or are idle', async () => {
    const good = await images.scene(64, 64).jpeg().toBuffer();
    const [lots, never] = [2 ** 40, 60_000];
    const cases = [
      { recycle: { decodes: 2, residentBytes: lots, idleMs: never }, bytes: good },
      { recycle: { decodes: 1000, residentBytes: 1, idleMs: never }, bytes: good },
      { recycle: { decodes: 1000, residentBytes: 1, idleMs: never }, bytes: good.subarray(0, -200) },
      { recycle: { decodes: 1000, residentBytes: lots, idleMs: 20 }, bytes: good },
    ];
    for (const { recycle, bytes } of cases) {
      const decoder = createDecoder({ workers: 1, recycle });
      const pids = new Set<number>();
      for (let i = 0; i < 2; i++) {
        const result = decoder.decode(bytes, { renditions: [GRAY] });
        for (const pid of decoder.pids()) pids.add(pid);
        assert.equal((await result).ok, bytes === good);
      }
      await until('it has ended', () => decoder.counts().workers === 0 && [...pids].every((pid) => !lives(pid)));
      await decoder.close();
    }
  });

  it('replaces a killed process only once that is gone', async (t) => {
    const one = createDecoder({ workers: 1, limitMs: 1 });
    t.after(() => one.close());
    for (let i = 0; i < 3; i++) {
      const decoding = one.decode(large, { renditions: [], hash: true });
      await until('a process is there', () => one.pids().length === 1);
      const [pid] = one.pids();
      assert.deepEqual(await decoding, failure('decode_late'));
      const next = one.decode(large, { renditions: [], hash: true });
      assert.deepEqual(one.pids(), [], 'the next image waits');
      await until('another process is there', () => one.pids().length === 1);
      assert.ok(!lives(pid!), 'the first one is gone');
      assert.deepEqual(await next, failure('decode_late'));
    }
  });

  it('closes at once: no decode goes on and no process stays', async () => {
    const decoder = createDecoder({ workers: 2 });
    const good = await images.scene(64, 64).jpeg().toBuffer();
    const decodeAll = (files: Buffer[]) =>
      Promise.all(files.map((bytes) => decoder.decode(bytes, { renditions: [GRAY] })));
    assert.ok((await decodeAll([good, good])).every(({ ok }) => ok));
    const pids = decoder.pids();
    assert.equal(pids.length, 2);
    // Asleep, so that none is done before the end.
    for (const pid of pids) process.kill(pid, 'SIGSTOP');
    const results = decodeAll([good, good, good, good]);
    await until('both are at work', () => decoder.counts().busy === 2);
    await decoder.close();
    for (const result of await results) assert.deepEqual(result, failure('cancelled'));
    assert.ok(pids.every((pid) => !lives(pid)));
    assert.deepEqual(await decoder.decode(good, { renditions: [GRAY] }), failure('cancelled'));
    assert.equal(decoder.counts().workers, 0);
  });

  it('is observed once for each decode, with outcome and waiting time', async () => {
    const events: DecodeEvent[] = [];
    const decoder = createDecoder({ workers: 1, observe: (event) => events.push(event) });
    const good = await images.scene(64, 64).jpeg().toBuffer();
    await Promise.all(
      [good, good, Buffer.from('no image')].map((bytes) => decoder.decode(bytes, { renditions: [GRAY] })),
    );
    assert.deepEqual(events.map(({ outcome }) => outcome).sort(), ['decoded', 'decoded', 'not_an_image']);
    assert.ok(events.every(({ ms, waitedMs }) => ms >= waitedMs && waitedMs >= 0));
    await decoder.close();
  });
});
