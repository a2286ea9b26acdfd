/** ONNX models written byte by byte (protocol buffers of ModelProto), so that what is tested needs no file of others. */

type Bytes = Buffer;

const varint = (value: number | bigint): Bytes => {
  const bytes: number[] = [];
  let rest = BigInt.asUintN(64, BigInt(value));
  do {
    bytes.push(Number(rest & 127n) | (rest > 127n ? 128 : 0));
    rest >>= 7n;
  } while (rest > 0n);
  return Buffer.from(bytes);
};
const number = (field: number, value: number | bigint): Bytes => Buffer.concat([varint(field << 3), varint(value)]);
const bytes = (field: number, value: Bytes | string): Bytes => {
  const content = Buffer.from(value as string);
  return Buffer.concat([varint((field << 3) | 2), varint(content.length), content]);
};
const message = (field: number, ...parts: Bytes[]): Bytes => bytes(field, Buffer.concat(parts));

export const FLOAT = 1;
export const UINT8 = 2;
export const INT32 = 6;
export const INT64 = 7;
export const BOOL = 9;
export const DOUBLE = 11;

export type Shape = readonly (number | string)[];

/** An input or output: name, type, and a shape whose words may be any size. */
export interface Value {
  name: string;
  type: number;
  shape: Shape;
}

const valueInfo = (field: number, { name, type, shape }: Value): Bytes =>
  message(
    field,
    bytes(1, name),
    message(
      2,
      message(
        1,
        number(1, type),
        message(2, ...shape.map((size) => message(1, typeof size === 'number' ? number(1, size) : bytes(2, size)))),
      ),
    ),
  );

const tensor = (name: string, type: number, dims: readonly number[], raw: Bytes): Bytes =>
  Buffer.concat([...dims.map((size) => number(1, size)), number(2, type), bytes(8, name), bytes(9, raw)]);

/** A constant of floats. */
export const floats = (name: string, dims: readonly number[], values: readonly number[]): Bytes =>
  tensor(name, FLOAT, dims, Buffer.from(Float32Array.from(values).buffer));
/** A constant whole number. */
export const whole = (name: string, value: number): Bytes =>
  tensor(name, INT64, [], Buffer.from(BigInt64Array.of(BigInt(value)).buffer));
/** A constant truth. */
export const truth = (name: string): Bytes => tensor(name, BOOL, [], Buffer.from([1]));

export interface Node {
  type: string;
  inputs: readonly string[];
  outputs: readonly string[];
  /** whole numbers, lists of them, or a graph */
  attributes?: Readonly<Record<string, number | readonly number[] | Bytes>>;
}

function node({ type, inputs, outputs, attributes = {} }: Node): Bytes {
  return Buffer.concat([
    ...inputs.map((name) => bytes(1, name)),
    ...outputs.map((name) => bytes(2, name)),
    bytes(4, type),
    ...Object.entries(attributes).map(([name, value]) => {
      if (Buffer.isBuffer(value)) return message(5, bytes(1, name), bytes(6, value), number(20, 5));
      if (typeof value === 'number') return message(5, bytes(1, name), number(3, value), number(20, 2));
      return message(5, bytes(1, name), ...(value as number[]).map((each) => number(8, each)), number(20, 7));
    }),
  ]);
}

export interface Graph {
  nodes: readonly Node[];
  constants?: readonly Bytes[];
  inputs: readonly Value[];
  outputs: readonly Value[];
}

export function graph({ nodes, constants = [], inputs, outputs }: Graph): Bytes {
  return Buffer.concat([
    ...nodes.map((each) => bytes(1, node(each))),
    bytes(2, 'graph'),
    ...constants.map((each) => bytes(5, each)),
    ...inputs.map((each) => valueInfo(11, each)),
    ...outputs.map((each) => valueInfo(12, each)),
  ]);
}

/** The file of a model: IR version 8, operators of version 13. */
export const model = (content: Graph): Bytes =>
  Buffer.concat([number(1, 8), bytes(7, graph(content)), message(8, bytes(1, ''), number(2, 13))]);

/** How a model of redness differs from the usual one. */
export interface RednessOptions {
  side?: number | string;
  type?: number;
  layout?: 'nchw' | 'nhwc';
  channels?: number;
  /** two labels' weights of the channels' means, and what is added */
  weights?: readonly number[];
  bias?: readonly number[];
  outputShape?: Shape;
  outputType?: number;
}

/**
 * A model of two labels over the means of red, green and blue: by default the mean of red, and one less that. Input `x`
 * of [1, 3, side, side], output `y` of [1, 2].
 */
export function redness(options: RednessOptions = {}): Bytes {
  const { side = 8, type = FLOAT, layout = 'nchw', channels = 3, bias = [0, 1], outputType = FLOAT } = options;
  const red = Array.from({ length: channels * 2 }, (_, i) => [1, -1][i] ?? 0);
  const { weights = red, outputShape = [1, 2] } = options;
  const shape = layout === 'nchw' ? ['batch', channels, side, side] : ['batch', side, side, channels];
  const axes = layout === 'nchw' ? [2, 3] : [1, 2];
  return model({
    nodes: [
      { type: 'Cast', inputs: ['x'], outputs: ['numbers'], attributes: { to: FLOAT } },
      { type: 'ReduceMean', inputs: ['numbers'], outputs: ['means'], attributes: { axes, keepdims: 0 } },
      { type: 'Gemm', inputs: ['means', 'weights', 'bias'], outputs: ['scores'] },
      { type: 'Cast', inputs: ['scores'], outputs: ['y'], attributes: { to: outputType } },
    ],
    constants: [floats('weights', [channels, 2], weights), floats('bias', [2], bias)],
    inputs: [{ name: 'x', type, shape }],
    outputs: [{ name: 'y', type: outputType, shape: outputShape }],
  });
}

