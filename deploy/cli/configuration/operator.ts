/** Who uses the command line, as it is kept with a configuration that they apply. */
import { hostname, userInfo } from 'node:os';
import { type AuditActor, addOneAudit } from '../../../shared/streams/audit.js';
import type { Redis } from '../../../shared/streams/client.js';
import type { Operator } from '../../../shared/streams/configuration.js';
import { type Arguments, CommandUsageError } from '../command.js';

/** Longest message that is kept, in characters. */
const MAX_MESSAGE = 500;

/** WEIR_OPERATOR names the user, such as a pipeline's; default: the user of the system. */
export function operator(message = ''): Operator {
  return { user: (process.env.WEIR_OPERATOR || systemUser()).slice(0, 100), host: hostname(), message };
}

/** The same, as the audit log tells who did something. */
export function commandActor(): AuditActor {
  const { user, host } = operator();
  return { kind: 'command', id: `${user}@${host}`, address: host, request: '' };
}

/** Tells the audit log of a replay. Rejects where that takes no entries: then nothing is replayed. */
export async function tellReplay(redis: Redis, of: 'dead_letter' | 'refused', id: string): Promise<void> {
  const subject = { kind: of, id };
  await addOneAudit(redis, { team: '', action: 'replay.requested', actor: commandActor(), scope: '', subject });
}

/** Tells the audit log of an export. Rejects where that takes no entries: then nothing is exported. */
export async function tellExport(
  redis: Redis,
  { id, team, scope }: { id: string; team: string; scope: string },
): Promise<void> {
  const subject = { kind: 'export', id } as const;
  await addOneAudit(redis, { team, action: 'export.begun', actor: commandActor(), scope, subject });
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
