/** A model that the operator trained, through the whole system: from a file beside the configuration to a verdict. */
import assert from 'node:assert/strict';
import { rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { applyConfiguration } from '#weir/deploy/cli/commands/configuration/apply';
import { filesBeside } from '#weir/deploy/cli/configuration/file';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { textModel } from '../support/text-model.ts';
import { newFolder, type System, startSystem } from './system.ts';

const POLICY = 'aaaaaaaa-0000-4000-8000-000000000001';
const key = createKey();
const TEXT = `version: 1
teams: [{id: acme}]
keys:
- {id: acme, team: acme, sha256: ${hashKey(key)}, deployments: [chat], default_deployment: chat, scopes: [check, read, risk]}
policies:
- {id: ${POLICY}, team: acme, name: Spam, detect: {classifier: {file: spam.bin, label: spam}}}
deployments: [{id: chat, team: acme, name: Chat, policies: [${POLICY}]}]
`;

const folder = newFolder();
const file = join(folder, 'weir.yaml');
const write = (word: string): void => writeFileSync(join(folder, 'spam.bin'), textModel({ spam: word }).bytes);
let system: System;
before(async () => {
  write('lottery');
  const configuration = { text: TEXT, file, files: filesBeside(file) };
  system = await startSystem({ dataDir: join(folder, 'data'), configuration });
});
after(async () => {
  await system?.close();
  rmSync(folder, { recursive: true, force: true });
});

async function flagged(content: string): Promise<boolean> {
  const body = { deployment_id: 'chat', messages: [{ role: 'user', content }] };
  const { status, json } = await system.post('/api/session/check', body, { key });
  assert.equal(status, 200, JSON.stringify(json));
  assert.equal(json.policies[POLICY].flagged, json.flagged);
  return json.flagged;
}

it('judges by the file that was applied, and by another one once that is applied', async () => {
  assert.equal(await flagged('a lottery'), true);
  assert.equal(await flagged('a jackpot'), false);
  write('jackpot');
  assert.equal(await flagged('a jackpot'), false, 'a file that was not applied has no effect');
  const { version } = await applyConfiguration({
    redisUrl: system.stack.redisUrl,
    text: TEXT,
    file,
    files: filesBeside(file),
  });
  assert.equal(version, 2);
  assert.equal(await flagged('a jackpot'), true);
  assert.equal(await flagged('a lottery'), false);
});
