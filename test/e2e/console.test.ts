/** The console in a browser: each view with what it shows, and what it must never do. */
import assert from 'node:assert/strict';
import { readFileSync, statSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { gzipSync } from 'node:zlib';
import type { Browser, BrowserContext, Page } from 'playwright-core';
import { createKey, hashKey } from '#weir/shared/configuration/api-keys';
import { packageRoot } from '#weir/shared/paths';
import { startBrowser } from '../support/api/chromium.ts';
import { until } from '../support/wait.ts';
import { CARD, configuration, KEY, POLICY } from './configuration.ts';
import { itemAppeals } from './console/appeals.ts';
import { auditView } from './console/audit.ts';
import { operationView } from './console/operation.ts';
import { policiesView } from './console/policies.ts';
import { saidViews } from './console/said.ts';
import { tryView } from './console/try.ts';
import { newRun, type System, startSystem } from './system.ts';

const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** What would run, if anything that is shown were taken for HTML. */
const HOSTILE = `<img src=x onerror="document.title='taken'"><script>document.title='taken'</script>'"`;
const DEAD_POLICY = 'aaaaaaaa-0000-4000-8000-00000000000a';
/** Its backend is not there. */
const DEAD = `- {id: ${DEAD_POLICY}, team: acme, name: Dead, detect: {llm: {backend: dead, flagged_content: x, allowed_content: y}}}`;
/** Of a key that may do nothing else. */
const TRIES = createKey();
/** Of a program: it has no view. */
const CHECKS = createKey();
const PHONE = { width: 360, height: 740 };
const DESK = { width: 1280, height: 800 };
const WAIT_MS = 240_000;
const ALL_RULES = {};
const COLOUR_RULES = { runOnly: { type: 'rule', values: ['color-contrast', 'link-in-text-block'] } };

describe('the console', { timeout: 600_000 }, () => {
  let system: System;
  let browser: Browser;
  let context: BrowserContext;
  let page: Page;
  let text = '';
  const run = newRun('run');
  const session = `chat ${HOSTILE}`;
  const user = `ann ${HOSTILE}`;
  const ids = { card: '', clean: '', chat: '' };
  /** what went wrong in the page */
  const troubles: string[] = [];

  before(async () => {
    const shadow = `- {id: ${POLICY.unused}, team: acme, name: Unused`;
    const tries = `- {id: tries, team: acme, sha256: ${hashKey(TRIES)}, environments: [prod], scopes: [try]}`;
    const checks = `- {id: checks, team: acme, sha256: ${hashKey(CHECKS)}, environments: [prod], scopes: [check]}`;
    text = configuration()
      .replace('keys:\n', `keys:\n${tries}\n${checks}\n`)
      .replace(`name: Cards,`, `name: ${JSON.stringify(`Cards ${HOSTILE}`)},`)
      .replace(shadow, shadow.replace('name: Unused', 'mode: shadow, name: Unused'))
      .replace('active: false, when', 'when')
      .replace(
        'policies:\n',
        `backends: [{id: dead, team: acme, url: "http://127.0.0.1:9/v1", model: m, timeout_ms: 500}]\npolicies:\n${DEAD}\n`,
      )
      .replace(`when: "true", policies: [${POLICY.split}]`, `when: "true", policies: [${DEAD_POLICY}, ${POLICY.split}]`)
      .concat('\nrisk: {window_days: 45}\n');
    system = await startSystem({ configuration: { text, file: 'test.yaml' } });
    const events = await system.events(
      [
        {
          type: 'message',
          role: 'user',
          event_id: 'asks',
          content: `pay ${CARD}`,
          metadata: { user: { id: user }, note: HOSTILE },
        },
        { type: 'tool', name: 'search', event_id: 'calls', arguments: { q: 'fine' }, parent: { event_id: 'asks' } },
        { type: 'message', role: 'user', event_id: 'opens', content: 'open sesame' },
      ],
      { run_id: run },
    );
    [ids.card, ids.clean] = events.json.order.map((one: Record<string, string>) => one.internal_event_id);
    const messages = [{ role: 'user', content: `open sesame ${HOSTILE} ${CARD}`, metadata: { user: { id: user } } }];
    ids.chat = (await system.session({ messages, external_session_id: session })).json.internal_session_id;
    await system.archived();
    browser = await startBrowser();
    context = await browser.newContext({ viewport: DESK });
    page = await context.newPage();
    page.setDefaultTimeout(WAIT_MS);
    page.on('console', (message) => {
      if (message.type() === 'error') troubles.push(message.text());
    });
    page.on('pageerror', (error) => troubles.push(error.message));
    page.on('request', (request) => {
      if (!request.url().startsWith(`${system.stack.url}/`) && !request.url().startsWith('data:'))
        troubles.push(request.url());
    });
  });
  after(async () => {
    await browser?.close();
    await system?.close();
  });

  const heading = (name: string | RegExp): Promise<void> => page.getByRole('heading', { level: 1, name }).waitFor();
  /** Waits for the answer that a view shows. */
  const answered = (): Promise<void> => page.locator('.state:empty').first().waitFor({ state: 'attached' });
  async function signIn(key: string, place = ''): Promise<void> {
    await page.goto('about:blank');
    await page.goto(`${system.stack.url}/console${place}`);
    await page.getByLabel('API key').fill(key);
    await page.getByRole('button', { name: 'Open' }).click();
  }
  /**
   * No rule of WCAG 2.2 A and AA is broken, on a phone and on a desk, dark and light; nothing is wider than the screen; nothing was run or asked.
   * What is light or dark changes colours alone: all other rules are asked once on each screen.
   */
  async function accessible(): Promise<void> {
    for (const [viewport, colorScheme, rules] of [
      [DESK, 'light', ALL_RULES],
      [DESK, 'dark', COLOUR_RULES],
      [PHONE, 'light', COLOUR_RULES],
      [PHONE, 'dark', ALL_RULES],
    ] as const) {
      await page.setViewportSize(viewport);
      await page.emulateMedia({ colorScheme });
      if (!(await page.evaluate<boolean>('"axe" in window'))) await page.evaluate(AXE);
      const options = JSON.stringify({ resultTypes: ['violations'], ...rules });
      const { violations } = await page.evaluate<AxeResults>(`axe.run(${options})`);
      const found = violations.map(({ id, nodes }) => `${id}: ${nodes.map(({ html }) => html).join(' | ')}`);
      assert.deepEqual(found, [], `${viewport.width} ${colorScheme}`);
      const wide = await page.evaluate<number>('document.documentElement.scrollWidth');
      assert.ok(wide <= viewport.width, `${wide} pixels on a screen of ${viewport.width}`);
    }
    await page.setViewportSize(DESK);
    assert.notEqual(await page.title(), 'taken');
    assert.deepEqual(troubles, []);
  }

  it('is small, and its policy lets it run its own script and talk to its own server alone', async () => {
    const { headers } = await fetch(`${system.stack.url}/console`);
    const policy = headers.get('content-security-policy')!;
    assert.match(policy, /default-src 'none'/);
    assert.doesNotMatch(policy, /unsafe|https?:|\*/);
    const folder = join(packageRoot, 'dist/console');
    const names = ['index.html', 'console.js', 'console.css'];
    const bytes = names.reduce((sum, name) => sum + gzipSync(readFileSync(join(folder, name))).length, 0);
    assert.ok(bytes < 200 * 1024 && statSync(join(folder, 'console.js')).size > 0, `${bytes} bytes`);
    for (const name of ['index.html', 'main.tsx', '..%2findex.html']) {
      assert.equal((await fetch(`${system.stack.url}/console/${name}`)).status, 404, name);
    }
  });

  it('asks for a key, says in the words of the API what is wrong with it, and keeps it in memory alone', async () => {
    await signIn('wk_wrong');
    assert.match((await page.getByRole('alert').textContent())!, /key/i);
    troubles.length = 0;
    await accessible();
    await signIn(KEY.acme);
    await heading('What was checked');
    const kept = await page.evaluate('[localStorage.length, sessionStorage.length, document.cookie, location.href]');
    assert.deepEqual(kept, [0, 0, '', `${system.stack.url}/console`]);
    assert.ok(!(await page.content()).includes(KEY.acme));
    await page.reload();
    assert.equal(await page.getByLabel('API key').inputValue(), '');
  });

  it('counts what was checked, split in each way, and leads from each figure to its items', async () => {
    await signIn(KEY.acme);
    await heading('What was checked');
    const tile = (name: string) => page.locator('.tiles div').filter({ hasText: name }).locator('dd');
    await tile('Checks').waitFor();
    assert.equal(await tile('Checks').textContent(), '4 ');
    assert.equal(await tile('Flagged').textContent(), '3 75.0 %');
    await page.getByRole('row', { name: /Cards/ }).waitFor();
    await accessible();
    for (const [split, row] of [
      ['source', /^text 3/],
      ['condition', /^Everything 2/],
      ['user', /^ann .* 3/],
      ['shadow', /^Unused 1/],
    ] as const) {
      await page.getByLabel('Split by').selectOption(split);
      await page.getByRole('row', { name: row }).waitFor();
    }
    await page.getByLabel('Split by').selectOption('policy');
    await page.getByRole('link', { name: /^Cards/ }).click();
    await heading('Find');
    await page.locator('tbody tr').nth(1).waitFor();
    assert.equal(await page.locator('tbody tr').count(), 2);
    await page.goBack();
    await heading('What was checked');
    await page.getByText('As a table').click();
    await page.getByRole('region', { name: 'Figures by step' }).getByRole('link').last().click();
    await heading('Find');
    await page.getByRole('region', { name: 'Items' }).waitFor();
    await accessible();
  });

  it('finds items by filter and by id, and shows one with evidence, what matched, metadata and labels', async () => {
    await signIn(KEY.acme, '#/find');
    await heading('Find');
    await page.getByRole('region', { name: 'Items' }).waitFor();
    await page.getByLabel('User (id or e-mail)').fill(user);
    await page.getByRole('button', { name: 'Apply' }).click();
    await until('those of the user', async () => (await page.locator('tbody tr').count()) === 4);
    await page.getByLabel('Verdict').selectOption('not_evaluated');
    await page.getByText('Nothing was found.').waitFor();
    const form = page.getByRole('form', { name: 'By id' });
    await form.getByLabel('Id (internal').fill(ids.card);
    await form.locator('select[name=scope]').selectOption('prod');
    await form.getByRole('button', { name: 'Show' }).click();
    await heading('One item');
    const judged = page.getByRole('region', { name: /^Cards/ });
    await judged.waitFor();
    assert.equal(await judged.locator('mark').textContent(), CARD);
    assert.match(
      (await judged.textContent())!,
      /pii:CREDIT_CARD.*Chosen by Everything|Chosen by Everything.*pii:CREDIT_CARD/s,
    );
    assert.ok((await page.locator('pre').textContent())!.includes('onerror'));
    await judged.getByRole('button', { name: 'False alarm' }).click();
    await page.getByText('by acme').waitFor();
    await accessible();
    await page.getByRole('button', { name: /^Undo: False alarm, Cards/ }).click();
    await page.getByText('by acme').waitFor({ state: 'detached' });
    assert.deepEqual(await system.sql('SELECT label FROM labels FINAL'), [{ label: 'withdrawn' }]);
  });

  it('shows a session by its own id, and a run as a tree', async () => {
    await signIn(KEY.acme, `#/item?kind=session&scope=chat&id=${encodeURIComponent(session)}`);
    await page.getByRole('region', { name: 'Sesame' }).waitFor();
    await page.getByRole('link', { name: session }).click();
    await heading(`Conversation ${session}`);
    await page.locator('.conversation > li').first().waitFor();
    await page.goto(`${system.stack.url}/console#/run?scope=prod&run=${run}`);
    await heading(`Run ${run}`);
    await page.locator('.run li').nth(2).waitFor();
    assert.deepEqual(await page.locator('.run li').evaluateAll((all) => all.map(({ className }) => className)), [
      'depth-0',
      'depth-1',
      'depth-0',
    ]);
    await accessible();
    await page.getByRole('link', { name: /calls/ }).click();
    await heading('One item');
  });

  it('shows users by risk, and why', async () => {
    await signIn(KEY.acme, '#/risk');
    await heading('Users by risk');
    const row = page.getByRole('row', { name: /^ann/ });
    await row.waitFor();
    assert.match((await row.textContent())!, /elevated.*Cards.*Sesame|elevated.*Sesame.*Cards/s);
    const items = await row.getByRole('link').first().getAttribute('href');
    assert.match(items!, /span=90d/, 'as many days as the level is of');
    await accessible();
    await page.getByLabel('Level').selectOption('severe');
    await page.getByText('No such user was flagged').waitFor();
  });

  it('has verdicts judged by keyboard alone, and hides what was found until it is asked for', async () => {
    const appealed = { internal_session_id: ids.chat, policy: 'Sesame', note: `a film ${HOSTILE}`, reference: HOSTILE };
    assert.equal((await system.post('/api/appeal', appealed)).status, 200);
    await signIn(KEY.acme, '#/review');
    await heading('Review');
    const verdict = page.getByRole('region', { name: 'Verdict to judge' });
    await verdict.waitFor();
    const many = Number(/1 of (\d+)/.exec((await verdict.textContent())!)![1]);
    assert.equal(await page.locator('mark').count(), 0);
    // Whoever has something against a verdict is first, with what they say.
    assert.match((await verdict.textContent())!, /1 of \d+: Sesame.*an appeal/);
    assert.ok((await verdict.locator('blockquote').textContent())!.includes(HOSTILE));
    await accessible();
    await page.keyboard.press('s');
    await page.locator('mark').first().waitFor();
    await page.keyboard.press('t');
    await page.getByText(`2 of ${many}`).waitFor();
    assert.equal(await page.locator('mark').count(), 0, 'the next one is hidden again');
    await page.getByText('You said of the one before').waitFor();
    await accessible();
    await page.keyboard.press('u');
    await page.getByText(`1 of ${many}`).waitFor();
    assert.equal((await system.sql("SELECT label FROM labels FINAL WHERE label = 'true_alarm'")).length, 0);
    await page.keyboard.press('t');
    await page.getByText(`2 of ${many}`).waitFor();
    for (let at = 2; at <= many; at++) await page.keyboard.press('n');
    await page.getByText(`That were ${many}.`).waitFor();
    const rows = await system.sql("SELECT label FROM labels FINAL WHERE label = 'true_alarm'");
    assert.equal(rows.length, 1);
    await page.getByRole('button', { name: 'Undo' }).waitFor();
  });

  tryView(() => ({ page, signIn, heading, accessible, troubles }), HOSTILE);
  saidViews(() => ({ page, signIn, heading, accessible, troubles }), HOSTILE);

  it('shows a key what it may see, and has no view that it may not use', async () => {
    await signIn(KEY.narrow, '#/review');
    await heading('What was checked');
    await answered();
    assert.deepEqual(await page.getByRole('navigation').getByRole('link').allTextContents(), [
      'History',
      'Find',
      'Risk',
    ]);
    // Without History it begins with what there is, and a key without a view is told so.
    await signIn(TRIES, '#/history');
    await heading('Try');
    assert.deepEqual(await page.getByRole('navigation').getByRole('link').allTextContents(), ['Try']);
    await signIn(CHECKS);
    assert.match((await page.getByRole('alert').textContent())!, /sees nothing here.*check.*read.*operate/);
    await signIn(KEY.narrow);
    await answered();
    const tile = page.locator('.tiles div').filter({ hasText: 'Checks' }).locator('dd');
    assert.equal((await tile.textContent())!.trim(), '0');
    await page.goto(`${system.stack.url}/console#/item?kind=event&scope=prod&id=${ids.card}`);
    await page.getByRole('alert').waitFor();
    assert.match((await page.getByRole('alert').textContent())!, /none that this API key may see/);
    troubles.length = 0;
  });

  it('never shows as clean what a policy could not look at', async () => {
    const event = { type: 'message', role: 'user', content: 'fine' };
    const { json } = await system.post('/api/event', { environment_id: 'support', event });
    await system.archived();
    await signIn(KEY.acme, '#/find?scope=environment:support');
    await page.locator('tbody .verdict.unknown').waitFor();
    const query = `kind=event&scope=support&id=${json.event.internal_event_id}`;
    await page.goto(`${system.stack.url}/console#/item?${query}`);
    await page.locator('.note').waitFor();
    assert.equal(await page.locator('main > p.row .verdict').textContent(), 'not evaluated');
    await page.goto(`${system.stack.url}/console#/run?scope=prod&run=${run}`);
    await page.locator('.run li').nth(2).waitFor();
    assert.equal(await page.locator('.verdict.clean').count(), 0);
  });

  itemAppeals(() => ({ page, system, signIn, heading, accessible, troubles }), HOSTILE);

  policiesView(() => ({ page, system, text, signIn, heading, accessible, troubles }), HOSTILE);

  auditView(() => ({ page, system, signIn, heading, accessible, troubles }), HOSTILE);

  operationView(() => ({ page, system, signIn, heading, accessible, troubles }), HOSTILE);
});

interface AxeResults {
  violations: { id: string; nodes: { html: string }[] }[];
}
