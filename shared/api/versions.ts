/** Versions of the interface (section 9): which of them each route accepts. */
import { ApiError } from './errors.js';

export const VERSIONS = ['2025-12-01', '2026-04-15', '2026-06-01'] as const;
export type Version = (typeof VERSIONS)[number];

/** Session, artifact, risk and protect routes. */
export const EVERY_VERSION: readonly Version[] = VERSIONS;
/** Routes that exist since answers have the `{session, artifacts}` envelope. */
export const ENVELOPE_VERSIONS: readonly Version[] = ['2026-04-15', '2026-06-01'];
/** Event routes and the run graph. */
export const EVENT_VERSIONS: readonly Version[] = ['2026-06-01'];

/**
 * Since when (Unix seconds) `version` is deprecated on a route that section 9, 2 dates with `named`. Older versions still
 * work there, but are deprecated from the day of `named`. Undefined: not deprecated.
 */
export function deprecatedSince(version: string, named: Version): number | undefined {
  // Dates of this form sort by time.
  return version !== '' && version < named ? Date.parse(named) / 1000 : undefined;
}

/** The error of a `service-version` header ('' if absent) on a route that takes `accepted` (empty: any, or none). */
export function versionError(header: string, accepted: readonly Version[]): ApiError | undefined {
  if (accepted.length === 0 || (accepted as readonly string[]).includes(header)) return undefined;
  const values = `Send one of: ${accepted.join(', ')}.`;
  if (header === '') {
    return new ApiError('version_required', `The header service-version is missing. ${values}`, {
      param: 'service-version',
    });
  }
  if ((VERSIONS as readonly string[]).includes(header)) {
    return new ApiError('version_not_supported_for_endpoint', `This endpoint does not have that version. ${values}`, {
      param: 'service-version',
    });
  }
  return new ApiError('unsupported_version', `The value of service-version is not a known version. ${values}`, {
    param: 'service-version',
  });
}
