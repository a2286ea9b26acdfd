/** `npm run bench -- --against COMMIT`: the same load on this code and on that of another commit in turn, each with a stack of its own. */
import type { BenchTarget } from '../installation/target.js';
import { cpuPerMillion, figuresOf, measureInTurn, ratioInTurn } from '../measurement/in-turn.js';
import { type Bench, checkRows, type Stage } from '../measurement/stages.js';
import type { Options } from '../options.js';
import type { AgainstReport } from './report.js';

const CONNECTIONS = 64;
/** How long rows may take to arrive after the last answer. */
const ROWS_SECONDS = 60;

export interface AgainstSession {
  bench: Bench;
  /** the stack of the other commit */
  other: BenchTarget;
  commit: string;
  options: Options;
  say(line: string): void;
}

export async function runAgainst({ bench, other, commit, options, say }: AgainstSession): Promise<{
  stages: Stage[];
  against: AgainstReport;
}> {
  const { run, rounds, seconds, warmup } = options;
  const load =
    run.kind === 'open'
      ? { mode: run, connections: options.connections }
      : { mode: { kind: 'closed' } as const, connections: run.kind === 'closed' ? run.connections : CONNECTIONS };
  const theirs: Bench = {
    ...bench,
    base: { ...bench.base, url: other.url, key: other.key },
    processes: [...other.processes, { name: 'generator', pid: bench.generator.pid }],
    stores: other.stores,
  };
  const sides = [
    { name: 'this code', bench },
    { name: commit.slice(0, 12), bench: theirs },
  ] as const;
  const stages = await measureInTurn(sides, { load, rounds, seconds, warmup, say });
  const figures = [figuresOf(sides[0].name, stages[0]), figuresOf(sides[1].name, stages[1])] as const;
  const ratios = {
    eventsPerSecond: ratioInTurn(stages, ({ load: { itemsPerSecond } }) => itemsPerSecond),
    p99: ratioInTurn(stages, ({ load: { latency } }) => latency.p99),
    cpuPerMillion: ratioInTurn(stages, cpuPerMillion),
  };
  const rows = await checkRows(theirs, ROWS_SECONDS);
  return { stages: [...stages[0], ...stages[1]], against: { rounds, figures, ratios, rows } };
}
