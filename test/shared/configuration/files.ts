import type { Files } from '#weir/shared/configuration/read/fields';

const none = (): never => {
  throw new Error('there are no files');
};

/** What a configuration is loaded with as a file, rather than as a version that is stored. */
export const NO_FILES: Files = { terms: none, model: none };
