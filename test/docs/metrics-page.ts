/** The tables of metrics in the documents, made of what the processes say at /metrics. */

export const METRICS_PAGE = 'docs/operations/metrics.md';
const HEADER = '| Metric | Meaning | Labels |\n|---|---|---|\n';

/** Sections of the page: the metrics of a process whose names begin so. The first that fits has it, and the last has the others. */
const SECTIONS: Record<'each' | 'ingress' | 'worker', [title: string, names: RegExp][]> = {
  each: [['Each process', /^weir_/]],
  ingress: [
    ['HTTP (ingress)', /^weir_(?:http|redactions|seals|connections|strangers|parse|loop)_?/],
    ['Checks and rates (ingress)', /^weir_/],
  ],
  worker: [
    ['Images (worker)', /^weir_(?:images?|hash_list)_/],
    ['Models of texts (worker)', /^weir_(?:onnx|text_model)/],
    ['Backends (worker)', /^weir_(?:backends?|entries_asking)_/],
    ['Archive (worker)', /^weir_(?:archived?|outage|redis)_/],
    ['Metrics of content (worker)', /^weir_metric_/],
    ['Webhooks (worker)', /^weir_hook_/],
    ['Checks (worker)', /^weir_/],
  ],
};

/** Metrics of each process. */
const OF_EACH = /^weir_(?:build_info|ready|configuration_version|redis_up|clickhouse_up)$/;

/** Labels whose values follow from what was asked, from where it runs, or from what runs. */
const OPEN = new Set(['route', 'status', 'node', 'version']);

interface MetricSaid {
  help: string;
  labels: Map<string, Set<string>>;
}

/** The metrics in texts of Prometheus's format, by name, in alphabetical order. */
function metricsIn(texts: readonly string[]): [string, MetricSaid][] {
  const metrics = new Map<string, MetricSaid>();
  for (const text of texts) {
    let current: MetricSaid | undefined;
    for (const line of text.split('\n')) {
      const [, name, help] = /^# HELP (\S+) (.*)/.exec(line) ?? [];
      if (name !== undefined) {
        current = metrics.get(name) ?? { help: help!, labels: new Map() };
        if (name.startsWith('weir_')) metrics.set(name, current);
      }
      if (line.startsWith('#')) continue;
      for (const [, label, value] of line.matchAll(/[{,](\w+)="([^"]*)"/g)) {
        if (label === 'commit') continue;
        if (label === 'process' || label === 'le') continue;
        current!.labels.set(label!, (current!.labels.get(label!) ?? new Set()).add(value!));
      }
    }
  }
  return [...metrics].sort(([one], [other]) => (one < other ? -1 : 1));
}

const code = (word: string): string => `\`${word}\``;

function rowOf([name, { help, labels }]: [string, MetricSaid]): string {
  const cell = [...labels].map(([label, values]) =>
    OPEN.has(label) ? code(label) : `${code(label)}: ${[...values].map(code).join(', ')}`,
  );
  const meaning = help.replace(/\bWEIR_\w+/g, code).replaceAll('Retry-After', code);
  return `| ${code(name)} | ${meaning} |${cell.map((each) => ` ${each}`).join(',')} |\n`;
}

/** The page with its tables made anew; what stands around them is written by hand. */
export function renderMetrics(page: string, said: Record<'ingress' | 'worker', readonly string[]>): string {
  let made = page;
  for (const process of ['each', 'ingress', 'worker'] as const) {
    const texts = process === 'each' ? [...said.ingress, ...said.worker] : said[process];
    const metrics = metricsIn(texts).filter(([name]) => OF_EACH.test(name) === (process === 'each'));
    const placed = metrics.map((metric) => SECTIONS[process].findIndex(([, names]) => names.test(metric[0])));
    for (const [n, [title]] of SECTIONS[process].entries()) {
      const rows = metrics.filter((_, m) => placed[m] === n).map(rowOf);
      const [before, section, after] = cut(made, title);
      const [text = ''] = section.split(/^\|/m);
      made = `${before}${text}${HEADER}${rows.join('')}\n${after}`;
    }
  }
  return made;
}

/** The page up to the text of a section, that text, and what follows. */
function cut(page: string, title: string): [string, string, string] {
  const heading = `\n### ${title}\n\n`;
  const from = page.indexOf(heading) + heading.length;
  if (from < heading.length) throw new Error(`the page has no section "${title}"`);
  const to = page.indexOf('\n#', from) + 1;
  return [page.slice(0, from), page.slice(from, to), page.slice(to)];
}
