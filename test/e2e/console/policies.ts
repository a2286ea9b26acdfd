/** The view of the configuration: policies with their detectors, versions with what each has changed, and packs. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { keys } from '#weir/shared/streams/keys';
import { until } from '../../support/wait.ts';
import { KEY, POLICY } from '../configuration.ts';
import type { System } from '../system.ts';
import { withHostileAnswers } from './hostile.ts';
import type { ConsolePage } from './try.ts';

interface PolicyPage extends ConsolePage {
  system: System;
  /** the configuration that is active */
  text: string;
}

export function policiesView(opened: () => PolicyPage, hostile: string): void {
  it('shows policies with their detectors, and packs with their figures', async () => {
    const { page, signIn, heading, accessible } = opened();
    await signIn(KEY.acme, '#/policies');
    await heading('Policies');
    const cards = page.locator('details').filter({ hasText: 'Cards' }).first();
    await cards.locator('summary').focus();
    await page.keyboard.press('Enter');
    const detect = cards.getByRole('region', { name: /^Detectors of Cards/ });
    assert.deepEqual(JSON.parse((await detect.textContent())!).pii.entities, ['CREDIT_CARD']);
    assert.match((await cards.textContent())!, new RegExp(`high.*Id${POLICY.card}Modelive.*Directionany.*Sourcestext`));
    await page.locator('summary').filter({ hasText: 'Unused' }).getByText('in the shadow').waitFor();
    await page.locator('summary').filter({ hasText: 'agent-guard' }).click();
    const row = page
      .getByRole('region', { name: 'Policies of Agent guard' })
      .getByRole('row', { name: /^Credentials/ });
    assert.match((await row.textContent())!, /^Credentials in callshigh\d+ of [\d,]+0\.\d\d %$/);
    await accessible();
  });

  it('says in words what versions have changed, compared with any other, and who has applied them', async () => {
    const { page, system, text, signIn, heading, accessible } = opened();
    await system.apply(
      text.replace('open sesame', hostile.replaceAll('"', '')).replace('name: Sesame', 'name: Barley'),
    );
    const version = Number(await system.redis.get(keys.configActive()));
    const who = { user: `ann ${hostile}`, host: 'desk', message: `words ${hostile}` };
    await system.redis.hset(keys.configApplied(), String(version), `1790000000000 ${JSON.stringify(who)}`);
    await signIn(KEY.acme, '#/policies');
    await heading('Policies');
    const row = page.getByRole('row', { name: new RegExp(`^${version}, active`) });
    await row.waitFor();
    assert.ok((await row.textContent())!.includes(`${who.user}@desk${who.message}`));
    await row.getByRole('link', { name: 'policies: 1 changed' }).press('Enter');
    const changes = page.getByRole('region', { name: `Changes of version ${version}` });
    await changes.getByText('name: "Sesame" → "Barley"').waitFor();
    assert.match((await changes.textContent())!, /Since version \d+\..*~ policies: "Barley"/);
    await changes.getByText('detect.terms.list: added').waitFor();
    await page.locator('summary').filter({ hasText: 'Barley' }).click();
    await accessible();
    await changes.getByLabel('Compared with').selectOption(String(version - 1));
    await until('it is in the address', async () => page.url().includes(`from=${version - 1}`));
    await changes.getByText('name: "Sesame" → "Barley"').waitFor();
  });

  it('shows what answers have as text alone', async () => {
    const { page, system, signIn, heading, accessible } = opened();
    const version = Number(await system.redis.get(keys.configActive()));
    await withHostileAnswers(page, { path: '**/api/configuration/**', hostile }, async () => {
      await signIn(KEY.acme, `#/policies?changes=${version}`);
      await heading('Policies');
      await page.getByRole('region', { name: 'Versions' }).getByText(hostile).first().waitFor();
      await page
        .getByRole('region', { name: `Changes of version ${version}` })
        .getByText(hostile)
        .first()
        .waitFor();
      await page.locator('summary').first().click();
      // In JSON its quotes have a backslash.
      await page.locator('pre').first().getByText('onerror').waitFor();
      await accessible();
    });
  });
}
