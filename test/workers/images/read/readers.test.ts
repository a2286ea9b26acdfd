import assert from 'node:assert/strict';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createLogger } from '#weir/shared/log';
import { createRegistry } from '#weir/shared/telemetry';
import { createDecoder, type DecoderPool } from '#weir/workers/images/decode/pool';
import { type ImageReading, type Readers, startReaders, type WantedReadings } from '#weir/workers/images/read/readers';
import { TEXT_RENDITION } from '#weir/workers/images/read/text-reader';
import { lettering } from '../../../support/images/lettering.ts';
import { needTesseract } from '../../../support/images/tesseract.ts';
import { redness } from '../../../support/models/onnx.ts';

const logger = createLogger('test', 'silent');

describe('what is read from an image', { timeout: 900_000 }, () => {
  const folder = mkdtempSync(join(tmpdir(), 'weir-readers-'));
  const output = 'output: {labels: [red, other]}';
  let decoder: DecoderPool;
  let readers: Readers;
  let file: Buffer;
  before(async () => {
    needTesseract();
    for (const [name, side] of [
      ['a', 8],
      ['b', 8],
      ['c', 16],
    ] as const) {
      writeFileSync(join(folder, `${name}.onnx`), redness({ side }));
      writeFileSync(join(folder, `${name}.yaml`), `input: {width: ${side}, height: ${side}}\n${output}\n`);
    }
    decoder = createDecoder({ workers: 1 });
    const tools = { logger, registry: createRegistry('worker') };
    readers = await startReaders({ languages: 'eng', models: folder, concurrency: 1 }, tools);
    file = await lettering(['READ ME'], 60, '#000', '#fff').png().toBuffer();
  });
  after(async () => {
    await Promise.all([readers.close(), decoder.close()]);
    rmSync(folder, { recursive: true });
  });

  async function read(wanted: WantedReadings, signal?: AbortSignal): Promise<ImageReading> {
    const plan = readers.plan(wanted);
    const decoded = await decoder.decode(file, { renditions: plan.renditions });
    assert.ok(decoded.ok);
    return plan.read(decoded.pixels, signal);
  }

  it('is its text, and the scores of the models that were wanted', async () => {
    const { text, scores } = await read({ text: true, models: ['a', 'c', 'a'] });
    assert.equal(text, 'READ ME');
    assert.deepEqual(Object.keys(scores).toSorted(), ['a', 'c']);
    assert.ok(scores.a!.red! > 0.5 && Math.abs(scores.a!.red! - scores.c!.red!) < 0.05);
  });

  it('is scored by every model for as many images of one team as are read at once', async () => {
    const tools = { logger, registry: createRegistry('worker') };
    const many = await startReaders({ languages: 'eng', models: folder, concurrency: 1, images: 16 }, tools);
    const plan = many.plan({ text: false, models: ['a', 'b', 'c'] });
    const decoded = await decoder.decode(file, { renditions: plan.renditions });
    assert.ok(decoded.ok);
    const all = await Promise.all(Array.from({ length: 16 }, () => plan.read(decoded.pixels, undefined, 'acme')));
    assert.deepEqual(new Set(all.map(({ scores }) => Object.keys(scores).length)), new Set([3]));
    await many.close();
  });

  it('asks the decoder once for pixels that several readers need, and for no others', () => {
    assert.deepEqual(readers.plan({ text: false, models: [] }).renditions, []);
    const small = { width: 8, height: 8, kind: 'rgb', fit: 'fill' };
    assert.deepEqual(readers.plan({ text: true, models: ['a', 'b'] }).renditions, [TEXT_RENDITION, small]);
  });

  it('is unknown, not empty, if nobody wanted it, nothing can read it, or there is no time', async () => {
    assert.deepEqual(await readers.plan({ text: false, models: [] }).read([]), { text: null, scores: {}, notes: [] });
    const { text, scores, notes } = await read({ text: false, models: ['a', 'none'] });
    assert.deepEqual(
      [text, notes],
      [null, ['The image could not be scored by a model: it is not there, or does not work.']],
    );
    assert.deepEqual(Object.keys(scores), ['a']);
    const late = await read({ text: true, models: ['a'] }, AbortSignal.abort());
    assert.deepEqual([late.text, late.scores], [null, {}]);
    assert.deepEqual(late.notes.toSorted(), [
      'The image could not be scored by a model in time.',
      'The text of the image could not be read in time.',
    ]);
  });

  it('is unknown if nothing is installed', async () => {
    const path = process.env.PATH;
    process.env.PATH = folder;
    try {
      const tools = { logger, registry: createRegistry('worker') };
      const none = await startReaders({ languages: 'eng', models: undefined, concurrency: 1 }, tools);
      const plan = none.plan({ text: true, models: ['a'] });
      assert.deepEqual(plan.renditions, []);
      const { notes, ...read } = await plan.read([]);
      assert.deepEqual(read, { text: null, scores: {} });
      assert.match(notes[0]!, /no text recognition is installed/);
      assert.match(notes[1]!, /not there, or does not work/);
      await none.close();
    } finally {
      process.env.PATH = path;
    }
  });
});
