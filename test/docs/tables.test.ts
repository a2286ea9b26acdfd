/** Tables of the documents, held against the code. */
import assert from 'node:assert/strict';
import { readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { run } from '#weir/deploy/cli/main';
import { ENDPOINTS, type Endpoint } from '#weir/shared/api/endpoints';
import { ERROR_STATUS } from '#weir/shared/api/errors';
import { LIMITS } from '#weir/shared/api/limits';
import { METRIC_NAMES } from '#weir/shared/configuration/metric-kinds';
import { packageRoot } from '#weir/shared/paths';
import { ENTITIES, type Entity, ORDINARY, type PiiEntity } from '#weir/shared/policy/detectors/pii/catalogue';
import { DETECTORS } from '#weir/shared/policy/detectors/registry';
import { RULE_GROUPS } from '#weir/shared/policy/detectors/secrets/rule';
import { SECRET_RULES } from '#weir/shared/policy/detectors/secrets/rules';
import { DEFINITIONS } from '#weir/shared/settings';
import { CAPACITY_PAGE, renderCapacity } from './capacity-page.ts';
import { METRICS_PAGE } from './metrics-page.ts';
import { quotedIn, readPage, tablesOf } from './pages.ts';
import { renderSettings, SETTINGS_PAGE } from './settings-page.ts';

describe('the documents', () => {
  it('have the settings as their definitions say', () => {
    const { text } = readPage(SETTINGS_PAGE);
    const page = renderSettings(text);
    if (process.env.DOCS === 'write') writeFileSync(join(packageRoot, SETTINGS_PAGE), page);
    else assert.equal(text, page, 'DOCS=write node test/run.mjs test/docs writes the page');
  });

  it('have the plans of four rates as the code makes them', () => {
    const { text } = readPage(CAPACITY_PAGE);
    const page = renderCapacity(text);
    if (process.env.DOCS === 'write') writeFileSync(join(packageRoot, CAPACITY_PAGE), page);
    else assert.equal(text, page, 'DOCS=write node test/run.mjs test/docs writes the page');
  });

  it('list every endpoint with its versions, and no other', () => {
    const rows = tablesOf(readPage('docs/api/README.md'), 'Request | What it does | `service-version`');
    const listed = rows.flatMap(([requests = '', , versions = '']) => {
      const names = [...requests.matchAll(/`((?:GET|POST|DELETE) [^?`[]+)/g)].map(([, name]) => name!);
      return names.map((name) => ({ name, versions }));
    });
    // Only the page at /docs asks for its files.
    const { getDocsFile: _docs, getConsoleFile: _console, ...told } = ENDPOINTS;
    const endpoints: Endpoint[] = Object.values(told);
    const names = endpoints.map(({ method, path }) => `${method} ${path}`);
    assert.deepEqual(listed.map(({ name }) => name).sort(), names.sort());
    for (const { method, path, versions } of endpoints) {
      const row = listed.find(({ name }) => name === `${method} ${path}`)!;
      const dates = row.versions.match(/[\d-]{10}/g) ?? [];
      if (dates.length > 0 || versions.length === 0) assert.deepEqual(dates, versions, row.name);
      else assert.match(row.versions, versions.length === 3 ? /any of the three|the same/ : /$never/, row.name);
    }
  });

  it('list every metric, and no other', () => {
    const page = readPage(METRICS_PAGE);
    const listed = new Set(tablesOf(page, 'Metric | Meaning | Labels').map(([name]) => quotedIn(name!)[0]!));
    const sources = ['ingress', 'workers', 'shared'].flatMap((folder) =>
      readdirSync(join(packageRoot, folder), { recursive: true, encoding: 'utf8' })
        // Roles of ClickHouse have such names, too.
        .filter((file) => file.endsWith('.ts') && file !== 'history/readers.ts')
        .flatMap((file) => readFileSync(join(packageRoot, folder, file), 'utf8').match(/(?<=')weir_\w+(?=')/g) ?? []),
    );
    assert.deepEqual([...listed].sort(), [...new Set(sources)].sort());
  });

  it('list every error code with its status, and no other', () => {
    const rows = tablesOf(readPage('docs/api/errors.md'), 'Status | Codes | Meaning | Repeat it?');
    const listed = rows.flatMap(([status, codes]) => quotedIn(codes!).map((code) => [code, Number(status)]));
    assert.deepEqual(Object.fromEntries(listed), ERROR_STATUS);
  });

  it('list every command, and no other', async () => {
    const said: string[] = [];
    const output = { out: (line: string) => void said.push(line), err: (line: string) => void said.push(line) };
    await run(['--help'], output);
    const commands = [...said.join('\n').matchAll(/^ {2}(?:weir )?([a-z]+(?:-[a-z]+)*(?: [a-z]+)?) {2,}/gm)];
    const listed = tablesOf(readPage('docs/cli.md'), 'Command | What it does').map(
      ([usage]) => /^`weir ([a-z-]+(?: [a-z]+\b)?)/.exec(usage!)![1],
    );
    assert.deepEqual(listed.sort(), commands.map(([, name]) => name).sort());
  });

  it('list every detector', () => {
    const rows = tablesOf(readPage('docs/detectors.md'), 'Detector | Parameters (defaults) | Fires on');
    assert.deepEqual(rows.map(([name]) => quotedIn(name!)[0]).sort(), Object.keys(DETECTORS).sort());
  });

  it('list every kind of metric', () => {
    const rows = tablesOf(readPage('docs/content-metrics.md'), 'Kind | Value | Label');
    assert.deepEqual(
      rows.map(([name]) => quotedIn(name!)[0]),
      METRIC_NAMES,
    );
  });

  it('list every kind of personal data with its scores, and no other', () => {
    const rows = tablesOf(
      readPage('docs/detectors/pii.md'),
      'Entity | What it is | What is checked | Score alone | Groups',
    );
    const listed = rows.map(([name, what, check, score, groups]) => [
      quotedIn(name!)[0],
      { what, check, score, groups: quotedIn(groups!) },
    ]);
    const expected = Object.entries(ENTITIES).map(([name, { what, check, score, groups }]: [string, Entity]) => [
      name,
      {
        what,
        check: check ?? 'form',
        score: [...new Set(score)].join(' to '),
        groups: ORDINARY.includes(name as PiiEntity) ? [] : groups,
      },
    ]);
    assert.deepEqual(listed, expected);
  });

  it('list every rule of secrets with what it finds, and every group', () => {
    const page = readPage('docs/detectors/secrets.md');
    const pages = ['platforms', 'developers', 'services', 'payments', 'content'].map((name) =>
      readPage(`docs/detectors/secrets/${name}.md`),
    );
    const listed = [page, ...pages].flatMap((each) => tablesOf(each, 'Rule | Provider | What it finds | Group'));
    const rules = SECRET_RULES.map(({ name, provider, what, group }) => [`\`${name}\``, provider, what, group]);
    assert.deepEqual(listed.sort(), rules.sort());
    const groups = tablesOf(page, 'Group | What tells the credential').map(([name]) => quotedIn(name!)[0]);
    assert.deepEqual(groups, RULE_GROUPS);
  });

  it('name the limits of the interface', () => {
    const rows = tablesOf(readPage('docs/limits.md'), 'What | Most');
    const most = (what: string): string => rows.find(([name]) => name === what)?.[1] ?? `no row "${what}"`;
    const mib = (bytes: number): string => `${bytes / 2 ** 20} MiB`;
    const number = (n: number): string => n.toLocaleString('en-US');
    const said: Record<string, string> = {
      body: mib(LIMITS.bodyBytes),
      'events in a batch': String(LIMITS.eventsPerBatch),
      'checked field of an event; its metadata': `${LIMITS.contentBytes / 1024} KiB each`,
      '`event_id`, `run_id`': `${LIMITS.idCharacters} characters of \`A-Z a-z 0-9 . _ : -\``,
      '`external_session_id`, `external_artifact_id`, `name`, `call_id`, `format`': `${LIMITS.nameCharacters} characters`,
      'links of an event; declarations in a batch; `relation`': `${LIMITS.linksPerEvent}; ${LIMITS.declarationsPerBatch}; ${LIMITS.relationCharacters} characters`,
      'messages of a session check': number(LIMITS.messages),
      'text of the message that is checked; of an earlier one, of which the end is used': `${mib(LIMITS.messageTextBytes)} each, [a setting](operations/settings.md) up to ${mib(DEFINITIONS.messageBytes.max!)}`,
      '`metadata` of a session check; of its last message': `${LIMITS.metadataBytes / 1024} KiB each`,
      'policies named in a session or artifact check': String(LIMITS.policyIds),
      'depth of JSON': String(LIMITS.jsonDepth),
      'JSON values and names in a body over 64 KiB (brackets that open, commas and colons)': number(
        DEFINITIONS.bodyValues.default,
      ),
      "texts of a guardrail's call that stand in no message; bytes of all that is checked of it": `${number(LIMITS.guardrailTexts)}; ${mib(LIMITS.messageTextBytes)}`,
      "each list of a guardrail's call": `${number(LIMITS.guardrailElements)} elements`,
      "images in the last message of a session check, or that are checked of a guardrail's call": String(
        LIMITS.artifactParts,
      ),
      'artifacts in the answer about a session': `the newest ${LIMITS.envelopeArtifacts}`,
      'checks in the list of violations': `the newest ${LIMITS.protectItems}`,
    };
    for (const [what, expected] of Object.entries(said)) assert.equal(most(what), expected, what);
    const keys = most('`Idempotency-Key`; how many are remembered');
    assert.match(keys, new RegExp(`^${LIMITS.idempotencyKeyCharacters} `));
    assert.match(most('an image; its pixels; a side of it'), new RegExp(`^${mib(LIMITS.imageBytes)};`));
    assert.ok(
      most('`content.url`; redirects; time for a fetch').startsWith(`${number(LIMITS.urlCharacters)} characters`),
    );
    assert.ok(
      most('nodes in a page of a run graph; causes that they declare together').startsWith(number(LIMITS.graphNodes)),
    );
  });
});
