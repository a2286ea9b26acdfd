/**
 * Reads the text in images with tesseract, for `image_text`. Tesseract comes from the system's package manager. Where it
 * or a language is missing, nothing can be read and each result says so: "could not run" is not "has no text".
 *
 * Each image has a process of its own, so that harm done to it ends with that image:
 *
 *   waiting ── a slot is free ──> reading ── ends by itself ──> read
 *      │                             └ time limit, too much output, a crash: killed, could not be read
 *      └ too many wait, the caller gives up ──> could not be read
 */
import { setMaxListeners } from 'node:events';
import type { Logger } from '../../../shared/log.js';
import { createSlots } from '../../../shared/slots.js';
import { type ProcessOutcome, runProcess } from '../../child-process/bounded.js';
import type { Program } from '../../child-process/child.js';
import { type Confinement, findCommand, UNCONFINED } from '../../child-process/confine.js';
import { type CallTimes, timedCall } from '../../onnx/call.js';
import type { DecodedPixels, Rendition } from '../decode/types.js';

/** Pixels to read from. Enough for small print on a page (175 dpi of A4). Larger ones take longer and give no more text. */
export const TEXT_RENDITION: Rendition = { width: 2048, height: 2048, kind: 'gray', fit: 'inside' };

/** Bytes of text read from one image: many times what fits into a rendition. */
export const MAX_TEXT_BYTES = 256 * 1024;

/** How long tesseract may take to say what it is. */
const PROBE_LIMIT_MS = 15_000;
const PROBE_OUTPUT_BYTES = 64 * 1024;
const MAX_LANGUAGES = 16;
const LANGUAGE = /^[A-Za-z][A-Za-z0-9_]{0,31}(\/[A-Za-z][A-Za-z0-9_]{0,31})?$/;

const FAILURES = {
  absent: 'The text of the image could not be read: no text recognition is installed.',
  busy: 'The text of the image could not be read: too many images are waiting. Try again later.',
  cancelled: 'The text of the image could not be read in time.',
  timeout: 'The text of the image could not be read: it took too long.',
  output: 'The text of the image could not be read: there is too much of it.',
  crashed: 'The text of the image could not be read: the text recognition ended unexpectedly.',
} as const;

/** What a caller is told where `unavailable` says why. */
export const NO_READER_NOTE: string = FAILURES.absent;

export type ReadFailureReason = keyof typeof FAILURES;
export const READ_FAILURE_REASONS = Object.keys(FAILURES) as ReadFailureReason[];

/** `text` is empty when the image has none. When it failed, nothing is known of its text; `note` is for the caller. */
export type ReadResult = { ok: true; text: string } | { ok: false; reason: ReadFailureReason; note: string };

export interface ReadEvent extends CallTimes {
  outcome: 'read' | ReadFailureReason;
}

export interface TextReader {
  /** why nothing can be read here; undefined when it can */
  unavailable: string | undefined;
  /** Reads the text of gray `pixels` (see TEXT_RENDITION), in the turn of `team`. `signal` gives up. Rejects only for other pixels. */
  read(pixels: DecodedPixels, signal?: AbortSignal, team?: string): Promise<ReadResult>;
  counts(): { reading: number; waiting: number };
  /** Ends what is under way. */
  close(): Promise<void>;
}

export interface TextReaderOptions {
  /** name on the PATH, or absolute path [tesseract] */
  command?: string;
  /** tesseract's names of languages, joined by + [eng]; the first counts most */
  languages?: string;
  /** processes at once [1]; each uses one core */
  concurrency?: number;
  /** images that may wait [32]; each holds up to 4 MiB */
  waiting?: number;
  /** milliseconds one image may take, waiting not included [15,000] */
  limitMs?: number;
  /** how processes are started; default: with the rights of this one */
  confinement?: Confinement;
  logger: Logger;
  /** called once a call of `read`; must not throw */
  observe?: (event: ReadEvent) => void;
}

/**
 * Looks for tesseract and its languages, and logs what it found. Rejects only for `languages` that are none; where nothing
 * can be read, `unavailable` says why.
 */
