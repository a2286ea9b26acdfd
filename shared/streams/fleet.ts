/**
 * The processes of an installation. Each sends a heartbeat, a worker twice a second and an ingress once, with the
 * configuration it works by. A heartbeat is a write, so a process whose heartbeat fails knows that Redis takes no writes.
 *
 *     beating ──stop──> retired     beating ──silence──> dead (nobody waits for it) ──> removed
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { setTimeout as sleep } from 'node:timers/promises';
import { FLEET_FORMATS, type ReadFormats } from '../formats.js';
import { explainRefusal, isReady, type Redis } from './client.js';
import { type Identity, identityOf } from './configuration.js';
import { keys, MEMBER_KINDS, type MemberKind } from './keys.js';
import { script } from './script.js';

/** A process is dead after this long without a heartbeat. */
export const SILENCE_MS = 5000;
/** It is removed from the list after this long. */
const FORGET_MS = 20 * SILENCE_MS;
/** One heartbeat of so many of a process removes members. */
const FORGET_BEATS = 20;

const record = script('configuration/record-heartbeat');
const listLive = script('configuration/list-live-members');
const listFleet = script('configuration/list-fleet');

/** A name for this process that shows an operator where it runs. */
export function memberName(): string {
  return `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`;
}

export interface Beat {
  /** number of the newest version */
  newest: number;
  /** the active configuration, if there is one */
  active: Identity | undefined;
  /** versions that a worker must be able to use: the active one and those stored after it, oldest first */
  wanted: Identity[];
  /** number of live evaluating workers, which an ingress is told */
  workers: number;
}

export interface Sign {
  kind: MemberKind;
  name: string;
  /** highest version number that this process has seen: no new configuration gets a number up to it */
  used?: number;
  /** id of the configuration that this process works by, or '' */
  inForce?: string;
  /** newest format that this process reads; default: that of this release */
  reads?: number;
  /** What it works by and reads was told lately, and is not told again. */
  brief?: boolean;
}

/** Records that a process lives, and forgets those that are gone, unless told otherwise. Rejects when Redis takes no writes. */
export function heartbeat(redis: Redis, sign: Sign, forgets = true): Promise<Beat> {
  looks.delete(redis);
  return beatAs(redis, [sign], forgets);
}

/** What the last heartbeat of a process has heard, by its connection; `mark`: tells it from what a later one hears. */
const heard = new WeakMap<Redis, { mark: string; wanted: readonly Identity[] }>();

/** `signs`: one of each role of a process. */
async function beatAs(redis: Redis, signs: readonly Sign[], forgets: boolean): Promise<Beat> {
  const scriptKeys = [
    keys.configMembers('worker'),
    keys.configInForce(),
    keys.configNext(),
    keys.configInstallation(),
    keys.configActive(),
    keys.configContents(),
    keys.configFormats(),
    ...signs.map(({ kind }) => keys.configMembers(kind)),
  ];
  const count = signs.some(({ kind }) => kind === 'ingress') ? 1 : 0;
  const used = Math.max(...signs.map((sign) => sign.used ?? 0));
  const values = signs.flatMap(({ name, inForce = '', reads = FLEET_FORMATS.newest, brief = false }) =>
    brief ? [name, '', ''] : [name, inForce, reads === FIRST_FORMAT ? '' : reads],
  );
  const known = heard.get(redis);
  // A backup that was restored may have others under the same numbers, so all is asked for now and then.
  const mark = known && signs.every(({ brief }) => brief) ? known.mark : '';
  const options = [SILENCE_MS, forgets ? FORGET_MS : 0, count, used, mark];
  const reply = await record(redis, scriptKeys, [...options, ...values]);
  const [newest, workers, installation, active, ...list] = reply as [number, number, string, number, ...string[]];
  const now = markOf(newest, active, installation);
  const wanted = mark === now ? [...known!.wanted] : wantedIn(list, installation);
  heard.set(redis, { mark: now, wanted });
  return { newest, workers, wanted, active: wanted.find(({ version }) => version === active) };
}

const markOf = (newest: number, active: number, installation: string): string => `${newest} ${active} ${installation}`;

