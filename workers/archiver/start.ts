/** Starts the role of the archiver. */
import { startLogReader } from '../log/reader.js';
import type { Role, RoleTools } from '../role.js';
import { createShare } from '../share.js';
import { createArchiver } from './archiver.js';

export const startArchiver = (tools: RoleTools): Promise<Role> =>
  startLogReader('archiver', tools, ({ redis, clickhouse, name }) => {
    const share = createShare('archiver', { redis, partitions: tools.partitions, name });
    return createArchiver({ ...tools, redis, clickhouse, share });
  });
