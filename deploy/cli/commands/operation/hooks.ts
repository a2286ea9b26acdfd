/** `weir hooks list|show|replay`: what waits for webhooks, and deliveries that were given up. */

import { hooksOf } from '../../../../shared/configuration/notify.js';
import { suggestion } from '../../../../shared/configuration/read/fields.js';
import type { Configuration } from '../../../../shared/configuration/types.js';
import type { Redis } from '../../../../shared/streams/client.js';
import { activeVersion, NO_CONFIGURATION, readVersion } from '../../../../shared/streams/configuration.js';
import { countsOf, deadDeliveries, type QueuedDelivery, replayDeliveries } from '../../../../shared/streams/hooks.js';
import { type Command, CommandUsageError } from '../../command.js';
import { partitionsThere, withInstallation } from '../../installation.js';

const MOST_SHOWN = 100;

/** Names of the webhooks of the active configuration. Throws a sentence where there is none. */
async function activeHooks(redis: Redis): Promise<string[]> {
  const text = await readVersion(redis, await activeVersion(redis));
  if (text === undefined) throw new Error(NO_CONFIGURATION);
  return [...hooksOf(JSON.parse(text) as Configuration).keys()];
}

/** The webhook that is named. Throws where the active configuration has none of the name. */
async function hookNamed(redis: Redis, name: string): Promise<string> {
  const known = await activeHooks(redis);
  if (known.includes(name)) return name;
  throw new Error(`the active configuration has no webhook "${name}"${suggestion(name, known)}`);
}

export const hooksList: Command = {
  usage: `weir hooks list

Prints for each webhook of the active configuration: TEAM/WEBHOOK, deliveries that wait, that were given up, and that were
dropped because Redis has no more room for them (WEIR_HOOK_BACKLOG_BYTES), and the bytes that Redis holds.`,
  async run({ positionals }, output) {
    if (positionals.length > 0) throw new CommandUsageError('expected no arguments');
    return withInstallation(async (redis) => {
      const hooks = await activeHooks(redis);
      const { partitions, code } = await partitionsThere(redis, output);
      for (const hook of hooks) {
        const { waiting, dead, dropped, bytes } = await countsOf(redis, [hook], partitions);
        output.out(`${hook}  waiting ${waiting}  given up ${dead}  dropped ${dropped}  bytes ${bytes}`);
      }
      if (hooks.length === 0) output.out('The active configuration has no webhooks.');
      return code;
    });
  },
};

export const hooksShow: Command = {
  usage: `weir hooks show TEAM/WEBHOOK

Prints up to ${MOST_SHOWN} deliveries of each partition that were given up, oldest first: the id, attempts, how the last one
ended, since when it was tried, and where the result of the check is.`,
  async run({ positionals }, output) {
    const name = nameIn(positionals, 1);
    return withInstallation(async (redis) => {
      const hook = await hookNamed(redis, name);
      const { partitions, code } = await partitionsThere(redis, output);
      let count = 0;
      for (const p of partitions) {
        for (const delivery of await deadDeliveries(redis, p, hook, MOST_SHOWN)) {
          output.out(line(delivery));
          count++;
        }
      }
      if (count === 0) output.out('No deliveries were given up.');
      return code;
    });
  },
};

function line({ id, attempts, outcome, since, body }: QueuedDelivery): string {
  const { data } = JSON.parse(body) as { data: { result_url: string } };
  return `${id}  attempts ${attempts}  ${outcome}  since ${new Date(since).toISOString()}  ${data.result_url}`;
}

export const hooksReplay: Command = {
  usage: `weir hooks replay TEAM/WEBHOOK [ID]

Has deliveries sent again that were given up: the one with the id that "weir hooks show" prints, or all of the webhook.
They keep their ids, so a receiver knows those that it has had. They are tried for another day.`,
  async run({ positionals }, output) {
    const name = nameIn(positionals, 2);
    const [, id] = positionals;
    return withInstallation(async (redis) => {
      const hook = await hookNamed(redis, name);
      const { partitions, code } = await partitionsThere(redis, output);
      let count = 0;
      for (const p of partitions) count += await replayDeliveries(redis, p, hook, id);
      if (id !== undefined && count === 0 && code === 0) throw new Error(`${hook} has given up no delivery ${id}`);
      output.out(`Due again: ${count}.`);
      return code;
    });
  },
};

function nameIn(positionals: readonly string[], most: number): string {
  const [name] = positionals;
  if (name === undefined || positionals.length > most) {
    throw new CommandUsageError('expected TEAM/WEBHOOK as "weir hooks list" prints it, for example acme/alerts');
  }
  return name;
}
