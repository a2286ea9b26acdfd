/** What was said, in the console: items by a text that was found, and a session as a conversation. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { until } from '../../support/wait.ts';
import { CARD, KEY } from '../configuration.ts';
import type { ConsolePage } from './try.ts';

/** `hostile`: what the session is called, and what is said in it, ends with it. */
export function saidViews(opened: () => ConsolePage, hostile: string): void {
  it('finds items by a text that was found in them, for keys that may see content', async () => {
    const { page, signIn, heading, accessible } = opened();
    await signIn(KEY.acme, '#/find');
    await heading('Find');
    await page.getByLabel('Text that was found').fill(CARD.slice(0, 9));
    await page.getByRole('button', { name: 'Apply' }).click();
    await page.getByRole('row', { name: /Cards/ }).first().waitFor();
    const rows = await page.getByRole('row').allTextContents();
    assert.ok(rows.length > 1 && rows.slice(1).every((row) => row.includes('Cards')), rows.join('; '));
    await accessible();
    await page.getByLabel('Text that was found').fill(hostile);
    await page.getByRole('button', { name: 'Apply' }).click();
    const nothing = page.getByText('Nothing was found.');
    // A machine that does much else has no time to look at all at once.
    for (;;) {
      const more = page.getByRole('link', { name: 'Older' });
      await nothing.or(more).first().waitFor();
      if (await nothing.isVisible()) break;
      const href = await more.getAttribute('href');
      await more.click();
      await until('the next page is there', async () => {
        return (await nothing.isVisible()) || (await page.locator(`a[href="${href}"]`).count()) === 0;
      });
    }
    await accessible();
    await signIn(KEY.narrow, '#/find');
    await heading('Find');
    assert.equal(await page.getByLabel('Text that was found').count(), 0);
  });

  it('says that not all was looked at, and goes on', async () => {
    const { page, signIn, heading, accessible } = opened();
    // Where there was no time depends on the machine.
    const next = '00000000-0000-7000-8000-000000000001';
    await page.route('**/api/history?*', (route) => route.fulfill({ json: { items: [], next, cut: true } }));
    await signIn(KEY.acme, '#/find?text=x');
    await heading('Find');
    await page.getByText('There was no time to look at all of it.').waitFor();
    await accessible();
    assert.match((await page.getByRole('link', { name: 'Older' }).getAttribute('href'))!, new RegExp(next));
    await page.unroute('**/api/history?*');
  });

  it('shows a session as a conversation, with the verdict of each message, page by page', async () => {
    const { page, signIn, heading, accessible } = opened();
    await signIn(KEY.acme, '#/find');
    await heading('Find');
    await page.getByLabel('Session', { exact: true }).fill(`chat ${hostile}`);
    await page.getByRole('button', { name: 'Apply' }).click();
    const item = page.getByRole('row').filter({ hasText: 'Cards' });
    await item.first().getByRole('link').first().click();
    await heading('One item');
    await page.getByRole('link', { name: `chat ${hostile}` }).click();
    await heading(`Conversation chat ${hostile}`);
    const first = page.locator('.conversation > li').first();
    await first.waitFor();
    const told = (await first.textContent())!;
    assert.match(told, /^user.*flagged/s);
    assert.ok(told.includes('Cards') && told.includes(`open sesame ${hostile}`), told);
    await accessible();
    await first.getByRole('link').click();
    await heading('One item');
    await page.goBack();
    await heading(`Conversation chat ${hostile}`);
  });

  it('shows long texts when asked, images as what is known of them, and pages that follow', async () => {
    const { page, signIn, heading, accessible } = opened();
    const id = (n: number): string => `01a22753-4413-7262-8310-64612bbe000${n}`;
    const item = {
      flagged: false,
      not_evaluated: 0,
      violations: [],
      created_at: '2026-01-31T12:00:00.000Z',
      duration_ms: 1,
    };
    const event = { ...item, environment_id: 'prod', event_type: 'tool' };
    const long = JSON.stringify({ a: 'x'.repeat(4000), b: hostile });
    // In lines the first name would be lost, and digits of the number.
    const hidden = '{"a":"falcon","a":"hello","n":12345678901234567890}';
    await page.route('**/api/history/conversation?*', (route) => {
      const after = new URL(route.request().url()).searchParams.get('after');
      const messages = after
        ? [
            { ...event, internal_event_id: id(4), name: hostile },
            { ...event, internal_event_id: id(5), content: hidden },
          ]
        : [
            { ...event, internal_event_id: id(1), content: long },
            { ...event, internal_event_id: id(2), event_type: 'artifact', role: 'assistant' },
            { ...item, deployment_id: 'chat', internal_artifact_id: id(3), flagged: null, note: hostile },
          ];
      return route.fulfill({ json: after ? { messages } : { messages, next: id(3) } });
    });
    await signIn(KEY.acme, '#/conversation?session=s&environment_id=prod');
    await heading('Conversation s');
    await page.getByRole('link', { name: 'Later messages' }).waitFor();
    assert.equal(await page.getByText('An image. Its bytes are not stored.').count(), 2);
    await page.getByRole('button', { name: 'Show all of it' }).press('Enter');
    await page.getByRole('button', { name: 'Show all of it' }).waitFor({ state: 'detached' });
    const whole = (await page.locator('.conversation pre').textContent())!;
    assert.deepEqual(JSON.parse(whole), JSON.parse(long));
    await accessible();
    await page.getByRole('link', { name: 'Later messages' }).click();
    await page.getByText('Nothing was said, or it is not stored.').waitFor();
    assert.equal(await page.locator('.conversation pre').textContent(), hidden);
    await accessible();
    await page.getByRole('link', { name: 'From the beginning' }).click();
    await page.getByRole('link', { name: 'Later messages' }).waitFor();
    await signIn(KEY.narrow, '#/conversation?session=s&environment_id=prod');
    await page.getByText('What was said is shown with the scope').waitFor();
    await accessible();
    await page.unroute('**/api/history/conversation?*');
  });
}
