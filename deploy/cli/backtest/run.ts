/** Runs a backtest: scope by scope, slice by slice, on threads; from where an earlier run has ended. */
import type { Configuration } from '../../../shared/configuration/configuration.js';
import { createHistoryClient, type HistoryAddress, type HistoryClient } from '../../../shared/history/client.js';
import { verdictsOf } from '../../../shared/history/read/label-verdicts.js';
import { type ItemTruths, truthsOf } from '../../../workers/evaluator/backtest/labelled.js';
import { CONTEXT_SECONDS } from '../../../workers/evaluator/gather/context.js';
import { readLabels } from '../labels/read.js';
import {
  type BacktestSlice,
  type BacktestWindow,
  contextDepth,
  type StoredScope,
  scopesOf,
  slicesOf,
} from './read/question.js';
import { readConfigurations } from './read/stored.js';
import { addResult, type BacktestResult, emptyResult } from './result.js';
import type { SliceTask } from './slice.js';
import type { BacktestState } from './state-file.js';
import { type BacktestThreads, startThreads } from './threads.js';

export interface BacktestOptions {
  history: HistoryAddress;
  configuration: Configuration;
  /** models of its policies by SHA-256 */
  models: ReadonlyMap<string, Uint8Array>;
  window: BacktestWindow;
  /** about so many items of the window, chosen by their ids; absent: all */
  sample?: number | undefined;
  /** only items that people have labelled, and what becomes of them */
  labels?: boolean;
  /** examples of each policy and change */
  examples: number;
  threadCount: number;
  /** identifies the question in a state */
  question?: string;
  /** where an earlier run has ended */
  resume?: BacktestState | undefined;
  /** Called after each slice, with all that is done up to there. */
  onState?: ((state: BacktestState) => void) | undefined;
}

const QUERY_MS = 120_000;
const MILLION = 1_000_000;

/** Rejects with a sentence where ClickHouse cannot be asked. */
export async function backtest(options: BacktestOptions): Promise<BacktestState> {
  const { history, configuration, models, examples, resume } = options;
  const client = createHistoryClient({ ...history, timeoutMs: QUERY_MS });
  try {
    const window = resume ? { ...options.window, since: resume.since, until: resume.until } : options.window;
    const scopes = await scopesOf(client, window);
    const truths = options.labels ? await readTruths(client, window) : undefined;
    const state = resume ?? begun(options, scopes, truths?.size);
    const eventsOnly = window.environment !== undefined;
    const data = { history, configuration: JSON.stringify(configuration), models, examples, eventsOnly };
    const configurations = await readConfigurations(client);
    const threads = startThreads(options.threadCount, {
      ...data,
      configurations,
      perMillion: state.perMillion,
      truths,
    });
    try {
      for (const scope of leftOf(scopes, state)) await runScope({ ...options, client, window, threads, state }, scope);
      return state;
    } finally {
      await threads.close();
    }
  } finally {
    await client.close();
  }
}

/** What people said of the items of the window. */
async function readTruths(client: HistoryClient, { since, until, team }: BacktestWindow): Promise<ItemTruths> {
  const labels = await readLabels(client, { since, team });
  return truthsOf(verdictsOf(labels.filter(({ time }) => time < until)));
}

function begun(
  { window, sample, question = '' }: BacktestOptions,
  scopes: readonly StoredScope[],
  labelled?: number,
): BacktestState {
  const rows = labelled ?? scopes.reduce((sum, scope) => sum + scope.rows, 0);
  const share = sample === undefined || sample >= rows ? 1 : sample / rows;
  return {
    question,
    since: window.since,
    until: window.until,
    perMillion: Math.ceil(share * MILLION),
    total: Math.round(rows * share),
    place: null,
    result: emptyResult(),
  };
}

/** The scopes that are not done. */
function leftOf(scopes: readonly StoredScope[], { place }: BacktestState): readonly StoredScope[] {
  if (!place) return scopes;
  const at = scopes.findIndex(({ team, scope }) => team === place.team && scope === place.scope);
  // Its rows may have expired meanwhile.
  return at < 0
    ? scopes.filter(({ team, scope }) => [team, scope].join('\0') > [place.team, place.scope].join('\0'))
    : scopes.slice(at);
}

interface Running extends BacktestOptions {
  client: HistoryClient;
  threads: BacktestThreads;
  state: BacktestState;
}

async function runScope(running: Running, { team, scope }: StoredScope): Promise<void> {
  const { client, configuration, window, threads, state } = running;
  const { place } = state;
  const since = place?.team === team && place.scope === scope ? place.from : window.since;
  const depth = contextDepth(configuration, team, scope);
  if (depth === 0) {
    const slices = await slicesOf(client, { team, scope }, { from: since, to: window.until });
    await runSlices(running, slices);
    return;
  }
  // Each thread has its share of the conversations, and what came before them.
  const warm = await slicesOf(client, { team, scope }, { from: since - CONTEXT_SECONDS * 1000, to: since });
  const slices = [...warm, ...(await slicesOf(client, { team, scope }, { from: since, to: window.until }))];
  for (const [i, slice] of slices.entries()) {
    const shared = { parts: threads.count, depth, first: i === 0, since, until: window.until };
    const tasks = Array.from({ length: threads.count }, (_, part): Promise<BacktestResult> => {
      const task: SliceTask = { slice, conversations: { part, ...shared } };
      return threads.run(part, task);
    });
    for (const result of await Promise.all(tasks)) addResult(state.result, result, running.examples);
    if (i >= warm.length) noteDone(running, slice);
  }
}

/** Runs slices as threads are free. What is done counts in the order of slices, so that what is left is what comes after a place. */
async function runSlices(running: Running, slices: readonly BacktestSlice[]): Promise<void> {
  const { threads, state, examples } = running;
  const done = new Map<number, BacktestResult>();
  let [next, counted, failed] = [0, 0, false];
  async function work(thread: number): Promise<void> {
    while (next < slices.length && !failed) {
      const number = next++;
      try {
        done.set(number, await threads.run(thread, { slice: slices[number]! }));
      } catch (error) {
        failed = true;
        throw error;
      }
      for (let result = done.get(counted); result; result = done.get(counted)) {
        addResult(state.result, result, examples);
        done.delete(counted);
        noteDone(running, slices[counted]!);
        counted++;
      }
    }
  }
  await Promise.all(Array.from({ length: threads.count }, (_, thread) => work(thread)));
}

function noteDone({ state, onState }: Running, { team, scope, to }: BacktestSlice): void {
  state.place = { team, scope, from: to };
  onState?.(state);
}
