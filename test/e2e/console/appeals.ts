/** The appeals of an item, in its view. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../support/wait.ts';
import { KEY } from '../configuration.ts';
import type { System } from '../system.ts';
import type { ConsolePage } from './try.ts';

export function itemAppeals(opened: () => ConsolePage & { system: System }, hostile: string): void {
  it('shows an item with the appeals of its users, as text, and what became of them', async () => {
    const { page, system, signIn, heading, accessible } = opened();
    const event = { type: 'message', role: 'user', content: 'open sesame' };
    const { json } = await system.post('/api/event', { environment_id: 'prod', event });
    const id = json.event.internal_event_id;
    const appeal = { internal_event_id: id, environment_id: 'prod', policy: 'Sesame', note: `No. ${hostile}` };
    await signIn(KEY.acme, `#/item?kind=event&scope=prod&id=${id}`);
    await heading('One item');
    const judged = page.getByRole('region', { name: 'Sesame' });
    await judged.waitFor();
    const appeals = page.getByRole('region', { name: 'Appeals' });
    assert.equal(await appeals.count(), 0, 'there are none');
    const made = await system.post('/api/appeal', { ...appeal, reference: `ticket ${hostile}` });
    assert.equal(made.status, 200, made.text);
    await page.reload();
    await signIn(KEY.acme, `#/item?kind=event&scope=prod&id=${id}`);
    await appeals.waitFor();
    assert.match((await appeals.textContent())!, /Sesame: open, made .*, ticket <img/);
    assert.equal(await appeals.locator('blockquote').textContent(), `No. ${hostile}`);
    await accessible();
    await judged.getByRole('button', { name: 'False alarm' }).click();
    await until('it is decided', async () => /overturned.*decided by acme/.test((await appeals.textContent())!));
    // While ClickHouse does not say, the item is there.
    await page.route('**/api/appeal?*', (route) =>
      route.fulfill({ status: 503, json: { error: { message: 'Later.' } } }),
    );
    await page.reload();
    await signIn(KEY.acme, `#/item?kind=event&scope=prod&id=${id}`);
    await judged.waitFor();
    await page.getByRole('alert').filter({ hasText: 'Later.' }).waitFor();
    await page.unroute('**/api/appeal?*');
    opened().troubles.length = 0;
  });
}
