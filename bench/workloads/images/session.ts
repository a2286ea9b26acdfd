/**
 * `npm run bench -- images`: JPEGs of 1, 4 and 12 megapixels, inline and by URL, with text at a fixed rate beside them.
 * Each round has, in turn: text alone; plain sharp; images as fast as they are answered (capacity); and half as many
 * images at a fixed rate (latency).
 */
import { startGenerator } from '../../generator/process.js';
import { type Bench, median, runStage, type Stage, type StageLoad } from '../../measurement/stages.js';
import type { Options } from '../../options.js';
import type { ImageTransport } from './bodies.js';
import { MEGAPIXELS } from './pictures.js';
import { type PlainResult, runPlain } from './plain-sharp.js';
import type { ImageFigures, ImageReport } from './report.js';

const WAYS: readonly ImageTransport[] = ['inline', 'url'];
/** Callers that each wait for their answer; connections where images come at a fixed rate; connections of text. */
const CONNECTIONS = { closed: 8, open: 64, text: 64 };
/** Images at a fixed rate, as a share of capacity. */
const SHARE = 0.5;
/** Batches of text a second, where none is given. */
const TEXT_RATE = 40;

export interface ImageSession {
  bench: Bench;
  options: Options;
  decoders: number;
  sources: ImageFiles;
  say(line: string): void;
}

export interface ImageFiles {
  /** files by megapixels */
  files: ReadonlyMap<number, readonly string[]>;
  /** `127.0.0.1:port` of the server that has them */
  origin: string;
}

/** Images, and the text that was sent meanwhile. */
interface ImageStages {
  image: Stage;
  text: Stage;
}

interface Round {
  megapixels: number;
  way: ImageTransport;
  plain: PlainResult;
  capacity: ImageStages;
  half: ImageStages;
}

/** Sends text for some seconds. */
type SendText = (name: string, seconds: number) => Promise<Stage>;

export async function runImages(session: ImageSession): Promise<{ images: ImageReport; stages: Stage[] }> {
  const { options, bench } = session;
  const textRate = options.run.kind === 'open' ? options.run.rate : TEXT_RATE;
  // Text has a generator of its own: it must not wait while another one puts a body of megabytes together.
  const generator = startGenerator();
  const textBench: Bench = { ...bench, generator, base: { ...bench.base, tag: `${bench.base.tag}t` } };
  // The worker decodes in processes that come and go.
  bench.processes = bench.processes.map((one) => ({ ...one, withChildren: one.name === 'worker' }));
  const sendText: SendText = (name, seconds) =>
    runStage(textBench, stageLoad(name, { kind: 'open', rate: textRate }, CONNECTIONS.text, seconds));
  const alone: Stage[] = [];
  const besidePlain: Stage[] = [];
  const rounds: Round[] = [];
  try {
    await Promise.all([warmUp(session), sendText('Warm-up', options.warmup)]);
    for (let round = 1; round <= options.rounds; round++) {
      alone.push(await sendText(`Round ${round} text alone`, options.seconds));
      for (const megapixels of MEGAPIXELS) {
        const [plain, beside] = await Promise.all([
          runPlain(session.sources.files.get(megapixels)!, session.decoders, options.seconds),
          sendText(`Round ${round} text beside plain sharp`, options.seconds),
        ]);
        besidePlain.push(beside);
        for (const way of WAYS) rounds.push(await runRound(session, { megapixels, way, plain, round }, sendText));
      }
    }
  } finally {
    generator.close();
  }
  return {
    images: {
      rounds: options.rounds,
      decoders: session.decoders,
      textRate,
      textAloneP50: median(alone.map(({ load }) => load.latency.p50)),
      textAloneP99: median(alone.map(({ load }) => load.latency.p99)),
      textBesidePlainP99: median(besidePlain.map(({ load }) => load.latency.p99)),
      figures: MEGAPIXELS.flatMap((megapixels) =>
        WAYS.map((way) =>
          figuresOf(
            rounds.filter((one) => one.megapixels === megapixels && one.way === way),
            median(alone.map(coresOf)),
          ),
        ),
      ),
    },
    stages: [
      ...alone,
      ...besidePlain,
      ...rounds.flatMap(({ capacity, half }) => [capacity.image, capacity.text, half.image, half.text]),
    ],
  };
}

