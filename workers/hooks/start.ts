/** Starts the role that tells webhooks of flagged checks. */
import { packageVersion } from '../../shared/paths.js';
import { parseAllowList } from '../images/fetch/address.js';
import { startLogReader } from '../log/reader.js';
import type { Role, RoleTools } from '../role.js';
import { createHookMeters } from './meters.js';
import { createNotifier } from './notifier.js';
import { createPost } from './post.js';

/** Rejects when `WEIR_FETCH_ALLOW` cannot be read. */
export async function startHooks(tools: RoleTools): Promise<Role> {
  const { settings, logger, registry, partitions } = tools;
  const allow = parseAllowList(settings.fetchAllow);
  const timeoutMs = settings.hookTimeoutMs;
  return startLogReader('hooks', tools, ({ redis, fleet, pulse, name }) =>
    createNotifier({
      redis,
      fleet,
      partitions,
      name,
      active: () => pulse.last()?.active,
      backlogBytes: settings.hookBacklogBytes,
      post: createPost({ allow, timeoutMs, version: packageVersion() }),
      timeoutMs,
      meters: createHookMeters(registry),
      logger,
    }),
  );
}
