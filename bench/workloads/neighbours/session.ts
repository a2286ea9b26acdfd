/**
 * `npm run bench -- neighbours`: what a team notices of another one that means harm. Per attack the same load twice, batches
 * and look-ups at a fixed rate: alone, and beside the attack.
 */
import { createClient } from '../../../shared/client/index.js';
import type { LoadResult } from '../../generator/load.js';
import { startGenerator } from '../../generator/process.js';
import { type Bench, runStage, type Stage, type StageLoad } from '../../measurement/stages.js';
import type { Options } from '../../options.js';
import { type Attack, readAttacks, requestOf } from './attack.js';
import { type Attacker, type AttackResult, startAttacker } from './attacker.js';
import type { Neighbours } from './setup.js';

/** Batches a second, where no rate is given, and look-ups a second. */
const RATE = 40;
const LOOK_UP_RATE = 10;
const CONNECTIONS = 64;
/** The objective: attacked p99 at most this many times the quiet one and so many milliseconds more, and nothing refused. */
const TIMES = 2;
const MORE_MS = 100;
/** How long what an attack has left behind may take to be worked off before the next one begins. Seconds. */
const SETTLE_SECONDS = 60;

export interface Figures {
  p50: number;
  p99: number;
  /** requests that were not answered 200, by status or reason */
  errors: Record<string, number>;
  dropped: number;
}

export interface NeighbourRow {
  attack: string;
  description: string;
  batches: { quiet: Figures; attacked: Figures };
  lookUps: { quiet: Figures; attacked: Figures };
  /** what the attacker was answered */
  answers: Record<string, number>;
  attackerCores: number;
  /** why the objective is not met; empty: it is */
  missed: string[];
}

export interface NeighbourReport {
  rate: number;
  lookUpRate: number;
  seconds: number;
  rows: NeighbourRow[];
}

export interface NeighbourSession {
  bench: Bench;
  options: Options;
  neighbours: Neighbours;
  say(line: string): void;
}

interface Pair {
  batches: Stage;
  lookUps: Stage;
}

export async function runNeighbours(
  session: NeighbourSession,
): Promise<{ neighbours: NeighbourReport; stages: Stage[] }> {
  const { options, bench, say } = session;
  const attacks = readAttacks(options.attacks);
  const rate = options.run.kind === 'open' ? options.run.rate : RATE;
  const generator = startGenerator();
  const attacker = startAttacker();
  const lookUps: Bench = { ...bench, generator };
  const rows: NeighbourRow[] = [];
  const stages: Stage[] = [];
  try {
    const gets = await prepareLookUps(bench);
    const both = async (name: string, seconds: number): Promise<Pair> => {
      const load = (kind: string, every: number): StageLoad => ({
        name: `${name}, ${kind}`,
        configuration: 'neighbours',
        mode: { kind: 'open', rate: every },
        connections: CONNECTIONS,
        seconds,
      });
      const [first, second] = await Promise.all([
        runStage(bench, load('batches', rate)),
        runStage(lookUps, { ...load('look-ups', LOOK_UP_RATE), gets }),
      ]);
      return { batches: first, lookUps: second };
    };
    if (options.warmup > 0) await both('Warm-up', options.warmup);
    for (const attack of attacks) {
      const quiet = await both(`${attack.name}: quiet`, options.seconds);
      begin(session, attacker, attack);
      const attacked = await both(`${attack.name}: attacked`, options.seconds);
      const row = rowOf(attack, quiet, attacked, await attacker.stop());
      rows.push(row);
      stages.push(quiet.batches, quiet.lookUps, attacked.batches, attacked.lookUps);
      say(lineOf(row));
      await bench.stores?.quiet(SETTLE_SECONDS);
    }
  } finally {
    attacker.close();
    generator.close();
  }
  return { neighbours: { rate, lookUpRate: LOOK_UP_RATE, seconds: options.seconds, rows }, stages };
}

/** A user and a run that are there, and the addresses that ask for them. */
async function prepareLookUps({ base }: Bench): Promise<string[]> {
  const { environment, deployment } = base.scope;
  const client = createClient({ url: base.url, apiKey: base.key });
  const user = `neighbour-${base.tag}`;
  const content = 'A check to look up.';
  const checked = await Promise.all([
    client.checkSession({
      deployment_id: deployment,
      messages: [{ role: 'user', content, metadata: { user: { id: user } } }],
    }),
    client.checkEvents({
      environment_id: environment,
      run_id: user,
      events: [{ type: 'reasoning', event_id: 'first', content }],
    }),
  ]);
  for (const result of checked)
    if (!result.ok) throw new Error(`The stack does not take a check: ${result.error.message}`);
  const scope = `environment_id=${encodeURIComponent(environment)}&run_id=${user}`;
  return [`/api/radar/risk?id=${user}`, `/api/run/graph?${scope}`, `/api/event?${scope}&event_id=first`];
}

let stamp = 1;

function begin({ bench, neighbours }: NeighbourSession, attacker: Attacker, attack: Attack): void {
  const { hostname, port, host } = new URL(bench.base.url);
  const { key, scope, nowhere } = neighbours;
  attacker.start({
    host: hostname,
    port: Number(port),
    request: requestOf(attack, { key, scope, nowhere, host }),
    connections: attack.connections,
    pause: attack.pause,
    ...(attack.stall === undefined ? {} : { stall: attack.stall }),
    firstStamp: stamp,
  });
}

function rowOf(attack: Attack, quiet: Pair, attacked: Pair, result: AttackResult): NeighbourRow {
  stamp = result.nextStamp;
  const batches = { quiet: figuresOf(quiet.batches.load), attacked: figuresOf(attacked.batches.load) };
  const lookUps = { quiet: figuresOf(quiet.lookUps.load), attacked: figuresOf(attacked.lookUps.load) };
  return {
    attack: attack.name,
    description: attack.description,
    batches,
    lookUps,
    answers: result.answers,
    attackerCores: result.cpuMs / 1000 / attacked.batches.load.seconds,
    missed: [...missedBy('batches', batches), ...missedBy('look-ups', lookUps)],
  };
}

const figuresOf = ({ latency, errors, dropped }: LoadResult): Figures => ({
  p50: latency.p50,
  p99: latency.p99,
  errors,
  dropped,
});

/** What of the objective a load did not meet, in words. */
export function missedBy(what: string, { quiet, attacked }: { quiet: Figures; attacked: Figures }): string[] {
  const missed: string[] = [];
  const most = TIMES * quiet.p99 + MORE_MS;
  if (attacked.p99 > most) missed.push(`p99 of ${what} ${attacked.p99.toFixed(0)} ms, above ${most.toFixed(0)}`);
  for (const [reason, n] of Object.entries(attacked.errors)) missed.push(`${n} × ${reason} of ${what}`);
  if (attacked.dropped > 0) missed.push(`${attacked.dropped} ${what} never sent`);
  return missed;
}

function lineOf({ attack, batches, lookUps, answers, missed }: NeighbourRow): string {
  const p99 = ({ quiet, attacked }: { quiet: Figures; attacked: Figures }): string =>
    `${quiet.p99.toFixed(0)} → ${attacked.p99.toFixed(0)} ms`;
  const told = Object.entries(answers).map(([answer, n]) => `${n} × ${answer}`);
  return `${attack}: p99 of batches ${p99(batches)}, of look-ups ${p99(lookUps)}; the attacker got ${told.join(', ') || 'nothing'}: ${missed.length === 0 ? 'held' : missed.join(', ')}`;
}
