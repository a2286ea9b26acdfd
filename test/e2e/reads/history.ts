/** Lists and figures of what was checked, and users by risk, as the console asks for them. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { before, describe, it } from 'node:test';
import type { FigureSplit, HistoryFigures, HistoryItem, HistoryPage, RiskyUsers } from '#weir/shared/api/history';
import { CARD, KEY, POLICY } from '../configuration.ts';
import type { Answer, CallOptions, System } from '../system.ts';

type Query = Record<string, string>;

export function history(system: () => System): void {
  describe('lists and figures', { concurrency: 4 }, () => {
    const user = `u-${randomUUID()}`;
    const email = `Ünï-${randomUUID()}@Example.org`;
    const run = `run-${randomUUID()}`;
    const session = `chat-${randomUUID()}`;
    const ask = (path: string, query: Query = {}, options: CallOptions = {}): Promise<Answer> =>
      system().get(`${path}?${new URLSearchParams(query).toString()}`, options);
    async function page(query: Query = {}, options: CallOptions = {}): Promise<HistoryPage> {
      const { status, json, text } = await ask('/api/history', query, options);
      assert.equal(status, 200, text);
      return json;
    }
    async function figures(query: Query = {}, options: CallOptions = {}): Promise<HistoryFigures> {
      const { status, json, text } = await ask('/api/history/figures', query, options);
      assert.equal(status, 200, text);
      return json;
    }
    const idOf = (item: HistoryItem): string =>
      (item.internal_event_id ?? item.internal_session_id ?? item.internal_artifact_id)!;
    /** by name, in the order of their arrival */
    const ids: Record<'card' | 'sesame' | 'cheap' | 'clean' | 'chat' | 'foreign' | 'staging', string> = {} as never;
    let since = '';

    before(async () => {
      const s = system();
      since = new Date().toISOString();
      const said = (content: string, more: object = {}) => ({
        type: 'message',
        role: 'user',
        content,
        metadata: { user: { id: user, email, ...more } },
      });
      const { json } = await s.events(
        [said(`card ${CARD}`), said('open sesame'), said('for nothing', { tier: 'free' })],
        {
          run_id: run,
        },
      );
      [ids.card, ids.sesame, ids.cheap] = json.order.map((one: Record<string, string>) => one.internal_event_id);
      const clean = await s.events([{ type: 'tool', name: 'search', arguments: { q: 'fine' }, event_id: 'clean' }], {
        run_id: run,
      });
      ids.clean = clean.json.order[0].internal_event_id;
      const messages = [{ role: 'user', content: `open sesame ${CARD}`, metadata: { user: { id: user, email } } }];
      ids.chat = (await s.session({ messages, external_session_id: session })).json.internal_session_id;
      const foreign = { environment_id: 'prod', run_id: run, event: said('open sesame') };
      ids.foreign = (await s.post('/api/event', foreign, { key: KEY.globex })).json.event.internal_event_id;
      const staged = {
        environment_id: 'staging',
        run_id: run,
        event: { type: 'tool', name: 'search', output: 'for nothing' },
      };
      ids.staging = (await s.post('/api/event', staged)).json.event.internal_event_id;
      await s.archived();
    });

    it('are what the key was granted, the newest first, each once [history.list] [history.own]', async () => {
      const mine = await page({ from: since });
      const { card, sesame, cheap, clean, chat, foreign, staging } = ids;
      const all = mine.items.map(idOf).filter((id) => Object.values(ids).includes(id));
      assert.deepEqual(all, [staging, chat, clean, cheap, sesame, card]);
      assert.deepEqual((await page({ from: since, run_id: run }, { key: KEY.globex })).items.map(idOf), [foreign]);
      assert.deepEqual((await page({ from: since, run_id: run }, { key: KEY.narrow })).items.map(idOf), [staging]);
      assert.deepEqual((await page({ from: since, run_id: run, environment_id: 'staging' })).items.map(idOf), [
        staging,
      ]);
      assert.deepEqual((await page({ from: since, user, deployment_id: 'chat' })).items.map(idOf), [chat]);
      const first = mine.items.find((item) => idOf(item) === card)!;
      const { created_at: at, duration_ms: took, event_id: own, ...rest } = first;
      assert.ok(Date.parse(at) >= Date.parse(since) && took >= 0 && own !== '');
      assert.deepEqual(rest, {
        internal_event_id: card,
        environment_id: 'prod',
        event_type: 'message',
        role: 'user',
        run_id: run,
        user_id: user,
        user_email: email.toLowerCase(),
        flagged: true,
        not_evaluated: 0,
        violations: [{ policy_id: POLICY.card, policy_name: 'Cards', severity: 'high', sources: ['text'] }],
      });
    });

    it('come page by page, without a gap or a repetition [history.list]', async () => {
      const whole = (await page({ from: since, user })).items.map(idOf);
      const paged: string[] = [];
      let before: string | undefined;
      do {
        const { items, next } = await page({
          from: since,
          user,
          limit: '1',
          ...(before === undefined ? {} : { before }),
        });
        paged.push(...items.map(idOf));
        before = next;
      } while (before !== undefined && paged.length < 10);
      assert.deepEqual(paged, whole);
      assert.equal(whole.length, 4);
    });

    it('have what each filter takes, alone and together [history.filter]', async () => {
      const { card, sesame, cheap, clean, chat, staging } = ids;
      const filters: [Query, string[]][] = [
        [{ run_id: run }, [staging, clean, cheap, sesame, card]],
        [{ external_session_id: session }, [chat]],
        [{ user: email.toUpperCase() }, [chat, cheap, sesame, card]],
        [{ user, policy: 'Cards' }, [chat, card]],
        [{ user, policy: POLICY.sesame.toUpperCase() }, [chat, sesame]],
        [{ user, policy: 'Cards', condition: 'all' }, [card]],
        [{ user, condition: 'free' }, [cheap]],
        [{ user, condition: 'free', policy: 'Cards' }, []],
        [{ user, condition: '"' }, []],
        [{ user, source: 'text' }, [chat, cheap, sesame, card]],
        [{ user, source: 'image' }, []],
        [{ run_id: run, verdict: 'flagged' }, [staging, cheap, sesame, card]],
        [{ run_id: run, verdict: 'clean' }, [clean]],
        [{ run_id: run, verdict: 'not_evaluated' }, []],
        [{ user: "'" }, []],
        [{ policy: 'Globex' }, []],
        [{ user, to: since }, []],
      ];
      for (const [query, expected] of filters) {
        const wanted = 'to' in query ? query : { ...query, from: since };
        assert.deepEqual((await page(wanted)).items.map(idOf), expected, JSON.stringify(query));
      }
    });

    it('count what is listed, in total, by step and by what they are split by [history.figures]', async () => {
      const all = await figures({ from: since, user });
      const { p50_ms: p50, p99_ms: p99, ...total } = all.total;
      assert.deepEqual(total, { checks: 4, flagged: 4, not_evaluated: 0 });
      assert.ok(p50 !== null && p99 !== null && p50 <= p99);
      assert.equal(all.step_seconds, 60);
      assert.equal(all.from, new Date(Math.floor(Date.parse(since) / 60_000) * 60_000).toISOString());
      const sum = (points: readonly number[]): number => points.reduce((one, more) => one + more, 0);
      assert.deepEqual(
        [sum(all.steps.map(({ checks }) => checks)), sum(all.steps.map(({ flagged }) => flagged))],
        [4, 4],
      );
      assert.deepEqual(all.groups, []);
      assert.equal((await figures({ from: since, user, policy: 'Cards' })).total.flagged, 2);
      assert.equal(
        (await figures({ from: since, user, policy: 'Cards' })).total.checks,
        4,
        'others stay among the checks',
      );
      assert.deepEqual((await figures({ to: since, user })).total, {
        checks: 0,
        flagged: 0,
        not_evaluated: 0,
        p50_ms: null,
        p99_ms: null,
      });
      const split = async (by: FigureSplit, more: Query = {}): Promise<[string, string, number][]> => {
        const { steps, groups } = await figures({ from: since, user, by, ...more });
        return groups.map(({ id, name, flagged, points }) => {
          assert.equal(points.length, steps.length);
          assert.equal(sum(points), flagged);
          return [id, name, flagged];
        });
      };
      const CARDS = [POLICY.card, 'Cards', 2];
      const SESAME = [POLICY.sesame, 'Sesame', 2];
      assert.deepEqual(await split('policy'), [CARDS, SESAME, [POLICY.cheap, 'Cheap', 1]]);
      assert.deepEqual(await split('policy', { policy: 'Cards' }), [CARDS]);
      assert.deepEqual(await split('policy', { condition: 'free' }), [[POLICY.cheap, 'Cheap', 1]]);
      assert.deepEqual(await split('source'), [['text', 'text', 4]]);
      assert.deepEqual(await split('source', { policy: 'Cheap' }), [['text', 'text', 1]]);
      assert.deepEqual(await split('condition'), [
        ['all', 'Everything', 2],
        ['free', 'Free tier', 1],
      ]);
      assert.deepEqual(await split('condition', { source: 'text', policy: 'Cheap' }), [['free', 'Free tier', 1]]);
      assert.deepEqual(await split('user'), [[user, user, 4]]);
      assert.deepEqual(await split('shadow'), []);
    });

    it('are split in each way by each filter, which are the queries that there are [history.figures]', async () => {
      const filters: Query[] = [
        { policy: 'Sesame' },
        { source: 'text' },
        { condition: 'all' },
        { user },
        { run_id: run },
        { external_session_id: session },
        { policy: 'Sesame', source: 'text', condition: 'all', user, run_id: run },
      ];
      for (const by of ['policy', 'source', 'condition', 'user', 'shadow'] as const) {
        for (const filter of filters) {
          const { total, groups } = await figures({ from: since, ...filter, by });
          const text = JSON.stringify({ by, ...filter });
          // Nothing is in the shadow. Chats have no conditions, and of an item's policies others may be chosen by another condition.
          if (by === 'shadow' || (by === 'condition' && filter.external_session_id)) assert.deepEqual(groups, [], text);
          else assert.ok(groups[0]!.flagged > 0 && groups[0]!.flagged <= total.flagged, text);
        }
      }
    });

    it('have users by risk, with the level of user risk [history.users]', async () => {
      const { status, json } = await ask('/api/users', { limit: '200' });
      assert.equal(status, 200);
      const { users, window_days: days } = json as RiskyUsers;
      assert.equal(days, 30);
      const mine = users.find(({ id }) => id === user)!;
      const { last_flagged_at: last, violations, ...rest } = mine;
      assert.ok(Date.parse(last) >= Date.parse(since));
      assert.deepEqual(rest, { id: user, risk_level: 'elevated', score: 5, checks: 1, flagged: 1 });
      assert.deepEqual(
        new Set(violations.map(({ policy_name, checks }) => `${policy_name} ${checks}`)),
        new Set(['Cards 1', 'Sesame 1']),
      );
      assert.ok(users.some((one) => one.email === email.toLowerCase()));
      assert.deepEqual(
        users.map(({ score }) => score),
        users.map(({ score }) => score).sort((a, b) => b - a),
      );
      assert.equal((await ask('/api/radar/risk', { id: user })).json.risk_level, 'elevated');
      const severe = (await ask('/api/users', { level: 'severe' })).json as RiskyUsers;
      assert.ok(severe.users.every(({ risk_level }) => risk_level === 'severe'));
      const others = (await ask('/api/users', {}, { key: KEY.globex })).json as RiskyUsers;
      assert.ok(!others.users.some(({ id }) => id === user));
    });

    it('refuse what cannot be meant, and say what is wrong [history.wrong]', async () => {
      const wrong: [path: string, query: Query, param: string][] = [
        ['/api/history', { from: 'yesterday' }, 'from'],
        ['/api/history', { from: '2026-01-02T00:00:00Z', to: '2026-01-01T00:00:00Z' }, 'from'],
        ['/api/history/figures', { from: '2020-01-01', to: '2026-01-01' }, 'from'],
        ['/api/history', { to: '2026-13-01T00:00:00Z' }, 'to'],
        ['/api/history', { verdict: 'bad' }, 'verdict'],
        ['/api/history', { source: 'sound' }, 'source'],
        ['/api/history', { before: 'x' }, 'before'],
        ['/api/history', { before: '01890000-0000-7000-8000-000000000000' }, 'before'],
        ['/api/history', { limit: '201' }, 'limit'],
        ['/api/history', { user: 'u'.repeat(257) }, 'user'],
        ['/api/history/figures', { by: 'moon' }, 'by'],
        ['/api/users', { level: 'normal' }, 'level'],
      ];
      for (const [path, query, param] of wrong) {
        const { status, json } = await ask(path, query);
        assert.deepEqual([status, json.error.param], [400, param], JSON.stringify(query));
      }
      for (const name of ['environment_id', 'deployment_id']) {
        const { status, json } = await ask('/api/history', { [name]: 'prod-2' });
        assert.deepEqual([status, json.error.param], [404, name]);
      }
    });

    it('say what the key may see [history.key]', async () => {
      const { json, text } = await ask('/api/key', {}, { key: KEY.narrow });
      const { policies, ...rest } = json;
      assert.deepEqual(rest, {
        key_id: 'narrow',
        team: 'acme',
        scopes: ['check', 'read', 'risk'],
        environments: ['staging'],
        deployments: ['support'],
      });
      assert.deepEqual(policies[0], {
        policy_id: POLICY.agentState,
        policy_name: 'Agent state',
        severity: 'medium',
        mode: 'live',
      });
      assert.ok(!text.includes('Globex') && !text.includes('sha256'));
    });
  });
}
