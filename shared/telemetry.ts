/**
 * Metrics of a process, in Prometheus's text format on a separate port. No label ever names a team, key, user or anything else
 * that a caller chose.
 */
import { createServer, type Server, type ServerResponse } from 'node:http';
import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client';
import { buildCommit } from './build.js';
import { localNames } from './loopback.js';
import { packageVersion } from './paths.js';
import { CannotStart } from './process/cannot-start.js';
import { ownRegion } from './region.js';

export { type Counter, Registry } from 'prom-client';

/** A registry with what runs here and the metrics of the process itself (CPU, memory, event loop, garbage collection). */
export function createRegistry(name: string): Registry {
  const registry = new Registry();
  labelSeries(registry, name);
  collectDefaultMetrics({ register: registry });
  const commit = buildCommit();
  const built = { version: packageVersion(), ...(commit === undefined ? {} : { commit }), node: process.version };
  new Gauge({
    name: 'weir_build_info',
    help: 'Always 1: the version of Weir, the commit that it was built from, where that is known, and the version of Node',
    labelNames: Object.keys(built),
    registers: [registry],
  }).set(built, 1);
  return registry;
}

/** Series have what runs here, and the region where there is one: a process may hear of that only after it has begun. */
function labelSeries(registry: Registry, process: string): void {
  const collect = registry.metrics.bind(registry);
  registry.metrics = () => {
    const { name: region } = ownRegion();
    registry.setDefaultLabels({ process, ...(region === '' ? {} : { region }) });
    return collect();
  };
}

/** Seconds, from 1 ms to 30 s, for anything that a caller waits for. */
const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30];

/** A counter whose one label has values that the code fixes. */
export interface CounterBy<L extends string, V extends string> {
  inc(labels: Record<L, V>, count?: number): void;
}

/**
 * Makes metrics of `registry`. A gauge is read whenever metrics are collected. The help of a metric, and the values of its label, are its
 * row in docs/operations/metrics.md.
 */
export function metersOf(registry: Registry) {
  const registers = [registry];
  return {
    counter: (name: string, help: string): Counter => new Counter({ name, help, registers }),
    /** All values are there from the start, so that a first failure shows as an increase. */
    counterBy<L extends string, V extends string>(
      label: L,
      values: readonly V[],
      name: string,
      help: string,
    ): CounterBy<L, V> {
      const counter = new Counter<string>({ name, help, labelNames: [label], registers });
      for (const value of values) counter.inc({ [label]: value }, 0);
      return counter;
    },
    histogram: (name: string, help: string, buckets: readonly number[] = LATENCY_BUCKETS): Histogram =>
      new Histogram({ name, help, buckets: [...buckets], registers }),
    histogramBy: <L extends string>(labelNames: L[], name: string, help: string): Histogram<L> =>
      new Histogram({ name, help, labelNames, buckets: LATENCY_BUCKETS, registers }),
    gauge(name: string, help: string, read: () => number): void {
      new Gauge({
        name,
        help,
        registers,
        collect() {
          this.set(read());
        },
      });
    },
    gaugeBy<V extends string>(
      label: string,
      values: readonly V[],
      name: string,
      help: string,
      read: (value: V) => number,
    ) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          for (const value of values) this.set({ [label]: value }, read(value));
        },
      });
    },
    /** `read` says which values the label has now: what it does not name any more has no series. They must be few, whatever callers send. */
    gaugeOf(label: string, name: string, help: string, read: () => Iterable<readonly [value: string, number: number]>) {
      new Gauge({
        name,
        help,
        labelNames: [label],
        registers,
        collect() {
          this.reset();
          for (const [value, number] of read()) this.set({ [label]: value }, number);
        },
      });
    },
  };
}

/** The number of the configuration, which is to be the same everywhere. */
export function gaugeConfiguration(registry: Registry, version: () => number): void {
  const help = 'Number of the configuration that this process works by: of a worker, of the active one; 0: none';
  metersOf(registry).gauge('weir_configuration_version', help, version);
}

export interface MetricsServer {
  port: number;
  close(): Promise<void>;
}

export interface MetricsOptions {
  host: string;
  port: number;
  /** further names that requests may be for when `host` is loopback, separated by commas */
  allowedHosts: string;
  /** take any free port when `port` is taken */
  fallback: boolean;
  /** undefined: the process makes progress; else what is wrong, in a sentence: `/healthz` on this port answers 200 or 503 */
  progress(): string | undefined;
  /** undefined: the process can do its work; else why not, in a sentence: `/readyz` answers 200 or 503 */
  ready(): string | undefined;
}

/**
 * Serves `/metrics`, and `/healthz` and `/readyz` for probes. An ingress has these probes here, too, since some speak HTTP/1.0, which
 * its HTTP server does not.
 */
export async function serveMetrics(registry: Registry, options: MetricsOptions): Promise<MetricsServer> {
  const names = localNames(options.host, options.allowedHosts);
  metersOf(registry).gauge('weir_ready', 'Whether this process can do its work, as /readyz says (1) or not (0)', () =>
    options.ready() === undefined ? 1 : 0,
  );
  const server = createServer((request, response) => {
    const { host = '', origin = '' } = request.headers;
    if (names?.stranger(host, origin) !== undefined) {
      response.writeHead(403, { 'content-type': 'text/plain' });
      response.end(
        'This port listens on loopback: Host and Origin must name this machine, or stand in WEIR_ALLOWED_HOSTS.\n',
      );
      return;
    }
    const path = request.url?.split('?')[0];
    if (path === '/healthz') return tell(response, 'stalled', options.progress());
    if (path === '/readyz') return tell(response, 'not_ready', options.ready());
    if (path !== '/metrics') {
      response.writeHead(404).end();
      return;
    }
    registry.metrics().then(
      (text) => response.writeHead(200, { 'content-type': registry.contentType }).end(text),
      () => response.writeHead(500).end(),
    );
  });
  try {
    await listen(server, options.host, options.port);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code !== 'EADDRINUSE' || !options.fallback) throw notToBeHad(options, code);
    await listen(server, options.host, 0);
  }
  const address = server.address();
  return {
    port: typeof address === 'object' && address !== null ? address.port : options.port,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

const notToBeHad = ({ host, port }: MetricsOptions, code = 'no reason'): CannotStart =>
  new CannotStart(
    `The port ${port} of ${host}, for metrics, cannot be had (${code}).`,
    'End what listens there, or set WEIR_METRICS_PORT to another port (0: any free one) and WEIR_METRICS_HOST to an address of this machine.',
  );

function tell(response: ServerResponse, status: string, reason: string | undefined): void {
  response.writeHead(reason === undefined ? 200 : 503, { 'content-type': 'application/json' });
  response.end(JSON.stringify(reason === undefined ? { status: 'ok' } : { status, reason }));
}

function listen(server: Server, host: string, port: number): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', reject);
    server.listen(port, host, () => {
      server.removeListener('error', reject);
      resolve();
    });
  });
}
