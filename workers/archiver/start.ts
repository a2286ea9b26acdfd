/** Starts the role of the archiver. */
import { startLogReader } from '../log/reader.js';
import type { Role, RoleTools } from '../role.js';
import { createArchiver } from './archiver.js';

export const startArchiver = (tools: RoleTools): Promise<Role> =>
  startLogReader('archiver', tools, ({ redis, clickhouse }) => {
    const archiver = createArchiver({ ...tools, redis, clickhouse });
    return {
      start: archiver.start,
      stop: archiver.stop,
      lastProgress: () => archiver.progress().lastAdvance,
    };
  });
