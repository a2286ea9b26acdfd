import assert from 'node:assert/strict';
import { spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  renameSync,
  rmSync,
  statSync,
  truncateSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, afterEach, before, describe, it } from 'node:test';
import { createLogger } from '#weir/shared/log';
import { packageRoot } from '#weir/shared/paths';
import { strongest, UNCONFINED, waysOf } from '#weir/workers/child-process/confine';
import { createDecoder } from '#weir/workers/images/decode/pool';
import type { DecodedPixels } from '#weir/workers/images/decode/types';
import { type LoadOutcome, startModelWorker } from '#weir/workers/onnx/child';
import { MODEL_LIMITS, readModelDescription } from '#weir/workers/onnx/file';
import type { ScoreEvent, ScoreResult } from '#weir/workers/onnx/model';
import { type Models, type ModelsOptions, startModels } from '#weir/workers/onnx/models';
import { pixelScorer } from '#weir/workers/onnx/process/pixels';
import { loadSession, ModelRefusal } from '#weir/workers/onnx/process/session';
import { halves } from '../../support/images/images.ts';
import { runs } from '../../support/installation/processes.ts';
import {
  DOUBLE,
  endless,
  FLOAT,
  floats,
  model,
  type RednessOptions,
  redness,
  UINT8,
} from '../../support/models/onnx.ts';
import { until } from '../../support/wait.ts';

const logger = createLogger('test', 'silent');
const root = mkdtempSync(join(tmpdir(), 'weir-models-'));
const running: Models[] = [];
// After each test, as a model that hangs takes a whole processor.
afterEach(async () => {
  await Promise.all(running.splice(0).map((models) => models.close()));
});
after(() => rmSync(root, { recursive: true }));

interface File {
  onnx: Buffer;
  yaml: string;
}

const described = (input = '', output = 'labels: [red, other]'): string =>
  `input: {width: 8, height: 8${input === '' ? '' : `, ${input}`}}\noutput: {${output}}\n`;

const REDNESS: File = { onnx: redness(), yaml: described() };

let folders = 0;
function folderOf(files: Readonly<Record<string, File>>): string {
  const folder = join(root, String(folders++));
  mkdirSync(folder);
  for (const [name, file] of Object.entries(files)) put(folder, name, file);
  return folder;
}

/** Writes or replaces a model as a careful operator does. */
function put(folder: string, name: string, { onnx, yaml }: File): void {
  writeFileSync(join(folder, 'new'), yaml);
  renameSync(join(folder, 'new'), join(folder, `${name}.yaml`));
  writeFileSync(join(folder, 'new'), onnx);
  renameSync(join(folder, 'new'), join(folder, `${name}.onnx`));
}

async function start(folder: string | undefined, options: Partial<ModelsOptions> = {}): Promise<Models> {
  // Tests say when the folder is checked. The limits are long, since other tests may use the processors.
  const models = await startModels({ folder, logger, limitMs: 60_000, reloadMs: 3_600_000, ...options });
  running.push(models);
  return models;
}

/** Why the only model of a folder does not work. */
async function problemOf(file: File, options: Partial<ModelsOptions> = {}): Promise<string> {
  const models = await start(folderOf({ m: file }), options);
  assert.equal(models.get('m'), undefined);
  const problem = models.problems().get('m') ?? '';
  await models.close();
  return problem;
}

/** The same model in this process, without one of its own: what it gives by label. Rejects as its process would refuse it. */
async function inferred({ onnx, yaml }: File): Promise<(pixels: DecodedPixels) => Promise<ScoreResult>> {
  const described = readModelDescription(yaml, 'm.yaml');
  assert.ok(described.ok && 'input' in described.description, JSON.stringify(described));
  const { input, output } = described.description;
  const score = await pixelScorer(await loadSession(onnx), {
    input,
    output: { ...output, labels: output.labels.length },
  });
  return async ({ data }) => {
    const numbers = await score(data);
    assert.equal(numbers.length, output.labels.length);
    return { ok: true, scores: Object.fromEntries(output.labels.map((label, i) => [label, numbers[i]!])) };
  };
}