/** Images of both ways for half of the time each. Processes and code are then as they stay; the loops of plain sharp also begin with an image. */
async function warmUp({ bench, options, sources }: ImageSession): Promise<void> {
  const files = sources.files.get(MEGAPIXELS[0])!;
  for (const way of WAYS) {
    const load = stageLoad('Warm-up', { kind: 'closed' }, CONNECTIONS.closed, options.warmup / WAYS.length);
    await runStage(bench, { ...load, pictures: { files, way, origin: sources.origin } });
  }
}

async function runRound(
  { bench, options, sources, say }: ImageSession,
  what: { megapixels: number; way: ImageTransport; plain: PlainResult; round: number },
  sendText: SendText,
): Promise<Round> {
  const { megapixels, way, plain } = what;
  const name = `Round ${what.round} ${megapixels} MP ${way}`;
  const pictures = { files: sources.files.get(megapixels)!, way, origin: sources.origin };
  const both = async (suffix: string, beside: string, mode: StageLoad['mode']): Promise<ImageStages> => {
    const load = stageLoad(`${name}${suffix}`, mode, CONNECTIONS[mode.kind], options.seconds);
    const [image, text] = await Promise.all([
      runStage(bench, { ...load, pictures }),
      sendText(`${name}, text beside${beside}`, options.seconds),
    ]);
    return { image, text };
  };
  const capacity = await both('', '', { kind: 'closed' });
  const rate = Math.max(1, SHARE * capacity.image.load.requestsPerSecond);
  const half = await both(', half', ' half', { kind: 'open', rate });
  const round = { megapixels, way, plain, capacity, half };
  say(`Round ${what.round}: ${lineOf(round)}`);
  return round;
}

function stageLoad(name: string, mode: StageLoad['mode'], connections: number, seconds: number): StageLoad {
  return { name, mode, connections, seconds };
}

/** `textCores`: what the text takes by itself. */
function figuresOf(rounds: readonly Round[], textCores: number): ImageFigures {
  const of = (figure: (round: Round) => number): number => median(rounds.map(figure));
  const latencies = (pair: (round: Round) => ImageStages) => ({
    p50: of((round) => pair(round).image.load.latency.p50),
    p99: of((round) => pair(round).image.load.latency.p99),
    textP50: of((round) => pair(round).text.load.latency.p50),
    textP99: of((round) => pair(round).text.load.latency.p99),
  });
  const imagesPerSecond = of(({ capacity }) => capacity.image.load.requestsPerSecond);
  const plainPerSecond = of(({ plain }) => plain.imagesPerSecond);
  const { megapixels, way } = rounds[0]!;
  return {
    megapixels,
    way,
    imagesPerSecond,
    plainPerSecond,
    ratio: imagesPerSecond / plainPerSecond,
    imagesPerCoreSecond: of(({ capacity }) => perCoreSecond(capacity.image, textCores)),
    plainPerCoreSecond: of(({ plain }) => plain.imagesPerCoreSecond),
    ...latencies(({ capacity }) => capacity),
    half: {
      perSecond: of(({ half }) => half.image.load.requestsPerSecond),
      ...latencies(({ half }) => half),
    },
    peakMib: Math.max(...rounds.map(({ capacity }) => peakOf(capacity.image))),
  };
}

/** Images per second of CPU that the stack has used beside the text. */
function perCoreSecond(stage: Stage, textCores: number): number {
  const cores = coresOf(stage) - textCores;
  return cores > 0 ? stage.load.ok / stage.load.seconds / cores : 0;
}

/** Cores that all processes of the stack have used together. */
function coresOf({ load, processes }: Stage): number {
  const service = processes.filter(({ name }) => name !== 'generator');
  return service.reduce((sum, one) => sum + one.cpuSeconds, 0) / load.seconds;
}

const peakOf = ({ processes }: Stage): number => processes.find(({ name }) => name === 'worker')?.rssMax ?? 0;

function lineOf({ megapixels, way, plain, capacity, half }: Round): string {
  const all = [capacity.image, capacity.text, half.image, half.text];
  const failed = all.flatMap(({ load }) => Object.entries(load.errors)).map(([reason, n]) => `${n} × ${reason}`);
  return `${megapixels} MP ${way}: ${capacity.image.load.requestsPerSecond.toFixed(1)} images/s, plain sharp ${plain.imagesPerSecond.toFixed(1)}; text p99 ${capacity.text.load.latency.p99.toFixed(1)} ms, at half of it ${half.text.load.latency.p99.toFixed(1)} ms; worker at most ${peakOf(capacity.image).toFixed(0)} MiB${failed.length > 0 ? `; errors: ${failed.join(', ')}` : ''}`;
}
