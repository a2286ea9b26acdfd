/** Says what differs between what a case expects (-) and what was found (+). */
import type { Configuration } from '../../../shared/configuration/configuration.js';
import type { CaseAnswer } from './evaluate.js';
import { evidenceLine, exampleLines, policyIn } from './evidence.js';
import type { Difference } from './judge.js';

/** Evidence of a policy that is shown. */
const MOST_EVIDENCE = 3;

/** What was found, and what differs from what the case expects. */
export interface JudgedCase {
  found: CaseAnswer;
  /** none: the case passed */
  differences: readonly Difference[];
}

/** What differs, in lines. */
export function explained({ found, differences }: JudgedCase, configuration: Configuration): string[] {
  const names = new Map(configuration.policies.map(({ id, name }) => [id, name]));
  const about = { configuration, nameOf: (id: string) => names.get(id) ?? id };
  return differences.flatMap((difference) => linesOfDifference(difference, found, about));
}

function linesOfDifference(
  difference: Difference,
  found: CaseAnswer,
  { configuration, nameOf }: { configuration: Configuration; nameOf(id: string): string },
): string[] {
  switch (difference.kind) {
    case 'missing': {
      const policy = difference.looked ? policyIn(configuration, difference.policy) : undefined;
      return [
        `- ${nameOf(difference.policy)}: expected, and not flagged; ${reasonOf(difference, found)}`,
        ...(policy && found.text !== undefined ? exampleLines(policy, found.text).map((line) => `    ${line}`) : []),
      ];
    }
    case 'unexpected': {
      const { severity, evidence = [] } = found.violations.get(difference.policy) ?? {};
      const where = found.shadow.policies.has(difference.policy) ? ' in the shadow' : '';
      const policy = policyIn(configuration, difference.policy);
      const shown = evidence.slice(0, MOST_EVIDENCE).map((each) => `    ${evidenceLine(each, policy, found.text)}`);
      const rest = evidence.length - shown.length;
      const more = rest > 0 ? [`    and ${rest} more`] : [];
      return [
        `+ ${nameOf(difference.policy)}: flagged${severity ? ` (${severity})` : ''}${where}, and not expected`,
        ...shown,
        ...more,
      ];
    }
    case 'clean':
      return ['- flagged: expected, and no policy is flagged'];
    case 'flagged':
      return ['+ flagged: not expected, and the team fails closed', ...noted(found)];
    case 'not_evaluated': {
      const count = difference.policies;
      const what = count === 0 ? 'the item' : `${count} ${count === 1 ? 'policy' : 'policies'}`;
      return [`! ${what} could not be evaluated`, ...noted(found)];
    }
  }
}

function reasonOf({ policy, looked, elsewhere }: Extract<Difference, { kind: 'missing' }>, found: CaseAnswer): string {
  if (looked) return 'it looked, and found nothing';
  if (!elsewhere) return 'it did not look at this item';
  const hidden = found.shadow.policies.has(policy);
  return hidden ? 'it is in the shadow, so name it in "shadow"' : 'it is live, so name it in "policies"';
}

const noted = ({ note }: CaseAnswer): string[] => (note === '' ? [] : [`    ${note}`]);