const refusalOf = (file: File): Promise<string> =>
  inferred(file).then(
    () => assert.fail('it is not refused'),
    (error: Error) => {
      assert.ok(error instanceof ModelRefusal, error.message);
      return error.message;
    },
  );

/** 8 × 8 pixels of one colour. */
function colour(...value: number[]): DecodedPixels {
  const data = Buffer.from(Array.from({ length: 64 }, () => value).flat());
  return { width: 8, height: 8, channels: value.length as 1 | 3, data };
}

function near(result: ScoreResult | undefined, expected: Record<string, number>): void {
  assert.ok(result?.ok, JSON.stringify(result));
  assert.deepEqual(Object.keys(result.scores), Object.keys(expected));
  for (const [label, score] of Object.entries(expected)) {
    const found = result.scores[label]!;
    assert.ok(Math.abs(found - score) <= 1e-4, `${label}: ${found} is not ${score}`);
  }
}

async function scoreOf(file: File, pixels: DecodedPixels): Promise<ScoreResult> {
  const models = await start(folderOf({ m: file }));
  assert.deepEqual([...models.problems()], []);
  const result = await models.get('m')!.score(pixels);
  await models.close();
  return result;
}

const RED = colour(255, 0, 0);

describe('scores of image models', () => {
  let models: Models;
  const events: ScoreEvent[] = [];
  before(async () => {
    const folder = folderOf({ red: REDNESS });
    models = await start(folder, { observe: (event) => events.push(event) });
    running.splice(0);
  });
  after(() => models.close());

  it('are what the model says of the pixels, under its labels', async () => {
    near(await models.get('red')!.score(RED), { red: 1, other: 0 });
    near(await models.get('red')!.score(colour(51, 255, 255)), { red: 0.2, other: 0.8 });
    const half = colour(255, 9, 9);
    half.data.fill(0, 96);
    near(await models.get('red')!.score(half), { red: 0.5, other: 0.5 });
    assert.equal(events.at(-1)!.outcome, 'scored');
    assert.ok(events.at(-1)!.ms >= events.at(-1)!.waitedMs);
  });

  it('come from the pixels that the decoder makes for the model', async () => {
    const decoder = createDecoder({ workers: 1 });
    const file = await halves(400, 200).png().toBuffer();
    const { rendition, score } = models.get('red')!;
    const decoded = await decoder.decode(file, { renditions: [rendition] });
    await decoder.close();
    assert.ok(decoded.ok);
    const pixels = decoded.pixels[0]!;
    const reds = pixels.data.filter((_, i) => i % 3 === 0);
    const mean = reds.reduce((sum, each) => sum + each, 0) / reds.length / 255;
    assert.ok(Math.abs(mean - 0.5) < 0.05);
    near(await score(pixels), { red: mean, other: 1 - mean });
  });

  it('take the mean and the deviation of each channel into account', async () => {
    const yaml = described('scale: 1, mean: [55, 100, 0], std: [200, 50, 1]');
    const weights = [1, 0, 0, 1, 0, 0];
    const onnx = redness({ weights, bias: [0, 0] });
    const probed: File = { onnx, yaml: `${yaml.replace('[red, other]', '[red, green]')}` };
    // A black image scores far below 0 there. Without an activation, the trial would refuse that.
    assert.match(await refusalOf(probed), /gave numbers beyond 0 to 1, which are no scores: set activation/);
    const sigmoid = { onnx, yaml: yaml.replace('[red, other]', '[red, green], activation: sigmoid') };
    const s = (x: number): number => 1 / (1 + Math.exp(-x));
    const score = await inferred(sigmoid);
    near(await score(colour(155, 125, 0)), { red: s(0.5), green: s(0.5) });
    near(await score(colour(55, 0, 0)), { red: s(0), green: s(-2) });
  });

  it('are made from logits by softmax, also from large ones', async () => {
    const onnx = redness({ weights: [1000, 0, 0, 1000, 0, 0], bias: [0, 0] });
    const yaml = described('', 'labels: [red, green], activation: softmax');
    near(await scoreOf({ onnx, yaml }, RED), { red: 1, green: 0 });
    near(await (await inferred({ onnx, yaml }))(colour(100, 100, 7)), { red: 0.5, green: 0.5 });
    const mild = redness({ weights: [1, 0, 0, 1, 0, 0], bias: [0, 0] });
    const e = Math.exp(1);
    near(await (await inferred({ onnx: mild, yaml }))(RED), { red: e / (e + 1), green: 1 / (e + 1) });
  });

  const variants: [string, RednessOptions, string, DecodedPixels, number][] = [
    ['rows, columns, channels', { layout: 'nhwc' }, 'layout: nhwc', colour(51, 0, 255), 0.2],
    ['blue first', {}, 'channels: bgr', colour(255, 0, 51), 0.2],
    ['gray', { channels: 1 }, 'channels: gray', colour(51), 0.2],
    ['any size', { side: 'side' }, '', colour(51, 0, 0), 0.2],
    ['bytes', { type: UINT8, weights: [1 / 255, 0, 0, 0, 0, 0] }, '', colour(51, 0, 0), 0.2],
    [
      'bytes, channels last',
      { type: UINT8, layout: 'nhwc', weights: [1 / 255, 0, 0, 0, 0, 0] },
      'layout: nhwc',
      colour(51, 0, 0),
      0.2,
    ],
  ];
  for (const [what, options, input, pixels, red] of variants) {
    it(`are right for an input of ${what}`, async () => {
      const result = await (await inferred({ onnx: redness(options), yaml: described(input) }))(pixels);
      assert.ok(result.ok, JSON.stringify(result));
      assert.ok(Math.abs(result.scores.red! - red) <= 1e-4, String(result.scores.red));
    });
  }

  it('are of the label also where it is named as nothing else should be', async () => {
    const yaml = described('', 'labels: [__proto__, constructor]');
    const result = await scoreOf({ onnx: redness(), yaml }, RED);
    assert.ok(result.ok);
    assert.deepEqual(Object.entries(result.scores), [
      ['__proto__', 1],
      ['constructor', 0],
    ]);
  });

  it('are not given for pixels of another size', async () => {
    await assert.rejects(models.get('red')!.score({ ...RED, width: 4, height: 16 }), RangeError);
    await assert.rejects(models.get('red')!.score(colour(9)), RangeError);
  });
});

