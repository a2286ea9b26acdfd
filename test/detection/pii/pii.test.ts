// Personal data of the development set: all of it is found, and nothing else.
import assert from 'node:assert/strict';
import { after, describe, it } from 'node:test';
import { ENTITY_NAMES, GROUPS, ORDINARY } from '#weir/shared/policy/detectors/pii/catalogue';
import { evidenceOf, pieces } from '../../shared/policy/support.ts';
import { SET, spansOf, textOf } from './set.ts';

const LOW = 0.01;
/** Of the numbers of an entity, and of its look-alikes. */
const LEAST_RECALL = 0.97;
const MOST_ALARMS = 0.01;

const foundIn = (entity: string, marked: string, threshold?: number): string[] =>
  pieces({ pii: { entities: [entity], ...(threshold === undefined ? {} : { threshold }) } }, textOf(marked));

const isFound = (entity: string, marked: string, threshold?: number): boolean =>
  JSON.stringify(foundIn(entity, marked, threshold)) === JSON.stringify(spansOf(marked));

describe('the development set of pii', () => {
  const rows: string[] = [];
  after(() => console.log(rows.join('\n')));

  it('has cases of every entity, half of them innocent', () => {
    assert.deepEqual(Object.keys(SET).sort(), [...ENTITY_NAMES].sort());
    const all = Object.values(SET);
    const positive = all.reduce((sum, { finds, weak }) => sum + finds.length + weak.length, 0);
    const innocent = all.reduce((sum, { none, never }) => sum + none.length + never.length, 0);
    assert.ok(positive + innocent >= 700 && innocent >= positive * 0.9, `${positive} and ${innocent}`);
  });

  for (const [entity, { finds, weak, none, never }] of Object.entries(SET)) {
    it(`${entity} is found, and its look-alikes are not`, () => {
      const missed = [
        ...finds.filter((marked) => !isFound(entity, marked)),
        ...weak.filter((marked) => !isFound(entity, marked, LOW) || foundIn(entity, marked).length > 0),
      ];
      const alarms = [
        ...none.filter((text) => foundIn(entity, text).length > 0),
        ...never.filter((text) => foundIn(entity, text, LOW).length > 0),
      ];
      const recall = 1 - missed.length / (finds.length + weak.length);
      const rate = alarms.length / (none.length + never.length);
      rows.push(
        `${entity}: ${finds.length + weak.length} numbers, recall ${recall}; ${none.length + never.length} look-alikes, alarms ${rate}`,
      );
      assert.ok(recall >= LEAST_RECALL, `missed: ${missed.join(' | ')}`);
      assert.ok(rate <= MOST_ALARMS, `alarms: ${alarms.join(' | ')}`);
    });
  }
});

describe('pii with all entities', () => {
  it('finds what it finds with one, as one finding', () => {
    const wanted = Object.entries(SET).filter(([entity]) => GROUPS.get('all')!.includes(entity as never));
    for (const [, { finds }] of wanted) {
      for (const marked of finds) {
        const found = pieces({ pii: { entities: 'all' } }, textOf(marked));
        for (const span of spansOf(marked))
          assert.ok(
            found.some((piece) => piece.includes(span)),
            `${marked}: ${found.join(' | ')}`,
          );
      }
    }
  });

  it('leaves out what ordinary texts have', () => {
    const text = 'see https://example.com/a on 12 May 2021 at 10:30 pm';
    assert.deepEqual(evidenceOf({ pii: { entities: 'all' } }, text), []);
    const found = evidenceOf({ pii: { entities: ['all', ...ORDINARY] } }, text).map(({ detector }) => detector);
    assert.deepEqual([...new Set(found)].sort(), ['pii:DATE_TIME', 'pii:URL']);
  });

  it('is quiet on ordinary numbers', () => {
    for (const text of ORDINARY_TEXTS) assert.deepEqual(pieces({ pii: { entities: 'all' } }, text), [], text);
  });
});

const ORDINARY_TEXTS = [
  'Your order 123456789 ships on 12 May and costs $1,299.00.',
  'Invoice no. 4500123456 is due in 30 days.',
  'Tracking number 94001102008833 says Tuesday.',
  'I will take 2 large lattes with 3 shots, at 8:15 please.',
  'Version 10.15.7 fixes bug 1234567, see revision 802429861.',
  'From 1933-1945 there were 6,000,000 of them.',
  'The file is 104857600 bytes, about 100 MB.',
  'ISBN 978-3-16-148410-0 is on page 117 of vol. 12.',
  'https://example.org/w/index.php?title=A&oldid=797603712&diff=802429861',
  'It was 1 in 100000000000, or 3.14159265358979 if you like.',
  'Flight LH 454 from gate B12 to SFO, seat 23A, row 4.',
  'Matched 4-2 in 2019/20, 5:1 at half time; the score was 21-19, 21-17.',
];
