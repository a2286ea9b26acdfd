/** A thread of a backtest: evaluates the slices that it is sent, one at a time. */
import { workerData } from 'node:worker_threads';
import { loadConfiguration } from '../../../shared/configuration/configuration.js';
import { createHistoryClient, type HistoryAddress } from '../../../shared/history/client.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import { contextOf } from '../../../shared/policy/detect-expression.js';
import { prepareModel } from '../../../shared/policy/models/own.js';
import type { BacktestResult } from './result.js';
import { type BacktestEvaluation, createSliceEvaluator, type SliceTask } from './slice.js';

/** What a thread is started with. */
export interface BacktestThreadData
  extends Pick<BacktestEvaluation, 'configurations' | 'perMillion' | 'eventsOnly' | 'examples' | 'truths'> {
  history: HistoryAddress;
  /** the configuration that is tried, as JSON */
  configuration: string;
  /** its models by SHA-256 */
  models: ReadonlyMap<string, Uint8Array>;
}

/** Longest that ClickHouse takes for the items or the contents of a slice. */
const QUERY_MS = 120_000;

function evaluatorOf({
  history,
  configuration,
  models,
  ...rest
}: BacktestThreadData): ReturnType<typeof createSliceEvaluator> {
  const loaded = loadConfiguration(configuration);
  if (!loaded.ok) throw new Error(`the configuration does not load: ${loaded.problems[0]?.message}`);
  // Policies that could not be evaluated are told apart, and not flagged.
  const teams = loaded.configuration.teams.map((team) => ({ ...team, fail_closed: false }));
  const plan = compilePlan({ ...loaded.configuration, teams }, 0, {
    models: new Map([...models].map(([sha256, bytes]) => [sha256, prepareModel(bytes)])),
  });
  const contextual = loaded.configuration.policies.filter(({ detect }) => contextOf(detect) > 0).map(({ id }) => id);
  const client = createHistoryClient({ ...history, timeoutMs: QUERY_MS });
  return createSliceEvaluator({ ...rest, client, plan, contextual: new Set(contextual) });
}

const evaluate = evaluatorOf(workerData as BacktestThreadData);

/** The cause of an error may be nothing that can be sent. */
export const run = (task: SliceTask): Promise<BacktestResult> =>
  evaluate(task).catch(({ message }: Error) => Promise.reject(new Error(message)));
