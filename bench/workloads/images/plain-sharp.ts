/**
 * What images are compared with: sharp in a loop, in as many processes as the worker decodes with, and of the same priority: both
 * leave the processor to the text beside them. Each loop decodes upright, on white and scaled to what is hashed. That is the
 * least that the worker has to do.
 */
import { readFileSync } from 'node:fs';
import sharp from 'sharp';
import { PDQ_SIDE } from '../../../shared/pdq/pdq.js';
import { reply, serveParent, startChild } from '../../child.js';

interface SharpPlan {
  files: readonly string[];
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
export async function runPlain(files: readonly string[], loops: number, seconds: number): Promise<PlainResult> {
  const all = await Promise.all(Array.from({ length: loops }, () => runLoop({ files, seconds })));
  const images = all.reduce((sum, one) => sum + one.images, 0);
  const cpu = all.reduce((sum, one) => sum + one.cpuSeconds, 0);
  return {
    imagesPerSecond: all.reduce((sum, one) => sum + one.images / one.seconds, 0),
    imagesPerCoreSecond: images / cpu,
  };
}

async function runLoop(plan: SharpPlan): Promise<Counted> {
  const child = startChild<SharpPlan, Counted>(import.meta.url, 'A loop of plain sharp', true);
  try {
    return await child.ask(plan, plan.seconds * 1000 + 30_000);
  } finally {
    child.close();
  }
}

async function count({ files, seconds }: SharpPlan): Promise<Counted> {
  sharp.concurrency(1);
  sharp.cache(false);
  const pictures = files.map((file) => readFileSync(file));
  const decode = (n: number): Promise<Buffer> =>
    sharp(pictures[n % pictures.length]!)
      .rotate()
      .flatten({ background: '#ffffff' })
      .toColourspace('srgb')
      .resize(PDQ_SIDE, PDQ_SIDE, { fit: 'fill' })
      .raw()
      .toBuffer();
  await decode(0);
  const cpu = process.cpuUsage();
  const started = performance.now();
  let images = 0;
  while (performance.now() - started < seconds * 1000) await decode(images++);
  const { user, system } = process.cpuUsage(cpu);
  return { images, seconds: (performance.now() - started) / 1000, cpuSeconds: (user + system) / 1e6 };
}

serveParent<SharpPlan>(import.meta.url, (plan) => void count(plan).then(reply));
