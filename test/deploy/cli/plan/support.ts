/** Plans of tests: figures that are easy to compute with, and demands. */
import { DEMAND_DEFAULTS, type Demand } from '#weir/deploy/cli/plan/demand';
import type { PlanFigures } from '#weir/deploy/cli/plan/figures';
import { CPU_TIERS, recordOf, TIER_QUANTITIES } from '#weir/deploy/cli/plan/plan';

/** Everything costs 1 for an event of a batch and 0.1 for a byte; CPU takes 2 µs an event; nothing runs at rest. */
export function roundFigures(): PlanFigures {
  const single = { request: 7, flagged: 5, byte: 0.1 };
  const batch = { request: 10, kind: 0, event: 1, flagged: 5, byte: 0.1 };
  const cpu = { request: 0, kind: 0, event: 2e-6, flagged: 0, byte: 0 };
  const image = { request: 100, byte: 1 };
  return {
    format: 1,
    machine: {
      date: '2026-06-01',
      commit: 'abc',
      cpu: 'a processor',
      cores: 2,
      node: 'v20',
      redis: '7',
      clickhouse: '26',
      load: 'a load',
    },
    single: {
      ...recordOf(TIER_QUANTITIES, () => single),
      cpu: recordOf(CPU_TIERS, () => ({ request: 3e-6, flagged: 0, byte: 0 })),
    },
    batch: { ...recordOf(TIER_QUANTITIES, () => batch), cpu: recordOf(CPU_TIERS, () => cpu) },
    images: { ...recordOf(TIER_QUANTITIES, () => image), cpu: recordOf(CPU_TIERS, () => ({ request: 0.01, byte: 0 })) },
    idle: recordOf(['redisIn', 'redisOut', 'commands'], () => ({ process: 0, reader: 0 })),
    resident: { ingress: 200, evaluator: 400, archiver: 200, clickhouse: 2000 },
  };
}

export const demandOf = (eventsPerSecond: number, more: Partial<Demand> = {}): Demand => ({
  ...DEMAND_DEFAULTS,
  eventsPerSecond,
  ...more,
});
