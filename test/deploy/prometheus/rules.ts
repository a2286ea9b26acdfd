/** The files for Prometheus, as their tests read them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';
import { packageRoot } from '#weir/shared/paths';

export const FOLDER = join(packageRoot, 'deploy/prometheus');

export interface AlertRule {
  alert: string;
  expr: string;
  for?: string;
  labels: { severity: string };
  annotations: { summary: string; description: string; runbook_url: string };
}

interface RecordingRule {
  record: string;
  expr: string;
}

interface RuleTest {
  name: string;
  promql_expr_test?: { expr: string; exp_samples: { value: number }[] }[];
}

export interface PrometheusConfig {
  rule_files: string[];
  scrape_configs: { job_name: string; static_configs: { targets: string[] }[] }[];
}

interface AlertmanagerConfig {
  route: { receiver: string; group_by: string[]; routes: { receiver: string; matchers: string[] }[] };
  receivers: { name: string }[];
  inhibit_rules: { source_matchers: string[]; target_matchers: string[]; equal?: string[] }[];
}

const read = <T>(name: string): T => parse(readFileSync(join(FOLDER, name), 'utf8')) as T;

const { groups } = read<{ groups: { name: string; rules: (AlertRule | RecordingRule)[] }[] }>('weir.rules.yml');
const rules = groups.flatMap((group) => group.rules);

export const ALERTS: readonly AlertRule[] = rules.filter((rule): rule is AlertRule => 'alert' in rule);
export const RECORDED: readonly RecordingRule[] = rules.filter((rule): rule is RecordingRule => 'record' in rule);
export const RULE_TESTS = read<{ tests: RuleTest[] }>('weir.tests.yml').tests;
export const ALERTMANAGER = read<AlertmanagerConfig>('alertmanager.yml');
export const SAMPLE = read<PrometheusConfig>('prometheus.yml');
