/** What a key may do. Apart from other types: the client imports it, and nothing else of here. */
export const KEY_SCOPES = ['check', 'read', 'risk', 'content', 'review', 'erase', 'try'] as const;
/** POST, GET, ask for a user's risk, be shown content that was checked, label verdicts, have what was checked erased, try policies. */
export type KeyScope = (typeof KEY_SCOPES)[number];
/** Those of a key that names none. */
export const USUAL_SCOPES: readonly KeyScope[] = ['check', 'read', 'risk'];
