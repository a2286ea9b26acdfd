/** A whole installation to which files that mean harm are posted, and a server that has them. */
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import type { HostileImage } from '../../support/hostile-images.ts';
import { type Origin, startOrigin } from '../../support/origin.ts';
import { type System, startSystem } from '../system.ts';

const [TEXT, IMAGE] = ['aaaaaaaa-0000-4000-8000-000000000001', 'aaaaaaaa-0000-4000-8000-000000000002'];
const key = createKey();
const CONFIGURATION = `version: 1
teams: [{id: acme}]
keys:
- {id: acme, team: acme, sha256: ${hashKey(key)}, deployments: [chat], default_deployment: chat, environments: [prod], scopes: [check, read, risk]}
policies:
- {id: ${TEXT}, team: acme, name: Text, sources: [text], detect: {terms: {list: [secret]}}}
- {id: ${IMAGE}, team: acme, name: Image, sources: [image], detect: {image_properties: {min_height: 16384}}}
deployments: [{id: chat, team: acme, name: Chat, policies: [${TEXT}, ${IMAGE}]}]
environments:
- {id: prod, team: acme, conditions: [{id: all, name: All, when: "true", policies: [${TEXT}, ${IMAGE}]}]}
`;

export const DECODERS = 2;
/** of requests */
export const options = { key };

/** The file with index i of `corpus` is at `/i`. */
export async function startBeside(corpus: readonly HostileImage[]): Promise<{ system: System; origin: Origin }> {
  const origin = await startOrigin((request, response) => {
    const file = corpus[Number(request.url!.slice(1))];
    response.writeHead(file ? 200 : 404).end(file?.bytes);
  });
  const system = await startSystem({
    configuration: { text: CONFIGURATION, file: 'hostile.yaml' },
    separateArchiver: true,
    maxMemory: '1gb',
    env: {
      WEIR_FETCH_ALLOW: `127.0.0.1:${origin.port}`,
      WEIR_DECODERS: String(DECODERS),
      WEIR_MAX_SLOW_AGE_MS: '20000',
    },
  });
  return { system, origin };
}
