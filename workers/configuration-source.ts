/** Finds the configuration that a work entry is evaluated by. */
import { hash } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../shared/log.js';
import { loudness, type Redis } from '../shared/streams/client.js';
import {
  activeIdentity,
  type Identity,
  readConfiguration,
  type StoredConfiguration,
} from '../shared/streams/configuration.js';
import type { WorkHeader } from '../shared/streams/work.js';
import type { Registry } from '../shared/telemetry.js';
import type { PlanReference } from './evaluator/threads/thread.js';
import type { TryReference } from './evaluator/threads/try-plan.js';
import { createTextModels, type VersionModels } from './text-models.js';

/** Configurations kept at hand, with their texts. */
const KEPT = 4;
const RETRY_MS = 250;
const MODELS_RETRY_MS = 10_000;

/** A configuration as a worker evaluates by it. */
export interface WorkerConfiguration extends StoredConfiguration {
  /** absent: its policies name no models */
  models?: VersionModels;
  /** of a try */
  tried?: TryReference;
}

export interface ConfigurationSource {
  /**
   * The configuration that the header of an entry names. Redis may have lost it (it was emptied, or restored from a backup). Then it is
   * the active one. While there is none either, waits for one: no worker could evaluate the entry. Undefined only once the
   * source is closed.
   */
  of(header: Pick<WorkHeader, 'config' | 'configId'>): Promise<WorkerConfiguration | undefined>;
  /** A configuration with its text; undefined when it is no longer kept. */
  read(identity: Identity): Promise<WorkerConfiguration | undefined>;
  /** Ends waiting. */
  close(): void;
}

/** Why policies of a configuration could not run, in a sentence; empty: all can. */
export const lackOf = ({ models }: Pick<WorkerConfiguration, 'models'>): string =>
  models ? [...models.problems.values()].join('; ') : '';

/**
 * Tells a thread which configuration to use. A model that can be used after all makes another plan of the same configuration, so
 * threads get it.
 */
export function planReference({ version, id, text, models, tried }: WorkerConfiguration): PlanReference {
  const lacking = models ? [...models.problems.keys()].map((sha256) => ` without ${sha256}`).join('') : '';
  const edited = tried ? ` tried as ${tried.edits === '' ? tried.team : hash('sha256', JSON.stringify(tried))}` : '';
  const reference = {
    version,
    plan: `${id}${lacking}${edited}`,
    configuration: text,
    ...(tried ? { tried } : {}),
  };
  return models ? { ...reference, models: models.usable } : reference;
}

interface KeptConfiguration {
  configuration: WorkerConfiguration;
  /** ms of the steady clock from which its models are read again */
  again: number;
}

export interface SourceTools {
  logger: Logger;
  registry: Registry;
  /** after how long models that cannot be used are read again [10 s] */
  modelsRetryMs?: number;
}

export function createConfigurationSource(redis: Redis, tools: SourceTools): ConfigurationSource {
  const { logger, registry, modelsRetryMs = MODELS_RETRY_MS } = tools;
  const known = new Map<string, KeptConfiguration>();
  let closed = false;
  const held = () => [...known.values()].flatMap(({ configuration }) => configuration.models?.usable ?? []);
  const count = (): number => new Set(held().map(({ sha256 }) => sha256)).size;
  const textModels = createTextModels({ redis, logger, registry, count });

  function keep(configuration: WorkerConfiguration): WorkerConfiguration {
    const again = lackOf(configuration) === '' ? Number.POSITIVE_INFINITY : performance.now() + modelsRetryMs;
    known.delete(configuration.id);
    known.set(configuration.id, { configuration, again });
    if (known.size > KEPT) known.delete(known.keys().next().value!);
    return configuration;
  }

  async function withModels(stored: StoredConfiguration): Promise<WorkerConfiguration> {
    const models = await textModels.read(stored.version, held());
    return models.usable.length === 0 && models.problems.size === 0 ? stored : { ...stored, models };
  }

  /** Reads the models of a configuration again. While Redis does not tell, it stays as it is. */
  async function mend(kept: KeptConfiguration): Promise<WorkerConfiguration> {
    const { version, id, text } = kept.configuration;
    // Others that ask meanwhile do not wait.
    kept.again = Number.POSITIVE_INFINITY;
    try {
      const mended = await withModels({ version, id, text });
      // Without a list of models, Redis has lost the version.
      if (mended.models) return keep(mended);
    } catch (error) {
      logger.debug({ version, error: String(error) }, 'models of texts cannot be read; trying again');
    }
    kept.again = performance.now() + modelsRetryMs;
    return kept.configuration;
  }

  async function read({ version, id }: Partial<Identity> & { version: number }) {
    const kept = id === undefined ? undefined : known.get(id);
    if (kept) return performance.now() < kept.again ? kept.configuration : await mend(kept);
    const stored = await readConfiguration(redis, version);
    return stored && (id === undefined || stored.id === id) ? keep(await withModels(stored)) : undefined;
  }

  async function find(header: Pick<WorkHeader, 'config' | 'configId'>): Promise<WorkerConfiguration | undefined> {
    const named = await read({ version: header.config, ...(header.configId ? { id: header.configId } : {}) });
    if (named) return named;
    const active = await activeIdentity(redis);
    const stored = active && (await read(active));
    const instead = { version: header.config, active: stored?.version ?? null };
    if (stored) logger.warn(instead, 'Redis has lost the configuration of an entry; the active one is used');
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
          // A failure of Redis is no fault of the entry: it must not count as an attempt.
          logger[loudness(error)](
            { error: String(error) },
            'the configuration of an entry cannot be read; trying again',
          );
        }
        await sleep(RETRY_MS);
      }
      return undefined;
    },
    close() {
      closed = true;
    },
  };
}
