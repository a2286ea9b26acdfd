/**
 * Lines of a log, without a library: what an error is in them, how people read them, and the last one of a process. It is loaded before it is
 * known whether this machine can load more.
 */
import { writeSync } from 'node:fs';
import { asBlock, onOneLine } from './printable.js';

/** A line a JSON object, for programs; or a line a text, for people. */
export type LogForm = 'json' | 'pretty';

/** Where a log goes. */
interface LogScreen {
  isTTY?: boolean;
}

/** The form that `WEIR_LOG` asks for: `auto` is pretty on a terminal. */
export function logForm(setting: string, screen: LogScreen = process.stdout): LogForm {
  if (setting === 'json' || setting === 'pretty') return setting;
  return screen.isTTY ? 'pretty' : 'json';
}

/** Whether lines may have colours: on a terminal that has some, unless NO_COLOR says no (no-color.org). */
export const hasColours = (
  screen: LogScreen = process.stdout,
  env: Readonly<Record<string, string | undefined>> = process.env,
): boolean => screen.isTTY === true && !env.NO_COLOR && env.TERM !== 'dumb';

interface LoggedError {
  type: string;
  message: string;
  stack?: string;
  code?: string | number;
}

/**
 * An error as it is logged. Its other properties are left out: clients attach to it what was sent, such as ioredis the arguments of
 * the command, which contain content and its author.
 */
export function loggedError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'something that is no error was thrown' };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
  };
}

/** SGR codes by level. */
const COLOURS: Readonly<Record<string, string>> = { warn: '33', error: '31', fatal: '1;31', info: '32' };
const FAINT = '2';

/**
 * A line for people, made of one in JSON: time of the day in UTC, level, process, message, fields; behind it the stack of an error, and what to
 * do next. Nothing in it acts on a terminal. A line that is no JSON object stays as it is.
 */
export function prettyLine(line: string, colours: boolean): string {
  let fields: Record<string, unknown>;
  try {
    fields = JSON.parse(line) as Record<string, unknown>;
  } catch {
    return `${onOneLine(line.trimEnd())}\n`;
  }
  const { level, time, pid, name, msg = '', err, next, ...others } = fields;
  const coloured = (text: string, code: string | undefined): string =>
    colours && code !== undefined ? `\u001b[${code}m${text}\u001b[0m` : text;
  const error = (err ?? {}) as Partial<LoggedError>;
  const said = onOneLine(String(msg));
  const about = error.message === undefined || error.message === msg ? '' : `: ${onOneLine(error.message)}`;
  const facts = Object.entries(others).map(([key, value]) => onOneLine(`${key}=${shownValue(value)}`));
  const head = [
    coloured(String(time).slice(11, 23), FAINT),
    coloured(String(level).toUpperCase().padEnd(5), COLOURS[String(level)]),
    coloured(onOneLine(`${name}[${pid}]`), FAINT),
    `${said}${about}`,
    ...(facts.length > 0 ? [coloured(facts.join(' '), FAINT)] : []),
  ];
  const stack = error.stack === undefined ? [] : framesOf(error.stack).map((frame) => coloured(`    ${frame}`, FAINT));
  const more = [...stack, ...(next === undefined ? [] : [`    ${onOneLine(String(next))}`])];
  return `${[head.join(' '), ...more].join('\n')}\n`;
}

/** Without quotes where nobody needs them. */
const shownValue = (value: unknown): string =>
  typeof value === 'string' && /^[\w./:@-]+$/.test(value) ? value : JSON.stringify(value);

/** The lines of a stack behind the message, which is told already. */
const framesOf = (stack: string): string[] =>
  asBlock(stack)
    .split(/\r?\n/)
    .filter((line) => /^\s+at /.test(line))
    .map((line) => line.trim());

/** What ends a process: `sentence` says what is wrong, `next` what to do; `error`: what was thrown, where that is a defect. */
export interface FatalEnd {
  sentence: string;
  next: string;
  error?: unknown;
}

/** The last line of a process. It has the form of all others, and is written whatever `WEIR_LOG_LEVEL` is. */
export function writeFatal(name: string, { sentence, next, error }: FatalEnd): void {
  const err = error === undefined ? {} : { err: loggedError(error) };
  const time = new Date().toISOString();
  const line = JSON.stringify({ level: 'fatal', time, pid: process.pid, name, ...err, next, msg: sentence });
  // Settings may be what is wrong, so they are not read as such.
  const isPretty = logForm(process.env.WEIR_LOG?.trim() ?? '') === 'pretty';
  writeWhole(isPretty ? prettyLine(line, hasColours()) : `${line}\n`);
}

const STDOUT = 1;
const PAUSE_MS = 10;
/** How long a reader of the log may take none of it. */
const PATIENCE_MS = 1000;

/** At once: the process ends next. A pipe that is full is waited for; where nobody reads any more, there is nobody to tell. */
function writeWhole(text: string): void {
  let left = Buffer.from(text);
  const until = Date.now() + PATIENCE_MS;
  while (left.length > 0 && Date.now() < until) {
    try {
      left = left.subarray(writeSync(STDOUT, left));
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code !== 'EAGAIN') return;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, PAUSE_MS);
    }
  }
}
