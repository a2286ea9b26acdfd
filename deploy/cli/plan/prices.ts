/** Money, from prices that the operator gives: there are none that hold everywhere. In whatever currency they are. */
import type { CapacityPlan } from './plan.js';

const HOURS_A_MONTH = 730;
const SECONDS_A_MONTH = HOURS_A_MONTH * 3600;
const GIB = 2 ** 30;

/** Absent: not given. */
export interface Prices {
  vcpuHour?: number;
  memoryGibHour?: number;
  diskGibMonth?: number;
  zoneGib?: number;
}

export type PricedPart = 'vCPU' | 'memory' | 'disk' | 'across zones';

/** A month. */
export interface PlannedMoney {
  parts: Partial<Record<PricedPart, number>>;
  total: number;
  /** parts whose price was not given */
  without: PricedPart[];
}

/** Undefined where no price was given. */
export function moneyFor({ tiers, acrossZones, demand }: CapacityPlan, prices: Prices): PlannedMoney | undefined {
  const all = (of: 'vcpu' | 'memory' | 'disk'): number => Object.values(tiers).reduce((sum, tier) => sum + tier[of], 0);
  const lines: [part: PricedPart, price: number | undefined, amount: number][] = [
    ['vCPU', prices.vcpuHour, all('vcpu') * HOURS_A_MONTH],
    ['memory', prices.memoryGibHour, all('memory') * HOURS_A_MONTH],
    ['disk', prices.diskGibMonth, all('disk')],
    ['across zones', prices.zoneGib, (acrossZones * demand.mean * SECONDS_A_MONTH) / GIB],
  ];
  const priced = lines.flatMap(([part, price, amount]) =>
    price === undefined ? [] : [[part, price * amount] as const],
  );
  if (priced.length === 0) return undefined;
  return {
    parts: Object.fromEntries(priced),
    total: priced.reduce((sum, [, cost]) => sum + cost, 0),
    without: lines.flatMap(([part, price]) => (price === undefined ? [part] : [])),
  };
}
