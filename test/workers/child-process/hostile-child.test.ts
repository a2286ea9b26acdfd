import assert from 'node:assert/strict';
import { statSync } from 'node:fs';
import { describe, it } from 'node:test';
import { fileURLToPath } from 'node:url';
import { within } from '#weir/shared/async';
import { type Confinement, UNCONFINED } from '#weir/workers/child-process/confine';
import { startWorker } from '#weir/workers/images/decode/child';
import { failure } from '#weir/workers/images/failure';
import { startModelWorker } from '#weir/workers/onnx/child';

/** Runs `script` in place of the program. It says a frame with `say`, and `heard` is called with each piece of its input. */
function instead(script: string): Confinement {
  const prelude = `
    const say = (header) => {
      const json = Buffer.from(JSON.stringify(header));
      const sizes = Buffer.alloc(8);
      sizes.writeUInt32LE(json.length, 0);
      process.stdout.write(Buffer.concat([sizes, json]));
    };
    process.stdin.on('data', (piece) => heard(piece));
    process.stdin.on('end', () => process.exit());`;
  return { ...UNCONFINED, wrap: () => ({ command: process.execPath, args: ['-e', prelude + script] }) };
}

/** Ends only a test that hangs. */
const LIMIT_MS = 30_000;

describe('a process for a model that says what nobody asked for', () => {
  const path = fileURLToPath(import.meta.url);
  const { size, mtimeMs } = statSync(path);
  const request = { file: { path, size, mtimeMs }, memoryBytes: 2 ** 30 } as Parameters<
    typeof startModelWorker
  >[0]['request'];

  it('cannot end the time limit of a run', async () => {
    const confinement = instead(`const heard = () => say({ status: 'loaded' });`);
    const worker = startModelWorker({ request, loadLimitMs: LIMIT_MS, confinement });
    assert.deepEqual(await worker.loaded, { ok: true });
    const outcome = await within(worker.run(Buffer.alloc(4), LIMIT_MS), { ms: LIMIT_MS });
    await worker.end();
    assert.deepEqual(outcome, { ok: false, reason: 'crashed' });
  });

  it('cannot end the time limit of loading', async () => {
    const confinement = instead(`const heard = () => say({ status: 'scores', scores: [1] });`);
    const worker = startModelWorker({ request, loadLimitMs: LIMIT_MS, confinement });
    const outcome = await within(worker.loaded, { ms: LIMIT_MS });
    await worker.end();
    assert.deepEqual(outcome, { ok: false, message: 'its process wrote nonsense', lasting: false });
  });
});

describe('a decoder that replies before it was ready', () => {
  it('is not sent the image that it replied to, so it cannot take that for the next one', async () => {
    // It refuses each image by another reason: the first one unseen, then what it is sent, which may come in pieces.
    const confinement = instead(`
      let sent = '';
      const heard = (piece) => {
        sent += piece.toString('latin1');
        const reason = { first: 'corrupt', second: 'too_many_pixels' }[/(first|second)$/.exec(sent)?.[0]];
        if (reason) say({ status: 'refused', reason, resident: 1 });
      };
      say({ status: 'refused', reason: 'corrupt', resident: 1 });
      setTimeout(() => say({ status: 'ready' }), 200);`);
    const worker = startWorker({
      memoryBytes: 2 ** 30,
      pixels: 50_000_000,
      cpuMs: LIMIT_MS,
      limitMs: LIMIT_MS,
      confinement,
    });
    const ask = { image: { kind: 'png', width: 1, height: 1 }, renditions: [], hashed: false } as const;
    const first = await worker.run({ ...ask, renditions: [] }, Buffer.from('first'), undefined);
    const second = await worker.run({ ...ask, renditions: [] }, Buffer.from('second'), undefined);
    await worker.end();
    assert.deepEqual([first.made, second.made], [failure('corrupt'), failure('too_many_pixels')]);
  });
});
