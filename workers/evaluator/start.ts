/** Starts the role of the evaluator: threads, the processes for images, a consumer for each lane, membership in the fleet. */
import { availableParallelism } from 'node:os';
import { createHistoryClient, historyAddressOf } from '../../shared/history/client.js';
import { highestConfiguration } from '../../shared/history/configurations.js';
import { type Asker, createAsker } from '../../shared/history/read/asker.js';
import { failureReporter } from '../../shared/history/read/failures.js';
import { createHistoryQueries, type HistoryQueries } from '../../shared/history/read/queries.js';
import { LOOK_MS, memberName } from '../../shared/streams/fleet.js';
import { LANES, type Lane } from '../../shared/streams/keys.js';
import { gaugeConfiguration, metersOf, type Registry } from '../../shared/telemetry.js';
import { type Asking, createAsking } from '../asking.js';
import { createBackends } from '../backends/backends.js';
import { createBudgets } from '../backends/budget.js';
import { createAnswerCache } from '../backends/cache.js';
import { createBackendMetrics } from '../backends/meters.js';
import { type ConfigurationSource, createConfigurationSource } from '../configuration-source.js';
import { type Consumer, createConsumer } from '../consumer/consumer.js';
import { createLeft, type LeftEntries } from '../consumer/left.js';
import { joinFleet } from '../fleet.js';
import { type ImageMedia, startMedia } from '../images/start.js';
import { createTextModels } from '../onnx/ask.js';
import type { Role, RoleTools } from '../role.js';
import { createShare } from '../share.js';
import { createEvaluator, type Evaluator } from './evaluator.js';
import { createLinks } from './images/link-sessions.js';
import { createEvaluatorMetrics } from './meters.js';
import { createCheckSpans } from './spans.js';
import { createPool, type Pool } from './threads/pool.js';

/** Work entries of one partition that a thread is given at a time: so many single events, or batches up to a number of bytes. */
const CHUNK = 32;
/** Limits of what a worker holds of the fast lane: twice what one team may have under way from one ingress. */
const FAST_AHEAD = { entries: 8192, bytes: 32 * 1024 * 1024 };

/**
 * The live workers deal out the partitions whose abandoned entries they take over. A worker that dies is not among them any more when what it
 * held counts as abandoned (`WEIR_CLAIM_IDLE_MS`).
 */
const UPKEEP = { silenceMs: 1500, everyMs: LOOK_MS };

export async function startEvaluator(tools: RoleTools): Promise<Role> {
  const { settings, redis, logger, registry } = tools;
  const source = createConfigurationSource(redis, { logger, registry });
  const threads = settings.threads > 0 ? settings.threads : Math.max(1, availableParallelism() - 1);
  const pool = createPool({ threads, slow: settings.slowThreads, logger });
  const name = memberName();
  const clickhouse = createHistoryClient(historyAddressOf(settings));
  const asker = createAsker(historyAddressOf(settings));
  const history = queriesOf(tools, asker);
  const media = await startMedia(settings, { logger, registry });
  const backends = createBackends({
    cache: createAnswerCache(redis),
    budgets: createBudgets(redis, registry),
    metrics: createBackendMetrics(registry),
    logger,
  });
  const models = createTextModels({ model: media.models.text, metrics: media.textMetrics });
  const asking = createAsking(backends, models);
  const left = createLeft();
  const evaluator = evaluatorOf(tools, { name, pool, source, history, media, asking, left });
  const consumers = consumersOf(tools, { name, capacity: pool.capacity, handle: evaluator.handle, left });
  gaugeUnderWay(registry, consumers);
  const used = (): Promise<number> => highestConfiguration(clickhouse, settings.historyTimeoutMs);
  const membership = joinFleet(redis, name, { pool, source, logger, used });
  gaugeConfiguration(registry, membership.active);
  for (const lane of LANES) consumers[lane].start();
  return {
    lastProgress: () => Math.min(...LANES.map((lane) => consumers[lane].lastProgress())),
    trouble: membership.trouble,
    async stop() {
      await membership.stop();
      await Promise.all(LANES.map((lane) => consumers[lane].stop(settings.drainMs)));
      source.close();
      evaluator.stop();
      backends.close();
      await media.close();
      await pool.end();
      await Promise.all([clickhouse.close(), asker.close()]);
    },
  };
}

