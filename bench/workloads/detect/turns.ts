/** The process of one plan in the benchmark of detectors. */
import { evaluateText } from '../../../shared/policy/evaluate.js';
import type { Plan } from '../../../shared/policy/plan.js';
import { reply, serveParent } from '../../child.js';
import { KINDS, planOf, TEAM, type TextKind, textsByKind, variants } from './variants.js';

export const CHILD_URL = import.meta.url;

/** Asks for so many rounds over all texts. All turns of a process name the same variant. */
export interface VariantTurn {
  variant: string;
  rounds: number;
}

export interface Turned {
  /** by round: milliseconds of the texts of a kind */
  millis: Record<TextKind, number[]>;
  /** texts in which something was found in the first round */
  flagged: Record<TextKind, number>;
}

/** Rounds over all texts by the variant `name`, as many as asked for. */
export function createTurns(name: string): (rounds: number) => Turned {
  const { detects } = variants().find((variant) => variant.name === name)!;
  const plan = planOf(detects);
  const texts = textsByKind();
  return (rounds) => {
    const millis = { 'plain ASCII': [], 'with numbers': [], 'beyond ASCII': [] } as Turned['millis'];
    const flagged = { 'plain ASCII': 0, 'with numbers': 0, 'beyond ASCII': 0 };
    for (let round = 0; round < rounds; round++) {
      for (const kind of KINDS) {
        const before = performance.now();
        const found = flaggedOf(plan, texts[kind]);
        millis[kind].push(performance.now() - before);
        if (round === 0) flagged[kind] = found;
      }
    }
    return { millis, flagged };
  };
}

function flaggedOf(plan: Plan, texts: readonly string[]): number {
  let flagged = 0;
  for (const text of texts) if (evaluateText(plan, { team: TEAM }, text).flagged) flagged++;
  return flagged;
}

let turns: ReturnType<typeof createTurns> | undefined;
serveParent<VariantTurn>(CHILD_URL, ({ variant, rounds }) => {
  turns ??= createTurns(variant);
  reply(turns(rounds));
});
