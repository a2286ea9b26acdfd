/** Starts the role of the archiver. */

import { createHistoryClient, historyAddressOf } from '../../shared/history/client.js';
import { createEraser } from '../erasures/eraser.js';
import { startLogReader } from '../log/reader.js';
import type { Role, RoleTools } from '../role.js';
import { createShare } from '../share.js';
import { createArchiver } from './archiver.js';

/** A statement of an erasure reads all that a team has. */
const ERASING_MS = 3_600_000;

export async function startArchiver(tools: RoleTools): Promise<Role> {
  const { settings } = tools;
  const patient = createHistoryClient({ ...historyAddressOf(settings), timeoutMs: ERASING_MS, connections: 2 });
  const role = await startLogReader('archiver', tools, ({ redis, fleet, clickhouse, name }) => {
    const share = createShare('archiver', { redis, fleet, partitions: tools.partitions, name });
    const eraser = createEraser({ ...tools, redis, clickhouse: patient, database: settings.clickhouseDatabase });
    return createArchiver({ ...tools, redis, clickhouse, share, eraser });
  });
  return {
    ...role,
    async stop() {
      await role.stop();
      await patient.close();
    },
  };
}
