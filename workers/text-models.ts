/**
 * The models of texts that a configuration names, as threads get them: read from Redis, unpacked and checked once a process, in memory
 * that its threads share.
 *
 *     named by a version ──> held by a version before? ── yes ──> the same memory
 *                                  └ no ──> read ──> unpacked, checked ──> shared
 *                                             └ lost, damaged, of other features: a sentence that says so
 */
import type { Logger } from '../shared/log.js';
import { unpackModel } from '../shared/policy/models/packed.js';
import type { Redis } from '../shared/streams/client.js';
import { modelsNamedBy, readPackedModel } from '../shared/streams/configuration.js';
import { metersOf, type Registry } from '../shared/telemetry.js';

/** A model as every thread can read it. */
export interface SharedModel {
  /** of its file */
  sha256: string;
  bytes: SharedArrayBuffer;
}

/** The models that a version names. */
export interface VersionModels {
  usable: SharedModel[];
  /** by SHA-256: why the others cannot be used, in a sentence */
  problems: ReadonlyMap<string, string>;
}

export interface TextModels {
  /** Rejects when Redis cannot be asked. `held`: models that are in memory already. */
  read(version: number, held: readonly SharedModel[]): Promise<VersionModels>;
}

export interface TextModelTools {
  redis: Redis;
  logger: Logger;
  registry: Registry;
  /** models that this process holds now */
  count(): number;
}

export function createTextModels({ redis, logger, registry, count }: TextModelTools): TextModels {
  const { counterBy, gauge } = metersOf(registry);
  gauge('weir_text_models', 'Linear models of yours that this worker holds', count);
  const help = 'Linear models of yours that were read from Redis';
  const loads = counterBy('outcome', ['loaded', 'failed'], 'weir_text_model_loads_total', help);
  const reading = new Map<string, Promise<SharedModel>>();

  async function load(sha256: string): Promise<SharedModel> {
    const packed = await readPackedModel(redis, sha256);
    if (!packed) throw new Unusable('Redis has lost it; apply the configuration again');
    const bytes = await unpackModel(packed, sha256).catch(({ message }: Error) => {
      throw new Unusable(message);
    });
    return { sha256, bytes };
  }

  /** Versions that are asked for at once share what is being read. */
  function loadOnce(sha256: string): Promise<SharedModel> {
    let loading = reading.get(sha256);
    if (!loading) {
      loading = load(sha256).finally(() => reading.delete(sha256));
      reading.set(sha256, loading);
    }
    return loading;
  }

  return {
    async read(version, held) {
      const usable: SharedModel[] = [];
      const problems = new Map<string, string>();
      for (const sha256 of await modelsNamedBy(redis, version)) {
        const before = held.find((model) => model.sha256 === sha256);
        if (before) {
          usable.push(before);
          continue;
        }
        try {
          usable.push(await loadOnce(sha256));
          loads.inc({ outcome: 'loaded' });
          logger.info({ version, model: sha256 }, 'a model of texts was read');
        } catch (error) {
          // That Redis is away is no fault of the model.
          if (!(error instanceof Unusable)) throw error;
          problems.set(sha256, `the model ${sha256} cannot be used: ${error.message}`);
          loads.inc({ outcome: 'failed' });
          const told = 'a model of texts cannot be used; policies that name it cannot be evaluated';
          logger.error({ version, model: sha256, problem: error.message }, told);
        }
      }
      return { usable, problems };
    },
  };
}

/** The model is at fault. */
class Unusable extends Error {}
