/** What a dashboard of Grafana is made of here: rows of panels, laid out from left to right, and variables. */

export interface DashboardTarget {
  refId: string;
  datasource: DashboardSource;
  [member: string]: unknown;
}

export interface DashboardSource {
  type: string;
  uid: string;
}

export interface DashboardPanel {
  id: number;
  type: string;
  title: string;
  description: string;
  gridPos: { x: number; y: number; w: number; h: number };
  datasource?: DashboardSource;
  targets?: DashboardTarget[];
  [member: string]: unknown;
}

export interface DashboardVariable {
  name: string;
  type: string;
  label: string;
  query: unknown;
  [member: string]: unknown;
}

/** The model that Grafana imports. */
export interface Dashboard {
  uid: string;
  title: string;
  description: string;
  panels: DashboardPanel[];
  templating: { list: DashboardVariable[] };
  annotations: { list: object[] };
  [member: string]: unknown;
}

/** A panel without its place. */
export interface PanelPlan {
  type: 'timeseries' | 'stat' | 'table';
  title: string;
  /** what it shows, and what to think of it */
  help: string;
  unit: string;
  width: number;
  source: DashboardSource;
  /** members of the target beside `refId` and `datasource` */
  targets: Record<string, unknown>[];
  /** values from which on it is yellow, and red */
  warn?: readonly [yellow: number, red: number];
  stacked?: boolean;
}

export interface DashboardPlan {
  uid: string;
  title: string;
  description: string;
  variables: DashboardVariable[];
  annotations?: object[];
  rows: [title: string, panels: PanelPlan[]][];
}

/** Columns of Grafana's grid. */
const WIDTH = 24;
const HEIGHT = { timeseries: 8, table: 9, stat: 4 } as const;

const OPTIONS = {
  timeseries: {
    legend: { displayMode: 'list', placement: 'bottom', showLegend: true },
    tooltip: { mode: 'multi', sort: 'desc' },
  },
  stat: { reduceOptions: { calcs: ['lastNotNull'], fields: '', values: false }, colorMode: 'value', graphMode: 'area' },
  table: { showHeader: true, cellHeight: 'sm' },
} as const;

function optionsOf({ type, unit, warn, stacked }: PanelPlan): Record<string, unknown> {
  const steps = [
    { color: 'green', value: null },
    ...(warn
      ? [
          { color: 'yellow', value: warn[0] },
          { color: 'red', value: warn[1] },
        ]
      : []),
  ];
  const custom = {
    lineWidth: 1,
    fillOpacity: stacked ? 30 : 0,
    showPoints: 'never',
    ...(stacked ? { stacking: { mode: 'normal', group: 'A' } } : {}),
    ...(warn ? { thresholdsStyle: { mode: 'dashed' } } : {}),
  };
  const defaults = { unit, thresholds: { mode: 'absolute', steps }, ...(type === 'timeseries' ? { custom } : {}) };
  return { fieldConfig: { defaults, overrides: [] }, options: OPTIONS[type] };
}

/** Lays the panels out. */
export function dashboardOf({ uid, title, description, variables, annotations = [], rows }: DashboardPlan): Dashboard {
  const panels: DashboardPanel[] = [];
  let y = 0;
  for (const [name, plans] of rows) {
    panels.push({
      id: panels.length + 1,
      type: 'row',
      title: name,
      description: '',
      collapsed: false,
      gridPos: { x: 0, y, w: WIDTH, h: 1 },
    });
    y += 1;
    let [x, height] = [0, 0];
    for (const plan of plans) {
      if (x + plan.width > WIDTH) [x, y, height] = [0, y + height, 0];
      const h = HEIGHT[plan.type];
      const targets = plan.targets.map((target, n) => ({
        refId: String.fromCharCode(65 + n),
        datasource: plan.source,
        ...target,
      }));
      panels.push({
        id: panels.length + 1,
        type: plan.type,
        title: plan.title,
        description: plan.help,
        gridPos: { x, y, w: plan.width, h },
        datasource: plan.source,
        targets,
        ...optionsOf(plan),
      });
      x += plan.width;
      height = Math.max(height, h);
    }
    y += height;
  }
  return {
    uid,
    title,
    description,
    tags: ['weir'],
    schemaVersion: 39,
    version: 1,
    editable: true,
    graphTooltip: 1,
    refresh: '30s',
    time: { from: 'now-3h', to: 'now' },
    timezone: 'browser',
    links: [{ type: 'dashboards', tags: ['weir'], title: 'Weir', asDropdown: true, includeVars: true, keepTime: true }],
    templating: { list: variables },
    annotations: { list: annotations },
    panels,
  };
}

/** A variable for the data source, so that a dashboard works whatever it is called. */
export const sourceVariable = (name: string, label: string, type: string): DashboardVariable => ({
  name,
  type: 'datasource',
  label,
  query: type,
  refresh: 1,
  hide: 0,
});
