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

  it('shows what edits would have changed in what was checked, with a link to each item', async () => {
    const { page, signIn, heading, accessible, troubles } = opened();
    await signIn(KEY.acme, '#/try');
    await heading('Try');
    await page.getByLabel('Kind').selectOption('event');
    await page.getByLabel('Where').selectOption('environment:prod');
    await page.getByText('Edit policies and conditions').click();
    const name = `Sesame ${hostile}`;
    const edited = [{ id: POLICY.sesame, name, direction: 'any', detect: { terms: { list: ['pay'] } } }];
    await page.getByLabel('Policies, a JSON list').fill(JSON.stringify(edited));
    const part = page.getByRole('region', { name: 'Backtest' });
    await part.getByLabel('Time').selectOption('168');
    await part.getByRole('button', { name: 'Backtest' }).click();
    await part.getByText(/, done$/).waitFor();
    const progress = part.getByRole('progressbar');
    assert.equal(await progress.getAttribute('value'), await progress.getAttribute('max'));
    const row = part.getByRole('row').filter({ hasText: name });
    assert.match((await row.textContent())!.replace(name, ''), /^11/, 'one is newly flagged, and one no longer');
    assert.equal(await part.getByRole('listitem').count(), 2);
    troubles.length = 0;
    await accessible();
    await part.getByRole('listitem').filter({ hasText: 'newly flagged' }).getByRole('link').click();
    await heading('One item');
    await page.getByText('pii:CREDIT_CARD').waitFor();
    await signIn(KEY.acme, '#/try');
    await heading('Try');
    await page.getByText('Edit policies and conditions').click();
    await page.getByLabel('Policies, a JSON list').fill('[{"name":"Sesame","severity":"hihg"}]');
    await part.getByRole('button', { name: 'Backtest' }).click();
    await part.getByRole('alert').filter({ hasText: 'did you mean' }).waitFor();
    troubles.length = 0;
    await page.getByLabel('Policies, a JSON list').fill('[{');
    await part.getByRole('button', { name: 'Backtest' }).click();
    await part.getByRole('alert').filter({ hasText: 'Policies: this is no JSON' }).waitFor();
  });

  it('stops a backtest, and goes on where it was', async () => {
    const { page, signIn, heading, accessible, troubles } = opened();
    await signIn(KEY.acme, '#/try');
    await heading('Try');
    // Two pages, which are answered when the test says so: what is stored here fits into one.
    const id = '00000000-0000-4000-8000-000000000001';
    const counts = { items: 200, evaluated: 200, not_stored: 0, images: 0, failed: 0, policies: [], differing: [] };
    const asked: unknown[] = [];
    let answer: (() => void) | undefined;
    await page.route('**/api/try/backtest', async (route) => {
      const { before } = route.request().postDataJSON();
      asked.push(before);
      const json = before ? { ...counts, items: 50 } : { ...counts, total: 250, next: id };
      if (asked.length === 2) await new Promise<void>((resolve) => (answer = resolve));
      await route.fulfill({ json });
    });
    const part = page.getByRole('region', { name: 'Backtest' });
    await part.getByRole('button', { name: 'Backtest' }).click();
    await part.getByText('200 of 250, under way').waitFor();
    await part.getByRole('button', { name: 'Stop' }).click();
    await part.getByText('200 of 250, stopped').waitFor();
    await until('the page that nobody waits for is asked for', () => answer !== undefined);
    answer!();
    await accessible();
    await part.getByRole('button', { name: 'Go on' }).click();
    await part.getByText('250 of 250, done').waitFor();
    assert.deepEqual(asked, [undefined, id, id]);
    await page.unroute('**/api/try/backtest');
    troubles.length = 0;
  });

  it('runs test cases by what is edited, and says why one fails', async () => {
    const { page, signIn, heading, accessible, troubles } = opened();
    await signIn(KEY.acme, '#/try');
    await heading('Try');
    const part = page.getByRole('region', { name: 'Tests' });
    const cases = [
      { name: `Sesame ${hostile}`, text: 'open sesame', expect: { flagged: false } },
      { name: 'Fine', text: 'fine', expect: { flagged: false } },
    ];
    const buffer = Buffer.from(JSON.stringify({ cases }));
    await part.getByLabel('A file of cases').setInputFiles({ name: 'a.json', mimeType: 'application/json', buffer });
    await until('the file is read', async () => (await part.getByLabel(/^Cases/).inputValue()).includes('Fine'));
    await part.getByRole('button', { name: 'Run tests' }).click();
    await part.getByText('2 of 2, done').waitFor();
    const [failed, passed] = await part.getByRole('listitem').allTextContents();
    assert.ok(failed!.startsWith('failed') && failed!.includes(hostile) && failed!.includes('Sesame: flagged'), failed);
    assert.match(passed!, /^passed Fine/);
    troubles.length = 0;
    await accessible();
    await part.getByLabel(/^Cases/).fill('cases:\n- name: A\n');
    await part.getByRole('button', { name: 'Run tests' }).click();
    await part.getByRole('alert').filter({ hasText: 'expected exactly one of text' }).waitFor();
    troubles.length = 0;
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
