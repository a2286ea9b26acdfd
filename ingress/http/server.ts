/**
 * The HTTP edge, on uWebSockets.js: listens, and hands each request to `receive.ts`. States:
 *
 *     listening ──quiesce──> leaving ──close──> draining ──nothing in flight, or out of time──> closed
 *
 * - leaving: no new connections; requests on open ones are served, and each connection ends with its next answer
 * - draining: what is in flight is answered, every new request is 503
 */
import uWS, { type HttpResponse, type TemplatedApp, type us_listen_socket } from 'uWebSockets.js';
import { setTimeout as sleep } from 'node:timers/promises';
import { dialectsIn } from '../../shared/api/dialects/names.js';
import { within } from '../../shared/async.js';
import { CannotStart } from '../../shared/process/cannot-start.js';
import type { Settings } from '../../shared/settings.js';
import type { Registry } from '../../shared/telemetry.js';
import type { Traces } from '../../shared/traces/spans.js';
import { createFailedKeys } from '../admission/failed-keys.js';
import { createShares } from '../admission/memory-shares.js';
import { createParser } from '../parse/body-parser.js';
import { ALL_ROUTES, NO_ROUTE } from '../routes/table.js';
import { endIdleStreams } from '../streams/expire.js';
import { createStreams, NO_STREAMS, type StreamTools } from '../streams/streams.js';
import { createTries } from '../tries/tries.js';
import { createBodyMemory } from './body-memory.js';
import { createConnections } from './connections.js';
import type { Edge } from './exchange.js';
import { createFirstRequests } from './first-requests.js';
import { versionRules } from './headers.js';
import { createMetrics } from './meters.js';
import { receive } from './receive.js';
import { createTracing } from './tracing.js';
import { createTransfers } from './transfers.js';
import { createTurns } from './turns.js';

type Given =
  | 'dispatcher'
  | 'lookup'
  | 'erasures'
  | 'operation'
  | 'configurations'
  | 'labels'
  | 'appeals'
  | 'audit'
  | 'rates'
  | 'directory'
  | 'ready'
  | 'progress'
  | 'logger';

/** By default nobody can sign in, every key is allowed, requests may be for any name, and neither are streams checked nor requests traced. */
export interface ServerOptions extends Pick<Edge, Given>, Partial<Pick<Edge, 'keyAllowed' | 'names' | 'logins'>> {
  streams?: StreamTools;
  settings: Settings<
    | 'host'
    | 'port'
    | 'deadlineMs'
    | 'pendingBytes'
    | 'headMs'
    | 'transferMs'
    | 'stallMs'
    | 'bodyValues'
    | 'messageBytes'
    | 'maxAgeMs'
    | 'versionHeaders'
    | 'defaultVersion'
    | 'dialects'
    | 'console'
    | 'parseMs'
    | 'failedKeys'
    | 'addressConnections'
    | 'tracesShare'
    | 'drainMs'
  >;
  registry: Registry;
  /** absent: no request is traced */
  traces?: Traces | undefined;
  /** true: fail when any other process has the port; else several ingress processes of a host share it */
  exclusive?: boolean;
}

export interface IngressServer {
  port: number;
  /** Leaves: resolves when nothing is in flight, at the latest after `limitMs`. */
  quiesce(limitMs: number): Promise<void>;
  /** Drains for at most `drainMs`, then closes what is left. */
  close(): Promise<void>;
}

/** How long the last answers may take to leave the socket's buffer. */
const FLUSH_MS = 50;

/** Starts listening. Rejects when the address is taken. */
export async function createServer(options: ServerOptions): Promise<IngressServer> {
  const { settings } = options;
  const edge = createEdge(options);
  const metrics = new Map([...ALL_ROUTES, NO_ROUTE].map((route) => [route, edge.metrics.route(route.label)]));
  const app = uWS.App();
  const firstRequests = createFirstRequests(settings.headMs, options.registry);
  app.any('/*', (res, req) => {
    firstRequests.came(res);
    receive(edge, metrics, res, req);
  });
  let port = 0;
  const connections = createConnections(settings.addressConnections, () => port, options);
  const changed = (res: HttpResponse, change: number): void => {
    if (connections.changed(res, change) && change > 0) firstRequests.connected(res);
  };
  app.filter((res, change) => changed(res, Number(change)));
  const socket = await listen(app, options);
  if (socket === false)
    throw new CannotStart(
      `Cannot listen on ${settings.host}:${settings.port}; is the port taken?`,
      'End what listens there, or set WEIR_PORT to another port (0: any free one) and WEIR_HOST to an address of this machine.',
    );
  port = uWS.us_socket_local_port(socket as unknown as uWS.us_socket);
  const stopEnding = options.streams ? endIdleStreams(edge, options.streams) : () => undefined;
  let closed: Promise<void> | undefined;

  function leave(): void {
    if (edge.leaving) return;
    edge.leaving = true;
    uWS.us_listen_socket_close(socket as us_listen_socket);
  }

  async function close(): Promise<void> {
    leave();
    stopEnding();
    edge.draining = true;
    await drained(edge, settings.drainMs);
    await sleep(FLUSH_MS);
    app.close();
    firstRequests.close();
    edge.transfers.close();
    edge.turns.close();
    await edge.configurations.close();
    await edge.parser.close();
  }

  return {
    port,
    quiesce(limitMs) {
      leave();
      return drained(edge, limitMs);
    },
    close() {
      closed ??= close();
      return closed;
    },
  };
}

function createEdge(options: ServerOptions): Edge {
  const { settings } = options;
  const edge: Edge = {
    ...options,
    keyAllowed: options.keyAllowed ?? (() => true),
    names: options.names,
    logins: options.logins,
    versions: versionRules(settings),
    dialects: dialectsIn(settings.dialects),
    streams: options.streams ? createStreams(options.streams, () => edge) : NO_STREAMS,
    tries: createTries(options.streams?.writes ?? (() => 0), () => edge),
    parser: createParser(settings, options),
    tracing: options.traces && createTracing(options.traces, Number(settings.tracesShare)),
    metrics: createMetrics(options.registry, () => edge),
    transfers: createTransfers(settings, (exchange, why) => {
      edge.metrics.cutOff(why);
      exchange.res.close();
    }),
    turns: createTurns(options.registry),
    failedKeys: createFailedKeys(settings.failedKeys, options),
    held: createShares(settings.pendingBytes),
    memory: createBodyMemory(),
    inFlight: 0,
    draining: false,
    leaving: false,
    idle() {},
  };
  return edge;
}

/** `LIBUS_LISTEN_EXCLUSIVE_PORT` of uSockets. The types put it in an enum that does not exist at run time. */
const EXCLUSIVE_PORT = 1;
// uWebSockets.js takes options after host and port, too. Its types know them only without a host.
type Listen = (host: string, port: number, flags: number, done: (socket: us_listen_socket | false) => void) => void;

function listen(app: TemplatedApp, options: ServerOptions): Promise<us_listen_socket | false> {
  const { host, port } = options.settings;
  const flags = options.exclusive ? EXCLUSIVE_PORT : 0;
  return new Promise((resolve) => {
    (app.listen as unknown as Listen).call(app, host, port, flags, resolve);
  });
}

/** Resolves when nothing is in flight, at the latest after `limitMs`. */
async function drained(edge: Edge, limitMs: number): Promise<void> {
  if (edge.inFlight === 0) return;
  const idle = new Promise<void>((resolve) => {
    edge.idle = resolve;
  });
  await within(idle, { ms: limitMs });
}
