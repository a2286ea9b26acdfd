/**
 * One check of a running installation before the load. A wrong address, key or name is then reported in one sentence,
 * not in a report full of refused requests.
 */
import { createClient } from '../../shared/client/index.js';
import type { BenchScope } from '../workloads/bodies.js';
import type { Workload } from '../workloads/workload.js';

const TEXT = 'A first check, before the load.';

/** Rejects with a sentence when the check is not taken. It waits a little for an installation that is starting. */
export async function firstCheck(
  target: { url: string; key: string; scope: BenchScope },
  workload: Workload,
): Promise<void> {
  const { url, key, scope } = target;
  const client = createClient({ url, apiKey: key });
  const result =
    workload.route === '/api/events' || workload.route === '/api/event'
      ? await client.checkEvents({
          environment_id: scope.environment,
          events: [{ type: 'reasoning', content: TEXT }],
        })
      : await client.checkSession({ deployment_id: scope.deployment, messages: [{ role: 'user', content: TEXT }] });
  if (result.ok) return;
  throw new Error(`The installation at ${new URL(url).host} does not take a check: ${result.error.message}`);
}
