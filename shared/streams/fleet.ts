/**
 * Who works in an installation: every ingress, evaluating worker and archiver says twice a second that it lives, and what it
 * has. What it says is written, so that a process whose beat fails knows that Redis takes no writes, and why.
 *
 *     beating ──stop──> retired     beating ──silence──> dead (not waited for) ──> forgotten
 */
import { randomBytes } from 'node:crypto';
import { hostname } from 'node:os';
import { explainRefusal, type Redis } from './client.js';
import { type Identity, identityOf } from './configuration.js';
import { keys, type MemberKind } from './keys.js';
import { script } from './script.js';

/** A process that has not been heard of for this long is not waited for. */
const SILENCE_MS = 5000;
/** A process that has not been heard of for this long is dropped from the list. */
const FORGET_MS = 20 * SILENCE_MS;

const beat = script('configuration/record-heartbeat');
const reports = script('configuration/list-reports');
const live = script('configuration/list-live-members');

/** A name for this process that tells an operator where to look. */
export function memberName(): string {
  return `${hostname()}/${process.pid}/${randomBytes(4).toString('hex')}`;
}

export interface Beat {
  /** number of the newest version there is */
  newest: number;
  /** the active configuration; undefined: there is none */
  active: Identity | undefined;
  /** what a worker should be able to use: the active version and those stored after it, oldest first */
  wanted: Identity[];
  /** evaluating workers that live */
  workers: number;
}

export interface Sign {
  kind: MemberKind;
  name: string;
  /** highest configuration number this process has ever seen: none up to it is given to another configuration */
  used?: number;
  /** of the configuration that this process works by, or '' */
  inForce?: string;
}

/** A process says that it lives. Rejects where Redis takes no writes. */
export async function heartbeat(redis: Redis, { kind, name, used = 0, inForce = '' }: Sign): Promise<Beat> {
  const scriptKeys = [
    keys.configMembers(kind),
    keys.configMembers('worker'),
    keys.configInForce(),
    keys.configNext(),
    keys.configInstallation(),
    keys.configActive(),
    keys.configContents(),
  ];
  const reply = await beat(redis, scriptKeys, [name, inForce, used, SILENCE_MS, FORGET_MS]);
  const [newest, workers, installation, active, ...list] = reply as [number, number, string, number, ...string[]];
  const wanted: Identity[] = [];
  for (let i = 0; i + 1 < list.length; i += 2) wanted.push(identityOf(Number(list[i]), list[i + 1]!, installation));
  wanted.sort((a, b) => a.version - b.version);
  return { newest, workers, wanted, active: wanted.find(({ version }) => version === active) };
}

/** A process that stops is not waited for. */
export async function retire(redis: Redis, kind: MemberKind, name: string): Promise<void> {
  await redis.zrem(keys.configMembers(kind), name);
  await redis.hdel(keys.configInForce(), name);
}

export interface Pulse {
  /** One heartbeat; rejects as {@link heartbeat} does. */
  beat(sign: Sign): Promise<Beat>;
  /** what the last heartbeat said; undefined before the first */
  last(): Beat | undefined;
  /** undefined: Redis takes what this process writes; else why not, in a sentence */
  trouble(): string | undefined;
}

/** The heartbeats of one process, and what they tell of Redis: each is a real write. */
export function createPulse(redis: Redis): Pulse {
  let said: Beat | undefined;
  let refused: string | undefined = 'Redis has not answered yet.';
  let answered = performance.now();
  return {
    async beat(sign) {
      try {
        said = await heartbeat(redis, sign);
        refused = undefined;
        return said;
      } catch (error) {
        refused = explainRefusal(error);
        throw error;
      } finally {
        answered = performance.now();
      }
    },
    last: () => said,
    trouble() {
      if (redis.status !== 'ready') return 'Redis cannot be reached.';
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

/** What the live workers say of `version`. */
export async function readiness(redis: Redis, version: number): Promise<Readiness> {
  const scriptKeys = [keys.configMembers('worker'), keys.configReports(version)];
  const list = (await reports(redis, scriptKeys, [SILENCE_MS])) as string[];
  const waiting: string[] = [];
  const refused = new Map<string, string>();
  for (let i = 0; i + 1 < list.length; i += 2) {
    const [worker, outcome] = [list[i]!, list[i + 1]!];
    if (outcome === '') waiting.push(worker);
    else if (outcome !== 'ok') refused.set(worker, outcome);
  }
  return { waiting, refused };
}

export interface Member {
  name: string;
  /** of the configuration it works by, or '' */
  inForce: string;
}

/** The processes of a kind that live. Writes nothing. */
export async function liveMembers(redis: Redis, kind: MemberKind): Promise<Member[]> {
  const list = (await live(redis, [keys.configMembers(kind), keys.configInForce()], [SILENCE_MS])) as string[];
  const members: Member[] = [];
  for (let i = 0; i + 1 < list.length; i += 2) members.push({ name: list[i]!, inForce: list[i + 1]! });
  return members;
}
