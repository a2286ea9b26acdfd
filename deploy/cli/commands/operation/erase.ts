/** `weir erase`, `weir erasures list|show`: has what was checked forgotten, and says how far that is. */
import { setTimeout as sleep } from 'node:timers/promises';
import { byId } from '../../../../ingress/lookups/lookup.js';
import { emailOf, idProblem, lengthProblem } from '../../../../shared/api/validate/named.js';
import { runMarks, sessionMarks, userMarks } from '../../../../shared/erasure-marks.js';
import { receiptOf } from '../../../../shared/erasure-receipt.js';
import { createHistoryClient } from '../../../../shared/history/client.js';
import { HistoryUnavailable } from '../../../../shared/history/read/breaker.js';
import { createHistoryQueries } from '../../../../shared/history/read/queries.js';
import { isUuid, partsOf } from '../../../../shared/ids.js';
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
import { historyAddress, withInstallation } from '../../installation.js';
import { textOption } from '../../options.js';
import { requireScope, type TeamPlaces, teamOf } from '../../team.js';

const POLL_MS = 500;
const SAY_MS = 5000;

export const erase: Command = {
  usage: `weir erase --user ID | --email ADDRESS [--team ID] [--no-wait]
weir erase --session ID --deployment ID | --run ID --environment ID | --event ID --environment ID …

  --user, --email  all that names the user, and what names it by the other of the two alone, where both were seen together
  --session        a chat, by your id of it (external_session_id) or the internal id of a check
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
      const places = { redis, history: historyAddress() };
      const team = await teamOf(places, textOption(given, 'team'));
      const order = await subject({ ...places, team });
      const erasure = await addErasure(redis, { ...order, team, actor: commandActor() });
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

/** Whose it is, and where it is looked up. */
interface ErasurePlace extends TeamPlaces {
  team: string;
}

type Subject = Omit<ErasureOrder, 'team' | 'actor'>;

/** What is named, as the options alone say. The rules are those of the interface (`ingress/routes/erasures.ts`). Throws a {@link CommandUsageError}. */
function subjectIn(given: Arguments): (place: ErasurePlace) => Promise<Subject> {
  const text = (name: string): string | undefined => textOption(given, name);
  const named = ['user', 'email', 'session', 'run', 'event'].filter((name) => text(name) !== undefined);
  const [name] = named;
  if (name === undefined || named.length > 1)
    throw new CommandUsageError('expected one of --user, --email, --session, --run and --event');
  const kind = name === 'session' ? 'deployment' : 'environment';
  const ofUser = name === 'user' || name === 'email';
  for (const other of ['environment', 'deployment']) {
    if (text(other) !== undefined && (ofUser || other !== kind))
      throw new CommandUsageError(`--${other}: expected none beside --${name}`);
  }
  const value = name === 'email' ? emailOf(text(name)!) : text(name)!;
  if (value === '') throw new CommandUsageError(`--${name}: expected what names it, got nothing`);
  const problem = name === 'run' ? idProblem(value) : lengthProblem(value);
  if (problem) throw new CommandUsageError(`--${name}: ${problem.message}`);
  if (name === 'event' && !isUuid(value)) throw new CommandUsageError('--event: expected an internal id, a UUID');
  if (ofUser) {
    const of = name === 'user' ? 'id' : 'email';
    return async ({ team }) => ({
      subject: 'user',
      scope: '',
      internal: '',
      marks: (salt) => userMarks({ salt, team }, of, value),
    });
  }
  const scope = text(kind);
  if (!scope) throw new CommandUsageError(`--${name}: expected --${kind}, too`);
  return async (place) => {
    await requireScope(place, { team: place.team, kind, scope });
    if (name === 'session') return ofSession(place, scope, value);
    if (name === 'event') return ofEvent(place, scope, value.toLowerCase());
    const marks = (salt: string): string[] => runMarks({ salt, team: place.team, scope }, value);
    return { subject: 'run', scope, internal: '', marks };
  };
}

/** Throws where there is no such event. */
async function ofEvent(place: ErasurePlace, scope: string, id: string): Promise<Subject> {
  if ((await lookUp(place, 'event', scope, id)) !== undefined)
    return { subject: 'event', scope, internal: id, marks: () => [] };
  throw new Error(`the environment "${scope}" has no event ${id}: expected the internal id of one that is there`);
}

/** By the caller's id, or by the internal id of a check: the session is that of the check. Checks that joined one without a name have its internal id for one. */
async function ofSession(place: ErasurePlace, scope: string, value: string): Promise<Subject> {
  const id = partsOf(value) ? value.toLowerCase() : '';
  const external = (id !== '' && (await lookUp(place, 'session', scope, id))) || value;
  const marks = (salt: string): string[] => sessionMarks({ salt, team: place.team, scope }, id, external);
  return { subject: 'session', scope, internal: id, marks };
}

/** The caller's id of the session of a check, '' where it has none; undefined: there is no such check. Throws where that cannot be told. */
async function lookUp(
  { redis, history, team }: ErasurePlace,
  kind: 'event' | 'session',
  scope: string,
  id: string,
): Promise<string | undefined> {
  const client = history && createHistoryClient(history);
  const away = (): never => {
    throw new HistoryUnavailable('away');
  };
  try {
    const itemById = client ? createHistoryQueries(client).itemById : away;
    const found = await byId(redis, { itemById }, { kind, team, scope, id });
    if (found.status === 'pending') return found.session ?? '';
    return found.status === 'found' ? found.item.externalSessionId : undefined;
  } catch (error) {
    if (!(error instanceof HistoryUnavailable)) throw error;
    const expected = client ? 'ClickHouse is away: try again' : 'expected WEIR_CLICKHOUSE_URL beside WEIR_REDIS_URL';
    throw new Error(`whether there is a ${kind} ${id} cannot be told: ${expected}`);
  } finally {
    await client?.close();
  }
}

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