function queriesOf(
  { settings: { historyTimeoutMs, hotSeconds }, registry, logger }: RoleTools,
  asker: Asker,
): HistoryQueries {
  // A caller waits half a look-up at most for the note on its declared causes: a quarter in the queue, a quarter for the answer.
  const quarter = Math.ceil(historyTimeoutMs / 4);
  return createHistoryQueries(asker, {
    timeoutMs: historyTimeoutMs,
    waitMs: 2 * historyTimeoutMs,
    hotMs: hotSeconds * 1000,
    runs: { timeoutMs: quarter, waitMs: quarter, longest: 64 },
    onFailure: failureReporter(registry, logger),
  });
}

interface EvaluatorParts {
  name: string;
  pool: Pool;
  source: ConfigurationSource;
  history: HistoryQueries;
  media: ImageMedia;
  asking: Asking;
  left: LeftEntries;
}

function evaluatorOf(
  { settings, redis, logger, registry, traces }: RoleTools,
  { name, pool, source, history, media, asking, left }: EvaluatorParts,
): Evaluator {
  return createEvaluator({
    redis,
    pool,
    configurations: source,
    consumer: name,
    // Archived results that are older have left Redis, or soon will. As a sequence, see `sequenceOf`.
    archivedBelow: () => Math.max(0, Date.now() - settings.hotSeconds * 1000) * 4096,
    // Nothing leaves before its hot seconds are over. Half of them allow for clocks that differ.
    lateBelow: () => Math.max(0, Date.now() - settings.hotSeconds * 500) * 4096,
    history: (team, environment, references) => history.latestEvents(team, environment, references),
    storedCauses: (team, environment, causes) => history.causes(team, environment, causes),
    media,
    links: createLinks((team, deployment, externals) => history.latestSessions(team, deployment, externals)),
    imageRoom: { entries: settings.slowEntries, bytes: settings.slowBytes },
    asking,
    left,
    maxAttempts: settings.maxAttempts,
    attemptsTogether: attemptsTogether(settings.maxAttempts),
    hardLimitMs: settings.hardLimitMs,
    logger,
    metrics: createEvaluatorMetrics(registry),
    spans: createCheckSpans(traces),
  });
}

/**
 * Up to which attempt entries are evaluated together. A worker that dies leaves many entries, and hardly ever is one of them at fault,
 * so they are retried in groups once. At least one attempt is left to be made alone.
 */
const attemptsTogether = (maxAttempts: number): number => Math.max(1, Math.min(2, maxAttempts - 1));

function consumersOf(
  { settings, redis, logger, partitions }: RoleTools,
  { name, capacity, handle, left }: { name: string; capacity: number; handle: Evaluator['handle']; left: LeftEntries },
): Record<Lane, Consumer> {
  const { claimIdleMs, slowThreads } = settings;
  const together = attemptsTogether(settings.maxAttempts);
  const { own } = createShare('worker', { redis, partitions, name, ...UPKEEP });
  const shared = {
    name,
    own,
    endpoint: settings,
    redis,
    partitions,
    claimIdleMs,
    attemptsTogether: together,
    logger,
    handle,
    left,
  };
  return {
    fast: createConsumer({
      ...shared,
      lane: 'fast',
      chunk: CHUNK,
      capacity,
      spare: capacity,
      ahead: FAST_AHEAD.entries,
      bytes: FAST_AHEAD.bytes,
    }),
    slow: createConsumer({
      ...shared,
      lane: 'slow',
      chunk: 1,
      // For each thread one entry at work, and one that is ready: of every team, since teams take turns at the threads (`threads/pool.ts`).
      capacity: 2 * slowThreads,
      spare: Number.POSITIVE_INFINITY,
      few: 2 * slowThreads,
      ahead: settings.slowEntries,
      bytes: settings.slowBytes,
    }),
  };
}

function gaugeUnderWay(registry: Registry, consumers: Record<Lane, Consumer>): void {
  const help = 'Requests that this worker holds';
  metersOf(registry).gaugeBy('lane', LANES, 'weir_entries_under_way', help, (lane) => consumers[lane].underWay());
}
