/**
 * Structured logs: one JSON object a line on standard output, or lines for people (`WEIR_LOG`). They have ids, counts, durations and our own
 * error messages. They never have content, keys, headers or bodies.
 *
 * Of a line about a request, `request_id` is the `X-Request-Id` of its answer, and `check_id` the id of its check: internal ids begin with it. `trace_id`
 * is the trace of its caller, or the one that Weir records.
 */
import { type DestinationStream, type Logger, pino } from 'pino';
import { hasColours, type LogForm, logForm, loggedError, prettyLine } from './log-lines.js';
import type { Settings } from './settings.js';

export type { Logger };

/** A logger for one process or role. `level`: as in `WEIR_LOG_LEVEL`. `destination`: default standard output. */
export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    base: { pid: process.pid, name },
    timestamp: pino.stdTimeFunctions.isoTime,
    formatters: { level: (label: string) => ({ level: label }) },
    serializers: { err: loggedError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}

/** The logger of a process, in the form that its settings ask for. */
export function processLogger(name: string, { log, logLevel }: Settings<'log' | 'logLevel'>): Logger {
  const form: LogForm = logForm(log);
  if (form === 'json') return createLogger(name, logLevel);
  const out = pino.destination({ dest: 1, sync: true });
  const colours = hasColours();
  return createLogger(name, logLevel, { write: (line) => void out.write(prettyLine(line, colours)) });
}
