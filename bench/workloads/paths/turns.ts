/**
 * What ingress and worker do with a batch, but for its evaluation and for what moves it: reading, the answer, rows and record. A process does
 * that for the batches of all workloads in turn, as a service does it for those of all its callers.
 */
import { join } from 'node:path';
import { parseBody } from '../../../ingress/parse/parse-body.js';
import { answerOf } from '../../../shared/api/results/answer.js';
import { loadConfiguration } from '../../../shared/configuration/configuration.js';
import { newRequestId } from '../../../shared/ids.js';
import { packageRoot } from '../../../shared/paths.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import type { Plan } from '../../../shared/policy/plan.js';
import type { Entry } from '../../../workers/evaluator/draft.js';
import { begin, evaluateEntry } from '../../../workers/evaluator/outcome.js';
import { reply, serveParent } from '../../child.js';
import { readConfigurations } from '../../installation/configuration.js';
import { type BenchScope, makeBodies } from '../bodies.js';
import { readWorkload } from '../workload.js';

export const PATHS_URL = import.meta.url;

/** The first one is what the others are compared with. */
export const PATH_WORKLOADS = ['events-50', 'events-mixed', 'events-agents'] as const;
export type PathWorkload = (typeof PATH_WORKLOADS)[number];

/** `worker`: all of it without policies; `workerRead` is a part of that. */
export const STEPS = ['read', 'answer', 'workerRead', 'worker'] as const;
export type PathStep = (typeof STEPS)[number];

/** A turn: so many passes over all batches. */
export interface PathTurn {
  passes: number;
}

export interface PathFigures {
  /** of a batch, in bytes */
  size: number;
  /** CPU microseconds of a batch */
  micros: Record<PathStep, number>;
}

export type PathTurned = Record<PathWorkload, PathFigures>;

const BODIES = 32;

type Doing = Record<PathStep, (body: number) => unknown>;

export function createPaths(): (passes: number) => PathTurned {
  const { policies, floor, scope } = readConfigurations(join(packageRoot, 'bench', 'policies.yaml'));
  const plans = { policies: planOf(policies), floor: planOf(floor) };
  const all = PATH_WORKLOADS.map((name) => ({ name, ...doingOf(name, plans, scope) }));
  return (passes) => {
    const turned = all.map(({ name, size }): [PathWorkload, PathFigures] => {
      return [name, { size, micros: { read: 0, answer: 0, workerRead: 0, worker: 0 } }];
    });
    for (let pass = 0; pass < passes; pass++) {
      for (const [i, { doing }] of all.entries()) {
        const { micros } = turned[i]![1];
        for (const step of STEPS) micros[step] += passOver(doing[step]) / (passes * BODIES);
      }
    }
    return Object.fromEntries(turned) as PathTurned;
  };
}

/** CPU microseconds of this process: other work of the machine does not count, but it slows what runs beside it. */
function passOver(step: (body: number) => unknown): number {
  const began = process.cpuUsage();
  for (let body = 0; body < BODIES; body++) step(body);
  const { user, system } = process.cpuUsage(began);
  return user + system;
}

interface Plans {
  policies: Planned;
  floor: Planned;
}

interface Planned {
  plan: Plan;
  team: string;
}

function doingOf(name: PathWorkload, plans: Plans, scope: BenchScope): { size: number; doing: Doing } {
  const bodies = makeBodies({ ...readWorkload(name), bodies: BODIES }, scope, 'paths').map(({ bytes }) => bytes);
  const entries = bodies.map((body) => entryOf(body, plans.floor.team, scope));
  // Answers are of what the policies say.
  const records = entries.map((entry) => evaluateEntry(plans.policies.plan, entry).record);
  const { plan } = plans.floor;
  return {
    size: bodies.reduce((sum, { length }) => sum + length, 0) / BODIES,
    doing: {
      read: (i) => readAtIngress(bodies[i]!),
      answer: (i) => answerOf(records[i]!),
      workerRead: (i) => begin(plan, entries[i]!),
      worker: (i) => evaluateEntry(plan, entries[i]!),
    },
  };
}

/** Reads a body, and asks for what dispatch always takes of it. */
function readAtIngress(body: Buffer): unknown[] {
  const read = parseBody('events', body);
  if (!read.ok) throw new Error('The batch of a workload is refused.');
  const { scope, affinity, references, causes, images } = read.value;
  return [scope, affinity, references, causes, images];
}

function entryOf(body: Buffer, team: string, { environment }: BenchScope): Entry {
  const id = newRequestId(0);
  const times = { received: 1, deadline: 2, reply: '' };
  const header = { id, kind: 'events', team, scope: environment, config: 1, key: 'bench', ...times } as const;
  const gathered = { references: {}, context: {} };
  return { id: '1-1', header, body, gathered, indexes: new Map(), late: false, completed: 3 };
}

function planOf(text: string): Planned {
  const loaded = loadConfiguration(text);
  if (!loaded.ok) throw new Error(`bench/policies.yaml does not load: ${loaded.problems[0]?.message}`);
  const { configuration } = loaded;
  return { plan: compilePlan(configuration, 1), team: configuration.teams[0]!.id };
}

let paths: ReturnType<typeof createPaths> | undefined;
serveParent<PathTurn>(PATHS_URL, ({ passes }) => {
  paths ??= createPaths();
  reply(paths(passes));
});
