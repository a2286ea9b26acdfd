// No text and no pattern stalls a thread: the work of a scan, which is counted and not timed, grows with the text and no faster.
//
// By hand, any number of random cases from any seed, and other sizes:
//   WORK_SEED=7 WORK_CASES=2000 WORK_UNITS=20000 node test/run.mjs test/shared/policy/work
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { startCounting } from '../../../support/work-counter.ts';
import { DETECTORS, HOSTILE, pattern, type Random, seeded, text } from './generators.ts';

const counter = startCounting(['/dist/']);
const { compilePattern } = await import('#weir/shared/policy/engine/probes/pattern');
const { compilePlan } = await import('#weir/shared/policy/compile');
const { evaluateText } = await import('#weir/shared/policy/evaluate');
const { SCOPE, sketch } = await import('../support.ts');

const { WORK_SEED = '1', WORK_CASES = '20', WORK_UNITS = '1200' } = process.env;
const SEED = Number(WORK_SEED);
const CASES = Number(WORK_CASES);
/** Length of the shorter text, in UTF-16 units; the other one is this many times as long. */
const UNITS = Number(WORK_UNITS);
const TIMES = 3;
/** The longest text of an event, and pieces that the costliest looks go over: masked words, digits, classed words. */
const LONGEST = 256 * 1024;
const LONG_PIECES = ['f.u.c.k ', '4111-', 'kill you '];
/** Work for each unit of a text that all detectors look at. */
const MOST = 4000;
/** A longer text may take so much more for each unit: looks that read a bounded stretch read less of a short one. */
const MORE = 500;
const FACTOR = 1.5;

type Plan = ReturnType<typeof compilePlan>;
const planOf = (detects: readonly unknown[]): Plan =>
  compilePlan(sketch({ policies: detects.map((detect) => ({ detect })) }), 1);
const all = planOf(Object.values(DETECTORS));

/** Work for each unit of a short and of a long text. */
function workOf(plan: Plan, make: (length: number) => string, units: number): [short: number, long: number] {
  const short = make(UNITS);
  const long = make(units);
  // What is made once, and what is remembered of the last text, is no work of this one.
  evaluateText(plan, SCOPE, `. ${short}`);
  const scan = (of: string) => () => void evaluateText(plan, SCOPE, of);
  const [ofShort, ofLong] = counter.of(scan(short), scan(long));
  return [ofShort! / short.length, ofLong! / long.length];
}

/** `units`: length of the longer text. */
function assertLinear(plan: Plan, make: (length: number) => string, name: string, units = UNITS * TIMES): void {
  const [short, long] = workOf(plan, make, units);
  const figures = `${name}: ${Math.round(short)} for each unit of a text of ${UNITS}, ${Math.round(long)} of ${units}`;
  assert.ok(short > 0, figures);
  assert.ok(long <= short * FACTOR + MORE, `more than linear; ${figures}`);
  assert.ok(long <= MOST, `more than ${MOST}; ${figures}`);
}

/** A pattern that policies may have. */
function acceptedPattern(random: Random): string {
  for (;;) {
    const one = pattern(random);
    try {
      compilePattern(one, 'i');
      return one;
    } catch {
      // It matches the empty text, or is too large.
    }
  }
}

after(() => counter.stop());

describe(`the work of a scan (seed ${SEED})`, () => {
  it('is counted: that of pairs of letters is not linear', () => {
    const pairs = (text: string): number => {
      let same = 0;
      for (const one of text) for (const other of text) if (one === other) same++;
      return same;
    };
    const of = (length: number) => () => void pairs('a'.repeat(length));
    const [short, long] = counter.of(of(200), of(600));
    assert.ok(long! > short! * 7, `${short} and ${long}`);
  });

  it('counts searches, too', () => {
    const text = 'a'.repeat(1000);
    const [work] = counter.of(() => {
      for (let i = 0; i < 10; i++) if (text.indexOf('b') >= 0 || /c/.test(text)) assert.fail();
    });
    assert.ok(work! >= 20_000 && work! < 21_000, `${work}`);
  });

  it('is linear for texts that repeat what detectors look at closely', () => {
    for (const unit of HOSTILE) {
      const make = (length: number): string => unit.repeat(Math.ceil(length / unit.length)).slice(0, length);
      assertLinear(all, make, JSON.stringify(unit));
    }
  });

  it('is linear for random texts', () => {
    for (let n = 0; n < CASES; n++) {
      const make = text(seeded(SEED * 100_000 + n));
      assertLinear(all, make, `case ${n}, ${JSON.stringify(make(60))}`);
    }
  });

  it('is linear up to the longest text', () => {
    for (const piece of LONG_PIECES) {
      const make = (length: number): string => piece.repeat(Math.ceil(length / piece.length)).slice(0, length);
      assertLinear(all, make, JSON.stringify(piece), LONGEST);
    }
  });

  it('is linear for random patterns', () => {
    for (let n = 0; n < CASES; n += 3) {
      const random = seeded(SEED * 100_000 + n + 50_000);
      const patterns = [acceptedPattern(random), acceptedPattern(random)];
      const make = text(random);
      const name = `case ${n}, ${JSON.stringify(patterns)} on ${JSON.stringify(make(60))}`;
      assertLinear(planOf([{ regex: { patterns, flags: 'i' } }]), make, name);
    }
  });
});
