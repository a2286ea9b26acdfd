/** When backends are asked about what is open in a check, and until when. */
import assert from 'node:assert/strict';
import { after, before, beforeEach, describe, it } from 'node:test';
import type { BackendConfiguration } from '#weir/shared/configuration/backend';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { newRequestId } from '#weir/shared/ids';
import { type BackendAnswer, type TextAnswer, TOO_LONG } from '#weir/shared/policy/types';
import { Registry } from '#weir/shared/telemetry';
import type { Backends } from '#weir/workers/backends/backends';
import { askAbout } from '#weir/workers/evaluator/ask';
import type { Check } from '#weir/workers/evaluator/check';
import type { ItemAsks } from '#weir/workers/evaluator/outcome';
import { createRoom } from '#weir/workers/evaluator/room';
import type { LoadedTextModel } from '#weir/workers/onnx/models';
import type { TextResult } from '#weir/workers/onnx/text-model';
import {
  judge,
  type LanguageModel,
  startLanguageModel,
  testAsking,
  testBackends,
} from '../../support/models/language-model.ts';
import { until } from '../../support/wait.ts';

let model: LanguageModel;
let registry: Registry;
let backends: Backends;
before(async () => {
  model = await startLanguageModel();
});
after(() => model.close());
beforeEach(() => {
  registry = new Registry();
  backends = testBackends(registry);
  model.respond = judge;
  model.asked.length = 0;
});

const never = new AbortController().signal;
const outcomes = async (): Promise<string[]> =>
  [...(await registry.metrics()).matchAll(/^weir_backend_questions_total\{outcome="(\w+)"\} ([1-9]\d*)$/gm)].map(
    ([, outcome, count]) => `${outcome} ${count}`,
  );

/** A check with so many ms until its deadline; 0: nobody waits for it. */
function checkWith(ms = 60_000, bytes = 10, team = 't'): Check {
  const received = Date.now();
  const header = { id: newRequestId(0), kind: 'event', team, scope: 'e', config: 1, key: 'k', reply: '' } as const;
  const raw = { partition: 0, lane: 'fast', id: '1-0', header: Buffer.alloc(0), segments: '', attempt: 1 } as const;
  return {
    raw: { ...raw, body: Buffer.alloc(bytes) },
    header: { ...header, received, deadline: received + ms },
    configuration: { version: 1, id: '1-a@b', text: '' },
    reason: '',
    alone: false,
  };
}

function asks(text: string, item = 1): ItemAsks {
  const loaded = loadConfiguration(
    `version: 1\nteams: [{id: t}]\nbackends: [{id: b, team: t, url: "${model.url}", model: m, timeout_ms: 60000}]`,
  );
  assert.ok(loaded.ok);
  const [backend] = loaded.configuration.backends as [BackendConfiguration];
  const criteria = { flagged_content: 'bad', allowed_content: 'b', examples: [] };
  return { item, text, of: [{ detector: 3, policy: 'p', backend, criteria }] };
}

const room = (entries = 4, bytes = 1000, model?: Parameters<typeof testAsking>[2]) => ({
  rooms: { asking: createRoom({ entries, bytes }) },
  asking: testAsking(backends, registry, model),
});

describe('what is open in a check', () => {
  it('is asked for each item', async () => {
    const { answers } = await askAbout(room(), checkWith(), [asks('a bad one', 2), asks('a good one', 5)], never);
    const flagged = [...answers].map(([item, of]) => [item, (of.get(3) as BackendAnswer | undefined)?.flagged]);
    assert.deepEqual(flagged, [
      [2, true],
      [5, false],
    ]);
  });

  it('is asked when nobody waits any more, too', async () => {
    assert.equal((await askAbout(room(), checkWith(0), [asks('x')], never)).answers.get(1)!.size, 1);
  });

  it('has no answer in time where the backend hangs: a quarter of the time is left', async () => {
    model.respond = () => undefined;
    const began = performance.now();
    const { answers } = await askAbout(room(), checkWith(400), [asks('x')], never);
    const took = performance.now() - began;
    assert.deepEqual([answers.get(1)!.size, await outcomes()], [0, ['timeout 1']]);
    assert.ok(took >= 280, `${took} ms`);
  });

  it('ends with the worker', async () => {
    model.respond = () => undefined;
    const stop = new AbortController();
    const asking = askAbout(room(), checkWith(), [asks('x')], stop.signal);
    await until('the call is there', () => model.asked.length === 1);
    stop.abort();
    assert.equal((await asking).answers.get(1)!.size, 0);
  });

  it('is not asked without room of its team, which other teams still have', async () => {
    const hung: (() => void)[] = [];
    model.respond = (...call) => void hung.push(() => judge(...call));
    const means = room(4, 1000);
    const first = askAbout(means, checkWith(60_000, 700), [asks('x')], never);
    await until('the call is there', () => hung.length === 1);
    assert.equal((await askAbout(means, checkWith(60_000, 700), [asks('x', 1), asks('y', 2)], never)).answers.size, 0);
    assert.deepEqual(await outcomes(), ['no_room 2']);
    model.respond = judge;
    assert.equal((await askAbout(means, checkWith(60_000, 200, 'u'), [asks('x')], never)).answers.size, 1);
    for (const end of hung) end();
    assert.equal((await first).answers.get(1)!.size, 1);
    assert.equal(
      (await askAbout(means, checkWith(60_000, 700), [asks('x')], never)).answers.size,
      1,
      'room is free again',
    );
  });

  it('is asked of a model in one call for all items, and of a backend beside it', async () => {
    const calls: [texts: readonly string[], labels: readonly string[]][] = [];
    const scored = (text: string): TextResult =>
      text === ''
        ? { ok: false, reason: 'too_long' }
        : { ok: true, windows: new Map([['bad', [{ start: 0, end: text.length, score: 0.9 }]]]) };
    const model: LoadedTextModel = {
      labels: ['good', 'bad'],
      async score(texts, labels) {
        calls.push([texts, labels]);
        return texts.map(scored);
      },
    };
    const means = room(4, 1000, (name) => (name === 'm' ? model : undefined));
    const of = (detector: number, name: string, label: string) => ({ detector, policy: 'p', model: name, label });
    const items: ItemAsks[] = [
      { ...asks('one', 1), of: [...asks('one').of, of(4, 'm', 'bad')] },
      { item: 2, text: 'two', of: [of(4, 'm', 'bad'), of(5, 'm', 'other'), of(6, 'absent', 'bad')] },
      { item: 3, text: '', of: [of(4, 'm', 'bad')] },
    ];
    const { answers } = await askAbout(means, checkWith(), items, never);
    assert.deepEqual(calls, [[['one', 'two', ''], ['bad']]]);
    const said: TextAnswer = { windows: [{ start: 0, end: 3, score: 0.9 }] };
    assert.deepEqual([...answers.get(2)!], [[4, said]]);
    assert.deepEqual([...answers.get(1)!.keys()].sort(), [3, 4]);
    assert.deepEqual([...answers.get(3)!], [[4, TOO_LONG]], 'which no repetition changes');
    const counts = (await registry.metrics()).matchAll(/^weir_onnx_texts_total\{outcome="(\w+)"\} ([1-9])$/gm);
    assert.deepEqual(
      [...counts].map(([, outcome, count]) => `${outcome} ${count}`),
      ['scored 1', 'too_long 1', 'no_model 1', 'no_label 1'],
    );
  });
});
