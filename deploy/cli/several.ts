/** `weir status --of`: several installations side by side, such as regions, and where their configurations differ. */

import { readStatus, type Status, THRESHOLDS } from '../../shared/operation/state.js';
import { loadSettings } from '../../shared/settings.js';
import { reasonOf, waitForConnection } from '../../shared/streams/client.js';
import type { CommandOutput } from './command.js';
import { type NamedInstallation, withRedis } from './installation.js';

/** `status`, or why it cannot be read */
interface SeenInstallation {
  installation: string;
  status?: Status;
  away?: string;
}

/** Returns the exit code. */
export async function statusOfSeveral(
  installations: readonly NamedInstallation[],
  json: boolean,
  output: CommandOutput,
): Promise<number> {
  const seen: SeenInstallation[] = [];
  // One after the other: the tags of partitions are those of one installation at a time.
  for (const one of installations) seen.push(await look(one));
  const same = new Set(seen.filter(({ status }) => status).map(contentOf)).size <= 1;
  if (json) output.out(JSON.stringify({ same, installations: seen }));
  else for (const line of linesOf(seen, same)) output.out(line);
  return same && seen.every(({ status }) => status && status.refusing.length === 0) ? 0 : 1;
}

async function look({ name, endpoint, history, settings }: NamedInstallation): Promise<SeenInstallation> {
  try {
    const thresholds = loadSettings(settings, THRESHOLDS);
    const status = await withRedis(endpoint, (redis) => readStatus(redis, thresholds, history), waitForConnection);
    return { installation: name, status };
  } catch (error) {
    return { installation: name, away: reasonOf(error) };
  }
}

/** The hash of the content in an identity; numbers and installations differ anyway. '' where there is no configuration. */
const contentOf = ({ status }: SeenInstallation): string => /^\d+-(\w+)@/.exec(status?.identity ?? '')?.[1] ?? '';

function linesOf(seen: readonly SeenInstallation[], same: boolean): string[] {
  const width = Math.max(...seen.map(({ installation }) => installation.length));
  const lines = seen.map((one) => `${one.installation.padEnd(width)}  ${about(one)}`);
  const whose = seen.every(({ status }) => status) ? 'Their' : 'Of those that were reached, the';
  if (same) return [...lines, `${whose} configurations are the same.`];
  const names = seen.map(({ installation }) => installation).join(',');
  return [...lines, `${whose} configurations differ. weir apply FILE --to ${names} applies one to all.`];
}

function about({ status, away, ...one }: SeenInstallation): string {
  if (!status) return `cannot be reached: ${away}`;
  const { region, configuration, refusing } = status;
  const content = contentOf({ ...one, status });
  return [
    region ? `region ${region.number} ${region.name}` : 'no region',
    configuration === 0 ? 'no configuration' : `configuration ${configuration} (${content})`,
    refusing.length === 0 ? 'checks taken' : `checks refused: ${refusing.join(' ')}`,
  ].join(', ');
}
