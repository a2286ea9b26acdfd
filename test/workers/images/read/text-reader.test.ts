import assert from 'node:assert/strict';
import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Sharp } from 'sharp';
import { createLogger } from '#weir/shared/log';
import { createDecoder, type DecoderPool } from '#weir/workers/images/decode/pool';
import type { DecodedPixels } from '#weir/workers/images/decode/types';
import {
  MAX_TEXT_BYTES,
  type ReadEvent,
  startTextReader,
  TEXT_RENDITION,
  type TextReader,
  type TextReaderOptions,
} from '#weir/workers/images/read/text-reader';
import { scene } from '../../../support/images/images.ts';
import { lettering } from '../../../support/images/lettering.ts';
import { needTesseract } from '../../../support/images/tesseract.ts';
import { runs } from '../../../support/installation/processes.ts';
import { until } from '../../../support/wait.ts';

const logger = createLogger('test', 'silent');

/** A logger that keeps what is logged at `level`. */
function listener(level: 'info' | 'warn'): { logger: typeof logger; said: string[] } {
  const said: string[] = [];
  const keep = (...parts: unknown[]): void => void said.push(parts.map((part) => JSON.stringify(part)).join(' '));
  return { logger: Object.assign(createLogger('test', 'silent'), { [level]: keep }), said };
}

async function grayOf(image: Sharp): Promise<DecodedPixels> {
  const { data, info } = await image.grayscale().raw().toBuffer({ resolveWithObject: true });
  return { data, width: info.width, height: info.height, channels: 1 };
}

const WHITE: DecodedPixels = { width: 20, height: 10, channels: 1, data: Buffer.alloc(200, 255) };
const LINES = ['SEND THE SECRET PLAN', 'BEFORE NOON TOMORROW'];

