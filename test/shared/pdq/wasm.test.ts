import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { advance, compile, func, get, int, repeat, set, vector } from '#weir/shared/pdq/wasm';

describe('assembled WebAssembly', () => {
  it('has constants of every length and sign', () => {
    const values = [0, 1, 63, 64, 127, 128, 8191, 8192, 1_000_000, 2 ** 31 - 1, -1, -64, -65, -8192, -8193, -(2 ** 31)];
    const { memory, run } = compile({
      add: func(1, ([out]) => [
        ...values.flatMap((value, i) =>
          vector.store(get(out!), vector.add(vector.zero, vector.fromInts(intVector(value))), 16 * i),
        ),
      ]),
    });
    run.add!(0);
    const floats = new Float32Array(memory.buffer);
    for (const [i, value] of values.entries()) assert.equal(floats[4 * i], Math.fround(value));
  });

  it('repeats any number of times, including zero', () => {
    const { memory, run } = compile({
      double: func(2, ([at, count], { vector: local }) => {
        const value = local();
        return [
          ...set(value, vector.load(get(at!))),
          ...repeat(count!, set(value, vector.add(get(value), get(value)))),
          ...vector.store(get(at!), get(value)),
        ];
      }),
    });
    const floats = new Float32Array(memory.buffer);
    for (const times of [0, 1, 2, 10]) {
      floats.set([1, -2, 3, 0.5]);
      run.double!(0, times);
      const scaled = [...floats.subarray(0, 4)];
      assert.deepEqual(
        scaled,
        [1, -2, 3, 0.5].map((value) => value * 2 ** times),
      );
    }
  });

  it('rounds to floats of 32 bits after every operation', () => {
    const { memory, run } = compile({
      each: func(1, ([at]) => {
        const a = vector.load(get(at!));
        const b = vector.load(get(at!), 16);
        const results = [vector.add(a, b), vector.sub(a, b), vector.mul(a, b), vector.div(a, b)];
        return results.flatMap((result, i) => vector.store(get(at!), result, 32 + 16 * i));
      }),
    });
    const floats = new Float32Array(memory.buffer);
    const a = [1 / 3, 255, 1e7, 0.1].map(Math.fround);
    const b = [7.7, 0.114, 1e-3, 3].map(Math.fround);
    floats.set([...a, ...b]);
    run.each!(0);
    const expected = [
      a.map((value, i) => value + b[i]!),
      a.map((value, i) => value - b[i]!),
      a.map((value, i) => value * b[i]!),
      a.map((value, i) => value / b[i]!),
    ];
    assert.deepEqual([...floats.subarray(8, 24)], expected.flat().map(Math.fround));
  });

  it('grows its memory and refuses to leave it', () => {
    const { memory, run } = compile({
      write: func(1, ([at]) => [
        ...advance(at!, int.mul(int.const(4), int.const(4))),
        ...vector.store(get(at!), vector.zero),
      ]),
    });
    run.write!(65_536 - 32);
    assert.throws(() => run.write!(65_536 - 31), /out of bounds/);
    memory.grow(1);
    run.write!(65_536 - 31);
  });
});

/** The same integer four times. */
const intVector = (value: number) => [...int.const(value), 0xfd, 0x11];