describe('a model that cannot be used', () => {
  const good = redness();

  it('is one whose file is broken', async () => {
    assert.match(await problemOf({ onnx: good.subarray(0, 200), yaml: described() }), /no model that can be loaded/);
    assert.match(await refusalOf({ onnx: Buffer.alloc(0), yaml: described() }), /no model that can be loaded/);
    assert.match(await refusalOf({ onnx: Buffer.from('<html>'), yaml: described() }), /no model that can be loaded/);
    const folder = folderOf({ m: { onnx: Buffer.alloc(0), yaml: described() } });
    truncateSync(join(folder, 'm.onnx'), MODEL_LIMITS.bytes + 1);
    const models = await start(folder);
    assert.match(models.problems().get('m')!, /expected at most 1073741824 bytes, found 1073741825/);
  });

  it('is one with another input than described', async () => {
    const problem = (options: RednessOptions, input = ''): Promise<string> =>
      refusalOf({ onnx: redness(options), yaml: described(input) });
    assert.equal(
      await problemOf({ onnx: redness({ side: 16 }), yaml: described() }),
      'the input "x" has the shape [batch, 3, 16, 16], but the description makes [1, 3, 8, 8]: correct its width, height, layout or channels',
    );
    assert.match(await problem({}, 'layout: nhwc'), /but the description makes \[1, 8, 8, 3\]/);
    assert.match(await problem({}, 'channels: gray'), /but the description makes \[1, 1, 8, 8\]/);
    const double = await problem({ type: DOUBLE });
    assert.match(double, /expected an input of tensors of float32 or uint8, "x" takes .*float64/);
    assert.equal(await problem({}, 'name: pixels'), 'it has no input "pixels", only "x"');
    assert.match(await problem({ type: UINT8 }, 'scale: 1'), /takes bytes as they are: leave scale, mean and std out/);
    const two = ['x', 'z'].map((name) => ({ name, type: FLOAT, shape: [1, 2] }));
    const onnx = model({
      nodes: [{ type: 'Add', inputs: ['x', 'z'], outputs: ['y'] }],
      inputs: two,
      outputs: [{ name: 'y', type: FLOAT, shape: [1, 2] }],
    });
    assert.equal(await refusalOf({ onnx, yaml: described() }), 'expected a model with one input, found "x", "z"');
  });

  it('is one with another output than described', async () => {
    const problem = (options: RednessOptions, output: string): Promise<string> =>
      refusalOf({ onnx: redness(options), yaml: described('', output) });
    assert.match(await problem({}, 'labels: [a, b, c]'), /has the shape \[1, 2\], but the description names 3 labels/);
    assert.match(await problem({ outputShape: ['n', 'm'] }, 'labels: [a]'), /the description names 1 labels/);
    const onnx = model({
      nodes: [{ type: 'Flatten', inputs: ['x'], outputs: ['y'] }],
      inputs: [{ name: 'x', type: FLOAT, shape: [1, 3, 'side', 'side'] }],
      outputs: [{ name: 'y', type: FLOAT, shape: [1, 'all'] }],
    });
    const yaml = described('', 'labels: [a, b]');
    assert.equal(await refusalOf({ onnx, yaml }), 'it gave 192 numbers, but the description names 2 labels');
    assert.match(await problem({ outputType: DOUBLE }, 'labels: [a, b]'), /float32, "y" gives float64/);
    assert.equal(await problem({}, 'labels: [a, b], name: logits'), 'it has no output "logits", only "y"');
    assert.match(await problem({ bias: [0, 7] }, 'labels: [a, b]'), /beyond 0 to 1, which are no scores/);
    assert.match(await problem({ bias: [0, Number.NaN] }, 'labels: [a, b]'), /numbers that are not finite/);
  });

  it('is one without a description, or with a wrong one', async () => {
    const folder = folderOf({ m: { onnx: good, yaml: described() } });
    rmSync(join(folder, 'm.yaml'));
    const models = await start(folder);
    assert.match(models.problems().get('m')!, /its description m\.yaml cannot be read/);
    assert.match(await problemOf({ onnx: good, yaml: 'input: {}' }), /^m\.yaml:1:8: input\.width: is required/);
    assert.match(
      await problemOf({ onnx: good, yaml: ' '.repeat(300_000) }),
      /m\.yaml cannot be read: expected at most 262144 bytes/,
    );
  });

  it('is one that hangs on its first image', async () => {
    const yaml = described('mean: [-1, -1, -1]');
    assert.match(await problemOf({ onnx: endless(), yaml }, { loadLimitMs: 1000 }), /took more than 1000 ms/);
  });

  it('does not hold up the start when it takes long, and is ended with the rest', async () => {
    const slow: File = { onnx: endless(), yaml: described('mean: [-1, -1, -1]') };
    const fast: File = { onnx: good, yaml: described() };
    const models = await start(folderOf({ slow, fast }), { startMs: 1, loadLimitMs: 3_600_000 });
    assert.equal(models.get('slow'), undefined);
    assert.deepEqual([...models.problems()], []);
    await models.close();
  });

  it('is one that needs more memory than it may have', async () => {
    const file = { onnx: good, yaml: described() };
    const hungry = await problemOf(file, { memoryBytes: 16 * 1024 * 1024 });
    assert.equal(hungry, 'it needs more memory than the 16 MiB it may have');
  });

  it('is one more than a folder may hold, by name', async () => {
    const yaml = 'input: {}';
    const names = Array.from({ length: MODEL_LIMITS.count + 1 }, (_, i) => `m${i}`);
    const models = await start(folderOf(Object.fromEntries(names.map((name) => [name, { onnx: good, yaml }]))));
    assert.equal(models.problems().size, names.length);
    assert.match(models.problems().get('m6')!, /a folder may hold 6 models, and others come before it by name/);
  });

  it('is any model while no more files can be opened, and the worker goes on', () => {
    const script = `
      import { openSync } from 'node:fs';
      import { UNCONFINED } from '#weir/workers/child-process/confine';
      import { startModelWorker } from '#weir/workers/onnx/child';
      try { for (;;) openSync('/dev/null', 'r'); } catch {}
      const file = { path: '/m.onnx', size: 1, mtimeMs: 1 };
      const request = { file, input: {}, output: {}, memoryBytes: 2 ** 30 };
      const worker = startModelWorker({ request, loadLimitMs: 60_000, confinement: UNCONFINED });
      const { ok, lasting } = await worker.loaded;
      await worker.end();
      console.log(ok, lasting);`;
    const { stdout, stderr } = spawnSync(
      'sh',
      ['-c', 'ulimit -n 64; exec "$@"', 'sh', process.execPath, '--input-type=module', '-e', script],
      { cwd: packageRoot, encoding: 'utf8' },
    );
    assert.equal(stdout, 'false false\n', stderr);
  });

  it('does not keep others from working', async () => {
    const files = { bad: { onnx: Buffer.from('x'), yaml: described() }, good: { onnx: good, yaml: described() } };
    const models = await start(folderOf(files));
    assert.deepEqual([...models.problems().keys()], ['bad']);
    assert.deepEqual(models.counts(), { models: 1, running: 0, waiting: 0 });
    near(await models.get('good')!.score(RED), { red: 1, other: 0 });
  });

  it('is any model if no folder is named or it does not exist', async () => {
    assert.equal((await start(undefined)).get('red'), undefined);
    const said: unknown[] = [];
    const keep = (what: unknown): void => void said.push(what);
    const listening = Object.assign(createLogger('test', 'silent'), { info: keep });
    const models = await start(join(root, 'nowhere'), { logger: listening });
    await models.reload();
    assert.equal(models.get('red'), undefined);
    assert.equal(said.length, 1);
    assert.match(String(said[0]), /the folder of models .*nowhere cannot be read: ENOENT/);
  });
});

