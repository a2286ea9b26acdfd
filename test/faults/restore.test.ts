/** Redis is emptied, or an older copy of its data is restored, while everything runs. */
import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { after, before, describe, it } from 'node:test';
import { applyConfiguration } from '#weir/deploy/cli/configuration/applying';
import { freePort } from '#weir/deploy/local/ports';
import { decodeRecord } from '#weir/shared/api/results/record';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { newRequestId } from '#weir/shared/ids';
import { activeIdentity, type Identity } from '#weir/shared/streams/configuration';
import { keys } from '#weir/shared/streams/keys';
import { type Client, createClient } from '../support/installation/load.js';
import { startTestStack, type TestStack } from '../support/installation/stack.js';
import { select } from '../support/installation/tables.js';
import { until } from '../support/wait.js';

/** `hush` is what the policy looks for; `other` takes its place in a later configuration. */
const configuration = (sha256: string, word: string): string => `
version: 1
teams: [{id: acme}]
keys: [{id: only, team: acme, sha256: ${sha256}, environments: [prod]}]
policies: [{id: 6f1c0f0e-5a0f-4a5e-9a51-000000000001, team: acme, name: Words, detect: {terms: {list: [${word}]}}}]
environments: [{id: prod, team: acme, conditions: [{id: all, name: All, when: "true", policies: [6f1c0f0e-5a0f-4a5e-9a51-000000000001]}]}]
`;

const BODY = JSON.stringify({ environment_id: 'prod', event: { type: 'reasoning', content: 'hush and other' } });
const [OLD, NEW] = [createKey(), createKey()];
const ONE = configuration(hashKey(OLD), 'hush');
const TWO = configuration(hashKey(NEW), 'other');

let stack: TestStack;
const clients: Record<string, Client> = {};

before(async () => {
  stack = await startTestStack({ evaluators: 2, ports: { ingress: await freePort() } });
  clients.old = createClient(stack.url, OLD);
  clients.new = createClient(stack.url, NEW);
});
after(async () => {
  for (const client of Object.values(clients)) client.close();
  await stack?.close();
});

const apply = (text: string) => applyConfiguration({ redisUrl: stack.redisUrl, text, file: 'weir.yaml' });
const post = (who: 'old' | 'new') => clients[who]!.request('POST', '/api/event', BODY);
const ready = () => clients.old!.request('GET', '/readyz');
const statusOf = (who: 'old' | 'new') => async () => (await post(who)).status;
const becomes = (what: string, status: number, ask: () => Promise<number>) =>
  until(what, async () => (await ask()) === status);

async function deadLetters(): Promise<number> {
  const lengths = await Promise.all([0, 1].map((p) => stack.connection.xlen(keys.dead(p))));
  return lengths.reduce((sum, one) => sum + one, 0);
}

/** An entry as an ingress made it that had `by` in force; resolves with the version that judged it. */
async function judgedBy(by: Identity): Promise<number> {
  const id = newRequestId(0);
  const now = Date.now();
  const scope = { team: 'acme', scope: 'prod', key: 'only', reply: '' };
  const header = { id, kind: 'event', config: by.version, configId: by.id, received: now, deadline: now, ...scope };
  await stack.connection.xadd(keys.checks(0), '*', 'header', JSON.stringify(header), 'body', BODY);
  const key = keys.result(0, id);
  await until('its result', async () => (await stack.connection.exists(key)) === 1);
  return decodeRecord((await stack.connection.getBuffer(key))!).config;
}

/** One that no worker has ever had, with the same number. */
const unknown = ({ version }: Identity): Identity => ({
  version,
  id: `${version}-${'0'.repeat(16)}@${'0'.repeat(12)}`,
});

