// Numbers as people and programs write them: digits of all scripts, separators of every kind.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pieces } from '../../support.ts';

const ALL = { pii: { entities: 'all' } };
const ZEROS = '٠۰०০੦૦୦௦౦೦൦๐໐༠၀០᠐０𝟎';

describe('a number', () => {
  it('is found in the digits of every script, where it stands', () => {
    for (const zero of ZEROS) {
      const written = '4111 1111 1111 1111'.replace(/\d/g, (digit) =>
        String.fromCodePoint(zero.codePointAt(0)! + Number(digit)),
      );
      assert.deepEqual(pieces(ALL, `a ${written} b`), [written], zero);
    }
    assert.deepEqual(pieces(ALL, 'SSN ٥٣٦-٩٠-٤٣٩٩'), ['٥٣٦-٩٠-٤٣٩٩']);
    assert.deepEqual(pieces(ALL, 'رقم جوالي ٠٥٠ ١٢٣ ٤٥٦٨'), ['٠٥٠ ١٢٣ ٤٥٦٨']);
  });

  it('is a date or a time in the digits of every script, where it is in ASCII', () => {
    const dates = { pii: { entities: ['DATE_TIME'] } };
    const times = { pii: { entities: ['DATE_TIME'], threshold: 0.3 } };
    for (const zero of ZEROS) {
      const as = (text: string): string =>
        text.replace(/\d/g, (digit) => String.fromCodePoint(zero.codePointAt(0)! + Number(digit)));
      for (const written of ['12/07/1978', '12-07-1978'])
        assert.deepEqual(pieces(dates, `a ${as(written)} b`), [as(written)]);
      assert.deepEqual(pieces(times, `a ${as('14:30:05')} b`), [as('14:30:05')], zero);
      assert.deepEqual(pieces(dates, `a ${as('12/17/78/3')} b`), []);
    }
    assert.deepEqual(pieces(dates, 'जन्म तिथि: १२/०७/१९७८'), ['१२/०७/१९७८']);
    assert.deepEqual(pieces(ALL, 'जन्म तिथि: १२/०७/१९७८'), [], '`all` has no dates');
  });

  it('may have tabs, underscores, two spaces, or a hyphen between spaces', () => {
    for (const text of [
      '4111\t1111\t1111\t1111',
      '4111_1111_1111_1111',
      '4111+1111+1111+1111',
      'DE89  3704  0044  0532  0130  00',
      'DE89.3704.0044.0532.0130.00',
      'DE89_3704_0044_0532_0130_00',
      'DE 89 3704 0044 0532 0130 00',
      '4111  1111  1111  1111',
      '4111 - 1111 - 1111 - 1111',
      '4111/1111/1111/1111',
      '310 - 555 - 0123',
    ])
      assert.deepEqual(pieces(ALL, `: ${text}`), [text]);
    for (const ssn of ['536  90  4399', '536_90_4399', '536/90/4399'])
      assert.deepEqual(pieces(ALL, `SSN ${ssn}`), [ssn]);
  });

  it('may have entities of HTML and percent-encoding', () => {
    for (const [text, number] of [
      ['<td>4111&nbsp;1111&nbsp;1111&nbsp;1111</td>', '4111&nbsp;1111&nbsp;1111&nbsp;1111'],
      ['4111&#32;1111&#x20;1111&#160;1111', '4111&#32;1111&#x20;1111&#160;1111'],
      ['/pay?iban=DE89%203704%200044%200532%200130%2000&x=1', 'DE89%203704%200044%200532%200130%2000'],
      ['tel=%2B44%2020%207946%200958', '%2B44%2020%207946%200958'],
      ['SSN:&nbsp;536&#45;90&#45;4399', '536&#45;90&#45;4399'],
    ] as const)
      assert.deepEqual(pieces(ALL, text), [number], text);
    for (const text of ['a%20b%20c', '/docs/4%20new%20ways', '100&nbsp;000&nbsp;km', 'x&#1234567;y', '%20%20%20%20'])
      assert.deepEqual(pieces(ALL, text), [], text);
  });

  it('is no row of a table of numbers', () => {
    assert.deepEqual(pieces(ALL, 'a\tb\tc\td\n4111\t1111\t1111\t1111\n4012\t8888\t8888\t1881\n'), []);
    assert.deepEqual(pieces(ALL, '17\t4111\t1111\t1111\t1111\t3'), []);
    assert.deepEqual(pieces(ALL, '4111  1111  1111  1111\n4012  8888  8888  1881\n'), []);
    assert.deepEqual(pieces(ALL, '17  4111  1111  1111  1111  3'), []);
    assert.deepEqual(pieces(ALL, '/4111/1111/1111/1111/3'), []);
  });
});
