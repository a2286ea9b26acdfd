/**
 * Structured logs: one JSON object a line on standard output. They have ids, counts, durations and our own error messages. They
 * never have content, keys, headers or bodies.
 */
import { type DestinationStream, type Logger, pino } from 'pino';

export type { Logger };

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
function loggedError(error: unknown): LoggedError {
  if (!(error instanceof Error)) return { type: typeof error, message: 'something that is no error was thrown' };
  const { code } = error as { code?: unknown };
  return {
    type: error.name,
    message: error.message,
    ...(error.stack === undefined ? {} : { stack: error.stack }),
    ...(typeof code === 'string' || typeof code === 'number' ? { code } : {}),
  };
}

/** A logger for one process or role. `level`: as in `WEIR_LOG_LEVEL`. `destination`: default standard output. */
export function createLogger(name: string, level: string, destination?: DestinationStream): Logger {
  const options = {
    name,
    level,
    base: { pid: process.pid, name },
    timestamp: pino.stdTimeFunctions.isoTime,
    serializers: { err: loggedError },
  };
  return destination === undefined ? pino(options) : pino(options, destination);
}
