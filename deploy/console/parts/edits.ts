/** Policies and conditions as they are edited in the page, and where. */

export interface EditedDraft {
  /** `deployment:chat` */
  where: string;
  /** JSON lists, or '' */
  policies: string;
  conditions: string;
}

/** The place and the edits, as the API takes them. Throws, in words. */
export function editedIn({ where, policies, conditions }: EditedDraft): Record<string, unknown> {
  const [scope, id] = [where.slice(0, where.indexOf(':')), where.slice(where.indexOf(':') + 1)];
  if (id === '') throw new Error('The key was granted nothing that this can be tried in.');
  return {
    [`${scope}_id`]: id,
    ...(policies.trim() === '' ? {} : { policies: jsonIn('Policies', policies) }),
    ...(conditions.trim() === '' || scope === 'deployment' ? {} : { conditions: jsonIn('Conditions', conditions) }),
  };
}

export function jsonIn(what: string, text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch (error) {
    throw new Error(`${what}: this is no JSON. ${(error as Error).message}`);
  }
}
