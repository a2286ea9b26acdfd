/** The hash of the commit that is built, with `-dirty` where files were changed; undefined: not known. */
export function commitOf(root: string, env?: Readonly<Record<string, string | undefined>>): string | undefined;
