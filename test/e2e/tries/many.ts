/** Backtests of edited policies over what was checked, and cases: through the whole system. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import sharp from 'sharp';
import type { BacktestPage, BacktestPolicy, PolicyTestResult } from '#weir/shared/api/try';
import type { Issue } from '#weir/shared/api/types';
import { until } from '../../support/wait.ts';
import type { Answer, CallOptions, System } from '../system.ts';

/** What the tests have of the installation. */
export interface ManyTries {
  system(): System;
  /** of `judge` and `narrow`: a key that may try, see content and labels, in `chat` and `prod`; one that may only try, in `staging` */
  keys: { judge: string; acme: string; checker: string; narrow: string; globex: string };
  policies: { words: string; later: string; advice: string };
}

const EVENTS = 210;
const NEW = 'cccccccc-0000-4000-8000-000000000002';
/** Nothing else has checked anything then: of the time of these tests alone. */
let from = '';
let to = '';

export function manyTries({ system, keys, policies: { words, later, advice } }: ManyTries): void {
  const message = (content: string): object => ({ type: 'message', role: 'user', content });
  /** A page has two seconds, which a machine that does much else may need for the first one. */
  async function sent(path: string, body: unknown, options: CallOptions): Promise<Answer> {
    let answer: Answer | undefined;
    await until('it is in time', async () => {
      answer = await system().post(path, body, options);
      return answer.status !== 504;
    });
    return answer!;
  }
  async function page(body: object, key = keys.judge): Promise<BacktestPage> {
    const { status, json, text } = await sent('/api/try/backtest', { from, to, ...body }, { key });
    assert.equal(status, 200, text);
    return json;
  }
  /** All pages. */
  async function backtest(body: object): Promise<BacktestPage[]> {
    const pages = [await page(body)];
    for (let next = pages[0]!.next; next; next = pages.at(-1)!.next) pages.push(await page({ ...body, before: next }));
    return pages;
  }
  /** All in one page, for which a machine that does much else may have no time at first. */
  async function whole(body: object): Promise<BacktestPage> {
    let found: BacktestPage | undefined;
    await until('all is in one page', async () => {
      found = await page(body);
      return found.next === undefined;
    });
    return found!;
  }
  const of = ({ policies }: BacktestPage, id: string): BacktestPolicy => policies.find((one) => one.policy_id === id)!;
  const sum = (pages: readonly BacktestPage[], id: string, what: 'newly_flagged' | 'newly_cleared' | 'still_clean') =>
    pages.reduce((all, one) => all + (of(one, id)?.[what] ?? 0), 0);
  const rain = { id: words, detect: { terms: { list: ['purple rain'] } } };

  describe('a backtest', () => {
    const ids: string[] = [];
    const chats = { plain: '', named: '', image: '', other: '' };
    before(async () => {
      from = new Date().toISOString();
      for (let at = 0; at < EVENTS; at += 42) {
        const some = Array.from({ length: 42 }, (_, i) => message(at + i === 0 ? 'open sesame' : `rain ${at + i}`));
        if (at === 0) some.push(message('purple rain'), message(''));
        const { status, json, text } = await system().post(
          '/api/events',
          { environment_id: 'prod', events: some },
          { key: keys.acme },
        );
        assert.equal(status, 200, text);
        ids.push(...json.order.map((one: { internal_event_id: string }) => one.internal_event_id));
      }
      const chat = async (content: unknown, more: object = {}): Promise<string> => {
        const body = { deployment_id: 'chat', messages: [{ role: 'user', content }], ...more };
        const { status, json, text } = await system().post('/api/session/check', body, { key: keys.acme });
        assert.equal(status, 200, text);
        return json.internal_session_id;
      };
      const png = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
        .png()
        .toBuffer();
      const image = { type: 'artifact', content: { kind: 'image', data: png.toString('base64') } };
      chats.plain = await chat('purple rain');
      chats.other = await chat('open sesame');
      chats.named = await chat('purple rain', { policy_ids: [words] });
      chats.image = await chat([{ type: 'text', text: 'purple rain' }, image]);
      await system().archived();
      to = new Date().toISOString();
    });

    it('says page by page what edits change, and nothing twice [try.backtest]', async () => {
      const pages = await backtest({ environment_id: 'prod', policies: [rain] });
      assert.equal(pages[0]!.total, EVENTS + 2);
      assert.ok(pages.length >= 2, `${pages.length} pages`);
      assert.ok(pages.slice(1).every(({ total }) => total === undefined));
      assert.equal(
        pages.reduce((all, { items }) => all + items, 0),
        EVENTS + 2,
      );
      assert.equal(
        pages.reduce((all, { evaluated }) => all + evaluated, 0),
        EVENTS + 1,
      );
      assert.equal(
        pages.reduce((all, { not_stored }) => all + not_stored, 0),
        1,
        'an empty text',
      );
      assert.deepEqual([sum(pages, words, 'newly_flagged'), sum(pages, words, 'newly_cleared')], [1, 1]);
      assert.equal(sum(pages, words, 'still_clean'), EVENTS - 1);
      const differing = pages.flatMap((one) => one.differing);
      const [cleared, flagged] = [ids[0]!, ids[42]!];
      assert.deepEqual(
        new Map(differing.map(({ internal_event_id: id, ...rest }) => [id, rest])),
        new Map([
          [flagged, { newly_flagged: [words], newly_cleared: [] }],
          [cleared, { newly_flagged: [], newly_cleared: [words] }],
        ]),
      );
    });

    it('finds no difference without edits, and a new policy or condition where it would look [try.backtest]', async () => {
      const plain = await backtest({ environment_id: 'prod' });
      assert.deepEqual(
        plain.flatMap(({ differing }) => differing),
        [],
      );
      const added = { id: NEW, name: 'New', detect: { terms: { list: ['purple rain'] } } };
      const some = await backtest({ environment_id: 'prod', policies: [added] });
      assert.equal(sum(some, NEW, 'newly_flagged'), 1);
      const conditions = [{ id: 'none', name: 'None', when: 'false', policies: [words] }];
      const none = await backtest({ environment_id: 'prod', conditions });
      assert.equal(sum(none, words, 'newly_cleared'), 1);
    });

    it('of sessions keeps to what callers named, looks at no image, and says what it cannot tell [try.backtest]', async () => {
      const only = await whole({ deployment_id: 'chat', policies: [rain] });
      const { total, items, evaluated, images, differing } = only;
      // The image of a chat is an item of its own.
      assert.deepEqual([total, items, evaluated, images], [5, 5, 3, 2]);
      const flagged = differing.filter(({ newly_flagged }) => newly_flagged.length > 0);
      assert.deepEqual(flagged.map((one) => one.internal_session_id).sort(), [chats.plain, chats.named].sort());
      assert.deepEqual(of(only, later).not_evaluated, 2, 'earlier messages are not stored');
      const named = await whole({ deployment_id: 'chat', policies: [{ id: NEW, name: 'New', detect: rain.detect }] });
      const changed = named.differing.map((one) => one.internal_session_id);
      assert.deepEqual(changed, [chats.plain], 'a policy that the caller did not name');
    });

    it('asks no backend about what was checked [try.backtest]', async () => {
      const conditions = [{ id: 'all', name: 'All', when: 'true', policies: [advice] }];
      const { policies, evaluated, items } = await page({ environment_id: 'prod', conditions });
      assert.ok(evaluated > 0 && evaluated <= items);
      assert.ok(policies.every(({ policy_id: id, newly_flagged }) => id !== advice || newly_flagged === 0));
    });

    it('says what becomes of labelled items, for who may see labels [try.backtest.labels]', async () => {
      const label = (id: string, said: string): Promise<Answer> =>
        system().post(
          '/api/label',
          { internal_event_id: id, environment_id: 'prod', policy: words, label: said },
          { key: keys.judge },
        );
      assert.equal((await label(ids[0]!, 'false_alarm')).status, 200);
      assert.equal((await label(ids[42]!, 'missed')).status, 200);
      const pages = await backtest({ environment_id: 'prod', policies: [rain] });
      const labelled = pages.flatMap((one) => of(one, words)?.labelled ?? []);
      const count = (name: keyof (typeof labelled)[number]): number =>
        labelled.reduce((all, one) => all + one[name], 0);
      assert.deepEqual(
        [count('false_removed'), count('missed_found'), count('true_lost'), count('unknown')],
        [1, 1, 0, 0],
      );
    });

    it('needs the scopes try and content, sees its own team alone, and is told [try.backtest.scope]', async () => {
      const asked = { environment_id: 'prod', from, to };
      for (const key of [keys.checker, keys.narrow, keys.acme]) {
        const { status, json } = await system().post('/api/try/backtest', asked, { key });
        assert.deepEqual([status, json.error.code], [403, 'permission_denied']);
      }
      const theirs = await sent('/api/try/backtest', asked, { key: keys.globex });
      assert.equal(theirs.json.total, 0, theirs.text);
      const elsewhere = { ...asked, environment_id: 'staging' };
      assert.equal((await sent('/api/try/backtest', elsewhere, { key: keys.globex })).status, 404);
      await until('it is told', async () => {
        const rows = await system().sql(
          "SELECT action FROM weir.audit WHERE actor = 'judge' AND subject_kind = 'scope' AND subject = 'prod' GROUP BY action ORDER BY action",
        );
        return rows.map(({ action }) => action).join() === 'content.read,policies.tried';
      });
    });

    it('refuses what is wrong with the edits, the place, the time and the page', async () => {
      const refused = async (body: object, path: string): Promise<void> => {
        const { status, json, text } = await sent('/api/try/backtest', body, { key: keys.judge });
        assert.equal(status, 400, text);
        assert.equal((json.error.issues as Issue[])[0]!.path, path, text);
      };
      await refused({}, 'environment_id');
      await refused({ environment_id: 'prod', deployment_id: 'chat' }, 'environment_id');
      await refused({ deployment_id: 'chat', conditions: [] }, 'conditions');
      await refused({ environment_id: 'prod', from: 'yesterday' }, 'from');
      await refused({ environment_id: 'prod', from: to, to: from }, 'from');
      await refused({ environment_id: 'prod', before: 'x' }, 'before');
      await refused({ environment_id: 'prod', before: NEW }, 'before');
      await refused({ environment_id: 'prod', policies: [{ id: words, severity: 'hihg' }] }, 'policies[0].severity');
    });
  });

  describe('cases', () => {
    const edits = { environment_id: 'prod', policies: [rain] };
    const test = (cases: string, more: object = {}, key = keys.acme): Promise<Answer> =>
      sent('/api/try/test', { ...edits, cases, ...more }, { key });

    /** All of them, however many there is time for at once. */
    async function all(text: string, more: object = {}): Promise<PolicyTestResult['cases']> {
      const results: PolicyTestResult['cases'] = [];
      for (let start: number | undefined = 0; start !== undefined; ) {
        const answer: Answer = await test(text, { ...more, start });
        assert.equal(answer.status, 200, answer.text);
        const { total, cases, next }: PolicyTestResult = answer.json;
        results.push(...cases);
        assert.equal(next, results.length < total ? results.length : undefined);
        start = next;
      }
      return results;
    }

    it('pass or fail by what is edited, with why [try.tests]', async () => {
      const cases = await all(`cases:
- name: Rain is flagged
  text: purple rain
  expect: {policies: [Words]}
- name: Sesame is not
  text: open sesame
  expect: {flagged: false}
- name: Snow is flagged
  text: white snow
  expect: {policies: [Words]}
- name: A chat
  deployment: chat
  session: {messages: [{role: user, content: purple rain}]}
  expect: {policies: [Words]}
- name: An image
  event: {type: artifact, role: user, content: {kind: image, data: "${'A'.repeat(40)}"}}
  expect: {flagged: false}
`);
      assert.deepEqual(
        cases.map(({ name, line, outcome }) => [name, line, outcome]),
        [
          ['Rain is flagged', 2, 'passed'],
          ['Sesame is not', 5, 'passed'],
          ['Snow is flagged', 8, 'failed'],
          ['A chat', 11, 'passed'],
          ['An image', 15, 'not_run'],
        ],
      );
      assert.deepEqual(cases[2]!.why, ['- Words: expected, and not flagged; it looked, and found nothing']);
      assert.match(cases[4]!.why[0]!, /weir test does that/);
    });

    it('go on where the time was over, or where they are to begin [try.tests]', async () => {
      const cases = Array.from({ length: 30 }, (_, i) => ({
        name: `case ${i}`,
        text: 'purple rain',
        expect: { policies: ['Words'] },
      }));
      const { json } = await test(JSON.stringify({ cases }), { start: 28 });
      const [first] = json.cases as PolicyTestResult['cases'];
      assert.deepEqual([first!.name, first!.outcome], ['case 28', 'passed']);
      const names = (await all(JSON.stringify({ cases }))).map(({ name, outcome }) => `${name}: ${outcome}`);
      assert.deepEqual(
        names,
        Array.from(cases, ({ name }) => `${name}: passed`),
      );
      const behind = await test(JSON.stringify({ cases }), { start: 30 });
      assert.deepEqual([behind.status, behind.json.error.param], [400, 'start']);
    });

    it('are refused where they are wrong, with the place, and may name only what the key was granted', async () => {
      const wrong = await test('cases:\n- name: A\n  text: a\n  expect: {policies: [Wordz]}\n');
      assert.equal(wrong.status, 400, wrong.text);
      const [issue] = wrong.json.error.issues as Issue[];
      assert.equal(issue!.path, 'cases[0].expect.policies[0]');
      assert.match(issue!.message, /did you mean "Words"\? \(line 4, column 23\)/);
      const file = await test('cases: [{name: A, image: a.png, expect: {flagged: false}}]');
      assert.match(file.text, /no file is read here/);
      const one = (place: string): string => `cases: [{name: A, ${place}, text: a, expect: {flagged: false}}]`;
      const narrow = { environment_id: 'staging', policies: [] };
      assert.equal((await test(one('environment: staging'), narrow, keys.narrow)).status, 200);
      const denied = await test(one('environment: prod'), narrow, keys.narrow);
      assert.match(denied.text, /there is no environment \\"prod\\"/);
      const theirs = await test(one('team: globex'), {}, keys.acme);
      assert.match(theirs.text, /there is no team \\"globex\\"/);
      const broken = await test('cases: [');
      assert.equal(broken.status, 400, broken.text);
      assert.equal((await test(one('environment: prod'), {}, keys.checker)).status, 403);
    });
  });
}
