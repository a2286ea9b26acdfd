/** Backends as a command asks them: as a worker does, with keys from its own environment and files, and without a cache. */
import { createLogger } from '../../shared/log.js';
import { Registry } from '../../shared/telemetry.js';
import { type Backends, createBackends } from '../../workers/backends/backends.js';
import { createBackendMetrics } from '../../workers/backends/metrics.js';

/** No caller waits, so the time-outs of the backends are the limit. */
const LIMIT_MS = 180_000;

export const backendsOfCommand = (): Backends =>
  createBackends({ metrics: createBackendMetrics(new Registry()), logger: createLogger('weir', 'silent') });

export const limitsOfCommand = (): { until: number; signal: AbortSignal } => ({
  until: performance.now() + LIMIT_MS,
  signal: new AbortController().signal,
});

/** Why there are no answers, such as `backend guard: timeout`. */
export const failureTexts = (failures: ReadonlyMap<string, string>): string[] =>
  [...failures].map(([id, outcome]) => `backend ${id}: ${outcome}`);
