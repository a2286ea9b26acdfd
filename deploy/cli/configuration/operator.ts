/** Who uses the command line, as it is kept with a configuration that they apply. */
import { hostname, userInfo } from 'node:os';
import type { Operator } from '../../../shared/streams/configuration.js';
import { type Arguments, CommandUsageError } from '../command.js';

/** Longest message that is kept, in characters. */
const MAX_MESSAGE = 500;

/** WEIR_OPERATOR names the user, such as a pipeline's; default: the user of the system. */
export function operator(message = ''): Operator {
  return { user: (process.env.WEIR_OPERATOR || systemUser()).slice(0, 100), host: hostname(), message };
}

function systemUser(): string {
  try {
    return userInfo().username;
  } catch {
    // A container may run as a user that has no name.
    return String(process.getuid?.() ?? '');
  }
}

/** The option `--message` of a command; empty when it was not given. */
export function messageOf(values: Arguments['values']): string {
  const message = typeof values.message === 'string' ? values.message : '';
  if (message.length <= MAX_MESSAGE) return message;
  throw new CommandUsageError(`--message: expected at most ${MAX_MESSAGE} characters, got ${message.length}`);
}
