/** The view in which policies are tried: each kind of content, what is edited, what comes back, and the keyboard. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import type { Page } from 'playwright-core';
import sharp from 'sharp';
import { until } from '../../support/wait.ts';
import { CARD, KEY, POLICY } from '../configuration.ts';

/** What the test of the console has. */
export interface ConsolePage {
  page: Page;
  signIn(key: string, place?: string): Promise<void>;
  heading(name: string | RegExp): Promise<void>;
  accessible(): Promise<void>;
  /** what the server answered, in the console of the browser */
  troubles: string[];
}

export function tryView(opened: () => ConsolePage, hostile: string): void {
  const answer = () => opened().page.getByRole('heading', { name: 'What a check would answer' });
  /** A try has two seconds, which a machine that does much else may need for the first one. */
  async function send(press: () => Promise<void>): Promise<void> {
    const { page, troubles } = opened();
    await until('a try is in time', async () => {
      await press();
      await page.locator('.state:empty').first().waitFor({ state: 'attached' });
      const late = await page.getByRole('alert').filter({ hasText: 'longer than the 2 seconds' }).count();
      return late === 0;
    });
    troubles.length = 0;
  }
  const click = (): Promise<void> => opened().page.getByRole('button', { name: 'Try', exact: true }).click();

  it('tries a text, and marks what fires, with names, scores beside thresholds and cost', async () => {
    const { page, signIn, heading, accessible } = opened();
    await signIn(KEY.acme, '#/try');
    await heading('Try');
    await page.getByRole('textbox', { name: 'Text' }).fill(`open sesame ${hostile} ${CARD}`);
    await send(click);
    await answer().waitFor();
    assert.match((await answer().textContent())!, /flagged/);
    const marks = await page.locator('mark').allTextContents();
    assert.deepEqual(marks.sort(), [CARD, 'open sesame'].sort());
    assert.ok((await page.locator('pre.marked').textContent())!.includes(hostile));
    const cards = page.getByRole('region', { name: /^Cards/ });
    assert.match((await cards.textContent())!, /pii:CREDIT_CARD in view raw/);
    const score = page.getByRole('row', { name: /pii:CREDIT_CARD/ });
    assert.match((await score.textContent())!, /^pii:CREDIT_CARD1\.00?0\.50.*fires.*Cards/s);
    await page.getByText('Evaluating').waitFor();
    await accessible();
  });

  it('tries an event by policies and conditions that are edited, by keyboard alone', async () => {
    const { page, signIn, heading, accessible } = opened();
    await signIn(KEY.acme, '#/try');
    await heading('Try');
    await page.getByLabel('Kind').selectOption('event');
    await page.getByLabel('Where').selectOption('environment:prod');
    const event = { type: 'tool', name: 'pay', output: { notes: [`purple rain ${hostile}`] }, metadata: { level: 4 } };
    await page.getByLabel('Event, a JSON object').fill(JSON.stringify(event));
    await page.getByText('Edit policies and conditions').click();
    await page.getByLabel(/^Policy/).selectOption(POLICY.sesame);
    await page.getByRole('button', { name: 'Add it to edit' }).click();
    const policies = page.getByLabel('Policies, a JSON list');
    const [policy] = JSON.parse(await policies.inputValue());
    assert.deepEqual([policy.id, policy.name], [POLICY.sesame, 'Sesame']);
    const name = `Rain ${hostile}`;
    await policies.fill(
      JSON.stringify([{ ...policy, name, direction: 'any', detect: { terms: { list: ['purple rain'] } } }]),
    );
    const conditions = [{ id: 'deep', name: `Deep ${hostile}`, when: 'metadata.level > 3', policies: [policy.id] }];
    await page.getByLabel('Conditions, a JSON list').fill(JSON.stringify(conditions));
    await send(() => page.keyboard.press('Control+Enter'));
    await answer().waitFor();
    assert.equal(await page.evaluate('document.activeElement.tagName'), 'H2', 'the focus is at the answer');
    assert.equal(await page.locator('mark').textContent(), 'purple rain');
    await page.getByRole('region', { name: 'The text at /notes/0' }).waitFor();
    const judged = page.getByRole('region', { name: /^Rain/ });
    assert.ok((await judged.textContent())!.includes(name));
    assert.match((await page.getByRole('listitem').filter({ hasText: 'deep' }).textContent())!, /: matched$/);
    await page.getByText('Steps of conditions').waitFor();
    await accessible();
    await policies.fill('[{"name":"Rain","severity":"hihg"},{"name":"More","detect":{"terms":{"file":"x"}}}]');
    await click();
    const alert = page.getByRole('alert');
    await alert.filter({ hasText: 'did you mean' }).waitFor();
    assert.match((await alert.textContent())!, /policies\[0\]\.severity.*policies\[1\]\.detect\.terms\.file/s);
    opened().troubles.length = 0;
    await policies.fill('[{');
    await click();
    await alert.filter({ hasText: 'Policies: this is no JSON' }).waitFor();
    await accessible();
  });

  it('tries a chat and an image', async () => {
    const { page, signIn, heading, accessible } = opened();
    await signIn(KEY.acme, '#/try');
    await heading('Try');
    await page.getByLabel('Kind').selectOption('chat');
    const parts = [
      { type: 'text', text: 'see' },
      { type: 'text', text: 'open sesame' },
    ];
    await page.getByLabel('Messages, a JSON list').fill(JSON.stringify([{ role: 'user', content: parts }]));
    await send(click);
    await answer().waitFor();
    await page.getByRole('region', { name: 'The text at /content/1/text' }).waitFor();
    await page.getByLabel('Kind').selectOption('image');
    await click();
    await page.getByRole('alert').filter({ hasText: 'Choose an image' }).waitFor();
    const buffer = await sharp({ create: { width: 8, height: 8, channels: 3, background: 'red' } })
      .png()
      .toBuffer();
    await page.getByLabel(/^Image/).setInputFiles({ name: 'a.png', mimeType: 'image/png', buffer });
    await send(click);
    await page.getByText('Images', { exact: true }).last().waitFor();
    await accessible();
  });
}
