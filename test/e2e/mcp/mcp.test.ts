/** The proxy for the Model Context Protocol, between the client and the server of its SDK, against a whole installation. */
import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { flat } from '../../support/images/images.ts';
import { until } from '../../support/wait.ts';
import { type System, startSystem } from '../system.ts';
import { httpTests } from './http.ts';
import { stdioTests } from './stdio.ts';
import { overHttp, overStdio, type Way, type WayOptions } from './ways.ts';

const KEY = createKey();
const CARD = '4111 1111 1111 1111';
const id = (at: number): string => `aaaaaaaa-0000-4000-8000-00000000000${at}`;
const policy = (at: number, name: string, rest: string): string =>
  `- {id: ${id(at)}, team: acme, name: ${name}, ${rest}}`;
const CONFIGURATION = `version: 1
teams: [{id: acme}]
keys:
- {id: acme, team: acme, sha256: ${hashKey(KEY)}, environments: [prod], scopes: [check, read]}
policies:
${policy(1, 'Cards', 'detect: {pii: {entities: [CREDIT_CARD]}}')}
${policy(2, 'Sesame', 'detect: {terms: {list: [open sesame]}}')}
${policy(3, 'Small images', 'sources: [image], detect: {image_properties: {max_width: 8}}')}
environments:
- id: prod
  team: acme
  conditions:
  - {id: all, name: Everything, when: 'has(metadata.mcp)', policies: [${id(1)}, ${id(2)}, ${id(3)}]}
`;

let system: System;
let given: WayOptions;
before(async () => {
  system = await startSystem({ configuration: { text: CONFIGURATION, file: 'mcp.yaml' } });
  const picture = async (width: number): Promise<string> =>
    (await flat(width, width).png().toBuffer()).toString('base64');
  given = { url: system.stack.url, key: KEY, pictures: { small: await picture(8), large: await picture(64) } };
});
after(() => system?.close());

const WAYS: Record<string, (options: WayOptions) => Promise<Way>> = {
  'stdio, 2025-11-25': (options) => overStdio('old', options),
  'stdio, 2026-07-28': (options) => overStdio('new', options),
  'HTTP, 2025-11-25': (options) => overHttp('old', options),
  'HTTP, 2026-07-28': (options) => overHttp('new', options),
};

/** What a call of a tool says, and whether it is an error. */
async function called(
  way: Way,
  name: string,
  args: Record<string, unknown> = {},
): Promise<{ text: string; isError: boolean }> {
  const { content, isError = false } = await way.client.callTool({ name, arguments: args });
  const [first] = content as { text?: string; type: string }[];
  return { text: first?.text ?? first?.type ?? '', isError };
}

