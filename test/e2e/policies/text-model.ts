/** A model that the operator trained, through the whole system: from a file beside the configuration to a verdict. */
import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { it } from 'node:test';
import { applyConfiguration } from '#weir/deploy/cli/configuration/applying';
import { filesBeside } from '#weir/deploy/cli/configuration/file';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { textModel } from '../../support/models/text-model.ts';
import type { System } from '../system.ts';

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

/** Applies a configuration of its own. `folder`: for its files. */
export function textModelOfTheOperator(system: () => System, folder: () => string): void {
  const apply = (): Promise<{ version: number }> => {
    const file = join(folder(), 'model.yaml');
    return applyConfiguration({ redisUrl: system().stack.redisUrl, text: TEXT, file, files: filesBeside(file) });
  };
  const write = (word: string): void => writeFileSync(join(folder(), 'spam.bin'), textModel({ spam: word }).bytes);

  async function flagged(content: string): Promise<boolean> {
    const body = { deployment_id: 'chat', messages: [{ role: 'user', content }] };
    const { status, json } = await system().post('/api/session/check', body, { key });
    assert.equal(status, 200, JSON.stringify(json));
    assert.equal(json.policies[POLICY].flagged, json.flagged);
    return json.flagged;
  }

  it('a model of the operator judges by the file that was applied, and by another one once that is applied', async () => {
    write('lottery');
    const { version } = await apply();
    assert.equal(await flagged('a lottery'), true);
    assert.equal(await flagged('a jackpot'), false);
    write('jackpot');
    assert.equal(await flagged('a jackpot'), false, 'a file that was not applied has no effect');
    assert.equal((await apply()).version, version + 1);
    assert.equal(await flagged('a jackpot'), true);
    assert.equal(await flagged('a lottery'), false);
  });
}
