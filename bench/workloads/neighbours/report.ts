/** What a neighbour noticed of an attack: figures, the objective, and their section of a report. */
import { fixed, table, whole } from '../../report/table.js';

/** The objective: p99 beside the attack is at most `TIMES` the quiet p99 plus `MORE_MS`, and nothing is refused. */
const TIMES = 2;
const MORE_MS = 100;

export interface NeighbourFigures {
  p50: number;
  p99: number;
  /** requests that were not answered 200, by status or reason */
  errors: Record<string, number>;
  dropped: number;
}

export interface NeighbourRow {
  attack: string;
  description: string;
  batches: { quiet: NeighbourFigures; attacked: NeighbourFigures };
  lookUps: { quiet: NeighbourFigures; attacked: NeighbourFigures };
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

/** In words, what a load did not meet of the objective. */
export function missedBy(
  what: string,
  { quiet, attacked }: { quiet: NeighbourFigures; attacked: NeighbourFigures },
): string[] {
  const missed: string[] = [];
  const most = TIMES * quiet.p99 + MORE_MS;
  if (attacked.p99 > most) missed.push(`p99 of ${what} ${attacked.p99.toFixed(0)} ms, above ${most.toFixed(0)}`);
  for (const [reason, n] of Object.entries(attacked.errors)) missed.push(`${n} × ${reason} of ${what}`);
  if (attacked.dropped > 0) missed.push(`${attacked.dropped} ${what} never sent`);
  return missed;
}

export function neighbourSection({ rate, lookUpRate, seconds, rows }: NeighbourReport): string {
  const head = ['Attack', 'Quiet p50', 'Quiet p99', 'p50', 'p99', 'Look-ups: quiet p99', 'p99', '503', 'Objective'];
  const lines = rows.map(({ attack, batches, lookUps, missed }) => [
    attack,
    ...[batches.quiet.p50, batches.quiet.p99, batches.attacked.p50, batches.attacked.p99].map((ms) => fixed(ms)),
    ...[lookUps.quiet.p99, lookUps.attacked.p99].map((ms) => fixed(ms)),
    whole((batches.attacked.errors['503'] ?? 0) + (lookUps.attacked.errors['503'] ?? 0)),
    missed.length === 0 ? 'met' : 'MISSED',
  ]);
  const told = rows.map(({ attack, description, answers, attackerCores, missed }) => {
    const got = Object.entries(answers).map(([answer, n]) => `${whole(n)} × ${answer}`);
    const failed = missed.length === 0 ? '' : ` Missed: ${missed.join(', ')}.`;
    return `- ${attack}: ${description}. The attacker got ${got.join(', ') || 'no answer'}, with ${fixed(attackerCores, 2)} cores.${failed}`;
  });
  return `${table(head, lines)}

${told.join('\n')}

The neighbour sends ${fixed(rate, 0)} batches and ${fixed(lookUpRate, 0)} look-ups a second, ${fixed(seconds, 0)} s alone and as long beside each attack. Objective: p99 at most twice the quiet one plus 100 ms, and every request answered 200.`;
}
