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

/** A model that counts up to 10^15 times the largest value of its input: at once done for black, else it never ends. */
export function endless(side = 8): Bytes {
  const body = graph({
    nodes: [
      { type: 'Identity', inputs: ['goes_on'], outputs: ['goes_on_out'] },
      { type: 'Sin', inputs: ['sum'], outputs: ['sum_out'] },
    ],
    inputs: [
      { name: 'turn', type: INT64, shape: [] },
      { name: 'goes_on', type: BOOL, shape: [] },
      { name: 'sum', type: FLOAT, shape: [1, 2] },
    ],
    outputs: [
      { name: 'goes_on_out', type: BOOL, shape: [] },
      { name: 'sum_out', type: FLOAT, shape: [1, 2] },
    ],
  });
  return model({
    nodes: [
      { type: 'ReduceMax', inputs: ['x'], outputs: ['largest'], attributes: { keepdims: 0 } },
      { type: 'Mul', inputs: ['largest', 'many'], outputs: ['turns_number'] },
      { type: 'Cast', inputs: ['turns_number'], outputs: ['turns'], attributes: { to: INT64 } },
      { type: 'Loop', inputs: ['turns', 'yes', 'start'], outputs: ['y'], attributes: { body } },
    ],
    constants: [floats('many', [], [1e15]), truth('yes'), floats('start', [1, 2], [0.25, 0.75])],
    inputs: [{ name: 'x', type: FLOAT, shape: [1, 3, side, side] }],
    outputs: [{ name: 'y', type: FLOAT, shape: [1, 2] }],
  });
}
