/**
 * `npm run bench -- images`: JPEGs of 1, 4 and 12 megapixels, inline and by URL from a server on loopback, each with text
 * traffic of a fixed rate beside it: as many as there is capacity for, beside plain sharp in a loop, and then half as many,
 * for latencies. All of it is done in every round, in turn.
 */
import { join } from 'node:path';
import { startGenerator } from '../../generator/process.js';
import { watchTree } from '../../measurement/process-tree.js';
import { type Bench, median, runStage, type Stage, type StageLoad } from '../../measurement/stages.js';
import type { Options } from '../../options.js';
import type { Pictures, Way } from './bodies.js';
import { makePictures } from './pictures.js';
import { type PlainResult, runPlain } from './plain-sharp.js';

const MEGAPIXELS = [1, 4, 12] as const;
const PICTURES = 4;
const WAYS: readonly Way[] = ['inline', 'url'];
/** Callers that each wait for their answer; and connections where images come at a fixed rate. */
const CONNECTIONS = 8;
const OPEN_CONNECTIONS = 64;
/** Of what there was capacity for. */
const SHARE = 0.5;
/** Batches of text a second, where none is given. */
const TEXT_RATE = 40;

export interface ImageFigures {
  megapixels: number;
  way: Way;
  /** medians of the rounds */
  imagesPerSecond: number;
  plainPerSecond: number;
  /** of the two */
  ratio: number;
  /** per second of CPU of all processes of the stack, the text beside it included; plain: of its own processes */
  imagesPerCoreSecond: number;
  plainPerCoreSecond: number;
  /** milliseconds, at capacity */
  p50: number;
  p99: number;
  /** of the text beside it, milliseconds since each batch was due */
  textP50: number;
  textP99: number;
  /** the same at half of that rate; of the images since each was due, too */
  half: { perSecond: number; p50: number; p99: number; textP50: number; textP99: number };
  /** worker and its decoding processes, MiB */
  peakMib: number;
}

export interface ImageReport {
  rounds: number;
  /** decoding processes of the worker, and loops of plain sharp */
  decoders: number;
  textRate: number;
  /** of the text with no image beside it */
  textAloneP50: number;
  textAloneP99: number;
  /** of the text beside plain sharp */
  textBesidePlainP99: number;
  figures: ImageFigures[];
}

export interface ImageSession {
  bench: Bench;
  options: Options;
  decoders: number;
  workerPid: number;
  sources: ImageSources;
  say(line: string): void;
}

/** Files by megapixels, and who serves them. */
export interface ImageSources {
  files: ReadonlyMap<number, readonly string[]>;
  origin: string;
}

/** Makes the pictures in `folder`. */
export async function makeAllPictures(folder: string): Promise<Map<number, string[]>> {
  const files = new Map<number, string[]>();
  for (const megapixels of MEGAPIXELS) files.set(megapixels, await makePictures(join(folder), megapixels, PICTURES));
  return files;
}

interface Round {
  megapixels: number;
  way: Way;
  image: Stage;
  text: Stage;
  half: { image: Stage; text: Stage };
  plain: PlainResult;
  cpuSeconds: number;
  peakMib: number;
}

export async function runImages(session: ImageSession): Promise<{ images: ImageReport; stages: Stage[] }> {
  const { options, bench, say } = session;
  const textRate = options.run.kind === 'open' ? options.run.rate : TEXT_RATE;
  // Text has a generator of its own: what it measures must not wait while a body of megabytes is put together.
  const generator = startGenerator();
  const textBench: Bench = { ...bench, generator, base: { ...bench.base, tag: `${bench.base.tag}t` } };
  const text = (seconds: number, name: string): Promise<Stage> =>
    runStage(textBench, textLoad(name, textRate, seconds));
  const rounds: Round[] = [];
  const alone: Stage[] = [];
  const besidePlain: Stage[] = [];
  try {
    await text(options.warmup, 'Warm-up');
    for (let round = 1; round <= options.rounds; round++) {
      alone.push(await text(options.seconds, `Round ${round} text alone`));
      for (const megapixels of MEGAPIXELS) {
        const [plain, beside] = await Promise.all([
          runPlain([...session.sources.files.get(megapixels)!], session.decoders, options.seconds),
          text(options.seconds, `Round ${round} text beside plain sharp`),
        ]);
        besidePlain.push(beside);
        for (const way of WAYS) {
          const done = await imageRound(session, { megapixels, way, plain, round }, text);
          rounds.push(done);
          say(`Round ${round}: ${lineOf(done)}`);
        }
      }
    }
  } finally {
    generator.close();
  }
  const figures = MEGAPIXELS.flatMap((megapixels) =>
    WAYS.map((way) => figuresOf(rounds.filter((one) => one.megapixels === megapixels && one.way === way))),
  );
  const p = (stages: readonly Stage[], of: 'p50' | 'p99'): number =>
    median(stages.map((stage) => stage.load.latency[of]));
  return {
    images: {
      rounds: options.rounds,
      decoders: session.decoders,
      textRate,
      textAloneP50: p(alone, 'p50'),
      textAloneP99: p(alone, 'p99'),
      textBesidePlainP99: p(besidePlain, 'p99'),
      figures,
    },
    stages: [
      ...alone,
      ...besidePlain,
      ...rounds.flatMap(({ image, text: beside, half }) => [image, beside, half.image, half.text]),
    ],
  };
}

