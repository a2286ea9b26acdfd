/** What was said: items by a text that a policy has found in them, and sessions as conversations. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import type { Conversation, HistoryItem, HistoryPage } from '#weir/shared/api/history';
import { until } from '../../support/wait.ts';
import { CARD, KEY, POLICY } from '../configuration.ts';
import { type Answer, type CallOptions, newRun, type System } from '../system.ts';

type Query = Record<string, string>;

const idOf = (item: HistoryItem): string =>
  (item.internal_event_id ?? item.internal_session_id ?? item.internal_artifact_id)!;

export function said(system: () => System): void {
  const ask = (path: string, query: Query, options: CallOptions = {}): Promise<Answer> =>
    system().get(`${path}?${new URLSearchParams(query).toString()}`, options);
  const refused = async (path: string, query: Query, status: number, param: string, options: CallOptions = {}) => {
    const { status: is, json, text } = await ask(path, query, options);
    assert.equal(is, status, text);
    assert.equal(json.error.param, param, text);
  };
  const message = (content: unknown, more: object = {}): object => ({
    type: 'message',
    role: 'user',
    content,
    ...more,
  });
  const tool = (output: unknown): object => ({ type: 'tool', name: 'search', output });

  describe('a text that was found', () => {
    const run = newRun();
    let since = '';
    const ids: string[] = [];
    async function asked(text: string, query: Query): Promise<HistoryPage> {
      const { status, json, text: body } = await ask('/api/history', { from: since, run_id: run, text, ...query });
      assert.equal(status, 200, body);
      return json;
    }
    /** Goes on where a machine that does much else had no time. */
    async function found(text: string, query: Query = {}): Promise<HistoryPage> {
      let page = await asked(text, query);
      const items = [...page.items];
      while (page.cut) {
        page = await asked(text, { ...query, before: page.next! });
        items.push(...page.items);
      }
      return { ...page, items };
    }
    const numbers = ({ items }: HistoryPage): number[] => items.map((item) => ids.indexOf(idOf(item)));

    before(async () => {
      since = new Date().toISOString();
      const { json } = await system().events(
        [
          message(`pay ${CARD}`),
          message('Open SESAME now'),
          // What is looked for stands in it, and was not what fired.
          message(`sesame seeds, pay ${CARD}`),
          message('sesame'),
          tool({ hits: ['a "quote"', 'open sesame'], note: 'fine' }),
          message('Öpen sesame: open sesame'),
        ],
        { run_id: run },
      );
      ids.push(...json.order.map((one: Record<string, string>) => one.internal_event_id));
      await system().archived();
    });

    it('finds items where a policy has found it, in capitals or not, and not where it only stands [history.text]', async () => {
      const all = await found('sesame');
      assert.deepEqual(numbers(all), [5, 4, 1]);
      assert.equal(all.cut, undefined);
      assert.equal(all.next, undefined);
      assert.deepEqual(numbers(await found('oPeN sEs')), [5, 4, 1]);
      assert.deepEqual(numbers(await found('4111')), [2, 0]);
      assert.deepEqual(numbers(await found('4111', { policy: 'Sesame' })), []);
      assert.deepEqual(numbers(await found('4111', { policy: POLICY.card.toUpperCase() })), [2, 0]);
      assert.deepEqual(
        numbers(await found('sesame', { to: since, from: new Date(Date.parse(since) - 1000).toISOString() })),
        [],
      );
      assert.deepEqual(numbers(await found('now')), []);
      assert.deepEqual(numbers(await found('sesame', { verdict: 'clean' })), []);
    });

    it('finds what came escaped in JSON [history.text]', async () => {
      const other = newRun();
      const escaped = `{"environment_id":"prod","run_id":"${other}","event":{"type":"tool","name":"search","output":{"a":["\\u006fpen s\\u0065same"]}}}`;
      const { status, text } = await system().post('/api/event', Buffer.from(escaped));
      assert.equal(status, 200, text);
      const id = (JSON.parse(text) as { event: { internal_event_id: string } }).event.internal_event_id;
      await system().archived();
      const [newest] = (await found('OPEN SESAME', { run_id: other })).items;
      assert.equal(idOf(newest!), id);
    });

    it('comes page by page, each once [history.text]', async () => {
      const first = await found('sesame', { limit: '1' });
      assert.deepEqual(numbers(first), [5]);
      const second = await found('sesame', { limit: '1', before: first.next! });
      assert.deepEqual(numbers(second), [4]);
      const third = await found('sesame', { limit: '2', before: second.next! });
      assert.deepEqual([numbers(third), third.next, third.cut], [[1], undefined, undefined]);
    });

    it('needs the scope content, sees its own team alone, and each item is told [history.text]', async () => {
      await refused('/api/history', { text: 'sesame' }, 403, 'text', { key: KEY.globex });
      await refused('/api/history', { text: 'x'.repeat(257) }, 400, 'text');
      await until('the item is told', async () => {
        const told = await system().sql(
          `SELECT count() AS n FROM weir.audit WHERE action = 'content.read' AND actor = 'acme' AND subject = '${ids[1]}'`,
        );
        return Number(told[0]!.n) > 0;
      });
      const not = await system().sql(
        `SELECT count() AS n FROM weir.audit WHERE action = 'content.read' AND subject = '${ids[3]}'`,
      );
      assert.equal(Number(not[0]!.n), 0);
    });
  });

  describe('a conversation', () => {
    const session = `talk-${randomUUID()}`;
    const ids: string[] = [];
    async function talk(query: Query = {}, options: CallOptions = {}): Promise<Conversation> {
      const asked = { environment_id: 'prod', external_session_id: session, ...query };
      const { status, json, text } = await ask('/api/history/conversation', asked, options);
      assert.equal(status, 200, text);
      return json;
    }

    before(async () => {
      const at = { external_session_id: session };
      const { json } = await system().events(
        [
          message('Where is it?', at),
          { ...message('Open sesame', at), role: 'assistant' },
          { type: 'tool', name: 'search', output: { hits: [1, 'a'] }, ...at },
        ],
        {},
      );
      ids.push(...json.order.map((one: Record<string, string>) => one.internal_event_id));
      const chat = {
        messages: [
          { role: 'user', content: 'first' },
          { role: 'user', content: 'open sesame' },
        ],
      };
      ids.push((await system().session({ ...chat, external_session_id: session })).json.internal_session_id);
      await system().archived();
    });

    it('has what was said in its order, with the verdict of each message [history.conversation]', async () => {
      const { messages, next } = await talk();
      assert.equal(next, undefined);
      assert.deepEqual(
        messages.map((one) => [idOf(one), one.role, one.content]),
        [
          [ids[0], 'user', 'Where is it?'],
          [ids[1], 'assistant', 'Open sesame'],
          [ids[2], undefined, '{"hits":[1,"a"]}'],
        ],
      );
      assert.deepEqual(
        messages.map(({ flagged, violations }) => flagged === violations.length > 0),
        [true, true, true],
      );
      const { messages: chats } = await talk({ environment_id: '', deployment_id: 'chat' });
      assert.deepEqual(
        chats.map((one) => [idOf(one), one.flagged, one.content]),
        [[ids[3], true, 'open sesame']],
      );
    });

    it('comes page by page, each once [history.conversation]', async () => {
      const seen: string[] = [];
      let after = '';
      do {
        const { messages, next = '' } = await talk({ limit: '1', after });
        seen.push(...messages.map(idOf));
        after = next;
      } while (after !== '' && seen.length < 10);
      assert.deepEqual(seen, ids.slice(0, 3));
    });

    it('shows what was said to who may see it, and nothing of others [history.conversation]', async () => {
      const theirs = await talk({}, { key: KEY.globex });
      assert.deepEqual(theirs.messages, []);
      await system().post(
        '/api/event',
        { environment_id: 'prod', event: message('open sesame', { external_session_id: session }) },
        { key: KEY.globex },
      );
      await system().archived();
      const own = await talk({}, { key: KEY.globex });
      assert.deepEqual(
        own.messages.map(({ content }) => content),
        [undefined],
        'without the scope content',
      );
      const path = '/api/history/conversation';
      const asked = { external_session_id: session };
      await refused(path, { ...asked, environment_id: 'staging' }, 404, 'environment_id', { key: KEY.globex });
      await refused(path, asked, 400, 'environment_id');
      await refused(path, { ...asked, environment_id: 'prod', deployment_id: 'chat' }, 400, 'environment_id');
      await refused(path, { environment_id: 'prod' }, 400, 'external_session_id');
      await refused(path, { ...asked, environment_id: 'prod', after: 'x' }, 400, 'after');
      await refused(path, { ...asked, environment_id: 'prod', limit: '101' }, 400, 'limit');
      await until('what was shown is told', async () => {
        const told = await system().sql(
          `SELECT uniqExact(subject) AS n FROM weir.audit WHERE action = 'content.read' AND subject IN ('${ids.join("','")}')`,
        );
        return Number(told[0]!.n) === 4;
      });
    });
  });
}
