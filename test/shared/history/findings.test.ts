/** The view `findings`: what was found, cut out of the content that history keeps. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { textOf } from '#weir/ingress/parse/content-texts';
import { decodeRecord } from '#weir/shared/api/results/record';
import { shownEvidence } from '#weir/shared/api/results/stored-evidence';
import type { PolicyEvidence } from '#weir/shared/api/types';
import { newRequestId } from '#weir/shared/ids';
import { compilePlan } from '#weir/shared/policy/compile';
import type { WorkHeader } from '#weir/shared/streams/work';
import { evaluateEntry } from '#weir/workers/evaluator/outcome';
import type { RowFormat } from '#weir/workers/rows/columns';
import { unpackRows } from '#weir/workers/rows/unpack-rows';
import { pluck } from '../../support/pluck.ts';
import { sharedHistory } from '../../support/stores/clickhouse.ts';
import { insertAs } from '../../support/stores/insert.ts';
import { entryOf } from '../../workers/evaluator/support.ts';
import { sketch } from '../policy/support.ts';

const { client } = await sharedHistory();

const PLAN = compilePlan(
  sketch({
    policies: [
      { name: 'Words', severity: 'low', detect: { terms: { list: ['zebra', 'größe', '🦓🦓'] } } },
      { name: 'Cards', severity: 'high', detect: { pii: { entities: ['CREDIT_CARD'] } } },
      { name: 'Long', detect: { regex: { patterns: ['🦒+x+'] } } },
      { name: 'Please', detect: { not: { terms: { list: ['please'] } } } },
    ],
  }),
  1,
);

interface Finding extends Omit<PolicyEvidence, 'matched'> {
  id: string;
  policy_id: string;
  policy_name: string;
  severity: string;
  in_json: boolean;
  matched: string | null;
}

const rows = async <T>(query: string): Promise<T[]> => (await client.query({ query, format: 'JSONEachRow' })).json<T>();

const findings = (where: string): Promise<Finding[]> =>
  rows(`SELECT * EXCEPT (ts), start + 0 AS start, end + 0 AS end FROM findings WHERE team = 't' AND ${where} ORDER BY start, matched
    SETTINGS output_format_json_quote_64bit_integers = 0`);

/** Evaluates a check and stores its rows, as many times as is said. Returns the id of its request. */
async function checked(kind: WorkHeader['kind'], body: string, more: Partial<WorkHeader> & { times?: number } = {}) {
  const { times = 1, id: request = newRequestId(0), ...header } = more;
  const { record, format, rows } = evaluateEntry(PLAN, entryOf(kind, body, { ...header, id: request }));
  const bytes = Buffer.from(unpackRows(format, rows).bytes);
  const read = decodeRecord(record);
  for (let time = 0; time < times; time++) await insertAs(format as RowFormat, client, [bytes]);
  return { request, read };
}

const idIs = (request: string): string => `request_id = '${request}'`;
const event = (fields: string): string => `{"run_id":"r","event":{"event_id":"e","type":"tool",${fields}}}`;
const CARD = '4111 1111 1111 1111';

