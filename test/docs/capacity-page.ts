/** The tables of plans in the documents, made by the code of `weir plan`. */
import { DEMAND_DEFAULTS } from '#weir/deploy/cli/plan/demand';
import { type PlanFigures, readFigures, SHIPPED_FIGURES } from '#weir/deploy/cli/plan/figures';
import { type CapacityPlan, planFor } from '#weir/deploy/cli/plan/plan';
import { bytes } from '#weir/deploy/cli/plan/text';
import { wallsOf } from '#weir/deploy/cli/plan/walls';

export const CAPACITY_PAGE = 'docs/operations/capacity.md';
const RATES = [1e4, 1e5, 1e6, 1e7];
/** The nearest ones of each rate. */
const WALLS = 3;

const whole = (value: number): string => Math.round(value).toLocaleString('en-US');

const planRow = ({ demand, tiers, ...plan }: CapacityPlan): string =>
  [
    whole(demand.eventsPerSecond),
    ...[tiers.ingress, tiers.evaluator, tiers.archiver].map(({ processes }) => whole(processes)),
    whole(plan.primaries),
    String(plan.partitions),
    bytes(tiers.redis.memory * 2 ** 30),
    whole(plan.shards),
    bytes(tiers.clickhouse.disk * 2 ** 30),
    whole(plan.rowsPerDay),
    `${bytes(plan.acrossZones)}/s`,
  ].join(' | ');

const wallRows = (plan: CapacityPlan): string[] =>
  wallsOf(plan)
    .slice(0, WALLS)
    .map(({ what, eventsPerSecond, then }) =>
      [whole(plan.demand.eventsPerSecond), what, whole(eventsPerSecond), then].join(' | '),
    );

/** The page with the tables of these figures. */
export function renderCapacity(page: string, figures: PlanFigures = readFigures(SHIPPED_FIGURES)): string {
  const plans = RATES.map((eventsPerSecond) => planFor(figures, { ...DEMAND_DEFAULTS, eventsPerSecond }));
  const filled = withRows(page, '| Events/s | Ingress |', plans.map(planRow));
  return withRows(filled, '| Events/s | What ends next |', plans.flatMap(wallRows));
}

/** The table whose first line begins with `head` has these rows. */
function withRows(page: string, head: string, rows: readonly string[]): string {
  const lines = page.split('\n');
  const at = lines.findIndex((line) => line.startsWith(head));
  if (at < 0) throw new Error(`The page has no table ${head}`);
  const from = at + 2;
  const to = lines.findIndex((line, i) => i >= from && !line.startsWith('|'));
  return [...lines.slice(0, from), ...rows.map((row) => `| ${row} |`), ...lines.slice(to)].join('\n');
}