describe('a running model', () => {
  const ENDLESS: File = { onnx: endless(), yaml: described('', 'labels: [low, high]') };
  const BLACK = colour(0, 0, 0);

  const oneRunsAndOneWaits = (models: Models) =>
    until('one runs and one waits', () => models.counts().running === 1 && models.counts().waiting === 1);

  async function reasonOf(result: Promise<ScoreResult>): Promise<string> {
    const outcome = await result;
    assert.ok(!outcome.ok, JSON.stringify(outcome));
    assert.match(outcome.note, /^The image could not be scored by a model.*\.$/);
    return outcome.reason;
  }

  it('is ended alone when it hangs, and is there again for the next image', async () => {
    const folder = folderOf({ endless: ENDLESS, red: REDNESS });
    const events: string[] = [];
    const observe = ({ outcome }: ScoreEvent) => events.push(outcome);
    const models = await start(folder, { concurrency: 2, limitMs: 4000, observe });
    const before = models.pids();
    const { score } = models.get('endless')!;
    const hanging = reasonOf(score(RED));
    await until('it runs', () => models.counts().running === 1);
    // Stopped, it hangs as well as by computing, and costs no other test a processor.
    process.kill(before[0]!, 'SIGSTOP');
    near(await models.get('red')!.score(RED), { red: 1, other: 0 });
    assert.equal(await hanging, 'timeout');
    assert.deepEqual(events.toSorted(), ['scored', 'timeout']);
    near(await score(BLACK), { low: 0.25, high: 0.75 });
    const now = models.pids();
    assert.equal(now.length, 2);
    assert.equal(now.filter((pid) => before.includes(pid)).length, 1);
  });

  it('loses one image when its process dies', async () => {
    const models = await start(folderOf({ endless: ENDLESS }));
    const { score } = models.get('endless')!;
    const dying = reasonOf(score(RED));
    const next = score(BLACK);
    await oneRunsAndOneWaits(models);
    process.kill(models.pids()[0]!, 'SIGKILL');
    assert.equal(await dying, 'crashed');
    near(await next, { low: 0.25, high: 0.75 });
  });

  it('holds up no other while it is loaded again', async () => {
    const folder = folderOf({ endless: ENDLESS, red: REDNESS });
    const models = await start(folder, { concurrency: 1 });
    const before = models.pids();
    process.kill(before[0]!, 'SIGKILL');
    await until('it is gone', () => models.pids().length === 1);
    const { score } = models.get('endless')!;
    const stop = new AbortController();
    const [waiting, leaving] = [score(BLACK), reasonOf(score(BLACK, stop.signal))];
    const loading = (): number | undefined => models.pids().find((pid) => !before.includes(pid));
    // The process is stopped before it has run a line, so loading takes as long as this test wants.
    await new Promise(setImmediate);
    process.kill(loading()!, 'SIGSTOP');
    try {
      near(await models.get('red')!.score(RED), { red: 1, other: 0 });
      assert.deepEqual(models.counts(), { models: 2, running: 0, waiting: 2 });
      stop.abort();
      assert.equal(await leaving, 'cancelled');
    } finally {
      process.kill(loading()!, 'SIGCONT');
    }
    near(await waiting, { low: 0.25, high: 0.75 });
  });

  it('says crashed while its process cannot be started again', async () => {
    const folder = folderOf({ red: REDNESS });
    const models = await start(folder);
    const { score } = models.get('red')!;
    rmSync(join(folder, 'red.onnx'));
    process.kill(models.pids()[0]!, 'SIGKILL');
    await until('it is gone', () => models.pids().length === 0);
    assert.equal(await reasonOf(score(RED)), 'crashed');
    assert.equal(await reasonOf(score(RED)), 'crashed');
    await models.reload();
    assert.equal(models.get('red'), undefined);
  });

  it('is not started again from a file that has changed and may have other labels', async () => {
    const folder = folderOf({ red: REDNESS });
    const models = await start(folder);
    const before = models.get('red')!;
    writeFileSync(join(folder, 'red.onnx'), redness({ weights: [0, 0, 0, 0, 0, 0], bias: [0.25, 0.75] }));
    process.kill(models.pids()[0]!, 'SIGKILL');
    await until('it is gone', () => models.pids().length === 0);
    assert.equal(await reasonOf(before.score(RED)), 'crashed');
    await models.reload();
    near(await models.get('red')!.score(RED), { red: 0.25, other: 0.75 });
  });

  it('is ended when its worker was killed', async () => {
    const folder = folderOf({ endless: ENDLESS });
    const script = `
      import { startModels } from '#weir/workers/onnx/models';
      import { createLogger } from '#weir/shared/log';
      const models = await startModels({ folder: ${JSON.stringify(folder)}, logger: createLogger('test', 'silent') });
      models.get('endless').score({ width: 8, height: 8, channels: 3, data: Buffer.alloc(192, 255) });
      setInterval(() => models.counts().running === 1 && process.send(models.pids()), 50);`;
    const worker = spawn(process.execPath, ['--input-type=module', '-e', script], {
      cwd: packageRoot,
      stdio: ['ignore', 'ignore', 'inherit', 'ipc'],
    });
    const [[pid]] = (await once(worker, 'message')) as [[number]];
    worker.kill('SIGKILL');
    await until('its process is gone', () => !runs(pid));
  });

  it('says failed for an image without finite scores, and goes on', async () => {
    const onnx = model({
      nodes: [
        { type: 'ReduceMax', inputs: ['x'], outputs: ['largest'], attributes: { axes: [1, 2, 3], keepdims: 0 } },
        { type: 'Sub', inputs: ['half', 'largest'], outputs: ['left'] },
        { type: 'Sqrt', inputs: ['left'], outputs: ['y'] },
      ],
      constants: [floats('half', [1], [0.25])],
      inputs: [{ name: 'x', type: FLOAT, shape: [1, 3, 8, 8] }],
      outputs: [{ name: 'y', type: FLOAT, shape: [1] }],
    });
    const models = await start(folderOf({ root: { onnx, yaml: described('', 'labels: [dark]') } }));
    const { score } = models.get('root')!;
    assert.equal(await reasonOf(score(RED)), 'failed');
    near(await score(BLACK), { dark: 0.5 });
  });

  it('that a team keeps busy delays no other model of another team, and teams take turns for the same one', async () => {
    const models = await start(folderOf({ endless: ENDLESS, red: REDNESS }));
    const [slow, quick] = [models.get('endless')!, models.get('red')!];
    const stop = new AbortController();
    const hung = reasonOf(slow.score(RED, stop.signal, 'many'));
    await until('it runs', () => models.counts().running === 1);
    assert.ok((await quick.score(RED, undefined, 'few')).ok);
    const order: string[] = [];
    const ask = async (team: string): Promise<void> => {
      if ((await quick.score(RED, undefined, team)).ok) order.push(team);
    };
    const waiting = ask('many');
    await until('another one of the team waits', () => models.counts().waiting === 1);
    await ask('few');
    assert.deepEqual(order, ['few']);
    stop.abort();
    await models.close();
    assert.equal(await hung, 'cancelled');
    await waiting;
  });

  it('lets a bounded number of images wait, and refuses the rest', async () => {
    const models = await start(folderOf({ endless: ENDLESS }), { waiting: 1 });
    const { score } = models.get('endless')!;
    const stop = new AbortController();
    const images = [reasonOf(score(RED, stop.signal)), reasonOf(score(RED, stop.signal))];
    await oneRunsAndOneWaits(models);
    assert.equal(await reasonOf(score(BLACK)), 'busy');
    stop.abort();
    assert.deepEqual(await Promise.all(images), ['cancelled', 'cancelled']);
    // Nobody waits for it any more, but it still runs and has its slot.
    assert.deepEqual(models.counts(), { models: 1, running: 1, waiting: 0 });
    assert.equal(await reasonOf(score(BLACK, AbortSignal.abort())), 'cancelled');
  });

  it('ends with everything that waits when the models are closed', async () => {
    const models = await start(folderOf({ endless: ENDLESS }));
    const { score } = models.get('endless')!;
    const images = [reasonOf(score(RED)), reasonOf(score(RED))];
    await oneRunsAndOneWaits(models);
    const [pid] = models.pids();
    await models.close();
    assert.deepEqual(await Promise.all(images), ['cancelled', 'cancelled']);
    assert.equal(runs(pid!), false);
    assert.equal(await reasonOf(score(BLACK)), 'cancelled');
  });
});

