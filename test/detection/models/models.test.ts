// What the shipped models find, through the compiled engine, at their default thresholds. Floors are a little under what they reached
// when they were trained: a change that falls under one has made them worse.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { makeMachineTexts } from '#weir/deploy/train/templates/machine';
import { readTexts } from '#weir/deploy/train/texts';
import { scoreText } from '#weir/shared/policy/models/model';
import { shippedModel } from '#weir/shared/policy/models/shipped';
import { evidenceOf } from '../../shared/policy/support.ts';
import { FLOORS, NOTHING_WRONG, ORDINARY_WRONG, PERSONS_WRONG, UNSAFE } from './floors.ts';
import {
  ABOUT_PERSONS,
  ANY,
  detectOf,
  HARMLESS,
  LABELS,
  type ModelSet,
  ONLY_LOOK_UNSAFE,
  ORDINARY,
  SETS,
} from './sets.ts';

const share = (detect: unknown, texts: readonly string[]): number =>
  texts.filter((text) => evidenceOf(detect, text).length > 0).length / Math.max(1, texts.length);

function atLeast(value: number, floor: number): void {
  assert.ok(value >= floor, `${(value * 100).toFixed(1)} %, expected at least ${(floor * 100).toFixed(1)} %`);
}
function atMost(value: number, ceiling: number): void {
  assert.ok(value <= ceiling, `${(value * 100).toFixed(1)} %, expected at most ${(ceiling * 100).toFixed(1)} %`);
}

/** The sets of `injection` are one by kind. */
function setsOf(name: string): ModelSet[] {
  return SETS.filter((each) => (name === 'injection' ? each.label === 'injection' : each.name === name));
}

describe('the shipped models', () => {
  for (const [name, [found, wrong]] of Object.entries(FLOORS)) {
    const sets = setsOf(name);
    it(`find ${name}, and rarely what looks like it`, () => {
      const detect = detectOf(sets[0]!.label);
      atLeast(
        share(
          detect,
          sets.flatMap(({ positive }) => positive),
        ),
        found,
      );
      atMost(
        share(
          detect,
          sets.flatMap(({ innocent }) => innocent),
        ),
        wrong,
      );
    });
  }

  it('have a floor for every set', () => {
    const named = Object.keys(FLOORS).flatMap((name) => setsOf(name));
    assert.deepEqual(new Set(named), new Set(SETS));
  });

  it('let requests pass that only look unsafe', () => {
    for (const texts of [HARMLESS, ONLY_LOOK_UNSAFE]) {
      for (const label of LABELS) atMost(share(detectOf(label), texts), UNSAFE.label);
      atMost(share(ANY, texts), UNSAFE.any);
    }
  });

  it('let a woman be praised, blamed and described, and a Dan be a person', () => {
    for (const label of LABELS) atMost(share(detectOf(label), ABOUT_PERSONS), PERSONS_WRONG);
  });

  it('let ordinary texts pass', () => {
    for (const label of LABELS) atMost(share(detectOf(label), ORDINARY), ORDINARY_WRONG);
  });

  it('let keys, hashes, addresses, code and logs pass that they were not trained on', () => {
    const model = shippedModel();
    const texts = makeMachineTexts(77, readTexts().machine);
    model.labels.forEach(({ threshold }, lane) => {
      atMost(
        texts.filter(({ text }) => scoreText(model, text)[lane]! >= threshold).length / texts.length,
        NOTHING_WRONG,
      );
    });
  });
});