/** Whether other configurations are stored, or another one is active, than the last heartbeat on this connection has heard: one command. */
export async function hasNews(redis: Redis): Promise<boolean> {
  const told = await redis.mget(keys.configNext(), keys.configActive(), keys.configInstallation());
  return markOf(Number(told[0] ?? 0), Number(told[1] ?? 0), told[2] ?? '') !== heard.get(redis)?.mark;
}

/** `list`: number and hash of each version. */
function wantedIn(list: readonly string[], installation: string): Identity[] {
  const wanted: Identity[] = [];
  for (let i = 0; i + 1 < list.length; i += 2) wanted.push(identityOf(Number(list[i]), list[i + 1]!, installation));
  return wanted.sort((a, b) => a.version - b.version);
}

const beatAlone = (redis: Redis, sign: Sign, forgets: boolean): Promise<Beat> => beatAs(redis, [sign], forgets);

/** How long a heartbeat of a role waits for those of the others in its process. The roles beat each half second at most. */
const JOIN_MS = 250;

/** Signs that wait to be sent, by the connection of their process. */
const joining = new WeakMap<Redis, { signs: Sign[]; forgets: boolean; sent: Promise<Beat> }>();

/** Sends the heartbeats of the roles of a process together. */
function joinBeat(redis: Redis, sign: Sign, forgets: boolean): Promise<Beat> {
  const known = joining.get(redis);
  if (known) {
    known.signs.push(sign);
    known.forgets ||= forgets;
    return known.sent;
  }
  const joint = { signs: [sign], forgets, sent: sleep(JOIN_MS).then(send) };
  joining.set(redis, joint);
  function send(): Promise<Beat> {
    joining.delete(redis);
    return beatAs(redis, joint.signs, joint.forgets);
  }
  return joint.sent;
}

/** Removes a process that stops, so that nobody waits for it. */
export async function retire(redis: Redis, kind: MemberKind, name: string): Promise<void> {
  looks.delete(redis);
  await redis.zrem(keys.configMembers(kind), name);
  await redis.hdel(keys.configInForce(), name);
  await redis.hdel(keys.configFormats(), name);
}

export interface Pulse {
  /** Sends one {@link heartbeat}; rejects when that does. */
  beat(sign: Sign): Promise<Beat>;
  /** what the last heartbeat returned; undefined before the first */
  last(): Beat | undefined;
  /** why Redis does not take what this process writes, in a sentence; undefined: it does */
  trouble(): string | undefined;
  /** the format to write: the newest that every live process reads, and the oldest before that is known */
  writes(): number;
}

/** What a process reads that does not say so, as those of the first release. */
const FIRST_FORMAT = 1;
/** With every so many heartbeats a process tells what it reads and works by, and chooses the format that it writes. */
const TELLS_EVERY = 4;

/**
 * The heartbeats of one process in one role, and what they show about Redis and about the fleet. `formats`: what this process reads. `joins`: other
 * roles of the process beat on this connection, too, and are waited for.
 */
export function createPulse(redis: Redis, formats: ReadFormats = FLEET_FORMATS, joins = false): Pulse {
  let said: Beat | undefined;
  let beats = 0;
  let writes = formats.oldest;
  const chooseFormat = async (): Promise<void> => {
    // While there is one format alone, there is nothing to choose.
    if (formats.newest === formats.oldest || beats % TELLS_EVERY > 0) return;
    const known = Math.min(...(await lookAtFleet(redis, LOOK_MS)).formats.keys(), formats.newest);
    writes = Math.max(known, formats.oldest);
  };
  /** what Redis was told last, and how many heartbeats ago */
  let told: { inForce: string | undefined; beats: number } | undefined;
  let refused: string | undefined = 'Redis has not answered yet.';
  let answered = performance.now();
  return {
    async beat(sign) {
      try {
        // The first one is sent at once: a start waits for it.
        const send = joins && beats > 0 ? joinBeat : beats > 0 ? beatAlone : heartbeat;
        const brief = told !== undefined && told.inForce === sign.inForce && beats - told.beats < TELLS_EVERY;
        const next = await send(redis, { reads: formats.newest, ...sign, brief }, beats % FORGET_BEATS === 0);
        if (!brief) told = { inForce: sign.inForce, beats };
        refused = undefined;
        await chooseFormat();
        // What is told of it, and what its caller makes of it, come together.
        said = next;
        return said;
      } catch (error) {
        refused = explainRefusal(error);
        throw error;
      } finally {
        beats++;
        answered = performance.now();
      }
    },
    last: () => said,
    writes: () => writes,
    trouble() {
      if (!isReady(redis, keys.configActive())) return 'Redis cannot be reached.';
      if (performance.now() - answered > SILENCE_MS) return 'Redis does not answer.';
      return refused;
    },
  };
}

