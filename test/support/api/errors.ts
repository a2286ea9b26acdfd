/** Errors in the words of Weir, whichever interface they were answered in. */
import type { ErrorBody } from '#weir/shared/api/types';

interface GoogleError {
  message: string;
  details: {
    reason?: string;
    metadata?: { request_id: string; param?: string };
    fieldViolations?: { field: string; description: string; reason: string }[];
  }[];
}

/** The error of a body; undefined: it has none. */
export function errorIn(json: unknown): ErrorBody['error'] | undefined {
  const error = (json as { error?: GoogleError | ErrorBody['error'] | string } | undefined)?.error;
  if (typeof error === 'string') return { ...(json as object), message: error } as unknown as ErrorBody['error'];
  if (!error || !('details' in error)) return error;
  const { reason, metadata } = error.details[0]!;
  const violations = error.details.find(({ fieldViolations }) => fieldViolations)?.fieldViolations;
  const issues = violations?.map((one) => ({
    path: one.field,
    code: one.reason.toLowerCase(),
    message: one.description,
  }));
  const { request_id, param } = metadata!;
  return {
    code: reason!.toLowerCase(),
    message: error.message,
    request_id,
    ...(param === undefined ? {} : { param }),
    ...(issues ? { issues } : {}),
  } as ErrorBody['error'];
}
