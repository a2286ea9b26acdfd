/** The command line of `npm run bench`. */
import { parseArgs } from 'node:util';
import { workloadNames } from './workloads/workload.js';

export interface Options {
  workload: string;
  /** none given: capacity, then open at 70 % of it */
  run:
    | { kind: 'default' }
    | { kind: 'open'; rate: number }
    | { kind: 'closed'; connections: number }
    | { kind: 'saturate' };
  seconds: number;
  warmup: number;
  connections: number;
  threads: number;
  partitions: number;
  fsync: 'everysec' | 'always' | 'off';
  floor: boolean;
  rounds: number;
  /** milliseconds */
  objective: number;
  hold: number;
  /** of `neighbours`: these attacks alone; none: all */
  attacks: string[];
  compare: string | undefined;
  profile: boolean;
  report: string;
  configuration: string | undefined;
  /** a running installation to measure instead of a stack of our own */
  installation:
    | {
        url: string;
        key: string;
        environment: string;
        deployment: string;
        redis: string | undefined;
        clickhouse: string | undefined;
      }
    | undefined;
}

/** Not a workload of a file: a session of its own. */
export const IMAGES = 'images';
/** The same: a team beside one that means harm. */
export const NEIGHBOURS = 'neighbours';
/** Not a workload of a file either: no stack, no requests. */
export const HASHES = 'hashes';

/** Of a load, where that is not 30. */
const SECONDS: Readonly<Record<string, number>> = { [IMAGES]: 8, [HASHES]: 5, [NEIGHBOURS]: 60 };

export class UsageError extends Error {}

export const USAGE = `npm run bench -- [workload] [options]

Starts a stack of its own on free ports, loads it and reports what it can do. Workloads: ${workloadNames().join(', ')},
or a file of the same form. \`images\` sends JPEGs of 1, 4 and 12 megapixels beside text and plain sharp. \`hashes\` searches a
list of a million hashes, without a stack. \`neighbours\` sends batches and look-ups of one team while another one attacks the
service, and says whether p99 stays below twice the quiet one plus 100 ms with nothing refused. Without --rate, --closed or --saturate: closed-loop capacity for 20 s, then the
open model at 70 % of it.

  --rate N          open model: N requests a second; images, neighbours: of batches [40]
  --closed C        closed model: C connections, each sends when it has its answer
  --saturate        search the highest rate that is sustained
  --duration S      seconds of the measured load [30; images: 8, hashes: 5, neighbours: 60]
  --warmup S        seconds of load before it [10]
  --connections N   connections of the open model, at most [256]
  --objective MS    p99 that --saturate allows [50]
  --hold S          seconds that --saturate holds the rate it reports [60]
  --floor           also measure the same stack without policies, interleaved (A B A B)
  --rounds N        rounds of --floor [5] and of images [3]
  --attack NAMES    of neighbours: these attacks alone, separated by commas
  --compare FILE    print ratios to an earlier report (.json)
  --profile         write CPU profiles of ingress and worker beside the report
  --report DIR      folder of the reports [.weir/bench]
  --config FILE     configuration to measure [deploy/local/weir.yaml]
  --threads N       evaluation threads of the worker (0: as the worker decides) [0]
  --partitions N    partitions [1]
  --fsync MODE      everysec, always or off: Redis's append-only file [everysec]

A running installation instead of an own stack (plain http):
  --url URL --key KEY --environment ID --deployment ID   (the key also from WEIR_KEY)
  --redis URL --clickhouse URL   to watch its backlog and count its rows`;

const STRING = { type: 'string' } as const;
const FLAG = { type: 'boolean' } as const;
const FLAGS = {
  rate: STRING,
  closed: STRING,
  saturate: FLAG,
  duration: STRING,
  warmup: STRING,
  connections: STRING,
  objective: STRING,
  hold: STRING,
  floor: FLAG,
  rounds: STRING,
  attack: STRING,
  compare: STRING,
  profile: FLAG,
  report: STRING,
  config: STRING,
  threads: STRING,
  partitions: STRING,
  fsync: STRING,
  url: STRING,
  key: STRING,
  environment: STRING,
  deployment: STRING,
  redis: STRING,
  clickhouse: STRING,
} as const;

