/** The figures of the images workload, and their section of a report. */
import { fixed, table } from '../../report/table.js';
import type { ImageTransport } from './bodies.js';

export interface ImageFigures {
  megapixels: number;
  way: ImageTransport;
  /** medians of the rounds */
  imagesPerSecond: number;
  plainPerSecond: number;
  /** of the two */
  ratio: number;
  /** per second of CPU of all processes of the stack, less what the text takes alone; plain: of its own processes */
  imagesPerCoreSecond: number;
  plainPerCoreSecond: number;
  /** milliseconds, at capacity */
  p50: number;
  p99: number;
  /** of the text beside it, milliseconds since each batch was due */
  textP50: number;
  textP99: number;
  /** the same at half of that rate; here latencies of images also count since each was due */
  half: { perSecond: number; p50: number; p99: number; textP50: number; textP99: number };
  /** worker with its decoding processes, MiB */
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

export function imageSection(images: ImageReport): string {
  const head = [
    ...['JPEG', 'Images/s', 'Plain sharp', 'Ratio', 'Images/core s', 'Plain/core s'],
    ...['p50', 'p99', 'Text p50', 'Text p99', 'Worker MiB'],
  ];
  const nameOf = ({ megapixels, way }: ImageFigures): string => `${megapixels} MP ${way}`;
  const rows = images.figures.map((row) => [
    nameOf(row),
    fixed(row.imagesPerSecond),
    fixed(row.plainPerSecond),
    fixed(row.ratio, 2),
    ...[row.imagesPerCoreSecond, row.plainPerCoreSecond, row.p50, row.p99, row.textP50, row.textP99].map((n) =>
      fixed(n),
    ),
    fixed(row.peakMib, 0),
  ]);
  const halves = images.figures.map((row) => [
    nameOf(row),
    ...[row.half.perSecond, row.half.p50, row.half.p99, row.half.textP50, row.half.textP99].map((n) => fixed(n)),
  ]);
  const { rounds, decoders, textRate, textAloneP50, textAloneP99, textBesidePlainP99 } = images;
  return `${table(head, rows)}

${table(['At half of it', 'Images/s', 'p50', 'p99', 'Text p50', 'Text p99'], halves)}

Medians of ${rounds} interleaved rounds; ${decoders} decoding processes, as many loops of plain sharp. Beside all of it ${fixed(textRate, 0)} batches of text a second, whose p50 is ${fixed(textAloneP50)} ms and p99 ${fixed(textAloneP99)} ms alone, ${fixed(textBesidePlainP99)} ms beside plain sharp. A core second is one of all processes of the stack, less what the text alone takes of them; memory is that of the worker with its decoding processes.`;
}
