/** In the process of a model: scores of texts. The windows of all texts of a request go through the model in batches. */
import type { InferenceSession, Tensor } from 'onnxruntime-node';
import type { ModelReply, TextLoad, TextRequest } from '../types.js';
import { checkOutput, type LoadedSession, list, ModelRefusal, messageOf, scoresOf } from './session.js';
import { readTokenizer } from './tokenizer.js';
import { type TokenWindow, windowsOf } from './windows.js';

export type ScoreTexts = (request: TextRequest, body: Buffer) => Promise<{ reply: ModelReply; body?: Buffer }>;

/** Windows of a batch, and tokens with the padding. */
const BATCH = { windows: 8, tokens: 4096 };
const INPUTS = ['input_ids', 'attention_mask', 'token_type_ids'] as const;
type InputName = (typeof INPUTS)[number];
const TYPES = ['int64', 'int32'] as const;
/** What a model is tried on: two lengths, so that a batch needs padding. */
const TRIAL = ['a', 'a few words'];

/** What the inputs of a model allow. */
interface Inputs {
  types: ReadonlyMap<InputName, (typeof TYPES)[number]>;
  /** tokens that every window must have; undefined: any number */
  fixed: number | undefined;
  /** several windows at once */
  batches: boolean;
}

type Infer = (windows: readonly TokenWindow[]) => Promise<number[][]>;

/** Compares model and tokenizer with the description, and tries them. Rejects with a Refusal for what does not fit. */
export async function textScorer(loaded: LoadedSession, request: TextLoad, tokenizer: Buffer): Promise<ScoreTexts> {
  const inputs = checkInputs(loaded.session, request.text.max_tokens);
  const { encoder, padding } = readTokenizer(tokenizer);
  const infer = inferrer(loaded, request, inputs, padding);
  const windows = (text: string): TokenWindow[] | undefined => windowsOf(text, encoder, request.text);
  try {
    const trial = TRIAL.flatMap((text) => windows(text) ?? []);
    for (const batch of batchesOf(trial, inputs)) await infer(batch);
  } catch (error) {
    throw error instanceof ModelRefusal ? error : new ModelRefusal(`it fails on a few words: ${messageOf(error)}`);
  }
  return async (asked, body) => {
    const by = performance.now() + asked.limitMs;
    const found = textsIn(asked, body).map((text) => windows(text) ?? []);
    const scores = new Map<TokenWindow, number[]>();
    for (const batch of batchesOf(found.flat(), inputs)) {
      if (performance.now() >= by) return { reply: { status: 'late' } };
      const rows = await infer(batch);
      for (const [i, window] of batch.entries()) scores.set(window, rows[i]!);
    }
    const numbers = found.flat().flatMap((window) => {
      return [window.start, window.end, ...asked.labels.map((label) => scores.get(window)![label]!)];
    });
    const counts = found.map((all) => all.length);
    return { reply: { status: 'windows', counts }, body: Buffer.from(Float64Array.from(numbers).buffer) };
  };
}

function textsIn({ lengths }: TextRequest, body: Buffer): string[] {
  let end = 0;
  return lengths.map((length) => {
    const start = end;
    end += 2 * length;
    return body.toString('utf16le', start, end);
  });
}

/** Windows of like lengths together, so that little is padding. */
function batchesOf(windows: readonly TokenWindow[], { fixed, batches }: Inputs): TokenWindow[][] {
  const sorted = [...windows].sort((a, b) => a.ids.length - b.ids.length);
  const made: TokenWindow[][] = [];
  for (const window of sorted) {
    const batch = made.at(-1);
    const tokens = fixed ?? window.ids.length;
    const most = batches ? Math.min(BATCH.windows, Math.floor(BATCH.tokens / tokens)) : 1;
    if (batch && batch.length < most) batch.push(window);
    else made.push([window]);
  }
  return made;
}

function inferrer(
  { runtime, session }: LoadedSession,
  { output }: TextLoad,
  { types, fixed }: Inputs,
  padding: number,
): Infer {
  const result = checkOutput(session, output);
  return async (windows) => {
    const length = fixed ?? Math.max(...windows.map(({ ids }) => ids.length));
    const dims = [windows.length, length];
    const tensor = (name: InputName, type: (typeof TYPES)[number]): Tensor => {
      const numbers = windows.flatMap(({ ids }) =>
        Array.from({ length }, (_, i) => {
          if (name === 'input_ids') return ids[i] ?? padding;
          return name === 'attention_mask' && i < ids.length ? 1 : 0;
        }),
      );
      if (type === 'int32') return new runtime.Tensor(type, Int32Array.from(numbers), dims);
      return new runtime.Tensor(type, BigInt64Array.from(numbers, BigInt), dims);
    };
    const feeds = Object.fromEntries([...types].map(([name, type]) => [name, tensor(name, type)]));
    return scoresOf((await session.run(feeds, [result]))[result], output, windows.length);
  };
}

function checkInputs({ inputMetadata }: InferenceSession, most: number): Inputs {
  const types: [InputName, (typeof TYPES)[number]][] = inputMetadata.map((found) => {
    const name = INPUTS.find((each) => each === found.name);
    if (!name) throw new ModelRefusal(`it takes "${found.name}": expected no inputs but ${list(INPUTS)}`);
    const type = found.isTensor ? TYPES.find((each) => each === found.type) : undefined;
    if (!found.isTensor || !type || found.shape.length !== 2) {
      throw new ModelRefusal(`expected "${name}" to take tensors of ${TYPES.join(' or ')}, [texts, tokens]`);
    }
    return [name, type];
  });
  const names = types.map(([name]) => name);
  if (!names.includes('input_ids')) throw new ModelRefusal(`expected an input "input_ids", found ${list(names)}`);
  const masked = names.includes('attention_mask');
  const shapes = inputMetadata.flatMap((found) => (found.isTensor ? [found.shape] : []));
  const sizes = (at: number): number[] => shapes.flatMap((shape) => (typeof shape[at] === 'number' ? shape[at] : []));
  const several = sizes(0).find((size) => size !== 1);
  if (several !== undefined) throw new ModelRefusal(`it takes ${several} texts at once: expected one, or any number`);
  const [fixed] = sizes(1);
  if (fixed !== undefined && fixed < most) {
    throw new ModelRefusal(`it takes ${fixed} tokens, and the description has max_tokens: ${most}`);
  }
  if (fixed !== undefined && !masked) {
    throw new ModelRefusal(
      `it takes ${fixed} tokens and no "attention_mask": a shorter text could not be told from padding`,
    );
  }
  return { types: new Map(types), fixed, batches: masked && sizes(0).length === 0 };
}
