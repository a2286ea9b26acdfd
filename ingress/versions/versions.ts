/**
 * What teams are shown of the versions of the configuration. Questions take turns, one at a time in each process: a version is read from Redis, and
 * looked at on a thread, which ends when nobody asks. Who asks longer than that is answered 503.
 */
import type { ConfigurationVersion } from '../../shared/api/configuration.js';
import { ApiError } from '../../shared/api/errors.js';
import { timestamp } from '../../shared/api/results/render.js';
import { inTime } from '../../shared/async.js';
import type { Logger } from '../../shared/log.js';
import { programPath } from '../../shared/paths.js';
import { createThreads } from '../../shared/process/threads.js';
import { createSlots } from '../../shared/slots.js';
import { explainRefusal, isPassing, isRefusal, type Redis } from '../../shared/streams/client.js';
import { activeVersion, type KeptVersion, keptVersions, readVersion } from '../../shared/streams/configuration.js';
import type { AskedPolicies, ComparedVersions, TeamChanges, teamPolicies } from './team-part.js';
import type { VersionTask } from './thread-main.js';

/** Each rejects with 503 where Redis or the thread cannot be asked, or not in time. */
export interface VersionReader {
  /** The newest first. `before`: 0 for the newest. */
  list(team: string, page: { before: number; limit: number }): Promise<VersionList>;
  /** `from`: 0 for the one before. 'version', 'from': there is no such version. */
  changes(team: string, asked: { version: number; from: number }): Promise<ReadChanges | 'version' | 'from'>;
  /** `version`: 0 for the active one. 'version', 'after': there is none of it. */
  policies(team: string, asked: { version: number } & PolicyPage): Promise<ReadPolicies | 'version' | 'after'>;
  close(): Promise<void>;
}

export interface VersionList {
  versions: ConfigurationVersion[];
  next?: number;
}

export type ReadChanges = TeamChanges & { version: number; from: number | null };
type PolicyPage = Pick<AskedPolicies, 'after' | 'limit'>;
export type ReadPolicies = NonNullable<ReturnType<typeof teamPolicies>> & { version: number };

const ANSWER_MS = 5000;
const WAIT_MS = 2000;
const WAITING = 16;
const IDLE_MS = 10_000;
/** What two versions of the most characters take. */
const HEAP_MB = 1024;
/** Characters of versions that a page of the list reads; it ends with the one that has more. */
const PAGE_CHARACTERS = 64 * 1024 * 1024;
/** Counts of changes that are kept, since versions never change. */
const KEPT_COUNTS = 2000;

type CountedChanges = Pick<TeamChanges, 'count' | 'summary'>;

