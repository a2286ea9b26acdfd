/** Panels over metrics. */
import { type DashboardSource, type DashboardVariable, type PanelPlan, sourceVariable } from './dashboard.js';

const PROMETHEUS: DashboardSource = { type: 'prometheus', uid: '${prometheus}' };
/** Stands for the labels that select an installation. */
const OF = 'namespace=~"$namespace"';

/** The data source, and the installation: Kubernetes adds `namespace`. Where nothing does, "All" is everything. */
export const PROMETHEUS_VARIABLES: DashboardVariable[] = [
  sourceVariable('prometheus', 'Prometheus', 'prometheus'),
  {
    name: 'namespace',
    type: 'query',
    label: 'Installation',
    datasource: PROMETHEUS,
    definition: 'label_values(weir_build_info, namespace)',
    query: { query: 'label_values(weir_build_info, namespace)', refId: 'namespace' },
    refresh: 2,
    includeAll: true,
    multi: true,
    allValue: '.*',
    current: { text: ['All'], value: ['$__all'] },
    sort: 1,
    hide: 0,
  },
];

/** A query and what its lines are called; `NAME{…}` and `NAME{…,…}` are of the installation. */
type MetricQuery = readonly [expr: string, legend: string];

export interface MetricPanel {
  unit?: string;
  width?: number;
  warn?: readonly [yellow: number, red: number];
  stacked?: boolean;
}

const ofInstallation = (expr: string): string => expr.replaceAll('…', OF);

/** Lines over time. */
export function lines(title: string, help: string, queries: MetricQuery[], more: MetricPanel = {}): PanelPlan {
  const { unit = 'short', width = 8 } = more;
  const targets = queries.map(([expr, legend]) => ({ expr: ofInstallation(expr), legendFormat: legend, range: true }));
  return { type: 'timeseries', title, help, source: PROMETHEUS, targets, ...more, unit, width };
}

/** One figure. */
export function figure(title: string, help: string, expr: string, more: MetricPanel = {}): PanelPlan {
  return { ...lines(title, help, [[expr, '']], { width: 4, ...more }), type: 'stat' };
}

/** Of a histogram: median and 99th percentile, for each value of `by`. */
export function quantiles(name: string, by = ''): MetricQuery[] {
  const legend = by === '' ? '' : ` {{${by}}}`;
  const labels = by === '' ? 'le' : `le, ${by}`;
  return [0.5, 0.99].map((q) => [
    `histogram_quantile(${q}, sum by (${labels}) (rate(${name}_bucket{…}[$__rate_interval])))`,
    `p${q * 100}${legend}`,
  ]);
}

/** Events a second, for each value of `by`. */
export const rates = (name: string, by = ''): MetricQuery =>
  by === ''
    ? [`sum(rate(${name}{…}[$__rate_interval]))`, name]
    : [`sum by (${by}) (rate(${name}{…}[$__rate_interval])) > 0`, `{{${by}}}`];
