/** What a session of neighbours needs before the stack starts: a second team, and a host that answers nothing. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createServer } from 'node:net';
import type { Extra } from '../../installation/target.js';
import type { Scope } from '../bodies.js';

const TEAM = 'hostile';

interface Condition {
  id: string;
  policies?: string[];
}
interface Configuration {
  teams?: { id: string }[];
  keys?: unknown[];
  policies?: { id: string; team: string }[];
  deployments?: { id: string; team: string; policies?: string[] }[];
  environments?: { id: string; team: string; conditions?: Condition[] }[];
}

export interface Neighbours {
  /** for the stack */
  extra: Extra;
  /** of the hostile team */
  key: string;
  scope: Scope;
  /** `host:port` of a server that takes requests and never answers */
  nowhere: string;
  close(): Promise<void>;
}

export async function setUpNeighbours(): Promise<Neighbours> {
  const key = `bench_${randomBytes(24).toString('hex')}`;
  const scope = { environment: `${TEAM}-environment`, deployment: `${TEAM}-deployment` };
  const nowhere = await startNowhere();
  return {
    extra: { env: { WEIR_FETCH_ALLOW: nowhere.host }, configure: (text) => withHostileTeam(text, key, scope) },
    key,
    scope,
    nowhere: nowhere.host,
    close: nowhere.close,
  };
}

/**
 * `text`, a configuration as JSON, with a team that has the same policies as the first one, a policy for images, and a
 * condition that compares lists.
 */
export function withHostileTeam(text: string, key: string, scope: Scope): string {
  const configuration = JSON.parse(text) as Configuration;
  const { policies = [], deployments = [], environments = [] } = configuration;
  const first = deployments[0]!.team;
  const copies = new Map(policies.filter(({ team }) => team === first).map(({ id }) => [id, randomUUID()]));
  const own = (ids: readonly string[] = []): string[] => ids.flatMap((id) => copies.get(id) ?? []);
  const image = {
    id: randomUUID(),
    team: TEAM,
    name: 'Tiny images',
    sources: ['image'],
    detect: { image_properties: { max_width: 16 } },
  };
  const conditions = environments
    .find(({ team }) => team === first)!
    .conditions?.map((condition) => ({ ...condition, policies: own(condition.policies) }));
  const lists = {
    id: 'lists',
    name: 'Lists',
    when: 'metadata.roles.exists(r, !(r in metadata.allowed))',
    policies: [...copies.values()].slice(0, 1),
  };
  return JSON.stringify({
    ...configuration,
    teams: [...(configuration.teams ?? []), { id: TEAM }],
    keys: [
      ...(configuration.keys ?? []),
      {
        id: TEAM,
        team: TEAM,
        sha256: createHash('sha256').update(key).digest('hex'),
        environments: [scope.environment],
        deployments: [scope.deployment],
      },
    ],
    policies: [
      ...policies,
      ...policies.filter(({ id }) => copies.has(id)).map((one) => ({ ...one, id: copies.get(one.id), team: TEAM })),
      image,
    ],
    deployments: [
      ...deployments,
      { id: scope.deployment, team: TEAM, name: 'Hostile', policies: [...own(deployments[0]!.policies), image.id] },
    ],
    environments: [...environments, { id: scope.environment, team: TEAM, conditions: [...(conditions ?? []), lists] }],
  });
}

async function startNowhere(): Promise<{ host: string; close(): Promise<void> }> {
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.resume();
    taken.add(socket);
    socket.on('close', () => taken.delete(socket));
  });
  const taken = new Set<{ destroy(): void }>();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = server.address();
  return {
    host: `127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        for (const socket of taken) socket.destroy();
      }),
  };
}
