/**
 * How long texts take beside files that mean harm, in turn with texts alone, and with texts beside loops that do nothing
 * but compute, as many as images are decoded at once: what no care could keep from them. Prints p50 and p99 of each:
 * `node --import tsx test/e2e/hostile/latency.ts [rounds [files a second]]`.
 */
import { type ChildProcess, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { setPriority } from 'node:os';
import { fileURLToPath } from 'node:url';
import { LIMITS } from '#weir/shared/api/limits';
import { type HostileImage, hostileImages } from '../../support/hostile-images.ts';
import { sleep, until } from '../../support/wait.ts';
import { newRun, type System } from '../system.ts';
import { DECODERS, key, options, startBeside } from './stack.ts';

const ROUNDS = Number(process.argv[2] ?? 3);
const PHASE_MS = 6000;
const TEXT_EVERY_MS = 25;
const EVENTS = 50;
/** files a second, and how many may wait for their answers */
const RATE = Number(process.argv[3] ?? 20);
const AT_ONCE = 16;
/** as decoding processes have it */
const NICENESS = 5;

const PHASES = ['alone', 'beside hostile images', 'beside busy loops'] as const;
type Phase = (typeof PHASES)[number];

/** Checks texts at a steady rate for a phase; the milliseconds that each took. */
async function texts(system: System): Promise<number[]> {
  const events = Array.from({ length: EVENTS }, (_, i) => ({
    ...{ type: 'reasoning', event_id: `e${i}`, content: `nothing to see ${'here and there '.repeat(15)}` },
  }));
  const times: number[] = [];
  const one = async (): Promise<void> => {
    const started = performance.now();
    const { status, text } = await system.post(
      '/api/events',
      { environment_id: 'prod', run_id: newRun(), events },
      options,
    );
    if (status !== 200) throw new Error(`${status} ${text.slice(0, 200)}`);
    times.push(performance.now() - started);
  };
  const underWay: Promise<void>[] = [];
  for (const end = performance.now() + PHASE_MS; performance.now() < end; await sleep(TEXT_EVERY_MS))
    underWay.push(one());
  await Promise.all(underWay);
  return times;
}

/** Posts files of the corpus, from where it ended last, between the messages `go` and `stop`: then it says how many. */
async function poster(url: string, originPort: number, key: string): Promise<void> {
  const corpus = await hostileImages();
  const all = contents(corpus, originPort);
  let running = false;
  let posted = 0;
  let underWay = 0;
  const post = async (): Promise<void> => {
    if (!running || underWay >= AT_ONCE) return;
    underWay++;
    const body = JSON.stringify({ content: all.next().value });
    const headers = {
      authorization: `Bearer ${key}`,
      'service-version': '2025-12-01',
      'content-type': 'application/json',
    };
    try {
      await fetch(`${url}/api/artifact`, { method: 'POST', headers, body }).then((answer) => answer.arrayBuffer());
      posted++;
    } catch (error) {
      console.error(`A file was not answered: ${error}`);
    }
    underWay--;
    if (!running && underWay === 0) process.send?.(posted);
  };
  setInterval(() => void post(), 1000 / RATE);
  process.on('message', (message) => {
    running = message === 'go';
    if (!running && underWay === 0) process.send?.(posted);
  });
  process.send?.('ready');
}

function* contents(corpus: readonly HostileImage[], port: number): Generator<object, never> {
  for (let i = 0; ; i = (i + 1) % corpus.length) {
    const data = corpus[i]!.bytes.toString('base64');
    const fits = data.length <= LIMITS.imageDataCharacters;
    yield fits ? { kind: 'image', data } : { kind: 'image', url: `http://127.0.0.1:${port}/${i}` };
  }
}

/** A process of its own, so that what is measured here does not wait for what it does; gentle, as if it were elsewhere. */
async function startPoster(...args: string[]): Promise<ChildProcess> {
  const child = fork(fileURLToPath(import.meta.url), ['--post', String(RATE), ...args]);
  setPriority(child.pid!, NICENESS);
  await messageOf(child);
  return child;
}

async function messageOf(child: ChildProcess): Promise<unknown> {
  const ended = once(child, 'exit').then(() => {
    throw new Error('The process that posts files has ended.');
  });
  const [message] = (await Promise.race([once(child, 'message'), ended])) as [unknown];
  return message;
}

/** Until no image is being decoded any more, also of those whose answer was `processing`. */
async function idle({ stack }: System): Promise<void> {
  const url = `http://127.0.0.1:${stack.evaluators[0]!.ready.metricsPort}/metrics`;
  const busy = /^weir_image_decodes_(under_way|waiting)\S* [1-9]/m;
  await until('all images are decoded', async () => !busy.test(await (await fetch(url)).text()));
}

function busyLoops(): ChildProcess[] {
  return Array.from({ length: DECODERS }, () => {
    const child = spawn(process.execPath, [
      '-e',
      `for (const end = Date.now() + ${PHASE_MS + 5000}; Date.now() < end; );`,
    ]);
    setPriority(child.pid!, NICENESS);
    return child;
  });
}

async function measure(): Promise<void> {
  const corpus = await hostileImages();
  const { system, origin } = await startBeside(corpus);
  const times: Record<Phase, number[]> = { alone: [], 'beside hostile images': [], 'beside busy loops': [] };
  let posted = 0;
  let child: ChildProcess | undefined;
  try {
    child = await startPoster(system.stack.url, String(origin.port), key);
    await texts(system);
    for (let round = 0; round < ROUNDS; round++) {
      times.alone.push(...(await texts(system)));
      child.send('go');
      times['beside hostile images'].push(...(await texts(system)));
      child.send('stop');
      posted = (await messageOf(child)) as number;
      await idle(system);
      const loops = busyLoops();
      times['beside busy loops'].push(...(await texts(system)));
      for (const loop of loops) loop.kill();
    }
  } finally {
    child?.kill();
    await system.close();
    await origin.close();
  }
  console.log(`${ROUNDS} rounds, ${posted} hostile files posted, batches of ${EVENTS} texts:`);
  for (const phase of PHASES) {
    const sorted = times[phase].sort((a, b) => a - b);
    const at = (share: number): string => `${sorted[Math.floor(sorted.length * share)]!.toFixed(1)} ms`;
    console.log(`${phase}: ${sorted.length} batches, p50 ${at(0.5)}, p90 ${at(0.9)}, p99 ${at(0.99)}`);
  }
}

if (process.argv[2] === '--post') await poster(process.argv[4]!, Number(process.argv[5]), process.argv[6]!);
else await measure();
