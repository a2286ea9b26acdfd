/** `weir plan`: what an installation needs for a load. It asks no server. */
import { type Arguments, type Command, CommandUsageError, optionsOf } from '../../command.js';
import { textOption } from '../../options.js';
import { DEMAND_DEFAULTS, type Demand } from '../../plan/demand.js';
import { readFigures, SHIPPED_FIGURES } from '../../plan/figures.js';
import { planFor } from '../../plan/plan.js';
import { moneyFor, type Prices } from '../../plan/prices.js';
import { type PlanAnswer, planLines } from '../../plan/text.js';
import { wallsOf } from '../../plan/walls.js';

interface NumberRule {
  min: number;
  max: number;
  whole?: boolean;
}

/** Options that are numbers, by the field of the demand that each is. */
const NUMBERS: Readonly<Record<keyof Demand, [option: string, rule: NumberRule]>> = {
  eventsPerSecond: ['events-per-second', { min: 0.001, max: 1e9 }],
  batch: ['batch', { min: 1, max: 50 }],
  eventBytes: ['event-bytes', { min: 1, max: 1e6 }],
  images: ['images', { min: 0, max: 1 }],
  imageBytes: ['image-bytes', { min: 1, max: 2e7 }],
  flagged: ['flagged', { min: 0, max: 1 }],
  mean: ['mean', { min: 0.001, max: 1 }],
  contentDays: ['content-days', { min: 0, max: 36_500, whole: true }],
  resultsDays: ['results-days', { min: 1, max: 36_500, whole: true }],
  hotSeconds: ['hot-seconds', { min: 1, max: 86_400, whole: true }],
  redisReplicas: ['redis-replicas', { min: 0, max: 5, whole: true }],
  clickhouseReplicas: ['clickhouse-replicas', { min: 1, max: 5, whole: true }],
  zones: ['zones', { min: 1, max: 10, whole: true }],
  busy: ['busy', { min: 0.05, max: 1 }],
  cpuFactor: ['cpu-factor', { min: 0.01, max: 100 }],
  skew: ['skew', { min: 1, max: 1000 }],
  clickhouseVcpu: ['clickhouse-vcpu', { min: 1, max: 1024, whole: true }],
  clickhouseDiskTib: ['clickhouse-disk-tib', { min: 0.01, max: 10_000 }],
  redisMemoryGib: ['redis-memory-gib', { min: 1, max: 10_000 }],
  networkGbit: ['network-gbit', { min: 0.01, max: 10_000 }],
};

const PRICES: Readonly<Record<keyof Prices, string>> = {
  vcpuHour: 'price-vcpu-hour',
  memoryGibHour: 'price-gib-hour',
  diskGibMonth: 'price-disk-gib-month',
  zoneGib: 'price-zone-gib',
};
const PRICE: NumberRule = { min: 0, max: 1e9 };

const byDefault = (name: keyof typeof DEMAND_DEFAULTS): string => `[${DEMAND_DEFAULTS[name]}]`;

export const plan: Command = {
  usage: `weir plan --events-per-second N [options]

The load at its peak:
  --events-per-second N      events and images that are checked
  --batch N                  events of a request; 1: each by POST /api/event ${byDefault('batch')}
  --event-bytes N            bytes of a request's body for each of its events ${byDefault('eventBytes')}
  --images SHARE             share of images in what is checked, 0 to 1 ${byDefault('images')}
  --image-bytes N            bytes of a request's body with an image in it ${byDefault('imageBytes')}
  --flagged SHARE            share of the events that are flagged ${byDefault('flagged')}
  --mean SHARE               mean rate beside the peak: what is stored and crosses zones grows by the mean ${byDefault('mean')}

What is kept, and how often:
  --content-days N           retention.content_days ${byDefault('contentDays')}
  --results-days N           retention.results_days ${byDefault('resultsDays')}
  --hot-seconds N            WEIR_HOT_SECONDS ${byDefault('hotSeconds')}
  --redis-replicas N         replicas of each primary ${byDefault('redisReplicas')}
  --clickhouse-replicas N    copies of each row ${byDefault('clickhouseReplicas')}
  --zones N                  zones that all of it is spread over ${byDefault('zones')}

The machines:
  --busy SHARE               share of vCPU, memory, disk and network that is used at the peak ${byDefault('busy')}
  --cpu-factor F             seconds of CPU there for one of the figures; 2 where a vCPU is half a core ${byDefault('cpuFactor')}
  --skew F                   load of the busiest primary beside the mean ${byDefault('skew')}
  --redis-memory-gib N       memory of a node of Redis, at most ${byDefault('redisMemoryGib')}
  --clickhouse-vcpu N        vCPU of a ClickHouse server, at most ${byDefault('clickhouseVcpu')}
  --clickhouse-disk-tib N    disk of a ClickHouse server, at most ${byDefault('clickhouseDiskTib')}
  --network-gbit N           network of a machine ${byDefault('networkGbit')}
  --figures FILE             figures of your own machine (npm run bench -- figures --output FILE)

Prices, in any currency; without them no costs are given:
  --price-vcpu-hour P   --price-gib-hour P   --price-disk-gib-month P   --price-zone-gib P

  --json                     one JSON object

Says how many processes, vCPU, memory and disk each tier needs, how many primaries, partitions and shards, the bytes a second
between tiers and across zones, and what ends first when the load grows.`,
  options: optionsOf({
    texts: [...Object.values(NUMBERS).map(([option]) => option), ...Object.values(PRICES), 'figures'].join(' '),
    flags: 'json',
  }),
  run(given, output) {
    if (given.positionals.length > 0) throw new CommandUsageError('expected no arguments but options');
    const demand = demandOf(given);
    const prices = pricesOf(given);
    const figures = readFigures(textOption(given, 'figures') ?? SHIPPED_FIGURES);
    const planned = planFor(figures, demand);
    const money = moneyFor(planned, prices);
    const answer: PlanAnswer = {
      plan: planned,
      walls: wallsOf(planned),
      ...(money === undefined ? {} : { money }),
      machine: figures.machine,
    };
    if (given.values.json === true) output.out(JSON.stringify(answer));
    else for (const line of planLines(answer)) output.out(line);
    return 0;
  },
};

function demandOf(given: Arguments): Demand {
  if (textOption(given, 'events-per-second') === undefined) {
    throw new CommandUsageError('expected --events-per-second N, the events that are checked at the peak');
  }
  const numbers = Object.entries(NUMBERS).flatMap(([field, [option, rule]]) => {
    const value = decimalOption(given, option, rule);
    return value === undefined ? [] : [[field, value]];
  });
  return { ...DEMAND_DEFAULTS, ...Object.fromEntries(numbers) } as Demand;
}

const pricesOf = (given: Arguments): Prices =>
  Object.fromEntries(
    Object.entries(PRICES).flatMap(([field, option]) => {
      const value = decimalOption(given, option, PRICE);
      return value === undefined ? [] : [[field, value]];
    }),
  );

/** Undefined where it is not given. */
function decimalOption(given: Arguments, name: string, { min, max, whole = false }: NumberRule): number | undefined {
  const text = textOption(given, name);
  if (text === undefined) return undefined;
  const value = Number(text);
  const form = whole ? /^\d{1,12}$/ : /^\d{1,12}(?:\.\d{1,12})?$/;
  if (form.test(text) && value >= min && value <= max) return value;
  const kind = whole ? 'a whole number' : 'a number';
  throw new CommandUsageError(`--${name}: expected ${kind} from ${min} to ${max}, got "${text.slice(0, 40)}"`);
}
