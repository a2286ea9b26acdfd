/** What the query makes of policies, and that an answer without it is as it was, to the byte. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { storedArtifact } from '#weir/shared/api/artifact';
import { PLAIN_VIEW, viewedItem, viewedRecord, writeExplanation } from '#weir/shared/api/results/explanation';
import { decodeRecord } from '#weir/shared/api/results/record';
import {
  renderArtifact,
  renderEnvelope,
  renderEvent,
  renderSession,
  storedItem,
} from '#weir/shared/api/results/render';
import {
  MOST_ENTRIES,
  MOST_EVIDENCE,
  type PlacedEvidence,
  withoutPaths,
} from '#weir/shared/api/results/stored-evidence';
import type { PolicyEvidence } from '#weir/shared/api/types';
import { record, recordItem, storedItem as stored } from '../../../ingress/support.ts';
import { answerText } from '../../../support/api/answer-text.ts';
import { encodeRecord } from '../../../support/stores/encoded.ts';

const [CARDS, WORDS] = ['968f3ebc-6b8e-4e47-a25a-e876f371968c', '8bd13559-1d27-4610-a76c-b4d68820c82e'];
const found: PolicyEvidence = { detector: 'pii:CREDIT_CARD', view: 'raw', source: 'text', start: 3, end: 22 };
const explained = writeExplanation('hl', [{ id: CARDS, evidence: [found] }]);
const entry = (id: string, flagged: boolean): string =>
  `"${id}":{"name":"P é","flagged":${flagged},"flagged_source":[]}`;
const FLAGGED = `{${entry(CARDS, true)},${entry(WORDS, false)}}`;
const CLEAN = `{${entry(CARDS, false)},${entry(WORDS, false)}}`;
const batch = record({
  id: '01a1fdb6-e276-7f4f-81ed-501a7cec0000',
  received: Date.parse('2026-06-01T10:00:00.000Z'),
  completed: Date.parse('2026-06-01T10:00:00.005Z'),
  items: [
    recordItem(1, { flagged: true, policies: 0, explained: 1 }),
    recordItem(2, { policies: 2, explained: 3 }),
    recordItem(3, { policies: 2, explained: 3 }),
  ],
  fragments: [FLAGGED, explained, CLEAN, writeExplanation('hl')],
});
const EXPLAINED = { explain: true, flaggedOnly: false };

describe('an answer that is not asked to explain', () => {
  const head = (n: number): string =>
    `"event":{"type":"message","status":"completed","updated_at":"2026-06-01T10:00:00.005Z","created_at":"2026-06-01T10:00:00.000Z","event_id":"m${n}","internal_event_id":"01a1fdb6-e276-7f4f-81ed-501a7cec000${n}","run_id":"run-1"}`;
  const listed = (n: number, flagged: boolean): string =>
    `{"index":${n - 1},"type":"message","event_id":"m${n}","run_id":"run-1","internal_event_id":"01a1fdb6-e276-7f4f-81ed-501a7cec000${n}","status":"completed","flagged":${flagged}}`;
  const read = decodeRecord(encodeRecord(batch));

  it('is a batch as it always was', () => {
    const expected = `{"flagged":true,"failed":0,"run_id":"run-1","results":{"message":{"m1":{"flagged":true,"policies":${FLAGGED},${head(1)}},"m2":{"flagged":false,"policies":${CLEAN},${head(2)}},"m3":{"flagged":false,"policies":${CLEAN},${head(3)}}},"artifact":{},"tool":{},"function":{},"agent":{},"reasoning":{}},"order":[${listed(1, true)},${listed(2, false)},${listed(3, false)}]}`;
    assert.equal(answerText(viewedRecord(read, PLAIN_VIEW)), expected);
  });

  it('is an event, a session, an image and an envelope as they always were', () => {
    const item = viewedItem(storedItem(read, read.items[0]!), PLAIN_VIEW);
    assert.equal(
      renderEvent(item, { runId: true }),
      `{"flagged":true,"policies":${FLAGGED},${head(1)},"run_id":"run-1"}`,
    );
    const session = `{"flagged":true,"internal_session_id":"01a1fdb6-e276-7f4f-81ed-501a7cec0001","policies":${FLAGGED}}`;
    assert.equal(renderSession(item), session);
    const artifact = `{"status":"completed","flagged":true,"policies":${FLAGGED},"kind":"image","internal_artifact_id":"01a1fdb6-e276-7f4f-81ed-501a7cec0001","external_artifact_id":null,"internal_session_id":null,"external_session_id":null,"created_at":"2026-06-01T10:00:00.000Z","updated_at":"2026-06-01T10:00:00.005Z","note":null}`;
    assert.equal(renderArtifact(storedArtifact(item)), artifact);
    assert.equal(renderEnvelope(item), `{"session":${session},"artifacts":[]}`);
  });

  it('is made of the very same record', () => {
    assert.equal(viewedRecord(batch, PLAIN_VIEW), batch);
    const item = stored();
    assert.equal(viewedItem(item, PLAIN_VIEW), item);
  });
});

describe('policies that are explained', () => {
  const map = (policies: string, of: string, view = EXPLAINED) =>
    JSON.parse(viewedItem(stored({ policies, explained: of }), view).policies);

  it('each have a severity, and flagged ones their evidence, behind what they had', () => {
    const made = viewedItem(stored({ policies: FLAGGED, explained }), EXPLAINED).policies;
    const evidence = '[{"detector":"pii:CREDIT_CARD","view":"raw","source":"text","start":3,"end":22}]';
    assert.equal(
      made,
      `{"${CARDS}":{"name":"P é","flagged":true,"flagged_source":[],"severity":"high","evidence":${evidence}},"${WORDS}":{"name":"P é","flagged":false,"flagged_source":[],"severity":"low"}}`,
    );
  });

  it('have empty evidence where a policy is flagged since nothing fired', () => {
    assert.deepEqual(map(FLAGGED, writeExplanation('mm'))[CARDS].evidence, []);
  });

  it('are as they were where an earlier release stored no explanation', () => {
    assert.deepEqual(map(FLAGGED, ''), JSON.parse(FLAGGED));
  });

  it('are those of a batch, each of its maps made once', () => {
    const made = viewedRecord(decodeRecord(encodeRecord(batch)), EXPLAINED);
    assert.equal(made.fragments.length, batch.fragments.length + 2);
    const { results } = JSON.parse(answerText(made));
    assert.deepEqual(results.message.m1.policies[CARDS].evidence, [found]);
    assert.equal(results.message.m2.policies[WORDS].severity, 'low');
    assert.equal('evidence' in results.message.m2.policies[CARDS], false);
  });

  it('are those of their map, however many maps there were before', () => {
    for (let i = 0; i < 1500; i++) {
      const name = `P${i % 700}`;
      assert.equal(map(FLAGGED.replace('P é', name), explained)[CARDS].name, name);
    }
    const long = 'x'.repeat(10_000);
    assert.equal(map(FLAGGED.replace('P é', long), explained)[CARDS].name, long);
  });

  it('are only the flagged ones where those alone are asked for, with or without explanations', () => {
    const flagged = { explain: false, flaggedOnly: true };
    assert.deepEqual(map(FLAGGED, explained, flagged), { [CARDS]: JSON.parse(FLAGGED)[CARDS] });
    assert.deepEqual(map(CLEAN, writeExplanation('hl'), flagged), {});
    assert.deepEqual(map(FLAGGED, explained, { explain: true, flaggedOnly: true }), {
      [CARDS]: { ...JSON.parse(FLAGGED)[CARDS], severity: 'high', evidence: [found] },
    });
  });

  it('take the places of the maps of a batch, unless these are metadata, too', () => {
    const flagged = { explain: false, flaggedOnly: true };
    const made = viewedRecord(batch, flagged);
    assert.equal(made.items, batch.items);
    const { results } = JSON.parse(answerText(made));
    assert.deepEqual(Object.keys(results.message.m1.policies), [CARDS]);
    assert.deepEqual(results.message.m2.policies, {});
    const items = batch.items.map((item) => ({ ...item, metadata: item.policies }));
    const same = viewedRecord({ ...batch, items }, flagged);
    for (const [i, { metadata }] of same.items.entries()) {
      assert.equal(same.fragments[metadata], batch.fragments[batch.items[i]!.policies]);
    }
    assert.deepEqual(JSON.parse(answerText(same)), JSON.parse(answerText(made)));
  });
});

describe('evidence that is shown in another unit, or with what was found', () => {
  const placed: PlacedEvidence[] = [
    { ...found, counted: [2, 21, 5, 24] },
    { ...found, path: '/a', start: 0, end: 4, within: [6, 10] },
    { ...found, source: 'image', start: 0, end: 2, counted: [0, 1, 0, 4] },
  ];
  const stored3 = writeExplanation('hl', [{ id: CARDS, evidence: placed }]);
  const shown = (view: object, text?: string, of = stored3): (PolicyEvidence & { matched?: string })[] => {
    const asked = { ...EXPLAINED, ...view };
    return JSON.parse(viewedItem(stored({ policies: FLAGGED, explained: of }), asked, text).policies)[CARDS].evidence;
  };
  const offsets = (entries: PolicyEvidence[]): number[][] => entries.map(({ start, end }) => [start, end]);
  const plain = placed.map(({ counted, within, ...rest }) => rest);

  it('is as it is stored in UTF-16 units, and counted otherwise where that differs', () => {
    assert.deepEqual(shown({}), plain);
    assert.deepEqual(offsets(shown({ offsets: 'codepoints' })), [
      [2, 21],
      [0, 4],
      [0, 1],
    ]);
    assert.deepEqual(offsets(shown({ offsets: 'bytes' })), [
      [5, 24],
      [0, 4],
      [0, 4],
    ]);
    const codepoints = shown({ offsets: 'codepoints' });
    assert.deepEqual(
      codepoints.map((one, i) => ({ ...one, start: plain[i]!.start, end: plain[i]!.end })),
      plain,
    );
  });

  it('has no offsets in other units where an earlier release stored none, rather than wrong ones', () => {
    const earlier = JSON.stringify(JSON.parse(stored3).slice(0, 2));
    assert.deepEqual(shown({}, undefined, earlier), plain);
    assert.deepEqual(offsets(shown({ offsets: 'bytes' }, undefined, earlier)), [
      [0, 0],
      [0, 0],
      [0, 0],
    ]);
  });

  it('has the text that was found, but not that of an image, nor without the text', () => {
    const text = 'abc😀 zebra and more of it';
    const told = shown({ matched: true }, text).map(({ matched }) => matched);
    assert.deepEqual(told, [text.slice(3, 22), 'zebr', undefined]);
    assert.deepEqual(shown({ matched: true }), plain);
    assert.deepEqual(
      shown({ matched: true }, 'short').map(({ matched }) => matched),
      [undefined, undefined, undefined],
    );
  });

  it('has whole characters, a limited number of them, and of all entries together', () => {
    const wide = { ...found, start: 1, end: 5000 };
    const of = writeExplanation('hl', [{ id: CARDS, evidence: [{ ...found, start: 2, end: 3 }, wide] }]);
    const [one, long] = shown({ matched: true }, '😀'.repeat(3000), of);
    assert.equal(one!.matched, '😀');
    assert.equal(long!.matched, '😀'.repeat(1024));
    const many = writeExplanation('hl', [{ id: CARDS, evidence: Array(32).fill(wide) }]);
    const texts = shown({ matched: true }, '😀'.repeat(3000), many).map(({ matched }) => matched?.length);
    assert.deepEqual(
      texts,
      Array.from({ length: 32 }, () => 2048),
    );
    const more = Array.from({ length: 3 }, (_, i) => ({
      id: i === 0 ? WORDS : `p${i}`,
      evidence: Array(32).fill(wide),
    }));
    const last = writeExplanation('hl', [...more, { id: CARDS, evidence: [wide] }]);
    assert.equal('matched' in shown({ matched: true }, '😀'.repeat(3000), last)[0]!, false);
  });

  it('is that of each item of a batch, though items share maps and evidence', () => {
    const texts = ['one: 4111 1111 1111 1111', 'two: 5555 5555 5555 4444'];
    const items = [1, 2, 3].map((item) => recordItem(item, { flagged: true, policies: 0, explained: 1 }));
    const read = decodeRecord(encodeRecord({ ...batch, items }));
    const made = viewedRecord(read, { ...EXPLAINED, matched: true }, ({ item }) => texts[item - 1]);
    const { results } = JSON.parse(answerText(made));
    const told = [1, 2, 3].map((n) => results.message[`m${n}`].policies[CARDS].evidence[0].matched);
    assert.deepEqual(told, [...texts.map((text) => text.slice(3, 22)), undefined]);
  });
});

describe('an explanation', () => {
  it('is short where nothing is flagged, and nothing where nothing was evaluated', () => {
    assert.equal(writeExplanation('hml'), '["hml"]');
    assert.equal(writeExplanation(''), '');
  });

  it('is the JSON of its parts, whatever they hold, with scores of four digits', () => {
    const odd = { ...found, detector: 'regex:"\\\n', view: 'é', path: '/a~1"b', index: 3, score: 0.123456 };
    const [, told] = JSON.parse(writeExplanation('hl', [{ id: CARDS, evidence: [odd, found] }]));
    assert.deepEqual(told, { [CARDS]: [{ ...odd, score: 0.1235 }, found] });
  });

  it('has lists behind its evidence only for what differs', () => {
    const placed = { ...found, counted: [2, 21, 5, 24] as const, within: [7, 26] as const };
    const write = (...evidence: PlacedEvidence[]) =>
      JSON.parse(
        writeExplanation('h', [
          { id: WORDS, evidence: [found] },
          { id: CARDS, evidence },
        ]),
      ).slice(2);
    assert.deepEqual(write(found), [0]);
    assert.deepEqual(write(found, placed), [
      [2, 2, 21, 5, 24],
      [2, 7, 26],
    ]);
  });

  it('has a limited number of entries for a policy and for an item', () => {
    const [, evidence] = JSON.parse(writeExplanation('h', [{ id: CARDS, evidence: Array(100).fill(found) }]));
    assert.equal(evidence[CARDS].length, MOST_EVIDENCE);
    const many = Array.from({ length: 20 }, (_, i) => ({ id: `p${i}`, evidence: Array(30).fill(found) }));
    const [, all] = JSON.parse(writeExplanation('h'.repeat(20), many)) as [string, Record<string, unknown[]>];
    const counts = Object.values(all).map((entries) => entries.length);
    assert.deepEqual(counts, [...Array(8).fill(30), MOST_ENTRIES - 240]);
  });

  it('can lose the names of fields, with the offsets that mean nothing without them', () => {
    const within = { ...found, path: '/card', score: 0.5 };
    const image = { ...found, source: 'image' as const, index: 2 };
    const counted = { counted: [2, 21, 5, 24] as const };
    const bare = withoutPaths(
      writeExplanation('h', [
        {
          id: CARDS,
          evidence: [
            { ...within, ...counted, within: [9, 28] },
            { ...image, ...counted },
          ],
        },
      ]),
    );
    assert.deepEqual(JSON.parse(bare)[1][CARDS], [{ ...found, start: 0, end: 0, score: 0.5 }, image]);
    assert.deepEqual(JSON.parse(bare).slice(2), [[1, 2, 21, 5, 24]]);
    assert.equal(withoutPaths(explained), explained);
  });
});
