/**
 * What images are compared with: sharp in a loop, in processes of their own, as many as the worker decodes with. Each
 * decodes upright, on white and scaled to what is hashed, which is what the worker has to do at least.
 */
import { type ChildProcess, fork } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import sharp from 'sharp';
import { PDQ_SIDE } from '../../../shared/pdq/pdq.js';

interface Plan {
  files: string[];
  seconds: number;
}

export interface PlainResult {
  imagesPerSecond: number;
  /** per second of CPU */
  imagesPerCoreSecond: number;
}

interface Counted {
  images: number;
  seconds: number;
  cpuSeconds: number;
}

/** Runs `loops` processes for `seconds`. */
export async function runPlain(files: string[], loops: number, seconds: number): Promise<PlainResult> {
  const all = await Promise.all(Array.from({ length: loops }, () => loop({ files, seconds })));
  const images = all.reduce((sum, one) => sum + one.images, 0);
  const cpu = all.reduce((sum, one) => sum + one.cpuSeconds, 0);
  return {
    imagesPerSecond: all.reduce((sum, one) => sum + one.images / one.seconds, 0),
    imagesPerCoreSecond: images / cpu,
  };
}

function loop(plan: Plan): Promise<Counted> {
  const child = fork(fileURLToPath(import.meta.url), ['--plain'], { execArgv: [] });
  return new Promise<Counted>((resolve, reject) => {
    const limit = setTimeout(() => child.kill('SIGKILL'), plan.seconds * 1000 + 30_000);
    child.once('message', (counted: Counted) => {
      resolve(counted);
      end(child);
    });
    child.once('exit', () => {
      clearTimeout(limit);
      reject(new Error('The loop of plain sharp ended before it had counted.'));
    });
    child.send(plan);
  });
}

function end(child: ChildProcess): void {
  if (child.connected) child.disconnect();
}

async function serve({ files, seconds }: Plan): Promise<Counted> {
  sharp.concurrency(1);
  sharp.cache(false);
  const pictures = files.map((file) => readFileSync(file));
  const one = (n: number): Promise<Buffer> =>
    sharp(pictures[n % pictures.length]!)
      .rotate()
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .resize(PDQ_SIDE, PDQ_SIDE, { fit: 'fill' })
      .raw()
      .toBuffer();
  await one(0);
  const cpu = process.cpuUsage();
  const started = performance.now();
  let images = 0;
  while (performance.now() - started < seconds * 1000) await one(images++);
  const { user, system } = process.cpuUsage(cpu);
  return { images, seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6 };
}

if (process.argv[2] === '--plain' && process.argv[1] === fileURLToPath(import.meta.url)) {
  process.once('message', (plan: Plan) => {
    void serve(plan).then((counted) => process.send!(counted));
  });
  process.once('disconnect', () => process.exit(0));
  process.on('SIGINT', () => {});
}
