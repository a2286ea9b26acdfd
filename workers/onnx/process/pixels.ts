/** In the process of a model: scores of one image at a time. */
import type { InferenceSession } from 'onnxruntime-node';
import { channelsOf } from '../file.js';
import type { ImageLoad } from '../types.js';
import { checkOutput, fits, type LoadedSession, list, ModelRefusal, messageOf, scoresOf } from './session.js';

/** What the model is to be used as. */
export type Use = Pick<ImageLoad, 'input' | 'output'>;

export type ScorePixels = (pixels: Uint8Array) => Promise<number[]>;

const TYPES = ['float32', 'uint8'] as const;
type PixelType = (typeof TYPES)[number];

/** Compares the model with its description, and tries it on a black image. Rejects with a Refusal for what does not fit. */
export async function pixelScorer(loaded: LoadedSession, request: Use): Promise<ScorePixels> {
  const score = scorer(loaded, request);
  try {
    await score(new Uint8Array(pixelBytes(request)));
  } catch (error) {
    throw error instanceof ModelRefusal ? error : new ModelRefusal(`it fails on a black image: ${messageOf(error)}`);
  }
  return score;
}

export const pixelBytes = ({ input }: Use): number => input.width * input.height * channelsOf(input);

function scorer({ runtime, session }: LoadedSession, { input, output }: Use): ScorePixels {
  const channels = channelsOf(input);
  const { width, height } = input;
  const dims = input.layout === 'nchw' ? [1, channels, height, width] : [1, height, width, channels];
  const { name, type } = checkInput(session, input.name, dims);
  if (type === 'uint8' && isScaled(input)) {
    throw new ModelRefusal('it takes bytes as they are: leave scale, mean and std out of the description');
  }
  const result = checkOutput(session, output);
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
    return scoresOf(outputs[result], output)[0]!;
  };
}

const isScaled = ({ scale, mean, std }: Use['input']): boolean =>
  scale !== 1 / 255 || mean.some((each) => each !== 0) || std.some((each) => each !== 1);

/** For each channel: what a pixel of 0 to 255 becomes. */
function tables({ scale, mean, std }: Use['input'], type: PixelType): Float32Array[] {
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
): { name: string; type: PixelType } {
  const found = session.inputMetadata[0];
  if (session.inputNames.length !== 1 || !found) {
    throw new ModelRefusal(`expected a model with one input, found ${list(session.inputNames)}`);
  }
  const { name } = found;
  if (wanted !== null && wanted !== name) throw new ModelRefusal(`it has no input "${wanted}", only "${name}"`);
  const type = found.isTensor ? TYPES.find((each) => each === found.type) : undefined;
  if (!found.isTensor || !type) {
    const what = found.isTensor ? `tensors of ${found.type}` : 'something else';
    throw new ModelRefusal(`expected an input of tensors of ${TYPES.join(' or ')}, "${name}" takes ${what}`);
  }
  if (!fits(found.shape, dims)) {
    throw new ModelRefusal(
      `the input "${name}" has the shape [${found.shape.join(', ')}], but the description makes [${dims.join(', ')}]: correct its width, height, layout or channels`,
    );
  }
  return { name, type };
}
