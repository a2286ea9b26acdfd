/**
 * Keeps a worker in the fleet. Every half second it says that it lives, and hears which configurations are wanted:
 *
 *     beating ──> a new configuration is wanted ──> trying it on a thread ──> reporting "ok" or why not ──> beating
 *
 * - *beating* goes on in all states, since a worker that does not beat is not waited for.
 * - *trying* is entered for each wanted configuration that this worker has not reported, one after the other, and again when models
 *   that it lacked can be used. A configuration becomes the active one only when all workers have reported.
 * - `stop` ends it: the worker leaves the fleet, and reports nothing more.
 */
import { repeat } from '../shared/async.js';
import { FLEET_FORMATS } from '../shared/formats.js';
import type { Logger } from '../shared/log.js';
import type { Redis } from '../shared/streams/client.js';
import { type Identity, NO_CONFIGURATION, report } from '../shared/streams/configuration.js';
import { createPulse, retire } from '../shared/streams/fleet.js';
import { type ConfigurationSource, lackOf, planReference, type WorkerConfiguration } from './configuration-source.js';
import type { Pool } from './evaluator/threads/pool.js';

const BEAT_MS = 500;
const COMPILE_LIMIT_MS = 30_000;

export interface Membership {
  /** undefined: this worker can work; else why not, in a sentence */
  trouble(): string | undefined;
  /** number of the active configuration, as this worker heard it last; 0: none */
  active(): number;
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
export function joinFleet(redis: Redis, worker: string, tools: FleetTools): Membership {
  const { logger } = tools;
  const pulse = createPulse(redis, FLEET_FORMATS, true);
  const numbers = createHighestNumber(tools);
  let running = true;
  const trials = createTrials(redis, worker, { ...tools, running: () => running });

  // Only the beat is awaited. History may be away for long, and a configuration may take long to compile.
  async function round(): Promise<void> {
    numbers.askHistory();
    try {
      const said = await pulse.beat({ kind: 'worker', name: worker, used: numbers.highest() });
      numbers.note(said.newest);
      trials.want(said.wanted);
    } catch (error) {
      logger.debug({ error: String(error) }, 'heartbeat failed');
    }
    trials.start();
  }

  let beating = round();
  const stopBeating = repeat(BEAT_MS, () => {
    beating = round();
    return beating;
  });

  return {
    active: () => pulse.last()?.active?.version ?? 0,
    trouble() {
      const trouble = pulse.trouble();
      if (trouble !== undefined) return trouble;
      const { wanted, active } = pulse.last() ?? {};
      if (wanted?.length === 0) return NO_CONFIGURATION;
      const lack = active ? trials.lackOf(active) : '';
      return lack === '' ? undefined : `Policies of the active configuration cannot run here: ${lack}.`;
    },
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

/** The highest configuration number that this worker knows of. Redis gives out only higher ones. */
function createHighestNumber({ used, logger }: FleetTools) {
  let highest = 0;
  let asked = used === undefined;
  const note = (number: number): void => {
    highest = Math.max(highest, number);
  };
  return {
    highest: () => highest,
    note,
    /** Asks history until it has answered once. */
    askHistory(): void {
      if (asked || !used) return;
      asked = true;
      used().then(note, (error: unknown) => {
        asked = false;
        logger.debug({ error: String(error) }, 'asking history for configuration numbers failed');
      });
    },
  };
}

/** Tries wanted configurations on a thread, each once, and reports what came of it. */
function createTrials(redis: Redis, worker: string, tools: FleetTools & { running(): boolean }) {
  const { source, logger } = tools;
  let wanted: Identity[] = [];
  /** by id: what the configuration lacked when it was tried; empty: nothing */
  let tried = new Map<string, string>();
  let busy = false;

  async function tryNew(): Promise<void> {
    const list = wanted;
    const before = tried;
    tried = new Map();
    for (const { id } of list) if (before.has(id)) tried.set(id, before.get(id)!);
    for (const identity of list) {
      if (!tools.running()) return;
      const known = tried.get(identity.id);
      if (known === '') continue;
      const configuration = await source.read(identity);
      // If it was lost or dropped meanwhile, no apply waits for the report.
      const lack = configuration ? lackOf(configuration) : '';
      if (configuration && lack !== known) await tryOne(identity, configuration);
      tried.set(identity.id, lack);
    }
  }

  async function tryOne({ version }: Identity, configuration: WorkerConfiguration): Promise<void> {
    const outcome = await compile(configuration, tools);
    // A worker that stops is not asked any more, and an error that its end causes is no fault of the configuration.
    if (tools.running()) await report(redis, version, worker, outcome);
  }

  return {
    /** What policies of a configuration need and is not there, in a sentence; empty: nothing, or it was not tried yet. */
    lackOf: ({ id }: Identity): string => tried.get(id) ?? '',
    want(identities: Identity[]): void {
      wanted = identities;
    },
    /** Starts trying what is new, unless that is under way. */
    start(): void {
      if (busy) return;
      busy = true;
      tryNew()
        .catch((error: unknown) => logger.debug({ error: String(error) }, 'reporting failed'))
        .finally(() => {
          busy = false;
        });
    },
  };
}

/** "ok", or what is wrong. */
async function compile(
  configuration: WorkerConfiguration,
  { pool, logger, running }: FleetTools & { running(): boolean },
): Promise<string> {
  try {
    const task = { ...planReference(configuration), entries: [], bodies: new Uint8Array(0), moves: false };
    await pool.run(task, COMPILE_LIMIT_MS);
    return lackOf(configuration) || 'ok';
  } catch (error) {
    const { version } = configuration;
    const outcome = error instanceof Error ? error.message : String(error);
    if (running()) logger.warn({ version, error: outcome }, 'this configuration version cannot be used');
    return outcome;
  }
}
