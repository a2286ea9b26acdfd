/** Errors as Presidio writes them: a sentence as `error`. What else is said stands beside it, since its clients read no other member. */
import type { ApiError } from '../errors.js';
import type { PresidioErrorBody } from './presidio.js';

export function presidioError({ code, message, details }: ApiError, requestId: string): string {
  const { param, issues, result } = details;
  const body: PresidioErrorBody = {
    error: message,
    code,
    ...(param === undefined ? {} : { param }),
    ...(issues === undefined ? {} : { issues }),
    request_id: requestId,
    ...(result === undefined ? {} : { result_url: result.result_url }),
  };
  return JSON.stringify(body);
}
