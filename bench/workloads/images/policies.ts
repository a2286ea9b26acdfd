/** What the benchmark checks images for: a list of known images that holds none of those sent, and their size. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { seeded } from '../random.js';

const LIST = 'bench.txt';
const HASHES = 100_000;
const POLICIES = {
  hash: '6f0f6d1e-7d0c-4c58-9f62-5c1b9a0a7b01',
  size: '6f0f6d1e-7d0c-4c58-9f62-5c1b9a0a7b02',
} as const;

interface ImagesConfiguration {
  policies?: unknown[];
  deployments?: { team: string; policies?: string[] }[];
}

/** `text`, a configuration as JSON, with policies for images in every deployment of the first one's team. */
export function withImagePolicies(text: string): string {
  const configuration = JSON.parse(text) as ImagesConfiguration;
  const team = configuration.deployments?.[0]?.team;
  const common = { team, severity: 'high', sources: ['image'] };
  const policies = [
    { ...common, id: POLICIES.hash, name: 'Known images', detect: { image_hash: { list: LIST } } },
    { ...common, id: POLICIES.size, name: 'Tiny images', detect: { image_properties: { max_width: 16 } } },
  ];
  const deployments = configuration.deployments?.map((deployment) =>
    deployment.team === team
      ? { ...deployment, policies: [...(deployment.policies ?? []), ...Object.values(POLICIES)] }
      : deployment,
  );
  return JSON.stringify({ ...configuration, policies: [...(configuration.policies ?? []), ...policies], deployments });
}

/** Writes the list that the policies name to `folder`: random hashes. */
export function writeHashList(folder: string): void {
  const random = seeded(20260601);
  const lines = Array.from({ length: HASHES }, () => random.characters('0123456789abcdef', 64));
  writeFileSync(join(folder, LIST), `${lines.join('\n')}\n`);
}
