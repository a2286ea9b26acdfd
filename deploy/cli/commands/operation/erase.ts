/** `weir erase`, `weir erasures list|show`: has what was checked forgotten, and says how far that is. */
import { setTimeout as sleep } from 'node:timers/promises';
import { runMarks, sessionMarks, userMarks } from '../../../../shared/erasure-marks.js';
import { receiptOf } from '../../../../shared/erasure-receipt.js';
import { partsOf } from '../../../../shared/ids.js';
import type { Redis } from '../../../../shared/streams/client.js';
import {
  addErasure,
  type Erasure,
  type ErasureOrder,
  listErasures,
  readErasure,
} from '../../../../shared/streams/erasures.js';
import { type Arguments, type Command, CommandUsageError, optionsOf } from '../../command.js';
import { commandActor } from '../../configuration/operator.js';
import { withInstallation } from '../../installation.js';
import { textOption } from '../../options.js';
import { teamOf } from '../../team.js';

const POLL_MS = 500;
const SAY_MS = 5000;

export const erase: Command = {
  usage: `weir erase --user ID | --email ADDRESS [--team ID] [--no-wait]
weir erase --session ID --deployment ID | --run ID --environment ID | --event ID --environment ID …

  --user, --email  all that names the user, and what names it by the other of the two alone, where both were seen together
  --session        a chat, by your id of it (external_session_id)
  --run            a run, by your id of it
  --event          one event, by its internal id
  --team           the team whose it is [the only one]
  --no-wait        return when it is begun

Has what was checked erased, with its verdicts: from tables, streams, contexts, dead letters, refused rows and webhook queues, then from the
files of Redis and ClickHouse. Checks that come later stay. It waits until nothing of it is found any more, and prints a receipt: what was
removed, and where it may still be. Ending the command does not end the erasure: "weir erasures show ID" says how far it is.`,
  options: optionsOf({ texts: 'user email session run event team deployment environment', flags: 'no-wait' }),
  async run(given, output) {
    if (given.positionals.length > 0) throw new CommandUsageError('expected no arguments beside the options');
    const subject = subjectIn(given);
    return withInstallation(async (redis) => {
      const team = await teamOf(redis, textOption(given, 'team'));
      const erasure = await addErasure(redis, { ...subject(team), team, actor: commandActor() });
      if (!erasure) throw new Error('as many erasures are under way as there is room for: try again in a minute');
      output.err(`Erasure ${erasure.id} is begun.`);
      const now = given.values['no-wait'] === true ? erasure : await erased(redis, erasure, (line) => output.err(line));
      output.block(JSON.stringify(receiptOf(now), undefined, 2));
      return 0;
    });
  },
};

/** Waits until nothing of it is found. Throws where it is not known any more. */
async function erased(redis: Redis, { id }: Erasure, say: (line: string) => void): Promise<Erasure> {
  let said = performance.now();
  for (;;) {
    const now = await readErasure(redis, id);
    if (!now)
      throw new Error(`Redis does not know erasure ${id} any more: it may have lost its last second; begin it again`);
    if (now.erased > 0) return now;
    if (performance.now() - said > SAY_MS) {
      said = performance.now();
      say(now.waits === '' ? `It is ${now.state}.` : `It is ${now.state}: ${now.waits}.`);
    }
    await sleep(POLL_MS);
  }
}

type Subject = (team: string) => Omit<ErasureOrder, 'team' | 'actor'>;

function subjectIn(given: Arguments): Subject {
  const text = (name: string): string | undefined => textOption(given, name);
  const named = ['user', 'email', 'session', 'run', 'event'].filter((name) => text(name) !== undefined);
  if (named.length !== 1) throw new CommandUsageError('expected one of --user, --email, --session, --run and --event');
  const scope = (name: 'deployment' | 'environment'): string => {
    const id = text(name);
    if (!id) throw new CommandUsageError(`--${named[0]}: expected --${name}, too`);
    return id;
  };
  const value = text(named[0]!)!;
  switch (named[0]) {
    case 'user':
      return (team) => ofUser((salt) => userMarks({ salt, team }, 'id', value));
    case 'email':
      return (team) => ofUser((salt) => userMarks({ salt, team }, 'email', value.trim().toLowerCase()));
    case 'session': {
      const deployment = scope('deployment');
      // Checks that joined one without a name have its internal id for one.
      const internal = partsOf(value) ? value.toLowerCase() : '';
      return (team) => ({
        subject: 'session',
        scope: deployment,
        internal,
        marks: (salt) => sessionMarks({ salt, team, scope: deployment }, internal, value),
      });
    }
    case 'run': {
      const environment = scope('environment');
      const marks = (team: string) => (salt: string) => runMarks({ salt, team, scope: environment }, value);
      return (team) => ({ subject: 'run', scope: environment, internal: '', marks: marks(team) });
    }
    default: {
      const environment = scope('environment');
      if (!partsOf(value)) throw new CommandUsageError('--event: expected an internal id');
      return () => ({ subject: 'event', scope: environment, internal: value.toLowerCase(), marks: () => [] });
    }
  }
}

const ofUser = (marks: ErasureOrder['marks']): ReturnType<Subject> => ({
  subject: 'user',
  scope: '',
  internal: '',
  marks,
});

const line = ({ id, team, subject, state, requested, removed, waits }: Erasure): string =>
  `${id}  ${team}  ${subject}  ${new Date(requested).toISOString()}  ${state}${waits === '' ? '' : ` (${waits})`}  items ${removed.items}`;

export const erasuresList: Command = {
  usage: `weir erasures list

Prints the erasures that are under way, and those that were completed in the last 7 days, the oldest first: id, team, what is erased, when it was
asked for, how far it is, and how many items it took.`,
  async run({ positionals }, output) {
    if (positionals.length > 0) throw new CommandUsageError('expected no arguments');
    return withInstallation(async (redis) => {
      const all = await listErasures(redis);
      for (const erasure of all) output.out(line(erasure));
      if (all.length === 0) output.out('There are no erasures.');
      return 0;
    });
  },
};

export const erasuresShow: Command = {
  usage: `weir erasures show ID

Prints the receipt of an erasure as JSON: how far it is, what was removed, and where it may still be.`,
  async run({ positionals }, output) {
    const [id] = positionals;
    if (id === undefined || positionals.length > 1) throw new CommandUsageError('expected the id of an erasure');
    return withInstallation(async (redis) => {
      const erasure = await readErasure(redis, id);
      if (!erasure) throw new Error(`there is no erasure ${id}: it was completed more than 7 days ago, or never was`);
      output.block(JSON.stringify(receiptOf(erasure), undefined, 2));
      return 0;
    });
  },
};
