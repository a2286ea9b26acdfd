/** Streams a text in pieces, as ingress does, and says what is wrong with what is handed on. */

import { compilePlan } from '#weir/shared/policy/compile';
import { deploymentSelections } from '#weir/shared/policy/deployment';
import type { Selection, TeamPlan } from '#weir/shared/policy/plan';
import { lookAtStream, windowStart } from '#weir/shared/policy/stream';
import { id, sketch } from '../support.ts';
import type { Random } from '../work/generators.ts';
import { BOUNDED, cutsOf, streamText } from './texts.ts';

/** Plans of one policy each, by the name of the policy. */
export const PLANS = Object.entries(BOUNDED).map(([name, detect]) => {
  const plan = compilePlan(sketch({ policies: [{ id: id(0), team: 't', name, detect }] }), 1);
  const { team, of } = deploymentSelections(plan, { team: 't', deployment: 'd' }, 'output');
  return { name, team, selection: of('text') };
});

export interface WrongStream {
  policy: string;
  text: string;
  cuts: number[];
  why: string;
}

/** `before`: units that a window has before what is open. */
export function wrongAt(random: Random, before?: number, plans = PLANS): WrongStream | undefined {
  const text = streamText(random);
  const cuts = cutsOf(text, random);
  for (const { name, team, selection } of plans) {
    const why = streamed(team, selection, { text, cuts, before });
    if (why !== undefined) return { policy: name, text, cuts, why };
  }
  return undefined;
}

export function streamed(
  team: TeamPlan,
  selection: Selection,
  { text, cuts, before }: { text: string; cuts: readonly number[]; before?: number | undefined },
): string | undefined {
  const finds = [...(team.engine.scan(text, selection.wanted, 0, { all: true })?.evidence.values() ?? [])].flat();
  let [length, safe, looked] = [0, 0, 0];
  for (const cut of cuts) {
    length += cut;
    const so = text.slice(0, length);
    const at = windowStart(so, safe, before);
    const windowed = { text: so.slice(at), whole: at === 0, safe: safe - at, looked: Math.max(0, looked - at) };
    let look = lookAtStream(team, selection, windowed);
    if (look.unsure) look = lookAtStream(team, selection, { text: so, whole: true, safe, looked });
    else look = { ...look, safe: look.safe + at, looked: look.looked + at };
    if (look.safe < safe) return `at ${length}: what is safe goes back from ${safe} to ${look.safe}`;
    ({ safe, looked } = look);
    const within = finds.find(({ start }) => start < safe);
    if (within)
      return `at ${length}: ${JSON.stringify(so.slice(0, safe).slice(-60))} was handed on, and ${JSON.stringify(text.slice(within.start, within.end))} begins at ${within.start} < ${safe}`;
    if (look.flagged.length > 0)
      return finds.length > 0 ? undefined : `at ${length}: flagged, and the whole text is not`;
  }
  return undefined;
}
