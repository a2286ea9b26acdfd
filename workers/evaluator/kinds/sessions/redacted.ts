/**
 * What is redacted of a session: the content of its last message. Where an adapter made the session, all of its messages are: what is
 * context has been redacted when it was checked, and comes again as it was.
 */
import { memberAt, valueStart } from '../../../../shared/json.js';
import { redactionOfContext } from '../../../../shared/policy/evaluate.js';
import type { Plan } from '../../../../shared/policy/plan.js';
import type { Redaction } from '../../../../shared/policy/types.js';
import type { WorkHeader } from '../../../../shared/streams/work.js';
import { createRedactor, type Redactor } from '../mark-offsets.js';
import { type Checked, readChecked, valuesIn } from './checked.js';

/** `redaction`: of what is checked. */
export function redactionIn(
  plan: Plan | null,
  { team, scope, checked: made }: WorkHeader,
  json: string,
  { split, redaction }: { split: Checked; redaction: Redaction | undefined },
): ReturnType<Redactor> {
  const { checked, before } = split;
  const values = valuesIn(checked);
  if (!made || plan === null) {
    const { source, at } = checked.at(-1)!;
    const within = memberAt(source, 0, 'content');
    return createRedactor(json)(redaction, { at: within < 0 ? within : at + within, values, message: at });
  }
  const more = (['input', 'output'] as const).flatMap((direction) => {
    const messages = before.filter((one) => one.direction === direction);
    if (messages.length === 0) return [];
    const { text, decoded } = readChecked(messages).texts[0] ?? { text: '' };
    const content = { direction, text, decoded, redact: true };
    return [{ redaction: redactionOfContext(plan, { team, deployment: scope }, content), values: valuesIn(messages) }];
  });
  return createRedactor(json)(redaction, { at: memberAt(json, valueStart(json), 'messages'), values, more });
}
