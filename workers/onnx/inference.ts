/** Inference by an ONNX model in this process, as its description says: pixels in, a score of each label out. */
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import { channelsOf } from './file.js';
import type { LoadRequest } from './types.js';

type Runtime = typeof import('onnxruntime-node');
/** Scores pixels of the size and channels of the description. Rejects where the model fails on them. */
export type Score = (pixels: Uint8Array) => Promise<number[]>;

const TYPES = ['float32', 'uint8'] as const;
type InputType = (typeof TYPES)[number];

/** Something about the model that its operator can correct. */
export class Refusal extends Error {}

/** What the model is to be used as. */
export type Use = Pick<LoadRequest, 'input' | 'output'>;

/** Loads a model and tries it on a black image. Rejects with a `Refusal` where it cannot be used so. */
export async function loadInference(bytes: Uint8Array, use: Use): Promise<Score> {
  const runtime = await loadRuntime();
  let session: InferenceSession;
  try {
    session = await runtime.InferenceSession.create(bytes, {
      executionProviders: ['cpu'],
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      logSeverityLevel: 4,
    });
  } catch (error) {
    throw new Refusal(`it is no model that can be loaded: ${messageOf(error)}`);
  }
  const score = scorer(runtime, session, use);
  try {
    await score(new Uint8Array(pixelBytes(use)));
  } catch (error) {
    throw error instanceof Refusal ? error : new Refusal(`it fails on a black image: ${messageOf(error)}`);
  }
  return score;
}

async function loadRuntime(): Promise<Runtime> {
  try {
    const module = (await import('onnxruntime-node')) as Runtime & { default?: Runtime };
    return module.default ?? module;
  } catch (error) {
    const system = `${process.platform} on ${process.arch}`;
    throw new Refusal(`the ONNX runtime cannot be loaded on this system (${system}): ${messageOf(error)}`);
  }
}

function scorer(runtime: Runtime, session: InferenceSession, { input, output }: Use): Score {
  const channels = channelsOf(input);
  const { width, height } = input;
  const dims = input.layout === 'nchw' ? [1, channels, height, width] : [1, height, width, channels];
  const { name, type } = checkInput(session, input.name, dims);
  if (type === 'uint8' && isScaled(input)) {
    throw new Refusal('it takes bytes as they are: leave scale, mean and std out of the description');
  }
  const result = checkOutput(session, output.name, output.labels);
  const values = tables(input, type);
  const target = new (type === 'uint8' ? Uint8Array : Float32Array)(width * height * channels);
  const tensor =
    target instanceof Uint8Array
      ? new runtime.Tensor('uint8', target, dims)
      : new runtime.Tensor('float32', target, dims);
  return async (pixels) => {
    for (const [channel, value] of values.entries()) {
      const from = input.channels === 'bgr' ? 2 - channel : channel;
      const [start, step] = input.layout === 'nchw' ? [channel * width * height, 1] : [channel, channels];
      for (let i = from, at = start; i < pixels.length; i += channels, at += step) target[at] = value[pixels[i]!]!;
    }
    const outputs = await session.run({ [name]: tensor }, [result]);
    return scoresOf(outputs[result]!, output);
  };
}

const isScaled = ({ scale, mean, std }: LoadRequest['input']): boolean =>
  scale !== 1 / 255 || mean.some((each) => each !== 0) || std.some((each) => each !== 1);

/** For each channel: what a pixel of 0 to 255 becomes. */
function tables({ scale, mean, std }: LoadRequest['input'], type: InputType): Float32Array[] {
  return mean.map((each, channel) =>
    Float32Array.from({ length: 256 }, (_, pixel) =>
      type === 'uint8' ? pixel : (pixel * scale - each) / std[channel]!,
    ),
  );
}

function checkInput(
  session: InferenceSession,
  wanted: string | null,
  dims: readonly number[],
): { name: string; type: InputType } {
  const found = session.inputMetadata[0];
  if (session.inputNames.length !== 1 || !found) {
    throw new Refusal(`expected a model with one input, found ${list(session.inputNames)}`);
  }
  const { name } = found;
  if (wanted !== null && wanted !== name) throw new Refusal(`it has no input "${wanted}", only "${name}"`);
  const type = found.isTensor ? TYPES.find((each) => each === found.type) : undefined;
  if (!found.isTensor || !type) {
    const what = found.isTensor ? `tensors of ${found.type}` : 'something else';
    throw new Refusal(`expected an input of tensors of ${TYPES.join(' or ')}, "${name}" takes ${what}`);
  }
  if (!fits(found.shape, dims)) {
    throw new Refusal(
      `the input "${name}" has the shape [${found.shape.join(', ')}], but the description makes [${dims.join(', ')}]: correct its width, height, layout or channels`,
    );
  }
  return { name, type };
}

function checkOutput(session: InferenceSession, wanted: string | null, labels: number): string {
  const names = session.outputNames;
  const at = wanted === null ? 0 : names.indexOf(wanted);
  if (wanted === null && names.length !== 1) {
    throw new Refusal(`it has several outputs: name one of ${list(names)} in the description`);
  }
  const found = session.outputMetadata[at];
  if (!found) throw new Refusal(`it has no output "${wanted}", only ${list(names)}`);
  if (!found.isTensor || found.type !== 'float32') {
    throw new Refusal(
      `expected an output of tensors of float32, "${found.name}" gives ${found.isTensor ? found.type : 'something else'}`,
    );
  }
  const { shape } = found;
  if (shape.length > 0 && !fits(shape, [1, labels]) && !fits(shape, [labels])) {
    throw new Refusal(
      `the output "${found.name}" has the shape [${shape.join(', ')}], but the description names ${labels} labels: expected [1, ${labels}]`,
    );
  }
  return found.name;
}

/** Whether `shape` allows `dims`. A name in it stands for a size that may vary. */
function fits(shape: readonly (number | string)[], dims: readonly number[]): boolean {
  return shape.length === dims.length && shape.every((size, i) => typeof size === 'string' || size === dims[i]);
}

function scoresOf(tensor: Tensor, { labels, activation }: LoadRequest['output']): number[] {
  const numbers = Array.from(tensor.data as Float32Array);
  if (numbers.length !== labels) {
    throw new Refusal(`it gave ${numbers.length} numbers, but the description names ${labels} labels`);
  }
  if (!numbers.every(Number.isFinite)) throw new Error('it gave numbers that are not finite');
  if (activation === 'softmax') return softmax(numbers);
  if (activation === 'sigmoid') return numbers.map((value) => 1 / (1 + Math.exp(-value)));
  // Rounding in a model with its own activation may exceed the range a little.
  if (!numbers.every((value) => value >= -1e-4 && value <= 1 + 1e-4)) {
    throw new Refusal(
      'it gave numbers beyond 0 to 1, which are no scores: set activation to softmax or sigmoid in the description',
    );
  }
  return numbers.map((value) => Math.min(1, Math.max(0, value)));
}

function softmax(numbers: readonly number[]): number[] {
  const largest = numbers.reduce((a, b) => Math.max(a, b));
  const powers = numbers.map((value) => Math.exp(value - largest));
  const sum = powers.reduce((a, b) => a + b);
  return powers.map((power) => power / sum);
}

function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `"${name}"`).join(', ');
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}

/** Of the pixels of one image. */
export const pixelBytes = ({ input }: Use): number => input.width * input.height * channelsOf(input);
