/** Models of texts in processes of their own: scores, models that hang, and turns. */
import assert from 'node:assert/strict';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createLogger } from '#weir/shared/log';
import { type Models, startModels } from '#weir/workers/onnx/models';
import { type ScoringLimits, type TextsEvent, textsAtOnce } from '#weir/workers/onnx/text-model';
import { runs } from '../../support/installation/processes.ts';
import { modelFolder } from '../../support/models/model-folder.ts';
import { words } from '../../support/models/onnx.ts';
import { until } from '../../support/wait.ts';

const folder = modelFolder();
const events: TextsEvent[] = [];
let models: Models;
before(async () => {
  folder.put('bare', words());
  rmSync(join(folder.path, 'bare.tokenizer.json'));
  const observeTexts = (event: TextsEvent): void => void events.push(event);
  const logger = createLogger('test', 'silent');
  const limits = { limitMs: 300, startMs: 60_000, reloadMs: 3_600_000 };
  models = await startModels({ folder: folder.path, logger, observeTexts, ...limits });
});
after(async () => {
  await models?.close();
  folder.remove();
});

const within = (ms: number): ScoringLimits => ({
  until: performance.now() + ms,
  signal: new AbortController().signal,
  team: 't',
});

describe('a model of texts', () => {
  it('is no model of images, and needs a tokenizer beside it', () => {
    assert.deepEqual([...models.problems()], [['bare', 'its tokenizer bare.tokenizer.json is not there']]);
    assert.deepEqual(
      [models.get('words'), models.text('bare'), models.text('absent')],
      [undefined, undefined, undefined],
    );
    assert.deepEqual([models.counts('text').models, models.counts().models, models.pids().length], [1, 0, 1]);
  });

  it('scores texts, a few at a time, those that need too many windows left out', async () => {
    const texts = [...Array.from({ length: 10 }, (_, i) => `good ${'bad '.repeat(i)}`), 'good '.repeat(400), 'bad'];
    const results = await models.text('words')!.score(texts, ['bad'], within(60_000));
    const shares = results.map((result) => {
      const [window] = result.ok ? result.windows.get('bad')! : [];
      return window ? Math.round(window.score * (window.end === 3 ? 3 : 100)) : result.ok || result.reason;
    });
    assert.deepEqual(shares.slice(0, 3), [0, 25, 40]);
    assert.deepEqual(shares.slice(-2), ['too_long', 1]);
    // Further requests have fewer texts where the machine is slow.
    const windows = events.map((event) => event.windows);
    assert.deepEqual([windows[0], windows.reduce((sum, each) => sum + each, 0)], [8, 11]);
  });

  it('takes fewer texts at once where it is slow, and one at least', () => {
    const texts = ['a'.repeat(50), 'b'.repeat(50), 'c'.repeat(50), ...Array.from({ length: 9 }, () => '')];
    const counts = [Number.POSITIVE_INFINITY, 299, 200, 199, 0].map((bytes) => textsAtOnce(texts, bytes).length);
    assert.deepEqual(counts, [8, 2, 2, 1, 1]);
    assert.equal(textsAtOnce(['x'.repeat(40_000), 'y'], Number.POSITIVE_INFINITY).length, 1);
    assert.deepEqual(textsAtOnce(['a', 'b'], 1e6), ['a', 'b']);
  });

  it('is used in turns: a team with many texts delays another one by one request', async () => {
    const model = models.text('words')!;
    const done: string[] = [];
    const ask = async (team: string, count: number): Promise<void> => {
      await model.score(
        Array.from({ length: count }, () => 'good'),
        ['bad'],
        { ...within(60_000), team },
      );
      done.push(team);
    };
    const many = [ask('many', 80), ask('many', 80)];
    await ask('few', 1);
    assert.deepEqual(done, ['few']);
    await Promise.all(many);
  });

  it('that hangs on a text costs that request, and is started again for the next', async () => {
    const [pid] = models.pids();
    const hung = models.text('words')!.score(['hang'], ['bad'], within(100));
    assert.deepEqual(await hung, [{ ok: false, reason: 'cancelled' }]);
    await until('the process is ended', () => !runs(pid!));
    const [result] = await models.text('words')!.score(['bad'], ['rest'], within(60_000));
    assert.ok(result?.ok && Math.abs(result.windows.get('rest')![0]!.score - 2 / 3) < 1e-6);
    assert.notEqual(models.pids()[0], pid);
  });
});
