/**
 * A process that holds one image model: starting → loads the model and tries it on a black image → scores one image at a
 * time → ended by its parent, or by what the model did to it. It infers with one thread and without graphics cards. It has no
 * secrets (empty environment), uses no network, and reads no file except the model.
 */
import { once } from 'node:events';
import { fstatSync, readFileSync } from 'node:fs';
import { Worker } from 'node:worker_threads';
import { programPath } from '../../shared/paths.js';
import { createFrameReader, frame } from '../child-process/frames.js';
import { MODEL_LIMITS } from './file.js';
import { loadInference, messageOf, pixelBytes, Refusal, type Score } from './inference.js';
import { type LoadRequest, MAX_MESSAGE_LENGTH, MODEL_FD, type ModelPath, type ModelReply } from './types.js';
import type { WatchData } from './watch.js';

/** The runtime gets bytes and no path: a model could name further files for its weights, and the runtime would open them. */
function readModel({ size, mtimeMs }: ModelPath): Uint8Array {
  const found = fstatSync(MODEL_FD);
  if (!found.isFile()) throw new Error('its file is not there, or may not be read');
  if (found.size > MODEL_LIMITS.bytes) {
    throw new Refusal(`expected at most ${MODEL_LIMITS.bytes} bytes, found ${found.size}`);
  }
  // It may be another model by now, with other labels.
  if (found.size !== size || found.mtimeMs !== mtimeMs) throw new Refusal('its file has just been changed');
  return readFileSync(MODEL_FD);
}

function reply(header: ModelReply): void {
  for (const part of frame(header)) process.stdout.write(part);
}

let model: { score: Score; bytes: number } | undefined;
let expected = 0;

async function start(request: LoadRequest): Promise<void> {
  expected = pixelBytes(request);
  const { memoryBytes } = request;
  const watch = new Worker(programPath('model-watch'), {
    workerData: { memoryBytes } satisfies WatchData,
  });
  try {
    await once(watch, 'message');
    model = { score: await loadInference(readModel(request.file), request), bytes: expected };
    reply({ status: 'loaded' });
  } catch (error) {
    const message = messageOf(error).slice(0, MAX_MESSAGE_LENGTH);
    reply({ status: 'refused', message, lasting: error instanceof Refusal });
  }
}

async function run(score: Score, pixels: Buffer): Promise<void> {
  try {
    reply({ status: 'scores', scores: await score(pixels) });
  } catch (error) {
    reply({ status: 'failed', message: messageOf(error).slice(0, MAX_MESSAGE_LENGTH) });
  }
}

function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

// Signals to all processes of a terminal (Ctrl-C) are for the parent, which finishes its work first.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

const reader = createFrameReader(
  () => expected,
  (header, body) => void (model ? run(model.score, body) : start(header as LoadRequest)),
);
process.stdin.on('data', (chunk: Buffer) => reader.push(chunk));
process.stdin.on('close', endNow);
process.stdin.on('end', endNow);
