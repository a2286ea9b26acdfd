/**
 * `npm run bench -- neighbours`: what a team notices of another team that attacks the service. For each attack the same
 * load runs twice, batches and look-ups at a fixed rate: alone, and beside the attack.
 */
import { createClient } from '../../../shared/client/index.js';
import { startGenerator } from '../../generator/process.js';
import type { LoadResult } from '../../generator/types.js';
import { type Bench, runStage, type Stage, type StageLoad } from '../../measurement/stages.js';
import type { Options } from '../../options.js';
import { type Attack, type AttackMeans, readAttacks, requestOf, variedIn } from './attack.js';
import { type Attacker, type AttackResult, startAttacker } from './attacker.js';
import { missedBy, type NeighbourFigures, type NeighbourReport, type NeighbourRow } from './report.js';

/** Batches a second, where no rate is given, and look-ups a second. */
const RATE = 40;
const LOOK_UP_RATE = 10;
const CONNECTIONS = 64;
/** Before the next attack, the service works off what the last one left. It has this long for it. */
const SETTLE_SECONDS = 60;

export interface NeighbourSession {
  bench: Bench;
  options: Options;
  means: AttackMeans;
  say(line: string): void;
}

interface NeighbourStages {
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
  const rows: NeighbourRow[] = [];
  const stages: Stage[] = [];
  let stamp = 1;
  try {
    const send = sender({ ...bench, generator }, bench, { rate, gets: await prepareLookUps(bench) });
    if (options.warmup > 0) await send('Warm-up', options.warmup);
    for (const attack of attacks) {
      const quiet = await send(`${attack.name}: quiet`, options.seconds);
      begin(session, attacker, attack, stamp);
      const attacked = await send(`${attack.name}: attacked`, options.seconds);
      const result = await attacker.stop();
      stamp = result.nextStamp;
      const row = rowOf(attack, quiet, attacked, result);
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

/** Sends batches and look-ups side by side for some seconds. */
function sender(
  lookUps: Bench,
  batches: Bench,
  { rate, gets }: { rate: number; gets: readonly string[] },
): (name: string, seconds: number) => Promise<NeighbourStages> {
  return async (name, seconds) => {
    const load = (kind: string, every: number): StageLoad => ({
      name: `${name}, ${kind}`,
      mode: { kind: 'open', rate: every },
      connections: CONNECTIONS,
      seconds,
    });
    const [first, second] = await Promise.all([
      runStage(batches, load('batches', rate)),
      runStage(lookUps, { ...load('look-ups', LOOK_UP_RATE), gets }),
    ]);
    return { batches: first, lookUps: second };
  };
}

/** Checks something for a user and a run, and answers the paths of look-ups that find it. */
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

function begin({ bench, means }: NeighbourSession, attacker: Attacker, attack: Attack, firstStamp: number): void {
  const { hostname, port, host } = new URL(bench.base.url);
  const request = requestOf(attack, { ...means, neighbour: bench.base }, host);
  const varied = variedIn(request, attack);
  attacker.start({
    host: hostname,
    port: Number(port),
    request,
    ...(varied === undefined ? {} : { varied }),
    connections: attack.connections,
    pause: attack.pause,
    ...(attack.stall === undefined ? {} : { stall: attack.stall }),
    firstStamp,
  });
}

function rowOf(attack: Attack, quiet: NeighbourStages, attacked: NeighbourStages, result: AttackResult): NeighbourRow {
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

const figuresOf = ({ latency, errors, dropped }: LoadResult): NeighbourFigures => ({
  p50: latency.p50,
  p99: latency.p99,
  errors,
  dropped,
});

function lineOf({ attack, batches, lookUps, answers, missed }: NeighbourRow): string {
  const p99 = ({ quiet, attacked }: { quiet: NeighbourFigures; attacked: NeighbourFigures }): string =>
    `${quiet.p99.toFixed(0)} → ${attacked.p99.toFixed(0)} ms`;
  const told = Object.entries(answers).map(([answer, n]) => `${n} × ${answer}`);
  return `${attack}: p99 of batches ${p99(batches)}, of look-ups ${p99(lookUps)}; the attacker got ${told.join(', ') || 'nothing'}: ${missed.length === 0 ? 'held' : missed.join(', ')}`;
}
