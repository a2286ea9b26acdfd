/** Backends and models as a command asks them: as a worker does, with keys and models of its own machine, and without a cache. */
import { createLogger } from '../../shared/log.js';
import { loadSettings } from '../../shared/settings.js';
import { Registry } from '../../shared/telemetry.js';
import { type AskReplies, createAsking } from '../../workers/asking.js';
import { createBackends } from '../../workers/backends/backends.js';
import { createBackendMetrics } from '../../workers/backends/meters.js';
import { confine } from '../../workers/child-process/confine.js';
import type { ItemAsks } from '../../workers/evaluator/outcome.js';
import { createTextModels } from '../../workers/onnx/ask.js';
import { createTextModelMetrics } from '../../workers/onnx/meters.js';
import { type LoadedTextModel, type Models, startModels } from '../../workers/onnx/models.js';

/** No caller waits, so the time-outs of backends and models are the limit. */
const LIMIT_MS = 180_000;

export interface AskingCommand {
  ask(asks: readonly ItemAsks[], team: string): Promise<AskReplies>;
  /** Ends the processes of models. */
  close(): Promise<void>;
}

/** Models are those of the folder that the settings name; they are started when the first one is asked. */
export function askingOfCommand(): AskingCommand {
  const backends = createBackends({
    metrics: createBackendMetrics(new Registry()),
    logger: createLogger('weir', 'silent'),
  });
  let models: Promise<Models> | undefined;
  const metrics = createTextModelMetrics(new Registry());
  const model = async (name: string): Promise<LoadedTextModel | undefined> => {
    models ??= modelsOfCommand();
    return (await models).text(name);
  };
  const texts = createTextModels({ model, metrics });
  const asking = createAsking(backends, texts);
  return {
    ask: (asks, team) => {
      return asking.ask(asks, { until: performance.now() + LIMIT_MS, signal: new AbortController().signal, team });
    },
    async close() {
      backends.close();
      await (await models)?.close();
    },
  };
}

/** `only`: names of models; default: all of the folder. Each has been loaded, or has a problem. */
export function modelsOfCommand(only?: readonly string[]): Promise<Models> {
  const { models: folder, confine: wanted } = loadSettings(process.env, ['models', 'confine']);
  const logger = createLogger('weir', 'silent');
  const confinement = confine({ logger, registry: new Registry(), hidden: [], wanted: wanted === 'auto' });
  return startModels({ folder, logger, confinement, startMs: LIMIT_MS, ...(only ? { only } : {}) });
}