async function imageRound(
  session: ImageSession,
  what: { megapixels: number; way: Way; plain: PlainResult; round: number },
  text: (seconds: number, name: string) => Promise<Stage>,
): Promise<Round> {
  const { bench, options, sources, workerPid } = session;
  const name = `Round ${what.round} ${what.megapixels} MP ${what.way}`;
  const pictures = { files: sources.files.get(what.megapixels)!, way: what.way, origin: sources.origin };
  const tree = watchTree(workerPid);
  try {
    const [image, beside] = await Promise.all([
      runStage(bench, imageLoad(name, pictures, { kind: 'closed' }, options.seconds)),
      text(options.seconds, `${name}, text beside`),
    ]);
    const worker = tree.stop() ?? { cpuSeconds: 0, peakMib: 0 };
    // The worker's own figure misses its decoding processes; those of the others are whole.
    const rest = image.processes.filter((one) => one.name !== 'worker' && one.name !== 'generator');
    const cpuSeconds = worker.cpuSeconds + rest.reduce((sum, one) => sum + one.cpuSeconds, 0);
    const rate = Math.max(1, SHARE * image.load.requestsPerSecond);
    const [halfImage, halfText] = await Promise.all([
      runStage(bench, imageLoad(`${name}, half`, pictures, { kind: 'open', rate }, options.seconds)),
      text(options.seconds, `${name}, text beside half`),
    ]);
    const half = { image: halfImage, text: halfText };
    return { ...what, image, text: beside, half, cpuSeconds, peakMib: worker.peakMib };
  } finally {
    tree.stop();
  }
}

function imageLoad(name: string, pictures: Pictures, mode: StageLoad['mode'], seconds: number): StageLoad {
  const connections = mode.kind === 'open' ? OPEN_CONNECTIONS : CONNECTIONS;
  return { name, configuration: 'images', mode, connections, seconds, pictures };
}

function textLoad(name: string, rate: number, seconds: number): StageLoad {
  return { name, configuration: 'images', mode: { kind: 'open', rate }, connections: 64, seconds };
}

function figuresOf(rounds: readonly Round[]): ImageFigures {
  const of = (figure: (round: Round) => number): number => median(rounds.map(figure));
  const imagesPerSecond = of(({ image }) => image.load.requestsPerSecond);
  const plainPerSecond = of(({ plain }) => plain.imagesPerSecond);
  const { megapixels, way } = rounds[0]!;
  return {
    megapixels,
    way,
    imagesPerSecond,
    plainPerSecond,
    ratio: imagesPerSecond / plainPerSecond,
    imagesPerCoreSecond: of(({ image, cpuSeconds }) => (cpuSeconds === 0 ? 0 : image.load.ok / cpuSeconds)),
    plainPerCoreSecond: of(({ plain }) => plain.imagesPerCoreSecond),
    p50: of(({ image }) => image.load.latency.p50),
    p99: of(({ image }) => image.load.latency.p99),
    textP50: of(({ text }) => text.load.latency.p50),
    textP99: of(({ text }) => text.load.latency.p99),
    half: {
      perSecond: of(({ half }) => half.image.load.requestsPerSecond),
      p50: of(({ half }) => half.image.load.latency.p50),
      p99: of(({ half }) => half.image.load.latency.p99),
      textP50: of(({ half }) => half.text.load.latency.p50),
      textP99: of(({ half }) => half.text.load.latency.p99),
    },
    peakMib: Math.max(...rounds.map(({ peakMib }) => peakMib)),
  };
}

function lineOf({ megapixels, way, image, text, half, plain, peakMib }: Round): string {
  const all = [image, text, half.image, half.text].map((stage) => stage.load);
  const failed = all.flatMap(({ errors }) => Object.entries(errors)).map(([reason, n]) => `${n} × ${reason}`);
  return `${megapixels} MP ${way}: ${image.load.requestsPerSecond.toFixed(1)} images/s, plain sharp ${plain.imagesPerSecond.toFixed(1)}; text p99 ${text.load.latency.p99.toFixed(1)} ms, at half of it ${half.text.load.latency.p99.toFixed(1)} ms; worker at most ${peakMib.toFixed(0)} MiB${failed.length > 0 ? `; errors: ${failed.join(', ')}` : ''}`;
}
