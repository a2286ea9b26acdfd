/**
 * Assembles small WebAssembly modules, for arithmetic that JavaScript does slowly: floats of 32 bits, four at a time. Code is an
 * array of bytes, in the order of a stack machine. Only the instructions that are used are here. Opcodes and the format of modules
 * are those of the WebAssembly Core Specification 2.0, chapter 5.
 */

/** Bytes of instructions. An instruction with a result leaves it on the stack. */
export type WasmCode = readonly number[];

/** A parameter or local variable of a function: its number. */
export type Local = number & { readonly of: 'function' };

/** Makes local variables: of 32-bit integers, and of vectors of 128 bits. */
export interface Locals {
  int(): Local;
  vector(): Local;
}

/** A function with integer parameters and no result. */
export interface FunctionCode {
  parameters: number;
  locals: number[];
  body: WasmCode;
}

export type Exports = Record<string, (...parameters: number[]) => void>;

/** A memory that grows, in pages of 64 KiB. */
export interface Memory {
  readonly buffer: ArrayBuffer;
  grow(pages: number): number;
}

/** The part of the global object that is used. The type definitions of Node.js do not have it. */
declare const WebAssembly: {
  Memory: new (size: { initial: number }) => Memory;
  Module: new (bytes: Uint8Array) => object;
  Instance: new (module: object, imports: object) => { exports: Record<string, unknown> };
};

const INT = 0x7f;
const VECTOR = 0x7b;
const NOTHING = 0x40;

/** Compiles functions, by name, with a memory of one page. */
export function compile<Name extends string>(functions: Readonly<Record<Name, FunctionCode>>) {
  const memory = new WebAssembly.Memory({ initial: 1 });
  const module = new WebAssembly.Module(moduleOf(functions));
  const instance = new WebAssembly.Instance(module, { env: { memory } });
  return { memory, run: instance.exports as Record<Name, Exports[string]> };
}

/** A function with `parameters` integers. */
export function func(parameters: number, write: (parameters: Local[], locals: Locals) => WasmCode): FunctionCode {
  const locals: number[] = [];
  const local = (type: number) => (): Local => (parameters + locals.push(type) - 1) as Local;
  const given = Array.from({ length: parameters }, (_, i) => i as Local);
  const body = write(given, { int: local(INT), vector: local(VECTOR) });
  return { parameters, locals, body };
}

export const get = (local: Local): WasmCode => [0x20, ...unsigned(local)];
export const set = (local: Local, value: WasmCode): WasmCode => [...value, 0x21, ...unsigned(local)];
/** Sets, and leaves the value on the stack. */
export const tee = (local: Local, value: WasmCode): WasmCode => [...value, 0x22, ...unsigned(local)];
/** Adds to a variable. */
export const advance = (local: Local, by: WasmCode): WasmCode => set(local, int.add(get(local), by));

/** Runs `body` as often as `counter` says, and leaves `counter` at 0. */
export const repeat = (counter: Local, body: WasmCode): WasmCode => [
  ...[0x02, NOTHING, 0x03, NOTHING],
  ...[...get(counter), 0x45, 0x0d, 1],
  ...body,
  ...advance(counter, int.const(-1)),
  ...[0x0c, 0, 0x0b, 0x0b],
];

export const int = {
  const: (value: number): WasmCode => [0x41, ...signed(value)],
  add: (a: WasmCode, b: WasmCode): WasmCode => [...a, ...b, 0x6a],
  mul: (a: WasmCode, b: WasmCode): WasmCode => [...a, ...b, 0x6c],
  load: (at: WasmCode, offset = 0): WasmCode => [...at, 0x28, 2, ...unsigned(offset)],
};

/** Vectors of four floats. `offset` is added to an address. */
export const vector = {
  zero: [0xfd, 0x0c, ...Array(16).fill(0)] as WasmCode,
  load: (at: WasmCode, offset = 0): WasmCode => [...at, 0xfd, 0x00, 0, ...unsigned(offset)],
  store: (at: WasmCode, value: WasmCode, offset = 0): WasmCode => [...at, ...value, 0xfd, 0x0b, 0, ...unsigned(offset)],
  /** one float, four times */
  loadSplat: (at: WasmCode, offset = 0): WasmCode => [...at, 0xfd, 0x09, 2, ...unsigned(offset)],
  /** one of the four floats */
  storeLane: (at: WasmCode, value: WasmCode, lane: number, offset = 0): WasmCode => [
    ...[...at, ...value, 0xfd, 0x5a, 2],
    ...[...unsigned(offset), lane],
  ],
  add: (a: WasmCode, b: WasmCode): WasmCode => [...a, ...b, 0xfd, 0xe4, 0x01],
  sub: (a: WasmCode, b: WasmCode): WasmCode => [...a, ...b, 0xfd, 0xe5, 0x01],
  mul: (a: WasmCode, b: WasmCode): WasmCode => [...a, ...b, 0xfd, 0xe6, 0x01],
  div: (a: WasmCode, b: WasmCode): WasmCode => [...a, ...b, 0xfd, 0xe7, 0x01],
  /** floats of integers */
  fromInts: (a: WasmCode): WasmCode => [...a, 0xfd, 0xfa, 0x01],
  /** bytes of `a`, picked by the bytes of `indexes`; 0 for an index out of range */
  pickBytes: (a: WasmCode, indexes: WasmCode): WasmCode => [...a, ...indexes, 0xfd, 0x0e],
  /** floats of two vectors: 0 to 3 are those of `a`, 4 to 7 those of `b` */
  pick: (a: WasmCode, b: WasmCode, lanes: readonly number[]): WasmCode => [
    ...[...a, ...b, 0xfd, 0x0d],
    ...lanes.flatMap((lane) => [0, 1, 2, 3].map((byte) => 4 * lane + byte)),
  ],
};

function moduleOf(functions: Readonly<Record<string, FunctionCode>>): Uint8Array {
  const all = Object.entries(functions);
  const types = all.map(([, { parameters }]) => [0x60, ...list(Array(parameters).fill([INT])), 0]);
  const memory = [...name('env'), ...name('memory'), 0x02, 0x00, ...unsigned(1)];
  const exported = all.map(([called], i) => [...name(called), 0x00, ...unsigned(i)]);
  const bodies = all.map(([, { locals, body }]) => sized([...list(locals.map((type) => [1, type])), ...body, 0x0b]));
  const sections: readonly (readonly [number, WasmCode])[] = [
    [1, list(types)],
    [2, list([memory])],
    [3, list(all.map((_, i) => unsigned(i)))],
    [7, list(exported)],
    [10, list(bodies)],
  ];
  const header = [0x00, 0x61, 0x73, 0x6d, 0x01, 0x00, 0x00, 0x00];
  return Uint8Array.from([...header, ...sections.flatMap(([id, content]) => [id, ...sized(content)])]);
}

const list = (items: readonly WasmCode[]): WasmCode => [...unsigned(items.length), ...items.flat()];
const sized = (content: WasmCode): WasmCode => [...unsigned(content.length), ...content];
const name = (text: string): WasmCode => sized([...new TextEncoder().encode(text)]);

/** LEB128. */
function unsigned(value: number): WasmCode {
  return value < 128 ? [value] : [(value & 127) | 128, ...unsigned(value >>> 7)];
}

function signed(value: number): WasmCode {
  return value >= -64 && value < 64 ? [value & 127] : [(value & 127) | 128, ...signed(value >> 7)];
}
