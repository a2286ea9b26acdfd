/** After a load: everything that the service has stored, evaluated again by `weir backtest` with the configuration that judged it. */
import { availableParallelism } from 'node:os';
import { type ProcessCost, type WatchedProcess, watchProcesses } from './processes.js';
import type { StoreAddresses } from './stores.js';

export interface BacktestFigures {
  items: number;
  evaluated: number;
  /** a policy judges them otherwise than the service did */
  changed: number;
  threads: number;
  seconds: number;
  /** CPU seconds per million items, of the backtest and of ClickHouse; empty where /proc cannot be read */
  perMillion: { name: string; cpuSeconds: number }[];
  /** every item that was accepted has a row and was evaluated, and none has changed */
  same: boolean;
}

export interface Rejudged {
  stores: StoreAddresses;
  /** file of the configuration */
  configuration: string;
  /** that of ClickHouse */
  processes: readonly WatchedProcess[];
  /** Unix ms before the first check */
  since: number;
  /** items that were accepted */
  accepted: number;
}

export async function measureBacktest({
  stores,
  configuration,
  processes,
  since,
  accepted,
}: Rejudged): Promise<BacktestFigures> {
  // Loaded only where it is asked for.
  const { readConfigurationFile } = await import('../../deploy/cli/configuration/file.js');
  const { outputTo } = await import('../../deploy/cli/command.js');
  const { backtest } = await import('../../deploy/cli/backtest/run.js');
  const problems: string[] = [];
  const output = outputTo({ out: () => undefined, err: (line) => void problems.push(line) });
  const read = readConfigurationFile(configuration, output);
  if (!read) throw new Error(problems.join('\n'));
  const threads = availableParallelism();
  const watch = watchProcesses([{ name: 'backtest', pid: process.pid }, ...processes]);
  const started = performance.now();
  let costs: ProcessCost[] = [];
  const { result } = await backtest({
    history: { url: stores.clickhouseUrl, database: stores.database },
    configuration: read.configuration,
    models: read.modelFiles(),
    window: { since, until: Date.now() },
    examples: 0,
    threadCount: threads,
  }).finally(() => {
    costs = watch.stop();
  });
  const seconds = (performance.now() - started) / 1000;
  const { items, evaluated, changed } = result.counts;
  const perMillion = costs.map(({ name, cpuSeconds }) => ({ name, cpuSeconds: (cpuSeconds / items) * 1e6 }));
  return {
    items,
    evaluated,
    changed,
    threads,
    seconds,
    perMillion,
    same: changed === 0 && evaluated >= accepted && evaluated === items,
  };
}
