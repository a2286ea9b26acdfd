/** What the programs were built from. */

/** `deploy/programs.mjs` puts the commit here, where it knows one. */
declare const WEIR_COMMIT: string | undefined;

/** Hash of the commit, with `-dirty` where sources were changed since; undefined: not known, as in modules that are not bundled. */
export const buildCommit = (): string | undefined => (typeof WEIR_COMMIT === 'undefined' ? undefined : WEIR_COMMIT);
