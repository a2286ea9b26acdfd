/** The view of operators: the state, what was given up or refused, and what is replayed after a question. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { itemId, newRequestId } from '#weir/shared/ids';
import { keys } from '#weir/shared/streams/keys';
import { until } from '../../support/wait.ts';
import { KEY } from '../configuration.ts';
import type { System } from '../system.ts';
import { withHostileAnswers } from './hostile.ts';
import type { ConsolePage } from './try.ts';

/** More than a page. */
const LETTERS = 52;

export function operationView(opened: () => ConsolePage & { system: System }, hostile: string): void {
  /** An event that nobody could judge, in the stream where it is given up. */
  async function giveUp(id: string, reason: string): Promise<void> {
    const now = Date.now();
    const known = { kind: 'event', team: 'acme', scope: 'prod', config: 1, key: 'k', reply: '' };
    const header = JSON.stringify({ ...known, id, received: now, deadline: now });
    const body = JSON.stringify({ event: { type: 'reasoning', event_id: 'e', run_id: 'given-up', content: 'fine' } });
    const letter = { header, body, reason, attempts: '3', entry: '1-0' };
    await opened().system.redis.xadd(keys.dead(0), '*', ...Object.entries(letter).flat());
  }

  it('says what weir status says, also why checks are refused, with no team in it', async () => {
    const { page, system, signIn, heading, accessible } = opened();
    await page.clock.install();
    await signIn(KEY.operator);
    await heading('Operation');
    await page.getByText('checks are taken').waitFor();
    assert.match((await page.locator('.who').textContent())!, /^all teams · operator/);
    assert.deepEqual(await page.getByRole('navigation').getByRole('link').allTextContents(), ['Operation', 'Audit']);
    await page.getByText('Nothing was given up.').waitFor();
    await page.getByText('No rows are refused.').waitFor();
    assert.equal(await page.getByRole('button', { name: /^Replay/ }).count(), 0);
    await page.getByText('Partitions', { exact: true }).click();
    assert.match((await page.getByRole('row', { name: /^0/ }).textContent())!, /^00.*0\.?\d* s1/);
    await system.redis.config('SET', 'min-replicas-to-write', '1');
    try {
      await page.getByRole('button', { name: 'Ask again' }).click();
      await page.getByText('checks are refused').waitFor();
      await page.locator('.note').filter({ hasText: 'min-replicas-to-write' }).waitFor();
      await accessible();
    } finally {
      await system.redis.config('SET', 'min-replicas-to-write', '0');
    }
    await page.getByLabel('Ask again every 10 seconds').check();
    await page.clock.fastForward(10_000);
    await page.getByText('checks are taken').waitFor();
  });

  it('lists dead letters page by page, and replays one after a question, by keyboard', async () => {
    const { page, system, signIn, heading, accessible } = opened();
    const id = newRequestId(0);
    await giveUp(id, 'its evaluation was interrupted');
    for (let n = 1; n < LETTERS; n++) await giveUp(newRequestId(0), `number ${n} ${hostile}`);
    await system.redis.xadd(keys.dead(0), '*', 'header', hostile, 'body', '', 'reason', 'unreadable', 'attempts', '3');
    await signIn(KEY.operator, '#/operation');
    await heading('Operation');
    const list = page.getByRole('region', { name: 'Dead letters' });
    await list.waitFor();
    assert.equal(await list.locator('tbody tr').count(), 50);
    assert.ok((await list.textContent())!.includes(hostile));
    await list.getByText('Cannot be replayed').waitFor();
    await page.getByRole('link', { name: 'Older' }).click();
    await until('the rest', async () => (await list.locator('tbody tr').count()) === LETTERS + 1 - 50);
    const row = list.getByRole('row').filter({ hasText: id });
    const replay = row.getByRole('button', { name: /^Replay dead letter 0\/\d+-0$/ });
    await replay.focus();
    await page.keyboard.press('Enter');
    const question = page.getByRole('dialog', { name: /^Replay dead letter/ });
    await question.waitFor();
    await accessible();
    // The first button is the one that does nothing.
    await page.keyboard.press('Enter');
    await question.waitFor({ state: 'detached' });
    assert.equal(await replay.evaluate('document.activeElement.textContent'), 'Replay', 'the focus is back');
    assert.equal(await system.redis.xlen(keys.dead(0)), LETTERS + 1);
    await page.keyboard.press('Enter');
    await question.getByRole('button', { name: 'Replay' }).press('Enter');
    const said = page.getByRole('status').filter({ hasText: /^Replayed dead letter 0\// });
    await said.waitFor();
    await until('it has left the list', async () => (await row.count()) === 0);
    assert.equal(await said.evaluate('document.activeElement.className'), 'note', 'the focus is at what was done');
    const path = `/api/event/${itemId(id, 1)}?environment_id=prod`;
    await until('it is finished', async () => (await system.get(path)).json.event?.status === 'completed');
    await system.redis.del(keys.dead(0));
    // What somebody else has replayed meanwhile.
    await list
      .getByRole('button', { name: /^Replay/ })
      .last()
      .click();
    await question.getByRole('button', { name: 'Replay' }).click();
    await page
      .getByRole('alert')
      .filter({ hasText: /^dead letter 0\/.*: / })
      .waitFor();
    opened().troubles.length = 0;
    await page.getByText('Nothing was given up.').waitFor();
  });

  it('lists what ClickHouse refuses, and has one or all of it archived again', async () => {
    const { page, system, signIn, heading, accessible } = opened();
    await system.sql("ALTER TABLE contents ADD CONSTRAINT no_word CHECK content != 'a forbidden word'");
    const messages = [{ role: 'user', content: 'a forbidden word' }];
    for (let n = 0; n < 3; n++) await system.session({ messages, external_session_id: `refused ${n}` });
    await until('all are set aside', async () => (await system.redis.xlen(keys.refused(0))) === 3);
    await signIn(KEY.operator, '#/operation');
    await heading('Operation');
    const list = page.getByRole('region', { name: 'Refused rows' });
    await list.waitFor();
    assert.equal(await list.locator('tbody tr').count(), 3);
    assert.match((await list.textContent())!, /constraint no_word/);
    const more = {
      region: 'r',
      refusing: ['why'],
      behind: ['host'],
      unable: [{ name: 'host', reason: 'why' }],
      clickhouse: 'why',
      unread: 'why',
    };
    await withHostileAnswers(page, { path: '**/api/operation/*', hostile, more }, async () => {
      await page.getByRole('button', { name: 'Ask again' }).click();
      await list.getByText(hostile).first().waitFor();
      await page.locator('.note').filter({ hasText: hostile }).first().waitFor();
      await accessible();
    });
    await page.getByRole('button', { name: 'Ask again' }).click();
    await list.getByText(hostile).first().waitFor({ state: 'detached' });
    await system.sql('ALTER TABLE contents DROP CONSTRAINT no_word');
    await list
      .getByRole('button', { name: /^Replay refused rows/ })
      .first()
      .click();
    await page.getByRole('dialog').getByRole('button', { name: 'Replay' }).click();
    await page
      .getByRole('status')
      .filter({ hasText: /^Replayed refused rows/ })
      .waitFor();
    await until('it has left the list', async () => (await list.locator('tbody tr').count()) === 2);
    await page.getByRole('button', { name: 'Replay all', exact: true }).click();
    await page
      .getByRole('dialog', { name: 'Replay all refused rows?' })
      .getByRole('button', { name: 'Replay' })
      .click();
    await page.getByText('Replayed the rows of 2 requests. None is left.').waitFor();
    await page.getByText('No rows are refused.').waitFor();
    await system.archived();
    const rows = await system.sql("SELECT count() AS n FROM contents WHERE content = 'a forbidden word'");
    assert.equal(Number(rows[0]!.n), 3);
  });
}
