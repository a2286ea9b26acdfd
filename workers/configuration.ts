/**
 * Keeps a worker's place in the fleet: it says that it lives, tries every new configuration version on a thread
 * before that version may become the active one, and reports what came of it.
 */
import type { Logger } from '../shared/log.js';
import { repeat } from '../shared/repeat.js';
import { isPassing, type Redis } from '../shared/streams/client.js';
import { activeVersion, heartbeat, readVersion, report, retire } from '../shared/streams/configuration.js';
import type { Pool } from './evaluator/pool.js';

const BEAT_MS = 500;
const COMPILE_LIMIT_MS = 30_000;
/** JSON texts kept at hand for threads that ask. */
const TEXTS_KEPT = 4;
const TRY_MS = 250;
const MOST_TRIES = 100;

export interface ConfigurationSource {
  /** JSON text of a version; rejects when it is no longer kept */
  text(version: number): Promise<string>;
}

/** Configuration texts by version, read once. */
export function createConfigurationSource(redis: Redis): ConfigurationSource {
  const texts = new Map<number, string>();
  return {
    async text(version) {
      const known = texts.get(version);
      if (known !== undefined) return known;
      const text = await whenRedisAnswers(() => readVersion(redis, version));
      if (text === undefined) throw new Error(`configuration ${version} is no longer kept`);
      if (texts.size >= TEXTS_KEPT) texts.delete(texts.keys().next().value!);
      texts.set(version, text);
      return text;
    },
  };
}

/** A Redis that is away for a moment is no fault of the entry whose configuration is asked for. */
async function whenRedisAnswers<T>(ask: () => Promise<T>): Promise<T> {
  for (let tries = 1; ; tries++) {
    try {
      return await ask();
    } catch (error) {
      if (tries === MOST_TRIES || !isPassing(error)) throw error;
      await new Promise((resolve) => setTimeout(resolve, TRY_MS));
    }
  }
}

export interface Membership {
  stop(): Promise<void>;
}

/** Starts the heartbeat of `worker`. */
export function joinFleet(
  redis: Redis,
  worker: string,
  tools: { pool: Pool; source: ConfigurationSource; logger: Logger },
): Membership {
  const { pool, source, logger } = tools;
  let running = true;
  let newest = 0;
  let prepared = 0;
  let preparing = false;

  async function beat(): Promise<void> {
    try {
      newest = await heartbeat(redis, worker);
    } catch (error) {
      logger.debug({ error: String(error) }, 'heartbeat failed');
    }
  }

  async function prepare(version: number): Promise<void> {
    let outcome = 'ok';
    try {
      const bodies = new Uint8Array(0);
      const task = { version, configuration: await source.text(version), entries: [], bodies, moves: false };
      await pool.run(task, COMPILE_LIMIT_MS);
    } catch (error) {
      outcome = error instanceof Error ? error.message : String(error);
      if (running) logger.warn({ version, error: outcome }, 'this configuration version cannot be used');
    }
    // Whoever stops is not asked any more, and what went wrong meanwhile is not the configuration's fault.
    if (!running) return;
    await report(redis, version, worker, outcome);
    prepared = version;
  }

  async function prepareNew(): Promise<void> {
    if (newest === 0) return;
    if (prepared === 0) prepared = Math.max(0, (await activeVersion(redis)) - 1);
    for (let version = prepared + 1; version <= newest && running; version++) await prepare(version);
  }

  // Not awaited: a version may take long to compile, and who does not beat meanwhile is not waited for.
  async function round(): Promise<void> {
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
    async stop() {
      running = false;
      stopBeating();
      // A beat that arrives after the farewell would bring this worker back.
      await beating;
      await retire(redis, worker).catch((error: unknown) => logger.debug({ error: String(error) }, 'leaving failed'));
    },
  };
}
