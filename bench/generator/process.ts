/**
 * The load generator in a process of its own: its work must not delay the measuring process, and its CPU is counted
 * apart. The parent sends one `LoadPlan` after another and gets a `LoadResult` or an error for each.
 */
import { reply, serveParent, startChild } from '../child.js';
import { type BenchScope, type LoadBody, makeBodies } from '../workloads/bodies.js';
import { imageBodies, type Pictures } from '../workloads/images/bodies.js';
import type { Workload } from '../workloads/workload.js';
import { inspectorOf, type LoadRoute } from './answers.js';
import { runLoad } from './load.js';
import type { LoadResult, OfferedLoad } from './types.js';

/** What one run sends, as plain data. */
export interface LoadPlan
  extends Pick<
    OfferedLoad,
    'mode' | 'connections' | 'maxInFlight' | 'seconds' | 'timeoutMs' | 'sampleEvery' | 'firstStamp'
  > {
  workload: Workload;
  /** instead of the workload: these go to `POST /api/artifact`, one a request */
  pictures?: Pictures;
  /** instead of the workload: these addresses are looked up in turn */
  gets?: readonly string[];
  scope: BenchScope;
  /** marks the ids of every request of one benchmark */
  tag: string;
  /** base address, http only */
  url: string;
  key: string;
}

type Reply = { result: LoadResult } | { error: string };

/** Runs a plan in this process. */
async function runPlan(plan: LoadPlan, bodies: readonly LoadBody[]): Promise<LoadResult> {
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

const routeOf = (plan: LoadPlan): LoadRoute => (plan.pictures === undefined ? plan.workload.route : '/api/artifact');

/** A look-up that is answered 200 has found what was asked for. */
const LOOKED_UP = { items: 1, completed: 1, flagged: 0 };

function bodiesOf({ pictures, gets, workload, scope, tag }: LoadPlan): LoadBody[] {
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
  /** Rejects when the process dies, and when it gives no result after its time plus twice its time-out. */
  run(plan: LoadPlan): Promise<LoadResult>;
  close(): void;
}

export function startGenerator(): Generator {
  const child = startChild<LoadPlan, Reply>(import.meta.url, 'The load generator');
  return {
    pid: child.pid,
    run: async (plan) => {
      const answer = await child.ask(plan, plan.seconds * 1000 + 2 * plan.timeoutMs + 10_000);
      if ('error' in answer) throw new Error(answer.error);
      return answer.result;
    },
    close: child.close,
  };
}

/** The bodies of the latest plans: interleaved rounds send the same again and again. */
const made = new Map<string, LoadBody[]>();
/** Two workloads may take turns. */
const MOST_MADE = 2;

function bodiesFor(plan: LoadPlan): LoadBody[] {
  const key = JSON.stringify([plan.workload, plan.pictures, plan.gets, plan.scope, plan.tag]);
  const known = made.get(key);
  if (known !== undefined) return known;
  const [oldest] = made.keys();
  if (made.size >= MOST_MADE) made.delete(oldest!);
  const bodies = bodiesOf(plan);
  made.set(key, bodies);
  return bodies;
}

async function take(plan: LoadPlan): Promise<Reply> {
  try {
    return { result: await runPlan(plan, bodiesFor(plan)) };
  } catch (error) {
    return { error: error instanceof Error ? error.message : String(error) };
  }
}

serveParent<LoadPlan>(import.meta.url, (plan) => void take(plan).then(reply));
