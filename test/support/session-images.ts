/** The verdict on one message with images, as the evaluator asks for it. */
import type { DeploymentScope } from '#weir/shared/policy/deployment';
import { evaluateMessages } from '#weir/shared/policy/evaluate';
import type { Plan } from '#weir/shared/policy/plan';
import type { ImageContent, SessionContent } from '#weir/shared/policy/types';

export function evaluateSessionImages(
  plan: Plan,
  scope: DeploymentScope,
  content: SessionContent & { images: readonly (ImageContent | null)[] },
  context: readonly string[] = [],
): ReturnType<typeof evaluateMessages> {
  // Without a text part no text is judged. A policy with `not` would else fire on the empty text.
  const { text, direction, decoded } = content;
  const texts = text === null ? [] : [{ direction, text, decoded }];
  return evaluateMessages(plan, scope, { ...content, texts }, context);
}
