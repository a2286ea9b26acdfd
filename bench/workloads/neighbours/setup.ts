/** The neighbours workload: a second team, a host that never answers and a slow language model, made before the stack starts. */
import { createHash, randomBytes, randomUUID } from 'node:crypto';
import { createServer, type Socket } from 'node:net';
import { closeServer, listenOnLoopback } from '../../loopback.js';
import type { Options } from '../../options.js';
import type { BenchScope } from '../bodies.js';
import type { BuiltIn } from '../built-in.js';
import { askingOf, type BackendUrls, startSlowModel } from './backends.js';
import { runNeighbours } from './session.js';

const TEAM = 'hostile';

interface NeighboursCondition {
  id: string;
  policies?: string[];
}
interface NeighboursConfiguration {
  teams?: { id: string }[];
  keys?: unknown[];
  policies?: { id: string; team: string }[];
  backends?: unknown[];
  deployments?: { id: string; team: string; policies?: string[] }[];
  environments?: { id: string; team: string; conditions?: NeighboursCondition[] }[];
}

export async function setUpNeighbours(options: Options, say: (line: string) => void): Promise<BuiltIn> {
  const key = `bench_${randomBytes(24).toString('hex')}`;
  const scope = { environment: `${TEAM}-environment`, deployment: `${TEAM}-deployment` };
  const [nowhere, slow] = [await startNowhere(), await startSlowModel()];
  const urls = { hanging: `http://${nowhere.host}/v1`, slow: slow.url };
  const means = { key, scope, nowhere: nowhere.host };
  return {
    extra: {
      env: { WEIR_FETCH_ALLOW: nowhere.host },
      configure: (text) => withBackends(withHostileTeam(text, key, scope), urls),
    },
    run: (bench) => runNeighbours({ bench, options, means, say }),
    close: async () => void (await Promise.all([nowhere.close(), slow.close()])),
  };
}

/**
 * `text`, a configuration as JSON, with a second team. It has the same policies as the first one, a policy for images,
 * a condition that compares lists, and one under which masked profanity is looked for.
 */
export function withHostileTeam(text: string, key: string, scope: BenchScope): string {
  const configuration = JSON.parse(text) as NeighboursConfiguration;
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
  const profanity = {
    id: randomUUID(),
    team: TEAM,
    name: 'Masked profanity',
    detect: { terms: { bundle: ['profanity'] } },
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
  const masks = { id: 'masks', name: 'Masks', when: 'metadata.masks == true', policies: [profanity.id] };
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
      profanity,
    ],
    deployments: [
      ...deployments,
      { id: scope.deployment, team: TEAM, name: 'Hostile', policies: [...own(deployments[0]!.policies), image.id] },
    ],
    environments: [
      ...environments,
      { id: scope.environment, team: TEAM, conditions: [...(conditions ?? []), lists, masks] },
    ],
  });
}

/** `text`, a configuration as JSON, in which policies that ask backends are in force for all events of both teams. */
export function withBackends(text: string, urls: BackendUrls): string {
  const configuration = JSON.parse(text) as NeighboursConfiguration;
  const { policies = [], backends = [], environments = [] } = configuration;
  const first = configuration.deployments![0]!.team;
  const asking = new Map([first, TEAM].map((team) => [team, askingOf(team, urls)]));
  return JSON.stringify({
    ...configuration,
    backends: [...backends, ...[...asking.values()].flatMap((each) => each.backends)],
    policies: [...policies, ...[...asking.values()].flatMap((each) => each.policies)],
    environments: environments.map((environment) => {
      const ids = asking.get(environment.team)?.policies.map(({ id }) => id);
      if (!ids) return environment;
      const judged = { id: 'judged', name: 'Judged', when: 'true', policies: ids };
      return { ...environment, conditions: [...(environment.conditions ?? []), judged] };
    }),
  });
}

/** A server that takes requests and never answers. */
async function startNowhere(): Promise<{ host: string; close(): Promise<void> }> {
  const taken = new Set<Socket>();
  const server = createServer((socket) => {
    socket.on('error', () => socket.destroy());
    socket.resume();
    taken.add(socket);
    socket.on('close', () => taken.delete(socket));
  });
  const host = await listenOnLoopback(server);
  return {
    host,
    close: () =>
      closeServer(server, () => {
        for (const socket of taken) socket.destroy();
      }),
  };
}
