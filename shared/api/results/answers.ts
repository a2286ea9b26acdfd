/**
 * Validators of answers, made from the types that declare the answers. Tests and tools use them to check what the
 * service sends. A field that a type does not have is an error, too.
 */
import { createValidateEquals, type IValidation } from 'typia';
import type {
  ArtifactResult,
  ErrorBody,
  EventResult,
  EventsResponse,
  GuardrailResponse,
  ProtectList,
  RunGraph,
  SessionEnvelope,
  SessionResult,
  UserRisk,
} from '../types.js';

/** Returns a line for each thing that is wrong with an answer. */
export type AnswerValidator = (answer: unknown) => string[];

const judge =
  (validate: (answer: unknown) => IValidation<unknown>): AnswerValidator =>
  (answer) => {
    const result = validate(answer);
    return result.success ? [] : result.errors.map(({ path, expected }) => `${path}: expected ${expected}`);
  };

export const ANSWER_ERRORS = {
  error: judge(createValidateEquals<ErrorBody>()),
  event: judge(createValidateEquals<EventResult>()),
  events: judge(createValidateEquals<EventsResponse>()),
  session: judge(createValidateEquals<SessionResult>()),
  envelope: judge(createValidateEquals<SessionEnvelope>()),
  artifact: judge(createValidateEquals<ArtifactResult>()),
  graph: judge(createValidateEquals<RunGraph>()),
  protect: judge(createValidateEquals<ProtectList>()),
  risk: judge(createValidateEquals<UserRisk>()),
  guardrail: judge(createValidateEquals<GuardrailResponse>()),
  probe: judge(createValidateEquals<{ status: 'ok' }>()),
};
