/**
 * What is redacted of a session: the content of its last message. Where an adapter made the session, all of its messages are: what is
 * context has been redacted when it was checked, and comes again as it was.
 */
import { memberAt, valueStart } from '../../../../shared/json.js';
import type { LongScans } from '../../../../shared/policy/engine/long-scans.js';
import { redactionOfContext } from '../../../../shared/policy/evaluate.js';
import type { Plan } from '../../../../shared/policy/plan.js';
import type { Redaction, SessionContent } from '../../../../shared/policy/types.js';
import type { WorkHeader } from '../../../../shared/streams/work.js';
import { createRedactor, type Redactor } from '../mark-offsets.js';
import { type Checked, type PlacedMessage, readChecked, valuesIn } from './checked.js';

/** Earlier messages of a direction. */
export interface DirectionMessages {
  direction: SessionContent['direction'];
  messages: readonly PlacedMessage[];
  /** undefined: not redacted yet */
  redaction: Redaction | undefined;
}

/** What is redacted of a session that an adapter made, beside what is checked. */
export function redactedBefore({ redact, checked: made }: WorkHeader, { before }: Checked): DirectionMessages[] {
  if (!redact || !made) return [];
  return (['input', 'output'] as const).flatMap((direction) => {
    const messages = before.filter((one) => one.direction === direction);
    return messages.length === 0 ? [] : [{ direction, messages, redaction: undefined }];
  });
}

export function redactBefore(
  plan: Plan,
  { team, scope }: WorkHeader,
  { direction, messages }: DirectionMessages,
  scans: LongScans,
): Redaction {
  const { text, decoded } = readChecked(messages).texts[0] ?? { text: '' };
  return redactionOfContext(plan, { team, deployment: scope }, { direction, text, decoded, redact: true, scans });
}

/** `redaction`: of what is checked. `before`: undefined where no adapter made the session, or nothing was evaluated. */
export function redactionIn(
  json: string,
  { checked }: Checked,
  redaction: Redaction | undefined,
  before: readonly DirectionMessages[] | undefined,
): ReturnType<Redactor> {
  const values = valuesIn(checked);
  if (!before) {
    const { source, at } = checked.at(-1)!;
    const within = memberAt(source, 0, 'content');
    return createRedactor(json)(redaction, { at: within < 0 ? within : at + within, values, message: at });
  }
  const more = before.map((one) => ({ redaction: one.redaction!, values: valuesIn(one.messages) }));
  return createRedactor(json)(redaction, { at: memberAt(json, valueStart(json), 'messages'), values, more });
}
