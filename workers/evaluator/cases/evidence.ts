/** How commands show where a policy fired. */
import type { Configuration, PolicyConfiguration } from '../../../shared/configuration/types.js';
import { leavesOf } from '../../../shared/policy/detect-expression.js';
import { NO_RESOURCES } from '../../../shared/policy/detectors/detector.js';
import { type DetectorParameters, detectorOf } from '../../../shared/policy/detectors/registry.js';
import { countingExamples } from '../../../shared/policy/detectors/secrets/placeholders.js';
import { type SecretsParameters, secrets } from '../../../shared/policy/detectors/secrets.js';
import { buildEngine } from '../../../shared/policy/engine/engine.js';
import type { Evidence } from '../../../shared/policy/types.js';

/** Most characters of a find that are shown. */
const MOST_SHOWN = 60;

/** Detector, form of the text and offsets; the score where there is one; and what was found in `text`, the text as it was checked. */
export function evidenceLine(evidence: Evidence, policy: PolicyConfiguration | undefined, text?: string): string {
  const { detector, view, source, start, end, score = 1 } = evidence;
  const least = policy && leastOf(policy, detector);
  return [
    detector,
    source === 'image' ? 'image' : `view ${view}  offsets ${start} to ${end}`,
    ...(least === undefined ? [] : [`score ${score.toFixed(2)}, at least ${least.toFixed(2)}`]),
    ...(text === undefined || source === 'image' ? [] : [quoted(text.slice(start, end))]),
  ].join('  ');
}

/** Most examples that are shown. */
const MOST_EXAMPLES = 8;

/** Lines for what a policy with `secrets` leaves out of `text` as an example or placeholder. */
export function exampleLines({ detect }: PolicyConfiguration, text: string): string[] {
  const interests = leavesOf<DetectorParameters>(detect).leaves.flatMap((leaf) => {
    const { name, parameters } = detectorOf(leaf);
    return name === 'secrets' ? [secrets.text!.interests(parameters as SecretsParameters, NO_RESOURCES)] : [];
  });
  if (interests.length === 0) return [];
  const engine = buildEngine(interests);
  const wanted = engine.wanted(interests.keys());
  const found = (): Evidence[] => [...(engine.scan(text, wanted, 0)?.evidence.values() ?? [])].flat();
  const counted = found();
  const isCounted = ({ start, end }: Evidence): boolean => counted.some((each) => each.start < end && each.end > start);
  const examples = countingExamples(found).filter((each) => !isCounted(each));
  return examples
    .slice(0, MOST_EXAMPLES)
    .map((each) => `${evidenceLine(each, undefined, text)}  looks like an example, not counted`);
}

/** The policy with an id. */
export const policyIn = ({ policies }: Configuration, id: string): PolicyConfiguration | undefined =>
  policies.find((policy) => policy.id === id);

/** The least score with which a detector fires for a policy, by what its evidence is called. */
function leastOf({ detect }: PolicyConfiguration, fired: string): number | undefined {
  const all = leavesOf<DetectorParameters>(detect).leaves.flatMap((leaf) => {
    const { name, detector, parameters } = detectorOf(leaf);
    const score = fired.split(':')[0] === name ? detector.least?.(parameters, fired) : undefined;
    return score ? [score.least] : [];
  });
  return all.length === 0 ? undefined : Math.min(...all);
}

function quoted(found: string): string {
  const characters = [...found];
  return JSON.stringify(characters.length <= MOST_SHOWN ? found : `${characters.slice(0, MOST_SHOWN).join('')}…`);
}
