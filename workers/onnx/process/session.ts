/** In the process of a model: its session, and what models of images and of texts have in common. */
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { LoadRequest } from '../types.js';

export type Runtime = typeof import('onnxruntime-node');
export type RequestedOutput = LoadRequest['output'];

/** Something about the model that its operator can correct. */
export class ModelRefusal extends Error {}

export interface LoadedSession {
  runtime: Runtime;
  session: InferenceSession;
}

export async function loadSession(bytes: Uint8Array): Promise<LoadedSession> {
  const runtime = await loadRuntime();
  try {
    const session = await runtime.InferenceSession.create(bytes, {
      executionProviders: ['cpu'],
      intraOpNumThreads: 1,
      interOpNumThreads: 1,
      executionMode: 'sequential',
      logSeverityLevel: 4,
    });
    return { runtime, session };
  } catch (error) {
    throw new ModelRefusal(`it is no model that can be loaded: ${messageOf(error)}`);
  }
}

async function loadRuntime(): Promise<Runtime> {
  try {
    const module = (await import('onnxruntime-node')) as Runtime & { default?: Runtime };
    return module.default ?? module;
  } catch (error) {
    const system = `${process.platform} on ${process.arch}`;
    throw new ModelRefusal(`the ONNX runtime cannot be loaded on this system (${system}): ${messageOf(error)}`);
  }
}

/** The name of the output with the scores. Throws a Refusal for one that does not fit. */
export function checkOutput(session: InferenceSession, { name: wanted, labels }: RequestedOutput): string {
  const names = session.outputNames;
  const at = wanted === null ? 0 : names.indexOf(wanted);
  if (wanted === null && names.length !== 1) {
    throw new ModelRefusal(`it has several outputs: name one of ${list(names)} in the description`);
  }
  const found = session.outputMetadata[at];
  if (!found) throw new ModelRefusal(`it has no output "${wanted}", only ${list(names)}`);
  if (!found.isTensor || found.type !== 'float32') {
    throw new ModelRefusal(
      `expected an output of tensors of float32, "${found.name}" gives ${found.isTensor ? found.type : 'something else'}`,
    );
  }
  const { shape } = found;
  if (shape.length > 0 && !fits(shape, [1, labels]) && !fits(shape, [labels])) {
    throw new ModelRefusal(
      `the output "${found.name}" has the shape [${shape.join(', ')}], but the description names ${labels} labels: expected [1, ${labels}]`,
    );
  }
  return found.name;
}

/** Whether `shape` allows `dims`. A name in it stands for a size that may vary. */
export function fits(shape: readonly (number | string)[], dims: readonly number[]): boolean {
  return shape.length === dims.length && shape.every((size, i) => typeof size === 'string' || size === dims[i]);
}

/** The scores of `rows` images or windows. */
export function scoresOf(tensor: Tensor | undefined, output: RequestedOutput, rows = 1): number[][] {
  const numbers = Array.from(tensor!.data as Float32Array);
  const { labels } = output;
  if (numbers.length !== labels * rows) {
    const times = rows === 1 ? '' : ` and ${rows} texts were given`;
    throw new ModelRefusal(`it gave ${numbers.length} numbers, but the description names ${labels} labels${times}`);
  }
  return Array.from({ length: rows }, (_, row) => activated(numbers.slice(row * labels, (row + 1) * labels), output));
}

function activated(numbers: number[], { activation }: RequestedOutput): number[] {
  if (!numbers.every(Number.isFinite)) throw new Error('it gave numbers that are not finite');
  if (activation === 'softmax') return softmax(numbers);
  if (activation === 'sigmoid') return numbers.map((value) => 1 / (1 + Math.exp(-value)));
  // Rounding in a model with its own activation may exceed the range a little.
  if (!numbers.every((value) => value >= -1e-4 && value <= 1 + 1e-4)) {
    throw new ModelRefusal(
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

export function list(names: readonly string[]): string {
  return names.length === 0 ? 'none' : names.map((name) => `"${name}"`).join(', ');
}

export function messageOf(error: unknown): string {
  return error instanceof Error ? error.message : String(error);
}