describe('a folder of models', () => {
  const yaml = described();
  const swapped = redness({ weights: [-1, 1, 0, 0, 0, 0], bias: [1, 0] });

  it('is checked again: a model that changed replaces the one before', async () => {
    const folder = folderOf({ red: REDNESS });
    const models = await start(folder, { reloadMs: 50 });
    const before = models.get('red')!;
    put(folder, 'red', { onnx: swapped, yaml });
    await until('the other model is there', () => models.get('red') !== before);
    near(await models.get('red')!.score(RED), { red: 0, other: 1 });
    // The one before still takes pixels that were made for it.
    near(await before.score(RED), { red: 1, other: 0 });
  });

  it('is not loaded again when nothing changed', async () => {
    const models = await start(folderOf({ red: REDNESS }));
    const before = models.get('red')!;
    await Promise.all([models.reload(), models.reload()]);
    assert.equal(models.get('red'), before);
  });

  it('takes a new description, new models, and drops those that are gone', async () => {
    const folder = folderOf({ red: REDNESS });
    const models = await start(folder);
    put(folder, 'red', { onnx: redness(), yaml: described('', 'labels: [r, o]') });
    put(folder, 'blue', { onnx: swapped, yaml });
    await models.reload();
    near(await models.get('red')!.score(RED), { r: 1, o: 0 });
    near(await models.get('blue')!.score(RED), { red: 0, other: 1 });
    rmSync(join(folder, 'red.onnx'));
    await models.reload();
    assert.equal(models.get('red'), undefined);
    assert.equal(models.counts().models, 1);
  });

  it('keeps the model that works when the new one does not, and logs that once', async () => {
    const said: string[] = [];
    const keep = (_: unknown, what: string): void => void said.push(what);
    const listening = Object.assign(createLogger('test', 'silent'), { error: keep });
    const folder = folderOf({ red: REDNESS });
    const models = await start(folder, { logger: listening });
    put(folder, 'red', { onnx: Buffer.from('half a copy'), yaml });
    await models.reload();
    await models.reload();
    near(await models.get('red')!.score(RED), { red: 1, other: 0 });
    assert.match(models.problems().get('red')!, /no model that can be loaded/);
    assert.equal(said.length, 1);
    assert.match(said[0]!, /the one that was loaded before goes on/);
    put(folder, 'red', { onnx: swapped, yaml });
    await models.reload();
    assert.equal(models.problems().size, 0);
    near(await models.get('red')!.score(RED), { red: 0, other: 1 });
  });

  it('goes on with its models when it cannot be read for a moment', async () => {
    const folder = folderOf({ red: REDNESS });
    const models = await start(folder);
    renameSync(folder, `${folder}-moved`);
    await models.reload();
    near(await models.get('red')!.score(RED), { red: 1, other: 0 });
  });

  it('notices models that changed, but not in size, time and path', async () => {
    const folder = folderOf({ red: REDNESS });
    const file = join(folder, 'red.onnx');
    utimesSync(file, 1_000_000, 1_000_000);
    const models = await start(folder);
    assert.equal(swapped.length, redness().length);
    writeFileSync(file, swapped);
    utimesSync(file, 1_000_000, 1_000_000);
    await models.reload();
    near(await models.get('red')!.score(RED), { red: 0, other: 1 });
  });

  it('has its models tried again when their files were not at fault', async () => {
    const folder = folderOf({});
    const wanted = { input: { width: 8, height: 8 }, output: { labels: ['red', 'other'] } };
    const described = readModelDescription(JSON.stringify(wanted), 'm.yaml');
    assert.ok(described.ok && 'input' in described.description);
    const { input, output } = described.description;
    const outcome = async (name: string): Promise<LoadOutcome> => {
      const path = join(folder, name);
      const { size, mtimeMs } = statSync(path);
      const file = { path, size, mtimeMs };
      const request = { file, input, output: { ...output, labels: 2 }, memoryBytes: 2 ** 30 };
      const worker = startModelWorker({ request, loadLimitMs: 60_000, confinement: UNCONFINED });
      const loaded = await worker.loaded;
      await worker.end();
      return loaded;
    };
    writeFileSync(join(folder, 'broken'), '<html>');
    mkdirSync(join(folder, 'unreadable'));
    const [broken, unreadable] = [await outcome('broken'), await outcome('unreadable')];
    assert.ok(!broken.ok && broken.lasting);
    assert.ok(!unreadable.ok && !unreadable.lasting);
    assert.match(unreadable.message, /not there, or may not be read/);
  });

  it('is read by the worker, so that a confined process needs no rights to it', async () => {
    const folder = folderOf({ red: REDNESS });
    chmodSync(folder, 0o700);
    const models = await start(folder, { confinement: strongest(waysOf(process.getuid?.(), [folder])) });
    near(await models.get('red')!.score(RED), { red: 1, other: 0 });
  });

  it('may have other files, which are not models', async () => {
    const folder = folderOf({ red: REDNESS });
    for (const name of ['README.md', 'Upper.onnx', '.onnx', 'sp ace.onnx']) writeFileSync(join(folder, name), 'x');
    const models = await start(folder);
    assert.equal(models.counts().models, 1);
    assert.equal(models.problems().size, 0);
  });
});
