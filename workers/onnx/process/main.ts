/**
 * A process that holds one model: starting → loads the model and tries it → scores one image, or a few texts, at a time → ended
 * by its parent, or by what the model did to it. It infers with one thread and without graphics cards. It has no secrets (empty
 * environment), uses no network, and reads no files except those of the model.
 */
import { fstatSync, readFileSync } from 'node:fs';
import { programPath } from '../../../shared/paths.js';
import { createThreads } from '../../../shared/process/threads.js';
import { createFrameReader, frame } from '../../child-process/frames.js';
import { MODEL_LIMITS } from '../file.js';
import {
  type LoadRequest,
  MAX_MESSAGE_LENGTH,
  MAX_TEXT_BYTES,
  MODEL_FD,
  type ModelPath,
  type ModelReply,
  type TextRequest,
  TOKENIZER_FD,
} from '../types.js';
import { pixelBytes, pixelScorer } from './pixels.js';
import { loadSession, ModelRefusal, messageOf } from './session.js';
import { textScorer } from './texts.js';
import type { WatchData } from './watch.js';

/** The runtime gets bytes and no path: a model could name further files for its weights, and the runtime would open them. */
function readLoaded(descriptor: number, { size, mtimeMs }: ModelPath, most: number): Buffer {
  const found = fstatSync(descriptor);
  if (!found.isFile()) throw new Error('its file is not there, or may not be read');
  if (found.size > most) throw new ModelRefusal(`expected at most ${most} bytes, found ${found.size}`);
  // It may be another model by now, with other labels.
  if (found.size !== size || found.mtimeMs !== mtimeMs) throw new ModelRefusal('its file has just been changed');
  return readFileSync(descriptor);
}

type Replied = { reply: ModelReply; body?: Buffer };
type Score = (header: unknown, body: Buffer) => Promise<Replied>;

function send({ reply, body }: Replied): void {
  for (const part of frame(reply, body && [body])) process.stdout.write(part);
}

let score: Score | undefined;
let maxBody = 0;

async function start(request: LoadRequest): Promise<void> {
  maxBody = 'text' in request ? MAX_TEXT_BYTES : pixelBytes(request);
  const { memoryBytes } = request;
  const watch = createThreads({ program: programPath('model-watch'), threads: 1, tasks: 1, onError: endNow });
  try {
    // Nothing is loaded before this thread is at work.
    await watch.run({ memoryBytes } satisfies WatchData, [], Number.POSITIVE_INFINITY);
    score = await load(request);
    send({ reply: { status: 'loaded' } });
  } catch (error) {
    const message = messageOf(error).slice(0, MAX_MESSAGE_LENGTH);
    send({ reply: { status: 'refused', message, lasting: error instanceof ModelRefusal } });
  }
}

async function load(request: LoadRequest): Promise<Score> {
  const loaded = await loadSession(readLoaded(MODEL_FD, request.file, MODEL_LIMITS.bytes));
  if ('text' in request) {
    const tokenizer = readLoaded(TOKENIZER_FD, request.tokenizer, MODEL_LIMITS.tokenizerBytes);
    const scoreTexts = await textScorer(loaded, request, tokenizer);
    return (header, body) => scoreTexts(header as TextRequest, body);
  }
  const scorePixels = await pixelScorer(loaded, request);
  return async (_, pixels) => ({ reply: { status: 'scores', scores: await scorePixels(pixels) } });
}

async function run(work: Score, header: unknown, body: Buffer): Promise<void> {
  try {
    send(await work(header, body));
  } catch (error) {
    send({ reply: { status: 'failed', message: messageOf(error).slice(0, MAX_MESSAGE_LENGTH) } });
  }
}

function endNow(): void {
  process.kill(process.pid, 'SIGKILL');
}

// Signals to all processes of a terminal (Ctrl-C) are for the parent, which finishes its work first.
process.on('SIGINT', () => undefined);
process.on('SIGTERM', () => undefined);

const reader = createFrameReader(
  () => maxBody,
  (header, body) => void (score ? run(score, header, body) : start(header as LoadRequest)),
);
process.stdin.on('data', (chunk: Buffer) => reader.push(chunk));
process.stdin.on('close', endNow);
process.stdin.on('end', endNow);