describe('a Redis that was emptied', () => {
  it('is told from a working one, and what is applied then is in force everywhere at once', async () => {
    const first = await apply(ONE);
    await becomes('the key is accepted', 200, statusOf('old'));
    const lost = (await activeIdentity(stack.connection))!;
    await stack.connection.flushall();

    await becomes('it is not ready', 503, async () => (await ready()).status);
    assert.match(JSON.stringify((await ready()).body), /There is no configuration: .*weir apply FILE/);
    const refused = await post('old');
    assert.deepEqual([refused.status, (refused.body as { error: { code: string } }).error.code], [503, 'unavailable']);

    const second = await apply(TWO);
    assert.equal(second.changed, true);
    assert.ok(second.version > first.version, 'rows in history name the earlier number already');
    await becomes('it is ready', 200, async () => (await ready()).status);
    assert.equal((await post('old')).status, 401, 'a key that was removed');
    await becomes('checks are answered', 200, statusOf('new'));
    assert.equal(await judgedBy(lost), lost.version, 'what an ingress still sent, as long as a worker remembers that');
    assert.equal(await judgedBy(unknown(lost)), second.version, 'what no worker remembers');
    assert.equal(await deadLetters(), 0);
  });

  it('has results that name no number twice, also when nobody lived to tell', async () => {
    const row = `SELECT max(config) AS highest FROM items`;
    const highest = async (): Promise<number> => Number((await select<{ highest: number }>(stack, row))[0]!.highest);
    const { version } = (await activeIdentity(stack.connection))!;
    await until('it is archived', async () => (await highest()) === version);
    for (const part of [...stack.ingresses, ...stack.evaluators]) await part.kill();
    await stack.connection.flushall();
    const history = { url: stack.clickhouseUrl, database: 'weir' };
    const again = await applyConfiguration({ redisUrl: stack.redisUrl, text: TWO, file: 'weir.yaml', history });
    assert.deepEqual(again, { version: version + 1, changed: true });
    for (const part of [...stack.evaluators, ...stack.ingresses]) await part.restart();
    await becomes('checks are answered', 200, statusOf('new'));
  });
});

describe('a Redis that was restored from an older copy', () => {
  it('is followed, and what is applied then is never taken for what had its number', async () => {
    const kept = await apply(ONE);
    await becomes('the key is accepted', 200, statusOf('old'));
    const names = await stack.connection.keys('config:{weir}:*');
    const copy = await Promise.all(names.map(async (name) => [name, await stack.connection.dumpBuffer(name)] as const));
    const lost = await apply(TWO);
    await becomes('the other key is accepted', 200, statusOf('new'));
    const identity = (await activeIdentity(stack.connection))!;
    assert.equal(identity.version, lost.version);

    const restored = stack.connection.multi().flushall();
    for (const [name, bytes] of copy) restored.restore(name, 0, bytes!);
    await restored.exec();
    await becomes('the earlier key is accepted again', 200, statusOf('old'));
    assert.equal((await post('new')).status, 401);
    assert.equal(await judgedBy(unknown(identity)), kept.version);

    const next = await apply(TWO.replace('Words', 'Later words'));
    assert.ok(next.version > lost.version);
    await becomes('the other key is accepted', 200, statusOf('new'));
    assert.equal((await post('old')).status, 401);
    const { body } = await post('new');
    assert.match(JSON.stringify(body), /Later words/);
    assert.equal(await deadLetters(), 0);
  });

  it('has nothing judged by the plan of another text with the same number', async () => {
    const { connection } = stack;
    await apply(ONE);
    await becomes('the key is accepted', 200, statusOf('old'));
    const before = (await activeIdentity(connection))!;
    const text = (await connection.hget(keys.configVersions(), String(before.version)))!;
    // All workers have compiled this number; now it is another text, as after a restore that nobody had time to notice.
    const other = text.replaceAll('hush', 'absent');
    assert.notEqual(other, text);
    await connection.hset(keys.configVersions(), String(before.version), other);
    const content = createHash('sha256').update(other).digest('hex').slice(0, 16);
    await connection.hset(keys.configContents(), String(before.version), content);
    const now = (await activeIdentity(connection))!;
    assert.equal(now.version, before.version);
    assert.notEqual(now.id, before.id);
    await until('it is judged by the other text', async () => {
      const { status, body } = await post('old');
      return status === 200 && (body as { flagged: boolean }).flagged === false;
    });
    assert.equal(await deadLetters(), 0);
  });
});
