/** What a key may do. Apart from other types: the client imports it, and nothing else of here. */
export const KEY_SCOPES = [
  'check',
  'read',
  'risk',
  'content',
  'review',
  'erase',
  'try',
  'configure',
  'audit',
  'operate',
] as const;
/**
 * POST, GET, ask for a user's risk, be shown content that was checked, label verdicts, have what was checked erased, try policies, see
 * the configuration of the team, see who did what; look after the installation.
 */
export type KeyScope = (typeof KEY_SCOPES)[number];
/** Those of a key that names none. */
export const USUAL_SCOPES: readonly KeyScope[] = ['check', 'read', 'risk'];
/** Those that span teams. A key that has one belongs to no team, and has no other. */
export const OPERATOR_SCOPES: readonly KeyScope[] = ['operate'];
/** Those of a key of a team. */
export const TEAM_SCOPES: readonly KeyScope[] = KEY_SCOPES.filter((scope) => !OPERATOR_SCOPES.includes(scope));
