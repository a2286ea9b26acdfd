/** The demo key for a configuration that has no keys, so that a file of a few lines can be tried at once. */
import { DEMO_KEY_SHA256 } from '../../shared/configuration/api-keys.js';
import type { Configuration } from '../../shared/configuration/configuration.js';
import { TEAM_SCOPES } from '../../shared/configuration/key-scopes.js';

/** It may use all that the first team has. The service accepts this key on loopback only. */
export function withDemoKey(configuration: Configuration): Configuration {
  const [first] = configuration.teams;
  if (!first) return configuration;
  const team = first.id;
  const own = (list: readonly { id: string; team: string }[]): string[] =>
    list.filter((each) => each.team === team).map(({ id }) => id);
  const deployments = own(configuration.deployments);
  const key = {
    id: 'demo',
    team,
    sha256: DEMO_KEY_SHA256,
    deployments,
    default_deployment: deployments[0] ?? null,
    environments: own(configuration.environments),
    scopes: [...TEAM_SCOPES],
    expires_at: null,
    rate: null,
  };
  return { ...configuration, keys: [key] };
}