describe('findings', () => {
  it('have the text of each find, whatever characters are before and within it', async () => {
    const content = JSON.stringify(`🦓 é zebra 🦓🦓 👩‍👩‍👧 Größe, card ${CARD} 😀`);
    const { request } = await checked('event', event(`"output":${content}`));
    const found = await findings(idIs(request));
    assert.deepEqual(pluck(found, 'matched'), ['zebra', '🦓🦓', 'Größe', CARD]);
    assert.deepEqual(pluck(found, 'start'), [5, 11, 25, 37]);
    assert.deepEqual(
      pluck(found, 'policy_name'),
      ['Words', 'Words', 'Words', 'Cards'],
      'one without evidence has none',
    );
    assert.deepEqual(pluck(found, 'severity'), ['low', 'low', 'low', 'high']);
    assert.equal(found[3]!.detector, 'pii:CREDIT_CARD');
  });

  it('are those that answers have, with their texts, in JSON and in chats', async () => {
    const bodies: [WorkHeader['kind'], string][] = [
      [
        'event',
        event(
          `"arguments":{"a 😀":"x \\ud83d\\ude00 \\u007aebra","n":[1.50,true,4111111111111111,{"k":"größe zebra"}]}`,
        ),
      ],
      ['event', event(`"arguments":{"zebra":1,"order 1":{"zebra 🦓🦓":"zebra"},"":"\\"zebra\\\\"}`)],
      ['event', event('"output":4111111111111111')],
      ['event', event('"output":["\\u0000 zebra", "line\\nzebra\\ttab", -1e400, "größe"]')],
      ['event', event(`"arguments":${JSON.stringify('{"q":"😀 ze\\u0062ra","card":"4111 1111 1111 1111"}')}`)],
      ['event', event('"output":"😀 \\ud800 zebra"')],
      ['session', `{"messages":[{"role":"user","content":"😀 zebra, ${CARD}"}]}`],
      [
        'session',
        `{"messages":[{"role":"user","content":[{"type":"text","text":"a 😀"},{"type":"text","text":"\\"größe\\" zebra"}]}]}`,
      ],
    ];
    for (const [kind, body] of bodies) {
      const { request, read } = await checked(kind, body);
      const explained = read.fragments[read.items[0]!.explained]!;
      const [kept] = await rows<{ content: string }>(
        `SELECT content FROM contents WHERE id IN (SELECT id FROM results WHERE ${idIs(request)})`,
      );
      const isJson = kind !== 'session' && explained.includes('"path":');
      const shown = shownEvidence(explained, { unit: 'utf16', text: isJson ? textOf(kept!.content) : kept!.content });
      const expected = [...shown].flatMap(([policy, json]) =>
        (JSON.parse(json) as PolicyEvidence[]).map(({ path = null, index = null, score = 1, ...one }) => ({
          policy_id: policy, ...one, path, index, score,
        })),
      ); // biome-ignore format: evidence
      const found = (await findings(idIs(request))).map(
        ({ policy_id, detector, view, source, path, index, start, end, score, matched }) => ({
          policy_id, detector, view, source, path, index, start, end, score, matched,
        }),
      ); // biome-ignore format: evidence
      const text = (all: object[]): string[] => all.map((one) => JSON.stringify(one, Object.keys(one).sort())).sort();
      assert.ok(found.length > 0, body);
      assert.ok(
        found.every(({ matched }) => matched !== null),
        body,
      );
      assert.deepEqual(text(found), text(expected), body);
    }
  });

  it('have no text rather than another one where JSON has half a surrogate pair', async () => {
    const { request } = await checked('event', event('"output":["\\ud800", "zebra"]'));
    assert.deepEqual(pluck(await findings(idIs(request)), 'matched'), [null]);
  });

  it('have at most 1,024 characters of a find', async () => {
    const { request } = await checked('event', event(`"output":"${'🦒'.repeat(2000)}x"`));
    assert.deepEqual(pluck(await findings(idIs(request)), 'matched'), ['🦒'.repeat(1024)]);
  });

  it('stay without their text when content is not kept, or no longer', async () => {
    const output = `"output":{"a":"zebra"}`;
    const unkept = await checked('event', event(output), { unkept: true });
    assert.deepEqual(pluck(await findings(idIs(unkept.request)), 'matched'), [null]);
    const expired = await checked('event', event(output), { times: 2 });
    assert.deepEqual(pluck(await findings(idIs(expired.request)), 'matched'), ['zebra'], 'each once');
    await client.command({
      query: `ALTER TABLE contents DELETE WHERE id IN (SELECT id FROM results WHERE ${idIs(expired.request)})`,
      clickhouse_settings: { mutations_sync: '2' },
    });
    const [found, ...more] = await findings(idIs(expired.request));
    assert.deepEqual([found!.matched, found!.path, found!.start, more.length], [null, '/a', 0, 0]);
  });

  it('are those of the newest version, with its text', async () => {
    const { request } = await checked('event', event('"output":"😀 zebra"'));
    await checked('event', event('"output":"größe 😀 zebra"'), { id: request, replay: 1 });
    assert.deepEqual(pluck(await findings(idIs(request)), 'matched'), ['größe', 'zebra']);
  });
});