export function createVersionReader(redis: Redis, logger: Logger): VersionReader {
  const slots = createSlots({ total: 1, perHost: 1, waiting: WAITING, spare: true });
  const threads = createThreads({
    program: programPath('versions-thread'),
    threads: 1,
    tasks: 1,
    idleMs: IDLE_MS,
    heapMb: HEAP_MB,
    onError: (error) => logger.error({ err: error }, 'the thread that reads versions failed'),
  });
  const counts = new Map<string, CountedChanges>();

  async function ask<T>(team: string, work: () => Promise<T>): Promise<T> {
    const leave = await slots.take(team, AbortSignal.timeout(WAIT_MS), team).catch(() => undefined);
    if (!leave) throw unavailable('Others ask about the configuration at the moment.');
    const asked = work().finally(leave);
    try {
      return await inTime(asked, ANSWER_MS, 'no answer in time: timed out');
    } catch (error) {
      if (error instanceof ApiError) throw error;
      throw isPassing(error) || isRefusal(error) ? unavailable(explainRefusal(error)) : error;
    }
  }

  async function onThread<T>(task: VersionTask): Promise<T> {
    try {
      return (await threads.run(task, [], ANSWER_MS)).result as T;
    } catch (error) {
      logger.warn({ err: error }, 'a version of the configuration could not be looked at');
      throw unavailable('The configuration could not be looked at now.');
    }
  }

  const compare = (versions: ComparedVersions): Promise<TeamChanges> => onThread({ compare: versions });

  /** What a version has changed for a team; undefined: it, or the one before it, is not kept. */
  async function countOf(
    team: string,
    { content, before, read }: { content: string; before: string; read(): Promise<ComparedVersions | undefined> },
  ): Promise<CountedChanges | undefined> {
    const name = JSON.stringify([before, content, team]);
    const known = counts.get(name);
    if (known) return known;
    const versions = await read();
    if (!versions) return undefined;
    const { count, summary } = await compare(versions);
    if (counts.size >= KEPT_COUNTS) counts.delete(counts.keys().next().value!);
    counts.set(name, { count, summary });
    return { count, summary };
  }

  async function list(team: string, { before, limit }: { before: number; limit: number }): Promise<VersionList> {
    const kept = (await keptVersions(redis)).reverse();
    const asked = kept.filter(({ version }) => before === 0 || version < before);
    const versions: ConfigurationVersion[] = [];
    // A version is compared with one before it, which mostly is the next to be shown.
    const texts = new Map<number, string | undefined>();
    let characters = 0;
    const textOf = async (version: number): Promise<string | undefined> => {
      if (!texts.has(version)) {
        const text = await readVersion(redis, version);
        texts.clear();
        texts.set(version, text);
        characters += text?.length ?? 0;
      }
      return texts.get(version);
    };
    for (const [i, one] of asked.entries()) {
      if (versions.length === limit || characters > PAGE_CHARACTERS) break;
      const earlier = lastApplied(asked.slice(i + 1));
      const isFirst = one.version === 1;
      const changed =
        !earlier && !isFirst
          ? undefined
          : await countOf(team, {
              content: one.content,
              before: earlier?.content ?? '',
              async read() {
                const after = await textOf(one.version);
                const from = earlier && (await textOf(earlier.version));
                if (after === undefined || (earlier && from === undefined)) return undefined;
                return { team, before: from, after };
              },
            });
      versions.push(listed(one, changed));
    }
    const last = versions.at(-1);
    return { versions, ...(last && versions.length < asked.length ? { next: last.version } : {}) };
  }

  return {
    list: (team, page) => ask(team, () => list(team, page)),
    changes: (team, { version, from }) =>
      ask(team, async () => {
        const kept = (await keptVersions(redis)).reverse();
        const after = kept.some((one) => one.version === version) ? await readVersion(redis, version) : undefined;
        if (after === undefined) return 'version';
        const earlier = from === 0 ? lastApplied(kept.filter((one) => one.version < version))?.version : from;
        const before = earlier === undefined ? undefined : await readVersion(redis, earlier);
        if (earlier !== undefined && before === undefined) return 'from';
        return { version, from: earlier ?? null, ...(await compare({ team, before, after })) };
      }),
    policies: (team, { version, ...page }) =>
      ask(team, async () => {
        const asked = version === 0 ? await activeVersion(redis) : version;
        const text = asked === 0 ? undefined : await readVersion(redis, asked);
        if (text === undefined) return 'version';
        const found = await onThread<ReturnType<typeof teamPolicies>>({ list: { team, text, ...page } });
        return found ? { version: asked, ...found } : 'after';
      }),
    close: () => threads.end(),
  };
}

/** What a version is compared with: the newest of those before it that was ever active, where that is known of one. */
const lastApplied = (before: readonly KeptVersion[]): KeptVersion | undefined =>
  before.find(({ applied }) => applied !== undefined) ?? before[0];

const unavailable = (why: string): ApiError => new ApiError('unavailable', `${why} Try again.`);

/** Who has applied a version is told where it is about the team: what was said of it may be about others. */
function listed({ version, active, applied }: KeptVersion, changed: CountedChanges | undefined): ConfigurationVersion {
  const time = applied ? { applied_at: timestamp(applied.at.getTime()) } : {};
  if (!changed || changed.count === 0) return { version, active, ...time, changes: changed ? 0 : null };
  const { user = '', host = '', message = '' } = applied ?? {};
  return {
    version,
    active,
    ...time,
    changes: changed.count,
    summary: changed.summary,
    ...(user === '' ? {} : { by: user }),
    ...(host === '' ? {} : { host }),
    ...(message === '' ? {} : { message }),
  };
}
