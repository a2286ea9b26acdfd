/**
 * The load generator in a process of its own: its work must not delay the measuring process, and its CPU is counted
 * apart. The parent sends one `LoadPlan` after another and gets a `LoadResult` or an error for each; when the parent
 * goes, it goes.
 */
import { fork } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { type Body, makeBodies, type Scope } from '../workloads/bodies.js';
import { imageBodies, type Pictures } from '../workloads/images/bodies.js';
import type { Workload } from '../workloads/workload.js';
import { inspectorOf, type Route } from './answers.js';
import { type LoadResult, runLoad } from './load.js';

/** What one run sends, as plain data. */
export interface LoadPlan {
  workload: Workload;
  /** given: these are sent to `POST /api/artifact`, one a request, instead of the workload */
  pictures?: Pictures;
  /** given: these addresses are looked up in turn, instead */
  gets?: readonly string[];
  scope: Scope;
  /** marks the ids of every request of one benchmark */
  tag: string;
  /** base address, http only */
  url: string;
  key: string;
  mode: { kind: 'open'; rate: number } | { kind: 'closed' };
  connections: number;
  maxInFlight: number;
  seconds: number;
  timeoutMs: number;
  sampleEvery: number;
  firstStamp: number;
}

type Reply = { result: LoadResult } | { error: string };

/** Runs a plan in this process. */
export async function runPlan(plan: LoadPlan, bodies: readonly Body[]): Promise<LoadResult> {
  const route = routeOf(plan);
  const { host, port, path } = addressOf(plan.url, route);
  return runLoad({
    ...plan,
    host,
    port,
    path,
    bodies,
    headers: { authorization: `Bearer ${plan.key}`, 'service-version': '2026-06-01' },
    inspect: plan.gets === undefined ? inspectorOf(route) : () => LOOKED_UP,
  });
}

const routeOf = (plan: LoadPlan): Route => (plan.pictures === undefined ? plan.workload.route : '/api/artifact');

/** An answer 200 of a look-up has what was asked for. */
const LOOKED_UP = { items: 1, completed: 1, flagged: 0 };

function bodiesOf({ pictures, gets, workload, scope, tag }: LoadPlan): Body[] {
  if (gets !== undefined) {
    return gets.map((get) => ({ bytes: Buffer.alloc(0), stamps: [], items: 1, flagged: 0, get }));
  }
  return pictures === undefined ? makeBodies(workload, scope, tag) : imageBodies(pictures, scope, tag);
}

/** Host, port and full path of a route under a base address. Throws a sentence for anything that is not plain http. */
export function addressOf(url: string, route: string): { host: string; port: number; path: string } {
  const parsed = URL.canParse(url) ? new URL(url) : undefined;
  if (parsed?.protocol !== 'http:') {
    throw new Error(`The address "${url}" must be of the form http://host:port: the load generator speaks plain http.`);
  }
  return {
    host: parsed.hostname.replace(/^\[|\]$/g, ''),
    port: Number(parsed.port || 80),
    path: parsed.pathname.replace(/\/$/, '') + route,
  };
}

export interface Generator {
  readonly pid: number;
  run(plan: LoadPlan): Promise<LoadResult>;
  close(): void;
}

/** Starts the generator's process. A run rejects if the process dies, and after its time plus twice its time-out. */
export function startGenerator(): Generator {
  const child = fork(fileURLToPath(import.meta.url), ['--generator'], { serialization: 'advanced', execArgv: [] });
  return {
    pid: child.pid!,
    run: (plan) =>
      new Promise<LoadResult>((resolve, reject) => {
        if (!child.connected) {
          reject(new Error('The load generator is not running.'));
          return;
        }
        const limit = plan.seconds * 1000 + 2 * plan.timeoutMs + 10_000;
        const settle = (act: () => void): void => {
          clearTimeout(timer);
          child.off('message', answered);
          child.off('exit', died);
          act();
        };
        const answered = (reply: Reply): void =>
          settle(() => ('result' in reply ? resolve(reply.result) : reject(new Error(reply.error))));
        const died = (): void => settle(() => reject(new Error('The load generator ended before its run did.')));
        const timer = setTimeout(
          () => settle(() => reject(new Error(`The load generator gave no result in ${limit} ms.`))),
          limit,
        );
        child.on('message', answered);
        child.on('exit', died);
        child.send(plan);
      }),
    close: () => {
      if (child.connected) child.disconnect();
    },
  };
}

function serve(): void {
  let bodies: { key: string; made: Body[] } = { key: '', made: [] };
  process.on('message', (plan: LoadPlan) => {
    const key = JSON.stringify([plan.workload, plan.pictures, plan.gets, plan.scope, plan.tag]);
    if (bodies.key !== key) bodies = { key, made: bodiesOf(plan) };
    runPlan(plan, bodies.made).then(
      (result) => process.send?.({ result } satisfies Reply),
      (error: unknown) =>
        process.send?.({ error: error instanceof Error ? error.message : String(error) } satisfies Reply),
    );
  });
  process.on('disconnect', () => process.exit(0));
  // Ctrl-C reaches the whole group; the parent decides when the load ends.
  process.on('SIGINT', () => {});
}

if (process.argv[2] === '--generator' && process.argv[1] === fileURLToPath(import.meta.url)) serve();