for (const [name, connect] of Object.entries(WAYS)) {
  describe(`the proxy for MCP: ${name}`, () => {
    let way: Way;
    let sampled = 'Hello.';
    before(async () => {
      way = await connect({ ...given, sample: () => sampled });
    });
    after(() => way?.close());

    async function refused(call: Promise<unknown>, why: RegExp): Promise<void> {
      await assert.rejects(call, (error: Error) => {
        assert.match(error.message, why);
        assert.doesNotMatch(error.message, /4111|sesame/);
        return true;
      });
    }
    async function stopped(tool: string, args: Record<string, unknown>, why: RegExp): Promise<void> {
      const { text, isError } = await called(way, tool, args);
      assert.equal(isError, true, text);
      assert.match(text, why);
      assert.doesNotMatch(text, /4111|sesame/);
    }

    it('hands on what is clean, and has each call in history as a tool with its result', async () => {
      assert.deepEqual(await called(way, 'echo', { text: 'Good morning.' }), { text: 'Good morning.', isError: false });
      await system.archived();
      const rows = await system.sql(
        `SELECT i.field AS field, i.name AS name, count() AS n FROM items AS i FINAL WHERE i.type = 'tool' AND i.name = 'echo' GROUP BY field, name ORDER BY field`,
      );
      assert.deepEqual(
        rows.map(({ field }) => field),
        ['arguments', 'definition', 'output'].filter((field) => rows.some((row) => row.field === field)),
      );
      assert.ok(
        ['arguments', 'output'].every((field) => rows.some((row) => row.field === field)),
        JSON.stringify(rows),
      );
    });

    it('stops arguments before they reach the server', async () => {
      const calls = Number.parseInt((await called(way, 'count')).text, 10);
      await stopped('echo', { text: `My card is ${CARD}.` }, /^Stopped by Weir\. It violates: Cards\.$/);
      await stopped('echo', { deep: [{ [CARD]: true }] }, /Cards/);
      await stopped('echo', { number: 4111111111111111 }, /Cards/);
      assert.equal(Number.parseInt((await called(way, 'count')).text, 10), calls + 1);
    });

    for (const tool of ['leak', 'structured', 'embedded', 'blob']) {
      it(`stops the result of the tool "${tool}"`, () => stopped(tool, {}, /It violates: Cards\.$/));
    }
    it('stops an error of a tool', () => stopped('fail', {}, /It violates: Cards\.$/));
    it('looks at images', async () => {
      await stopped('small', {}, /It violates: Small images\.$/);
      assert.deepEqual(await called(way, 'large'), { text: 'image', isError: false });
    });
    it('refuses what Weir has no look at', () => stopped('sound', {}, /cannot be looked at: a recording\.$/));

    it('leaves tools and prompts with a poisoned description out, and refuses their calls', async () => {
      const { tools } = await way.client.listTools();
      assert.ok(tools.some(({ name }) => name === 'echo') && !tools.some(({ name }) => name === 'poisoned'));
      const { prompts } = await way.client.listPrompts();
      assert.deepEqual(
        prompts.map(({ name }) => name),
        ['good'],
      );
      await stopped('poisoned', {}, /this tool was withheld/);
      assert.match(way.said(), /stopped: entry 13 of the tools\/list response of the server: violates Sesame/);
    });

    it('checks prompts and resources, and answers with an error', async () => {
      assert.equal((await way.client.getPrompt({ name: 'good' })).messages.length, 1);
      await refused(way.client.getPrompt({ name: 'bad' }), /It violates: Cards\./);
      await refused(way.client.getPrompt({ name: 'good', arguments: { who: CARD } }), /It violates: Cards\./);
      assert.equal((await way.client.listResources()).resources.length, 1);
      assert.equal((await way.client.readResource({ uri: 'memo://good' })).contents.length, 1);
      await refused(way.client.readResource({ uri: 'memo://bad' }), /It violates: Cards\./);
    });

    it('checks requests for samples, and the samples', async () => {
      assert.match((await called(way, 'sample', { text: 'good' })).text, /Hello/);
      const { text, isError } = await called(way, 'sample', { text: 'bad' }).catch((error: Error) => ({
        text: error.message,
        isError: true,
      }));
      assert.ok(isError && /Stopped by Weir\. It violates: Cards/.test(text), text);
      sampled = `The card is ${CARD}.`;
      const other = await called(way, 'sample', { text: 'good' }).catch((error: Error) => ({
        text: error.message,
        isError: true,
      }));
      assert.ok(other.isError && /Stopped by Weir\. It violates: Cards/.test(other.text), other.text);
    });

    it('passes a cancellation on', async () => {
      const cancelled = Number(/(\d+) cancelled/.exec((await called(way, 'count')).text)![1]);
      const controller = new AbortController();
      const call = way.client.callTool({ name: 'wait', arguments: {} }, { signal: controller.signal });
      const calls = Number.parseInt((await called(way, 'count')).text, 10);
      await until(
        'the call has arrived',
        async () => Number.parseInt((await called(way, 'count')).text, 10) >= calls + 1,
      );
      controller.abort();
      await assert.rejects(call);
      await until('the server knows', async () =>
        (await called(way, 'count')).text.endsWith(`, ${cancelled + 1} cancelled`),
      );
    });

    it('says nothing of content, and gives the key to nobody', () => {
      assert.doesNotMatch(way.said(), /4111|open sesame/);
      assert.ok(!way.said().includes(KEY));
      for (const { headers } of way.heard) assert.equal(headers.authorization, 'Bearer of-the-server');
      assert.ok(name.startsWith('HTTP') ? way.heard.length > 0 : way.said().includes('key: none'));
    });
  });
}

describe('the proxy for MCP', () => {
  stdioTests(
    () => given,
    () => system,
  );
  httpTests(() => given);
});