/** Reads the arguments. Throws a `UsageError` whose message says which option and what was expected. */
export function parseOptions(args: readonly string[], env: Record<string, string | undefined>): Options {
  const { values, positionals } = split(args);
  const number = (name: keyof typeof values, fallback: number, low: number, high: number): number => {
    const raw = values[name];
    if (raw === undefined) return fallback;
    const value = Number(raw);
    if (raw === '' || !(value >= low && value <= high)) {
      throw new UsageError(`--${name} must be a number from ${low} to ${high}, but is "${raw}".`);
    }
    return value;
  };
  if (positionals.length > 1) throw new UsageError(`Name one workload, not ${positionals.length}.`);
  const workload = positionals[0] ?? 'events-50';
  const hashes = workload === HASHES;
  if (hashes && Object.keys(values).some((name) => name !== 'duration')) {
    throw new UsageError('hashes has no stack and sends nothing: of the options it takes --duration alone.');
  }
  const fsync = values.fsync ?? 'everysec';
  if (fsync !== 'everysec' && fsync !== 'always' && fsync !== 'off') {
    throw new UsageError(`--fsync must be everysec, always or off, but is "${fsync}".`);
  }
  const installation = installationOf(values, env);
  if (installation !== undefined && values.floor) {
    throw new UsageError('--floor needs a stack of its own: it would replace the configuration of the installation.');
  }
  const floor = values.floor ?? false;
  const images = workload === IMAGES;
  if (images && (installation !== undefined || floor || values.closed !== undefined || values.saturate)) {
    throw new UsageError('images needs a stack of its own, and takes none of --closed, --saturate and --floor.');
  }
  const neighbours = workload === NEIGHBOURS;
  if (neighbours && (installation !== undefined || floor || values.closed !== undefined || values.saturate)) {
    throw new UsageError('neighbours needs a stack of its own, and takes none of --closed, --saturate and --floor.');
  }
  if (!neighbours && values.attack !== undefined) throw new UsageError('--attack is for neighbours alone.');
  return {
    workload,
    run: runOf(values, number),
    seconds: number('duration', SECONDS[workload] ?? 30, 1, 86_400),
    warmup: number('warmup', 10, 0, 3600),
    connections: Math.round(number('connections', 256, 1, 4096)),
    threads: Math.round(number('threads', 0, 0, 256)),
    partitions: Math.round(number('partitions', 1, 1, 1024)),
    fsync,
    floor,
    rounds: Math.round(number('rounds', images ? 3 : 5, 1, 100)),
    attacks: values.attack?.split(',').filter((name) => name !== '') ?? [],
    objective: number('objective', 50, 1, 60_000),
    hold: number('hold', 60, 1, 3600),
    compare: values.compare,
    profile: values.profile ?? false,
    report: values.report ?? '.weir/bench',
    configuration: values.config,
    installation,
  };
}

type Values = ReturnType<typeof split>['values'];

function split(args: readonly string[]) {
  try {
    return parseArgs({ args: [...args], options: FLAGS, allowPositionals: true });
  } catch (error) {
    throw new UsageError(error instanceof Error ? error.message : String(error));
  }
}

function runOf(
  values: Values,
  number: (name: keyof Values, fallback: number, low: number, high: number) => number,
): Options['run'] {
  const chosen = (['rate', 'closed', 'saturate'] as const).filter((name) => values[name] !== undefined);
  if (chosen.length > 1) throw new UsageError(`--${chosen.join(' and --')} exclude each other.`);
  if (values.rate !== undefined) return { kind: 'open', rate: number('rate', 0, 0.1, 1_000_000) };
  if (values.closed !== undefined) return { kind: 'closed', connections: Math.round(number('closed', 0, 1, 4096)) };
  return values.saturate ? { kind: 'saturate' } : { kind: 'default' };
}

function installationOf(values: Values, env: Record<string, string | undefined>): Options['installation'] {
  const { url, environment, deployment, redis, clickhouse } = values;
  if (url === undefined) return undefined;
  const key = values.key ?? env.WEIR_KEY ?? '';
  if (key === '') throw new UsageError('--url needs a key: --key KEY, or WEIR_KEY in the environment.');
  if (environment === undefined || deployment === undefined) {
    throw new UsageError('--url needs --environment ID and --deployment ID, which the key must grant.');
  }
  if ((redis === undefined) !== (clickhouse === undefined)) {
    throw new UsageError('--redis and --clickhouse go together: the backlog is in one, the rows are in the other.');
  }
  return { url, key, environment, deployment, redis, clickhouse };
}
