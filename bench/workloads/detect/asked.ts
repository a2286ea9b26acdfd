/**
 * What it costs to explain, to redact and to have policies in the shadow. A process does what a worker and an ingress do for batches of 50
 * events, in one way of asking: it evaluates the body (`engine`), and makes the answer of the outcome (`answer`).
 */
import { join } from 'node:path';
import { answerOf } from '../../../shared/api/results/answer.js';
import { PLAIN_VIEW, type PolicyView, viewedRecord } from '../../../shared/api/results/explanation.js';
import { decodeRecord } from '../../../shared/api/results/record.js';
import { redactedRecord } from '../../../shared/api/results/redaction.js';
import { writeRecord } from '../../../shared/api/results/write-record.js';
import { loadConfiguration } from '../../../shared/configuration/configuration.js';
import { newRequestId } from '../../../shared/ids.js';
import { packageRoot } from '../../../shared/paths.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import type { Plan } from '../../../shared/policy/plan.js';
import { evaluateEntry } from '../../../workers/evaluator/outcome.js';
import { reply, serveParent } from '../../child.js';
import { readConfigurations } from '../../installation/configuration.js';
import { type LoadBody, makeBodies } from '../bodies.js';
import { readWorkload } from '../workload.js';

export const ASKED_URL = import.meta.url;

interface AskedView extends PolicyView {
  /** so many of the policies, the first ones, are in the shadow */
  hidden?: number;
}

/** The first one is what the others are compared with. */
export const WAYS: Record<string, AskedView> = {
  'nothing more': PLAIN_VIEW,
  'explain=true': { ...PLAIN_VIEW, explain: true },
  'policies=flagged': { ...PLAIN_VIEW, flaggedOnly: true },
  'redact=true': { ...PLAIN_VIEW, redact: true },
  'two of eight policies in the shadow': { ...PLAIN_VIEW, hidden: 2 },
};

/** Shares of events in which something is found. */
export const SHARES = { clean: 0, 'one in ten flagged': 0.1, 'all flagged': 1 } as const;
export type ShareName = keyof typeof SHARES;
export const SHARE_NAMES = Object.keys(SHARES) as ShareName[];

export interface AskedTurn {
  way: string;
  /** over all bodies */
  rounds: number;
}

/** By share: CPU microseconds of an event in each body, by round. */
export type AskedTurned = Record<ShareName, { engine: number[]; answer: number[] }[]>;

const EVENTS = 50;
const BODIES = 8;

export function createAsking(name: string): (rounds: number) => AskedTurned {
  const { hidden = 0, ...view } = WAYS[name]!;
  const { plan, team, environment, deployment } = planWith(hidden);
  const workload = readWorkload('events-50');
  const bodies = SHARE_NAMES.map((share): [ShareName, LoadBody[]] => {
    const flagged = { ...workload.flagged, share: SHARES[share] };
    return [share, makeBodies({ ...workload, bodies: BODIES, flagged }, { environment, deployment }, 'asked')];
  });
  const ask = (body: Buffer): [evaluated: number, answered: number] => {
    const id = newRequestId(0);
    const times = { received: 1, deadline: 2, reply: '' };
    const header = { id, kind: 'events', team, scope: environment, config: 1, key: 'bench', ...times } as const;
    const asked = view.redact ? { ...header, redact: true as const } : header;
    const rest = { gathered: { references: {}, context: {} }, indexes: new Map(), late: false, completed: 3 };
    const began = cpuMicros();
    const { record } = evaluateEntry(plan, { id: '1-1', header: asked, body, ...rest });
    const evaluated = cpuMicros();
    const viewed = viewedRecord(decodeRecord(record), view);
    const shown = view.redact ? redactedRecord(viewed, body) : viewed;
    answerOf(
      writeRecord(shown),
      shown.items.map(({ redacted }) => redacted),
    );
    return [evaluated - began, cpuMicros() - evaluated];
  };
  return (rounds) => {
    const made: AskedTurned = { clean: [], 'one in ten flagged': [], 'all flagged': [] };
    for (let round = 0; round < rounds; round++) {
      for (const [share, all] of bodies) {
        for (const [i, { bytes }] of all.entries()) {
          made[share][i] ??= { engine: [], answer: [] };
          const [engine, answer] = ask(bytes);
          made[share][i].engine.push(engine / EVENTS);
          made[share][i].answer.push(answer / EVENTS);
        }
      }
    }
    return made;
  };
}

/** What this process has used: other work of the machine does not count, but it slows what runs beside it. */
function cpuMicros(): number {
  const { user, system } = process.cpuUsage();
  return user + system;
}

/** The policies that benchmarks are measured with. */
function planWith(hidden: number): { plan: Plan; team: string; environment: string; deployment: string } {
  const { policies: text, scope } = readConfigurations(join(packageRoot, 'bench', 'policies.yaml'));
  const json = JSON.parse(text) as { policies: object[] };
  const policies = json.policies.map((policy, i) => (i < hidden ? { ...policy, mode: 'shadow' } : policy));
  const loaded = loadConfiguration(JSON.stringify({ ...json, policies }));
  if (!loaded.ok) throw new Error(`bench/policies.yaml does not load: ${loaded.problems[0]?.message}`);
  const { configuration } = loaded;
  return { plan: compilePlan(configuration, 1), team: configuration.teams[0]!.id, ...scope };
}

let asking: ReturnType<typeof createAsking> | undefined;
serveParent<AskedTurn>(ASKED_URL, ({ way, rounds }) => {
  asking ??= createAsking(way);
  reply(asking(rounds));
});
