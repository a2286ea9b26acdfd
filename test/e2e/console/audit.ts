/** The view of the audit log: of a team, and of all teams for operators. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { newRequestId } from '#weir/shared/ids';
import { addAudit, auditRow } from '#weir/shared/streams/audit';
import { until } from '../../support/wait.ts';
import { KEY } from '../configuration.ts';
import type { System } from '../system.ts';
import { withHostileAnswers } from './hostile.ts';
import type { ConsolePage } from './try.ts';

/** More than a page. */
const ENTRIES = 53;

export function auditView(opened: () => ConsolePage & { system: System }, hostile: string): void {
  /** Stores entries of a key, and waits until they are in ClickHouse. */
  async function audited(actor: string, many: number): Promise<void> {
    const { system } = opened();
    const now = Date.now();
    const rows = Array.from({ length: many }, (_, n) => {
      const who = { kind: 'key', id: actor, address: '10.0.0.7', request: 'r-1' } as const;
      const subject = { kind: 'event', id: newRequestId(0, now) } as const;
      const act = { team: 'acme', action: 'content.read', actor: who, scope: 'prod', subject } as const;
      return auditRow(act, now - n, newRequestId(0, now - n));
    });
    await addAudit(system.redis, rows);
    await until('they are stored', async () => {
      const [row] = await system.sql(`SELECT count() AS n FROM audit FINAL WHERE actor = '${actor}'`);
      return Number(row!.n) === many;
    });
  }

  it('shows a team who did what, with filters in the address, page by page', async () => {
    const { page, signIn, heading, accessible } = opened();
    await audited('reads-much', ENTRIES);
    await signIn(KEY.acme, '#/audit');
    await heading('Audit log');
    const list = page.getByRole('region', { name: 'Entries' });
    await list.waitFor();
    // What earlier tests have done in the console.
    await page.getByLabel('Action').selectOption('label.withdrawn');
    const undone = list.getByRole('row', { name: /took a label back/ }).first();
    await undone.waitFor();
    assert.match(
      (await undone.textContent())!,
      /acme.*took a label back.*policy .*(event|session) .*in (prod|chat).*127\.0\.0\.1/,
    );
    assert.match(page.url(), /#\/audit\?.*action=label\.withdrawn/);
    await accessible();
    await undone.getByRole('link', { name: 'Show' }).click();
    await heading('One item');
    await page.goBack();
    await heading('Audit log');
    await page.getByLabel('Action').selectOption('');
    await page.getByLabel('Who').fill('reads-much');
    await page.keyboard.press('Enter');
    await until('those of the key', async () => (await list.locator('tbody tr').count()) === 50);
    assert.match(page.url(), /actor=reads-much/);
    await page.getByRole('link', { name: 'Older' }).click();
    await until('the rest', async () => (await list.locator('tbody tr').count()) === ENTRIES - 50);
    await list.locator('tbody tr').first().getByRole('link').nth(1).click();
    await until('what was done to one', async () => (await list.locator('tbody tr').count()) === 1);
    assert.equal(await list.getByRole('columnheader', { name: 'Team' }).count(), 0);
    await page.getByLabel('Who').fill('nobody');
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByText('Nothing was done then').waitFor();
  });

  it('shows operators all teams, and what they have as text alone', async () => {
    const { page, signIn, heading, accessible } = opened();
    await signIn(KEY.operator, '#/audit');
    await heading('Audit log');
    const list = page.getByRole('region', { name: 'Entries' });
    await list.getByRole('link', { name: 'acme', exact: true }).first().waitFor();
    await page.getByLabel('Team').fill('globex');
    await page.getByRole('button', { name: 'Apply' }).click();
    await until('it is in the address', async () => page.url().includes('team=globex'));
    await until('those of another team are gone', async () => {
      return (await list.getByRole('link', { name: 'acme', exact: true }).count()) === 0;
    });
    const more = { next: undefined };
    await withHostileAnswers(page, { path: '**/api/operation/audit*', hostile, more }, async () => {
      await signIn(KEY.operator, '#/audit');
      await heading('Audit log');
      await list.getByText(hostile).first().waitFor();
      await accessible();
    });
  });
}