export async function startTextReader(options: TextReaderOptions): Promise<TextReader> {
  const { command = 'tesseract', languages = 'eng', concurrency = 1, waiting = 32, limitMs = 15_000, logger } = options;
  const { confinement = UNCONFINED } = options;
  const slots = createSlots({ total: concurrency, perHost: concurrency, waiting });
  const calls = new Set<Promise<unknown>>();
  const closing = new AbortController();
  // Every image that is read listens.
  setMaxListeners(0, closing.signal);

  const found = await probe(command, languagesOf(languages), confinement);
  const unavailable = 'problem' in found ? found.problem : undefined;
  if ('problem' in found) logger.warn(`text of images cannot be read: ${found.problem}`);
  else {
    logger.info({ tesseract: found.version, languages, concurrency, limitMs }, 'text of images is read with tesseract');
  }

  async function attempt(
    pixels: DecodedPixels,
    { signal, team }: { signal: AbortSignal; team: string | undefined },
    started: () => void,
  ): Promise<TextReadOutcome> {
    if ('problem' in found) return { ended: 'absent' };
    if (signal.aborted) return { ended: 'cancelled' };
    const release = await slots.take(command, signal, team).catch(() => 'cancelled' as const);
    if (release === undefined) return { ended: 'busy' };
    if (release === 'cancelled') return { ended: 'cancelled' };
    started();
    try {
      // Mode 3 works out the layout of a page. It also finds a line of text across a photo.
      const program = tesseract(confinement.wrap(found.path, ['stdin', 'stdout', '-l', languages, '--psm', '3']));
      return await runProcess(program, portableGraymap(pixels), { limitMs, outputBytes: MAX_TEXT_BYTES, signal });
    } finally {
      release();
    }
  }

  return {
    unavailable,
    async read(pixels, signal, team) {
      checkPixels(pixels);
      const call = timedCall([signal, closing.signal], (either, started) =>
        attempt(pixels, { signal: either, team }, started),
      );
      calls.add(call);
      const { outcome, times } = await call;
      calls.delete(call);
      const result = resultOf(outcome);
      options.observe?.({ outcome: result.ok ? 'read' : result.reason, ...times });
      return result;
    },
    counts() {
      const { taken, waiting: inLine } = slots.counts();
      return { reading: taken, waiting: inLine };
    },
    async close() {
      closing.abort();
      await Promise.all(calls);
    },
  };
}

type TextReadOutcome = ProcessOutcome | { ended: 'absent' | 'busy' };

function resultOf(outcome: TextReadOutcome): ReadResult {
  // Tesseract ends a page with a form feed; an image is one page.
  if (outcome.ended === 'done') return { ok: true, text: outcome.output.toString('utf8').replaceAll('\f', '').trim() };
  return { ok: false, reason: outcome.ended, note: FAILURES[outcome.ended] };
}

/** The simplest format that tesseract reads: a line of sizes, then the bytes as they are. */
function portableGraymap({ width, height, data }: DecodedPixels): Buffer[] {
  return [Buffer.from(`P5\n${width} ${height}\n255\n`), data];
}

/** A mistake of the code that asks, not of the image: throws. */
function checkPixels({ width, height, channels, data }: DecodedPixels): void {
  if (channels !== 1 || data.length !== width * height) {
    throw new RangeError('text is read from gray pixels, one byte each, without gaps');
  }
}

function languagesOf(text: string): string[] {
  const languages = text.split('+');
  if (languages.length > MAX_LANGUAGES || !languages.every((name) => LANGUAGE.test(name))) {
    throw new Error(
      `WEIR_OCR_LANGUAGES: the languages "${text.slice(0, 60)}" are none: expected 1 to ${MAX_LANGUAGES} names of tesseract's, joined by "+", such as "eng" or "eng+deu".`,
    );
  }
  return languages;
}

async function probe(
  command: string,
  languages: readonly string[],
  confinement: Confinement,
): Promise<{ path: string; version: string } | { problem: string }> {
  const path = findCommand(command);
  if (path === undefined) {
    return {
      problem: `${command} is not on the PATH. Install it with the system's package manager (tesseract-ocr on Debian and Ubuntu, tesseract elsewhere) and start again.`,
    };
  }
  const ask = async (argument: string): Promise<string | undefined> => {
    const { signal } = new AbortController();
    const bounds = { limitMs: PROBE_LIMIT_MS, outputBytes: PROBE_OUTPUT_BYTES, signal };
    const outcome = await runProcess(tesseract(confinement.wrap(path, [argument])), [], bounds);
    return outcome.ended === 'done' ? outcome.output.toString('utf8') : undefined;
  };
  const [version, list] = await Promise.all([ask('--version'), ask('--list-langs')]);
  if (version === undefined || list === undefined) {
    return {
      problem: `${path} is there but does not run: try "${path} --list-langs", and install it anew. Where it runs for you, let everybody read its files, or set WEIR_CONFINE=off.`,
    };
  }
  const installed = list.split(/\r?\n/).slice(1);
  const missing = languages.filter((language) => !installed.includes(language));
  if (missing.length > 0) {
    return {
      problem: `tesseract has no data for ${missing.join(', ')}: install it (tesseract-ocr-${missing[0]!.replaceAll('_', '-')} on Debian and Ubuntu) and start again.`,
    };
  }
  return { path, version: /^tesseract v?([0-9][^\s]{0,30})/m.exec(version)?.[1] ?? 'unknown' };
}

/** None of the worker's variables, which hold passwords: only what finds programs, libraries and tesseract's data. */
function tesseract(program: Pick<Program, 'command' | 'args'>): Program {
  const env: Record<string, string> = { OMP_THREAD_LIMIT: '1', LC_ALL: 'C' };
  for (const name of ['PATH', 'LD_LIBRARY_PATH', 'TESSDATA_PREFIX']) {
    const value = process.env[name];
    if (value !== undefined) env[name] = value;
  }
  return { ...program, env };
}
