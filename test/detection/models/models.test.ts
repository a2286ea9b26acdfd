// What the shipped models find, through the compiled engine, at their default thresholds. Floors are a little under what they reached
// when they were trained: a change that falls under one has made them worse.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf } from '../../shared/policy/support.ts';
import { HARM, HARMLESS } from './cases/harm.ts';
import { HATE_CASES } from './cases/hate.ts';
import { ORDINARY } from './cases/ordinary.ts';
import { ATTACKS, LOOK_ALIKES } from './cases/prompts.ts';
import { FLOORS } from './floors.ts';

const fires = (label: string, text: string): boolean =>
  evidenceOf(label === 'injection' ? { injection: {} } : { classifier: { label } }, text).length > 0;
const share = (label: string, texts: readonly string[]): number =>
  texts.filter((text) => fires(label, text)).length / texts.length;
const LABELS = ['toxicity', 'hate', 'sexism', 'sexual', 'violence', 'self_harm', 'injection'];

function atLeast(value: number, floor: number): void {
  assert.ok(value >= floor, `${(value * 100).toFixed(1)} %, expected at least ${(floor * 100).toFixed(1)} %`);
}
function atMost(value: number, ceiling: number): void {
  assert.ok(value <= ceiling, `${(value * 100).toFixed(1)} %, expected at most ${(ceiling * 100).toFixed(1)} %`);
}

describe('the shipped models', () => {
  it('tell hate from what looks like it', () => {
    const hits = HATE_CASES.filter(({ hate }) => hate).map(({ text }) => text);
    const others = HATE_CASES.filter(({ hate }) => !hate).map(({ text }) => text);
    atLeast(share('hate', hits), FLOORS.hateFound);
    atMost(share('hate', others), FLOORS.hateWrong);
  });

  it('find attacks on prompts', () => atLeast(share('injection', Object.values(ATTACKS).flat()), FLOORS.attacksFound));

  it('let requests pass that look like attacks', () => atMost(share('injection', LOOK_ALIKES), FLOORS.attacksWrong));

  for (const [label, texts] of Object.entries(HARM)) {
    it(`find ${label}`, () => atLeast(share(label, texts), FLOORS.found[label]!));
  }

  it('let requests pass that only look unsafe', () => {
    for (const label of LABELS) atMost(share(label, HARMLESS), 0.08);
    atMost(HARMLESS.filter((text) => LABELS.some((label) => fires(label, text))).length / HARMLESS.length, 0.2);
  });

  it('let ordinary texts pass', () => {
    for (const label of LABELS) atMost(share(label, ORDINARY), FLOORS.ordinary);
  });
});
