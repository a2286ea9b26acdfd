/**
 * Keeps a worker's place in the fleet: it says that it lives, tries every new configuration on a thread before that may
 * become the active one, and reports what came of it. And finds the configuration that judges a work entry.
 */
import { setTimeout as sleep } from 'node:timers/promises';
import { repeat } from '../shared/async.js';
import type { Logger } from '../shared/log.js';
import type { Redis } from '../shared/streams/client.js';
import {
  activeIdentity,
  type Identity,
  NO_CONFIGURATION,
  readConfiguration,
  report,
  type StoredConfiguration,
} from '../shared/streams/configuration.js';
import { createPulse, retire } from '../shared/streams/fleet.js';
import type { WorkHeader } from '../shared/streams/work.js';
import type { Pool } from './evaluator/threads/pool.js';
import type { Judge } from './evaluator/threads/thread.js';

const BEAT_MS = 500;
const COMPILE_LIMIT_MS = 30_000;
/** Configurations kept at hand, with their texts. */
const KEPT = 4;
const LOOK_MS = 250;

export interface ConfigurationSource {
  /**
   * The configuration that judges an entry: the one that its header names. Redis may have lost that (it was emptied, or
   * restored from a backup): then the active one, and while there is none either, it is waited for, since nobody could
   * judge the entry better. Undefined only once the source is closed.
   */
  of(header: Pick<WorkHeader, 'config' | 'configId'>): Promise<StoredConfiguration | undefined>;
  /** A configuration with its text; undefined when it is no longer kept. */
  read(identity: Identity): Promise<StoredConfiguration | undefined>;
  /** Ends waiting. */
  close(): void;
}

/** What tells a thread by which configuration it judges. */
export const judgeOf = ({ version, id, text }: StoredConfiguration): Judge => ({
  version,
  plan: id,
  configuration: text,
});

export function createConfigurationSource(redis: Redis, logger: Logger): ConfigurationSource {
  const known = new Map<string, StoredConfiguration>();
  let closed = false;

  function keep(configuration: StoredConfiguration): StoredConfiguration {
    known.delete(configuration.id);
    known.set(configuration.id, configuration);
    if (known.size > KEPT) known.delete(known.keys().next().value!);
    return configuration;
  }

  async function read({ version, id }: Partial<Identity> & { version: number }) {
    const kept = id === undefined ? undefined : known.get(id);
    if (kept) return kept;
    const stored = await readConfiguration(redis, version);
    return stored && (id === undefined || stored.id === id) ? keep(stored) : undefined;
  }

  async function find(header: Pick<WorkHeader, 'config' | 'configId'>): Promise<StoredConfiguration | undefined> {
    const named = await read({ version: header.config, ...(header.configId ? { id: header.configId } : {}) });
    if (named) return named;
    const active = await activeIdentity(redis);
    const stored = active && (await read(active));
    const instead = { version: header.config, active: stored?.version ?? null };
    if (stored) logger.warn(instead, 'Redis has lost the configuration of an entry; the active one judges it');
    else logger.warn(instead, 'Redis has lost the configuration of an entry, and has none; waiting for one');
    return stored;
  }

  return {
    read,
    async of(header) {
      while (!closed) {
        try {
          const found = await find(header);
          if (found) return found;
        } catch (error) {
          // Whatever is wrong with Redis is no fault of the entry.
          logger.warn({ error: String(error) }, 'the configuration of an entry cannot be read; trying again');
        }
        await sleep(LOOK_MS);
      }
      return undefined;
    },
    close() {
      closed = true;
    },
  };
}

export interface Membership {
  /** undefined: this worker can work; else why not, in a sentence */
  trouble(): string | undefined;
  stop(): Promise<void>;
}

export interface FleetTools {
  pool: Pick<Pool, 'run'>;
  source: ConfigurationSource;
  logger: Logger;
  /** highest configuration number that history has results of, so that Redis does not give it out again */
  used?(): Promise<number>;
}

/** Starts the heartbeat of `worker`. */
export function joinFleet(redis: Redis, worker: string, { pool, source, logger, used }: FleetTools): Membership {
  const pulse = createPulse(redis);
  let running = true;
  let wanted: Identity[] = [];
  let prepared = new Set<string>();
  let preparing = false;
  let highest = 0;
  let asked = used === undefined;

  async function beat(): Promise<void> {
    try {
      const said = await pulse.beat({ kind: 'worker', name: worker, used: highest });
      wanted = said.wanted;
      highest = Math.max(highest, said.newest);
    } catch (error) {
      logger.debug({ error: String(error) }, 'heartbeat failed');
    }
  }

  // Not awaited: history may be away for long, and a worker that waited for it would not beat.
  function askHistory(): void {
    if (asked || !used) return;
    asked = true;
    used().then(
      (number) => {
        highest = Math.max(highest, number);
      },
      (error: unknown) => {
        asked = false;
        logger.debug({ error: String(error) }, 'asking history for configuration numbers failed');
      },
    );
  }

  async function prepare(identity: Identity): Promise<void> {
    const configuration = await source.read(identity);
    // Lost or dropped meanwhile: nobody waits for it.
    if (!configuration) return;
    const outcome = await compile(configuration);
    // Whoever stops is not asked any more, and what went wrong meanwhile is not the configuration's fault.
    if (running) await report(redis, identity.version, worker, outcome);
  }

  async function compile(configuration: StoredConfiguration): Promise<string> {
    try {
      const task = { ...judgeOf(configuration), entries: [], bodies: new Uint8Array(0), moves: false };
      await pool.run(task, COMPILE_LIMIT_MS);
      return 'ok';
    } catch (error) {
      const outcome = error instanceof Error ? error.message : String(error);
      if (running)
        logger.warn({ version: configuration.version, error: outcome }, 'this configuration version cannot be used');
      return outcome;
    }
  }

  async function prepareNew(): Promise<void> {
    const list = wanted;
    prepared = new Set(list.map(({ id }) => id).filter((id) => prepared.has(id)));
    for (const identity of list) {
      if (!running) return;
      if (prepared.has(identity.id)) continue;
      await prepare(identity);
      prepared.add(identity.id);
    }
  }

  // Not awaited: a version may take long to compile, and who does not beat meanwhile is not waited for.
  async function round(): Promise<void> {
    askHistory();
    await beat();
    if (preparing) return;
    preparing = true;
    prepareNew()
      .catch((error: unknown) => logger.debug({ error: String(error) }, 'reporting failed'))
      .finally(() => {
        preparing = false;
      });
  }

  let beating = round();
  const stopBeating = repeat(BEAT_MS, () => {
    beating = round();
    return beating;
  });

  return {
    trouble: () => pulse.trouble() ?? (pulse.last()?.wanted.length === 0 ? NO_CONFIGURATION : undefined),
    async stop() {
      running = false;
      stopBeating();
      // A beat that arrives after the farewell would bring this worker back.
      await beating;
      const said = (error: unknown): void => logger.debug({ error: String(error) }, 'leaving failed');
      await retire(redis, 'worker', worker).catch(said);
    },
  };
}
