/** A plan for people. All of its figures are those of the plan itself. */
import type { PlanFigures } from './figures.js';
import type { CapacityPlan, PlannedTier } from './plan.js';
import type { PlannedMoney } from './prices.js';
import type { PlanWall } from './walls.js';

/** All that `weir plan` says; printed as it is by `--json`. */
export interface PlanAnswer {
  plan: CapacityPlan;
  walls: PlanWall[];
  /** absent: no prices were given */
  money?: PlannedMoney;
  machine: PlanFigures['machine'];
}

const NAMES: Readonly<Record<keyof CapacityPlan['tiers'], string>> = {
  ingress: 'ingress',
  evaluator: 'worker, evaluator',
  archiver: 'worker, archiver',
  redis: 'Redis',
  clickhouse: 'ClickHouse',
};

const TIER_COLUMNS: [title: string, value: (tier: PlannedTier) => string][] = [
  ['processes', ({ processes }) => count(processes)],
  ['vCPU', ({ vcpu }) => count(vcpu)],
  ['busy cores', ({ cores }) => round(cores)],
  ['memory', ({ memory }) => bytes(memory * 2 ** 30)],
  ['disk', ({ disk }) => (disk === 0 ? '–' : bytes(disk * 2 ** 30))],
];

export function planLines({ plan, walls, money, machine }: PlanAnswer): string[] {
  const { demand, tiers, hops } = plan;
  const wide = 32;
  const line = (name: string, value: string): string => `${name.padEnd(wide)}${value}`;
  const images = plan.images > 0 ? `, ${round(plan.images)} images/s` : '';
  return [
    `${count(demand.eventsPerSecond)} events/s: ${round(plan.requests)} requests/s of ${round(demand.batch)}${images}`,
    '',
    ['tier'.padEnd(20), ...TIER_COLUMNS.map(([title]) => title.padStart(12))].join(''),
    ...Object.entries(tiers).map(([tier, planned]) =>
      [
        NAMES[tier as keyof CapacityPlan['tiers']].padEnd(20),
        ...TIER_COLUMNS.map(([, value]) => value(planned).padStart(12)),
      ].join(''),
    ),
    '',
    line('Redis', redisText(plan)),
    line('WEIR_PARTITIONS', String(plan.partitions)),
    line(
      'ClickHouse',
      `${plural(plan.shards, 'shard')}, ${plural(demand.clickhouseReplicas, 'copy', 'copies')} of each`,
    ),
    line('rows', `${count(plan.rowsPerDay)} a day, ${bytes(plan.storedPerDay)} a day with all copies`),
    line('commands of Redis', `${round(plan.rates.commands)}/s`),
    '',
    ...Object.entries(hops).map(([hop, rate]) => line(hop, perSecond(rate))),
    line(`across ${plural(demand.zones, 'zone')}`, perSecond(plan.acrossZones)),
    '',
    'What ends next, in events/s of this kind:',
    ...walls.map(({ what, eventsPerSecond, then }) => `${count(eventsPerSecond).padStart(14)}  ${what}; then ${then}`),
    '',
    ...moneyLines(money),
    `Computed from figures measured on ${machine.cpu}, ${plural(machine.cores, 'core')}, at ${machine.date} (commit ${machine.commit}).`,
  ];
}

function redisText({ primaries, demand, primaryBusy }: CapacityPlan): string {
  const of = primaries === 1 ? 'one primary' : `a Cluster of ${count(primaries)} primaries`;
  const busiest = primaries === 1 ? 'it' : 'the busiest';
  return `${of}, ${plural(demand.redisReplicas, 'replica')} each; ${busiest} is ${percent(primaryBusy)} busy`;
}

function moneyLines(money: PlannedMoney | undefined): string[] {
  if (money === undefined) {
    return [
      'No prices were given, so no costs are: --price-vcpu-hour, --price-gib-hour, --price-disk-gib-month, --price-zone-gib.',
    ];
  }
  const parts = Object.entries(money.parts).map(([part, cost]) => `${part} ${count(cost)}`);
  const without = money.without.length === 0 ? '' : `; without ${money.without.join(', ')}, whose price was not given`;
  return [`costs a month of 730 hours: ${count(money.total)} (${parts.join(', ')}${without})`];
}

/** Units of 1,024. */
export function bytes(value: number): string {
  const units = ['B', 'KiB', 'MiB', 'GiB', 'TiB', 'PiB'];
  let at = 0;
  let left = value;
  for (; left >= 1024 && at < units.length - 1; at++) left /= 1024;
  return `${round(left)} ${units[at]}`;
}

const perSecond = (rate: number): string => `${bytes(rate)}/s (${round((rate * 8) / 1e9)} Gbit/s)`;
const percent = (share: number): string => `${Math.round(share * 100)} %`;
const count = (value: number): string => Math.round(value).toLocaleString('en-US');
const plural = (n: number, one: string, many = `${one}s`): string => `${count(n)} ${n === 1 ? one : many}`;

/** Three digits where it is small. */
export function round(value: number): string {
  if (value === 0) return '0';
  return value >= 100 ? count(value) : String(Number(value.toPrecision(value < 0.01 ? 1 : 3)));
}