/** How a model of words differs from the usual one. */
export interface WordsOptions {
  /** names of its inputs */
  inputs?: readonly string[];
  type?: number;
  shape?: Shape;
  /** numbers of its output for a text */
  labels?: number;
  /** of the token that is counted, and of one that the model never ends on */
  bad?: number;
  hang?: number;
  /** what is added to the scores */
  bias?: readonly number[];
}

/**
 * A model of two labels: the share of tokens that are bad, and of those that are not. Tokens that the mask leaves out do not
 * count. Inputs of [texts, tokens], output `logits` of [texts, 2].
 */
export function words(options: WordsOptions = {}): Bytes {
  const { inputs = ['input_ids', 'attention_mask'], type = INT64, shape = ['texts', 'tokens'], labels = 2 } = options;
  const { bad = 5, hang = 6, bias } = options;
  const cast = (from: string, into: string, to: number): Node => ({
    type: 'Cast',
    inputs: [from],
    outputs: [into],
    attributes: { to },
  });
  const mean = { axes: [1], keepdims: 1 };
  const weights = Array.from({ length: labels }, (_, i) => [1, -1][i] ?? 0);
  const spin = spinning('scores', 'logits', labels);
  return model({
    nodes: [
      cast(inputs[0]!, 'ids', INT64),
      { type: 'Equal', inputs: ['ids', 'bad'], outputs: ['is_bad'] },
      cast('is_bad', 'bad_numbers', FLOAT),
      cast(inputs.find((name) => name === 'attention_mask') ?? inputs[0]!, 'mask', FLOAT),
      cast('mask', 'counts_truth', BOOL),
      cast('counts_truth', 'counts', FLOAT),
      { type: 'Mul', inputs: ['bad_numbers', 'counts'], outputs: ['bad_counts'] },
      { type: 'ReduceMean', inputs: ['bad_counts'], outputs: ['bad_mean'], attributes: mean },
      { type: 'ReduceMean', inputs: ['counts'], outputs: ['mean'], attributes: mean },
      { type: 'Div', inputs: ['bad_mean', 'mean'], outputs: ['share'] },
      { type: 'Gemm', inputs: ['share', 'weights', 'bias'], outputs: ['scores'] },
      { type: 'Equal', inputs: ['ids', 'hang'], outputs: ['hangs'] },
      cast('hangs', 'hang_numbers', FLOAT),
      { type: 'ReduceMax', inputs: ['hang_numbers'], outputs: ['largest'], attributes: { keepdims: 0 } },
      ...spin.nodes,
    ],
    constants: [
      whole('bad', bad),
      whole('hang', hang),
      floats('weights', [1, labels], weights),
      floats('bias', [labels], bias ?? weights.map((weight) => (weight < 0 ? 1 : 0))),
      ...spin.constants,
    ],
    inputs: inputs.map((name) => ({ name, type, shape })),
    outputs: [{ name: 'logits', type: FLOAT, shape: ['texts', labels] }],
  });
}

/** Passes `from` on as `into` after 10^15 times `largest` turns: at once where that is 0. */
function spinning(from: string, into: string, labels: number): Pick<Required<Graph>, 'nodes' | 'constants'> {
  const body = graph({
    nodes: [
      { type: 'Identity', inputs: ['goes_on'], outputs: ['goes_on_out'] },
      { type: 'Sin', inputs: ['sum'], outputs: ['sum_out'] },
    ],
    inputs: [
      { name: 'turn', type: INT64, shape: [] },
      { name: 'goes_on', type: BOOL, shape: [] },
      { name: 'sum', type: FLOAT, shape: ['texts', labels] },
    ],
    outputs: [
      { name: 'goes_on_out', type: BOOL, shape: [] },
      { name: 'sum_out', type: FLOAT, shape: ['texts', labels] },
    ],
  });
  return {
    nodes: [
      { type: 'Mul', inputs: ['largest', 'many'], outputs: ['turns_number'] },
      { type: 'Cast', inputs: ['turns_number'], outputs: ['turns'], attributes: { to: INT64 } },
      { type: 'Loop', inputs: ['turns', 'yes', from], outputs: [into], attributes: { body } },
    ],
    constants: [floats('many', [], [1e15]), truth('yes')],
  };
}

/** A model that counts up to 10^15 times the largest value of its input: at once done for black, else it never ends. */
export function endless(side = 8): Bytes {
  const { nodes, constants } = spinning('start', 'y', 2);
  return model({
    nodes: [{ type: 'ReduceMax', inputs: ['x'], outputs: ['largest'], attributes: { keepdims: 0 } }, ...nodes],
    constants: [...constants, floats('start', [1, 2], [0.25, 0.75])],
    inputs: [{ name: 'x', type: FLOAT, shape: [1, 3, side, side] }],
    outputs: [{ name: 'y', type: FLOAT, shape: [1, 2] }],
  });
}
