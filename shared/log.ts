/**
 * Structured logs: one JSON object a line on standard output. Never content, keys, headers or bodies: ids, counts,
 * durations and error messages of our own only.
 */
import { type Logger, pino } from 'pino';

export type { Logger };

/** A logger for one process or role; `level` as in `WEIR_LOG_LEVEL`. */
export function createLogger(name: string, level: string): Logger {
  return pino({ name, level, base: { pid: process.pid, name }, timestamp: pino.stdTimeFunctions.isoTime });
}
