/**
 * One check of a running installation before it is loaded: what is wrong with its address, the key or a name is then
 * one sentence, and not a report that is full of refusals.
 */
import { createClient } from '../../shared/client/index.js';
import type { Scope } from '../workloads/bodies.js';
import type { Workload } from '../workloads/workload.js';

const TEXT = 'A first check, before the load.';

/** Rejects with a sentence when the workload could not be sent. It waits a little for an installation that starts. */
export async function firstCheck(
  target: { url: string; key: string; scope: Scope },
  workload: Workload,
): Promise<void> {
  const { url, key, scope } = target;
  const client = createClient({ url, apiKey: key });
  const result =
    workload.route === '/api/session/check'
      ? await client.checkSession({ deployment_id: scope.deployment, messages: [{ role: 'user', content: TEXT }] })
      : await client.checkEvents({
          environment_id: scope.environment,
          events: [{ type: 'reasoning', content: TEXT }],
        });
  if (result.ok) return;
  throw new Error(`The installation at ${new URL(url).host} does not take a check: ${result.error.message}`);
}