export interface Readiness {
  /** live workers that have not reported yet */
  waiting: string[];
  /** worker → why it cannot use the version */
  refused: Map<string, string>;
}

/** The reports of the live workers on `version`. */
export async function readiness(redis: Redis, version: number): Promise<Readiness> {
  const scriptKeys = [keys.configMembers('worker'), keys.configReports(version)];
  const waiting: string[] = [];
  const refused = new Map<string, string>();
  for (const [worker, outcome] of await liveWith(redis, scriptKeys)) {
    if (outcome === '') waiting.push(worker);
    else if (outcome !== 'ok') refused.set(worker, outcome);
  }
  return { waiting, refused };
}

export interface FleetMember {
  name: string;
  /** id of the configuration it works by, or '' */
  inForce: string;
}

/** The live processes of a kind. Writes nothing. */
export async function liveMembers(redis: Redis, kind: MemberKind): Promise<FleetMember[]> {
  const live = await liveWith(redis, [keys.configMembers(kind), keys.configInForce()]);
  return live.map(([name, inForce]) => ({ name, inForce }));
}

/** The fleet, as one look shows it. */
export interface Fleet {
  /** The names of those that were heard of within `silenceMs` before the look. */
  names(kind: MemberKind, silenceMs?: number): string[];
  /** the newest formats that live processes read, each with the number of these processes */
  formats: ReadonlyMap<number, number>;
}

/** For how long a look at the fleet is good enough for what a process repeats. */
export const LOOK_MS = 2000;

/** The last look on a connection, with the ms of the steady clock at which it was asked for. */
const looks = new WeakMap<Redis, { at: number; fleet: Promise<Fleet> }>();

/**
 * The live processes of all kinds. Whoever asks on one connection shares a look for `sharedMs`: a process has several roles, and each asks. Writes
 * nothing.
 */
export async function lookAtFleet(redis: Redis, sharedMs = 0): Promise<Fleet> {
  const last = looks.get(redis);
  if (last && performance.now() - last.at < sharedMs) return await last.fleet;
  const look = { at: performance.now(), fleet: readFleet(redis) };
  looks.set(redis, look);
  try {
    return await look.fleet;
  } catch (error) {
    if (looks.get(redis) === look) looks.delete(redis);
    throw error;
  }
}

async function readFleet(redis: Redis): Promise<Fleet> {
  const scriptKeys = [keys.configFormats(), ...MEMBER_KINDS.map((kind) => keys.configMembers(kind))];
  const reply = (await listFleet(redis, scriptKeys, [SILENCE_MS])) as (string | number)[][];
  const names = new Map<MemberKind, { name: string; silence: number }[]>();
  const formats = new Map<number, number>();
  for (const [i, kind] of MEMBER_KINDS.entries()) {
    const list = reply[i]!;
    const live: { name: string; silence: number }[] = [];
    for (let at = 0; at + 2 < list.length; at += 3) {
      live.push({ name: String(list[at]), silence: Number(list[at + 1]) });
      const format = list[at + 2] === '' ? FIRST_FORMAT : Number(list[at + 2]);
      formats.set(format, (formats.get(format) ?? 0) + 1);
    }
    names.set(kind, live);
  }
  return {
    formats,
    names: (kind, silenceMs = SILENCE_MS) =>
      names.get(kind)!.flatMap(({ name, silence }) => (silence <= silenceMs ? [name] : [])),
  };
}

/** The live members of a sorted set, each with its value in a hash or ''. */
async function liveWith(redis: Redis, scriptKeys: string[]): Promise<[member: string, value: string][]> {
  const list = (await listLive(redis, scriptKeys, [SILENCE_MS])) as string[];
  const pairs: [string, string][] = [];
  for (let i = 0; i + 1 < list.length; i += 2) pairs.push([list[i]!, list[i + 1]!]);
  return pairs;
}
