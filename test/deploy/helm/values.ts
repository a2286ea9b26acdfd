/** The chart's files, and the table of its values. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import type { ValuesSchema } from '#weir/deploy/helm/schema';
import { packageRoot } from '#weir/shared/paths';

export const CHART = join(packageRoot, 'deploy', 'helm', 'weir');
export const EXAMPLES = ['small', 'redundant', 'large'] as const;
export const ROLES = ['ingress', 'evaluator', 'archiver', 'metrics', 'hooks'] as const;

export type HelmValues = { [name: string]: HelmValues | string | number | boolean | null | HelmValues[] | string[] };

export const chartFile = (path: string): string => readFileSync(join(CHART, path), 'utf8');
export const valuesIn = (path: string): HelmValues => parse(chartFile(path)) as HelmValues;

const isMap = (value: unknown): value is HelmValues =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** As helm lays values over others. */
export function laidOver(below: HelmValues, above: HelmValues): HelmValues {
  const all = { ...below };
  for (const [name, value] of Object.entries(above)) {
    const under = all[name];
    all[name] = isMap(value) && isMap(under) ? laidOver(under, value) : value;
  }
  return all;
}

interface ValueRow {
  path: string;
  description: string;
  value: unknown;
}

/** Each value that the schema describes, with its default. */
export function valueRows(schema: ValuesSchema, values: HelmValues, above = ''): ValueRow[] {
  return Object.entries(schema.properties ?? {}).flatMap(([name, part]) => {
    const path = `${above}${name}`;
    const value = values[name];
    if (part.properties) return valueRows(part, isMap(value) ? value : {}, `${path}.`);
    return [{ path, description: part.description ?? '', value }];
  });
}

const shown = (value: unknown): string => {
  if (value === undefined || value === '' || JSON.stringify(value) === '{}' || JSON.stringify(value) === '[]')
    return '';
  return `\`${typeof value === 'string' ? value : JSON.stringify(value).replaceAll('|', '\\|')}\``;
};
const row = (path: string, value: string, description: string): string =>
  `| \`${path}\` | ${value} | ${description.replaceAll('|', '\\|')} |\n`;

/** Tables of the values: those of all, and those that each Deployment has. */
export function renderValues(schema: ValuesSchema, values: HelmValues): string {
  const rows = valueRows(schema, values).filter(({ path }) => path !== 'global');
  const roleOf = (path: string): string | undefined => ROLES.find((role) => path.startsWith(`${role}.`));
  const head = '| Value | Default | Meaning |\n|---|---|---|\n';
  const general = rows
    .filter(({ path }) => !roleOf(path))
    .map((each) => row(each.path, shown(each.value), each.description));
  const byName = new Map<string, ValueRow[]>();
  for (const each of rows) {
    const role = roleOf(each.path);
    if (!role) continue;
    const name = each.path.slice(role.length + 1);
    byName.set(name, [...(byName.get(name) ?? []), each]);
  }
  const own = [...byName].map(([name, all]) => {
    const same = new Map<string, string[]>();
    for (const { path, value } of all) same.set(shown(value), [...(same.get(shown(value)) ?? []), roleOf(path)!]);
    const cells = [...same].filter(([value]) => value !== '');
    const text =
      same.size === 1
        ? (cells[0]?.[0] ?? '')
        : cells.map(([value, roles]) => `${roles.join(', ')}: ${value}`).join('<br>');
    return row(`ROLE.${name}`, text, all[0]!.description);
  });
  return `${head}${general.join('')}\nROLE is ${ROLES.join(', ').replace(/, (\w+)$/, ' or $1')}:\n\n${head}${own.join('')}`;
}
