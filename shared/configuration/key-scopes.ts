/** What a key may do: POST, GET, and ask for a user's risk. Apart from other types: the client imports it, and nothing else of here. */
export const KEY_SCOPES = ['check', 'read', 'risk'] as const;
export type KeyScope = (typeof KEY_SCOPES)[number];
