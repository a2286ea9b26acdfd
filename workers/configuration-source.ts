/** Finds the configuration that a work entry is evaluated by. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { Logger } from '../shared/log.js';
import type { Redis } from '../shared/streams/client.js';
import {
  activeIdentity,
  type Identity,
  readConfiguration,
  type StoredConfiguration,
} from '../shared/streams/configuration.js';
import type { WorkHeader } from '../shared/streams/work.js';
import type { PlanReference } from './evaluator/threads/thread.js';

/** Configurations kept at hand, with their texts. */
const KEPT = 4;
const RETRY_MS = 250;

export interface ConfigurationSource {
  /**
   * The configuration that the header of an entry names. Redis may have lost it (it was emptied, or restored from a backup). Then it is
   * the active one. While there is none either, waits for one: no worker could evaluate the entry. Undefined only once the
   * source is closed.
   */
  of(header: Pick<WorkHeader, 'config' | 'configId'>): Promise<StoredConfiguration | undefined>;
  /** A configuration with its text; undefined when it is no longer kept. */
  read(identity: Identity): Promise<StoredConfiguration | undefined>;
  /** Ends waiting. */
  close(): void;
}

/** Tells a thread which configuration to use. */
export const planReference = ({ version, id, text }: StoredConfiguration): PlanReference => ({
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
          logger.warn({ error: String(error) }, 'the configuration of an entry cannot be read; trying again');
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
