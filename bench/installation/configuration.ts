/**
 * The configurations that a benchmark applies to its own stack. They are made from one that people use: without rate
 * limits, and with a key of the benchmark's own. The floor is the same without any policy or condition: what everything
 * but evaluating costs.
 */
import { createHash, randomBytes } from 'node:crypto';
import { parse } from 'yaml';
import { readGiven } from '../given.js';
import type { BenchScope } from '../workloads/bodies.js';

interface Key {
  id: string;
  team: string;
  sha256: string;
  environments?: string[];
  deployments?: string[];
  default_deployment?: string | null;
  rate?: unknown;
}

interface BenchConfiguration {
  keys?: Key[];
  policies?: { team: string }[];
  deployments?: { policies?: string[] }[];
  environments?: { conditions?: { policies?: string[] }[] }[];
  packs?: unknown[];
}

export interface BenchConfigurations {
  /** JSON texts, which `weir apply` takes as YAML */
  policies: string;
  floor: string;
  key: string;
  scope: BenchScope;
  policyCount: number;
}

/** Reads the configuration in `path`. Throws a sentence if no key of it may use both an environment and a deployment. */
export function readConfigurations(path: string): BenchConfigurations {
  return benchConfigurations(readGiven(path), path);
}

export function benchConfigurations(text: string, path: string): BenchConfigurations {
  const configuration = (parse(text) ?? {}) as BenchConfiguration;
  const granted = configuration.keys?.find((key) => key.environments?.length && key.deployments?.length);
  if (granted === undefined) {
    throw new Error(`${path}: expected a key with at least one environment and one deployment, for the load to use.`);
  }
  const secret = `bench_${randomBytes(24).toString('hex')}`;
  const own: Key = {
    id: 'bench',
    team: granted.team,
    sha256: createHash('sha256').update(secret).digest('hex'),
    environments: granted.environments ?? [],
    deployments: granted.deployments ?? [],
    default_deployment: granted.default_deployment ?? granted.deployments![0]!,
  };
  const keys = [...configuration.keys!.filter((key) => key.id !== own.id).map(withoutRate), own];
  const full = { ...configuration, keys };
  const floor: BenchConfiguration = {
    ...full,
    policies: [],
    packs: [],
    deployments: full.deployments?.map((deployment) => ({ ...deployment, policies: [] })) ?? [],
    environments: full.environments?.map((environment) => ({ ...environment, conditions: [] })) ?? [],
  };
  return {
    policies: JSON.stringify(full, null, 2),
    floor: JSON.stringify(floor, null, 2),
    key: secret,
    scope: {
      environment: granted.environments![0]!,
      deployment: granted.default_deployment ?? granted.deployments![0]!,
    },
    policyCount: configuration.policies?.length ?? 0,
  };
}

function withoutRate({ rate: _, ...key }: Key): Key {
  return key;
}