describe('reading text in images with tesseract', { timeout: 900_000 }, () => {
  let reader: TextReader;
  let decoder: DecoderPool;
  const events: ReadEvent[] = [];
  const { logger: log, said } = listener('info');
  before(async () => {
    needTesseract();
    decoder = createDecoder({ workers: 1 });
    // Much longer than it takes: other tests may use the processors.
    reader = await startTextReader({ logger: log, limitMs: 120_000, observe: (event) => events.push(event) });
  });
  after(async () => {
    await reader.close();
    await decoder.close();
  });

  it('logs at the start what it reads with', () => {
    assert.equal(reader.unavailable, undefined);
    assert.match(said.join(), /"tesseract":"\d.*text of images is read with tesseract/);
  });

  it('reads the lines of a file from the pixels of the decoder', async () => {
    const file = await lettering(LINES, 60).jpeg().toBuffer();
    const decoded = await decoder.decode(file, { renditions: [TEXT_RENDITION] });
    assert.ok(decoded.ok);
    assert.deepEqual(await reader.read(decoded.pixels[0]!), { ok: true, text: LINES.join('\n') });
    const { outcome, ms, waitedMs } = events.at(-1)!;
    assert.equal(outcome, 'read');
    assert.ok(ms > waitedMs && waitedMs >= 0);
  });

  it('reads light letters on dark ground', async () => {
    const pixels = await grayOf(lettering(LINES, 30, '#fff', '#204080'));
    assert.deepEqual(await reader.read(pixels), { ok: true, text: LINES.join('\n') });
  });

  it('finds no text in an image of one pixel, of one row, or of white alone', async () => {
    for (const [width, height] of [
      [1, 1],
      [2048, 1],
      [300, 200],
    ] as const) {
      const pixels: DecodedPixels = { width, height, channels: 1, data: Buffer.alloc(width * height, 255) };
      assert.deepEqual(await reader.read(pixels), { ok: true, text: '' });
    }
  });

  it('gives up what takes too long', async () => {
    const hasty = await startTextReader({ logger, limitMs: 1 });
    const result = await hasty.read(await grayOf(scene(1000, 1000)));
    assert.equal(result.ok, false);
    assert.equal(!result.ok && result.reason, 'timeout');
    assert.equal(hasty.counts().reading, 0);
    await hasty.close();
  });

  it('cannot run where a language is not installed, and says which', async () => {
    const { logger: warned, said: warnings } = listener('warn');
    const without = await startTextReader({ logger: warned, languages: 'eng+xyz_none' });
    assert.match(without.unavailable!, /no data for xyz_none: install it \(tesseract-ocr-xyz-none/);
    assert.match(warnings.join(), /text of images cannot be read/);
    assert.deepEqual(await without.read(WHITE), {
      ok: false,
      reason: 'absent',
      note: 'The text of the image could not be read: no text recognition is installed.',
    });
    await without.close();
  });
});

describe('reading text in images with a program that misbehaves', () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-text-'));
  const readers: TextReader[] = [];
  after(async () => {
    await Promise.all(readers.map((reader) => reader.close()));
    rmSync(folder, { recursive: true });
  });

  /** A program that answers questions about itself as tesseract does, and runs `script` for an image. */
  async function fake(script: string, options: Partial<TextReaderOptions> = {}): Promise<TextReader> {
    const command = join(folder, `tesseract-${readers.length}`);
    const asked = '--version) echo "tesseract 5.9.9";; --list-langs) printf "List (2):\\neng\\ndeu\\n";;';
    writeFileSync(command, `#!/bin/sh\ncase "$1" in ${asked} *)\n${script}\n;; esac\n`);
    chmodSync(command, 0o755);
    const reader = await startTextReader({ logger, command, limitMs: 60_000, ...options });
    readers.push(reader);
    return reader;
  }

  async function reasonOf(reader: TextReader, signal?: AbortSignal): Promise<string> {
    const result = await reader.read(WHITE, signal);
    assert.ok(!result.ok, JSON.stringify(result));
    assert.match(result.note, /^The text of the image could not be read.*\.$/);
    return result.reason;
  }

  const started = (name: string): boolean => existsSync(join(folder, name));
  /** Whether the process whose id is in the file runs. A zombie does not. */
  const alive = (name: string): boolean => started(name) && runs(Number(readFileSync(join(folder, name), 'utf8')));

  it('passes the pixels on standard input, and an environment without secrets', async () => {
    process.env.WEIR_TEST_SECRET = 'hunter2';
    try {
      const reader = await fake(`cat > ${folder}/input; env > ${folder}/environment; echo "$@" > ${folder}/arguments`);
      assert.deepEqual(await reader.read(WHITE), { ok: true, text: '' });
    } finally {
      delete process.env.WEIR_TEST_SECRET;
    }
    const expected = Buffer.concat([Buffer.from('P5\n20 10\n255\n'), WHITE.data]);
    assert.deepEqual(readFileSync(join(folder, 'input')), expected);
    assert.equal(readFileSync(join(folder, 'arguments'), 'utf8'), 'stdin stdout -l eng --psm 3\n');
    const environment = readFileSync(join(folder, 'environment'), 'utf8');
    assert.match(environment, /^OMP_THREAD_LIMIT=1$/m);
    assert.doesNotMatch(environment, /hunter2|^HOME=/m);
  });

  it('takes the text without page marks, and with replacements for invalid UTF-8', async () => {
    const reader = await fake(`cat > /dev/null; printf ' two\\nlines \\377\\n\\f'`, { languages: 'deu+eng' });
    assert.deepEqual(await reader.read(WHITE), { ok: true, text: 'two\nlines \ufffd' });
  });

  it('kills a program that hangs, with all processes that it started', async () => {
    const reader = await fake(`sleep 600 & echo $! > ${folder}/child; echo $$ > ${folder}/own; wait`, { limitMs: 500 });
    assert.equal(await reasonOf(reader), 'timeout');
    await until('both processes are gone', () => !alive('child') && !alive('own'));
    assert.deepEqual(reader.counts(), { reading: 0, waiting: 0 });
  });

  it('lets the system end a program that computes too long, in case the worker is gone', async () => {
    const reader = await fake('cat > /dev/null; ulimit -t', { limitMs: 20_500 });
    assert.deepEqual(await reader.read(WHITE), { ok: true, text: '22' });
  });

  it('kills a program that writes without end', async () => {
    const reader = await fake(
      `echo $$ > ${folder}/writer; while :; do echo aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa; done`,
    );
    assert.equal(await reasonOf(reader), 'output');
    assert.equal(alive('writer'), false);
  });

  it('takes as much text as is allowed', async () => {
    const reader = await fake(`cat > /dev/null; head -c ${MAX_TEXT_BYTES} /dev/zero | tr '\\0' x`);
    const result = await reader.read(WHITE);
    assert.ok(result.ok && result.text.length === MAX_TEXT_BYTES);
  });

  it('does not take output before a failure for the text', async () => {
    assert.equal(await reasonOf(await fake('echo half of the text; exit 1')), 'crashed');
    assert.equal(await reasonOf(await fake('echo half of the text; kill -SEGV $$')), 'crashed');
  });

  it('takes the text of a program that does not read its input', async () => {
    const reader = await fake('exec < /dev/null; echo read');
    const large: DecodedPixels = { width: 2048, height: 2048, channels: 1, data: Buffer.alloc(2048 * 2048) };
    assert.deepEqual(await reader.read(large), { ok: true, text: 'read' });
  });

  it('says crashed if the program has been removed', async () => {
    const reader = await fake('echo read');
    rmSync(join(folder, `tesseract-${readers.length - 1}`));
    assert.equal(await reasonOf(reader), 'crashed');
  });

  it('reads so many at once, lets so many wait, and refuses the rest', async () => {
    const wait = `echo x >> ${folder}/line; while ! [ -e ${folder}/go ]; do sleep 0.02; done; echo read`;
    const reader = await fake(wait, { concurrency: 2, waiting: 1 });
    const reads = [0, 1, 2].map(() => reader.read(WHITE));
    await until('two have begun', () => started('line') && readFileSync(join(folder, 'line'), 'utf8') === 'x\nx\n');
    assert.deepEqual(reader.counts(), { reading: 2, waiting: 1 });
    assert.equal(await reasonOf(reader), 'busy');
    writeFileSync(join(folder, 'go'), '');
    assert.deepEqual(await Promise.all(reads), Array(3).fill({ ok: true, text: 'read' }));
  });

  it('ends what runs and what waits when its caller gives up', async () => {
    const reader = await fake(`echo $$ > ${folder}/given_up; sleep 600`);
    const [first, second] = [new AbortController(), new AbortController()];
    const [running, waiting] = [reasonOf(reader, first.signal), reasonOf(reader, second.signal)];
    await until('it has begun', () => started('given_up') && readFileSync(join(folder, 'given_up'), 'utf8') !== '');
    second.abort();
    assert.equal(await waiting, 'cancelled');
    first.abort();
    assert.equal(await running, 'cancelled');
    assert.equal(alive('given_up'), false);
    assert.equal(await reasonOf(reader, AbortSignal.abort()), 'cancelled');
  });

  it('ends everything when it is closed, and reads nothing afterwards', async () => {
    const reader = await fake(`echo $$ > ${folder}/closed; sleep 600`);
    const reads = [reasonOf(reader), reasonOf(reader)];
    await until('it has begun', () => started('closed') && readFileSync(join(folder, 'closed'), 'utf8') !== '');
    await reader.close();
    assert.deepEqual(await Promise.all(reads), ['cancelled', 'cancelled']);
    assert.equal(alive('closed'), false);
    assert.equal(await reasonOf(reader), 'cancelled');
  });

  it('cannot run if the program is absent, or does not run', async () => {
    const absent = await startTextReader({ logger, command: 'weir-no-such-program' });
    assert.match(absent.unavailable!, /weir-no-such-program is not on the PATH\. Install it/);
    assert.equal(await reasonOf(absent), 'absent');
    const command = join(folder, 'broken');
    writeFileSync(command, '#!/bin/sh\nexit 127\n');
    chmodSync(command, 0o755);
    const broken = await startTextReader({ logger, command });
    assert.match(broken.unavailable!, /is there but does not run/);
    assert.equal(await reasonOf(broken), 'absent');
  });

  it('refuses invalid languages, such as options of the program', async () => {
    for (const languages of ['', '-h', 'eng+', 'eng deu', '../eng', 'a/b/c', Array(17).fill('eng').join('+')]) {
      await assert.rejects(startTextReader({ logger, languages }), /are none: expected 1 to 16 names/);
    }
  });

  it('takes no pixels of another kind', async () => {
    const reader = await fake('echo read');
    await assert.rejects(reader.read({ ...WHITE, channels: 3 }), RangeError);
    await assert.rejects(reader.read({ ...WHITE, width: 21 }), RangeError);
  });
});
