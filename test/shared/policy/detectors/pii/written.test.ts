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

  it('is a date with the name of a month in the languages that have one', () => {
    const dates = { pii: { entities: ['DATE_TIME'] } };
    for (const written of [
      '9 июля 1978',
      '9 липня 1978',
      '9 ιουλίου 1978',
      '9. července 1978',
      '9 iulie 1978',
      '9 Agustus 1978',
      '1978. július 9',
      '1978 July 9',
      '٩ يوليو ١٩٧٨',
      '9 رمضان 1398',
      '۱۸ تیر ۱۳۵۷',
      '9 ביולי 1978',
      '९ जुलाई १९७८',
      '৯ জুলাই ১৯৭৮',
      '9 กรกฎาคม 2521',
      '9 กรกฎาคม พ.ศ. 2521',
      '9 tháng 7 năm 1978',
      '9 мая',
    ])
      assert.deepEqual(pieces(dates, `x: ${written}.`), [written]);
    for (const none of ['5 leden', '20 Маша', '3 มี 4', '9 tháng 13 năm 1978', '45 июля', '5 маятников'])
      assert.deepEqual(pieces(dates, none), [], none);
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

  it('may be a part of what is encoded as a whole, or stand behind an escape', () => {
    for (const [text, expected] of [
      ['q=cpf%3A%20111.444.777-35', ['111.444.777-35']],
      ['x=%7B%22iban%22%3A%22DE89370400440532013000%22%7D', ['DE89370400440532013000']],
      ['steuernummer=93%2F815%2F08152&page=2', ['93%2F815%2F08152']],
      ['{"a":"4111\\u00a01111\\u00a01111\\u00a01111"}', ['4111\\u00a01111\\u00a01111\\u00a01111']],
      [
        '"Hello\\nssn: 536904399\\njane@example.com\\n\\t4111 1111 1111 1111"',
        ['536904399', 'jane@example.com', '4111 1111 1111 1111'],
      ],
      ['"\\\\nssn: 536904399\\\\nend"', ['536904399']],
    ] as const)
      assert.deepEqual(pieces(ALL, text).sort(), [...expected].sort(), text);
  });

  it('may be written digit by digit, where it is the whole row', () => {
    for (const text of [
      '5 3 6 9 0 4 3 9 9',
      '5  3  6  9  0  4  3  9  9',
      '5-3-6 - 9-0 - 4-3-9-9',
      '5, 3, 6, 9, 0, 4, 3, 9, 9',
      '5~3~6~9~0~4~3~9~9',
      '5|3|6|9|0|4|3|9|9',
    ])
      assert.deepEqual(pieces(ALL, `my SSN is ${text} ok?`), [text], text);
    for (const text of ['D E 8 9 3 7 0 4 0 0 4 4 0 5 3 2 0 1 3 0 0 0', 'D~E~8~9~3~7~0~4~0~0~4~4~0~5~3~2~0~1~3~0~0~0'])
      assert.deepEqual(pieces(ALL, `IBAN ${text}.`), [text], text);
    for (const text of [
      '4~5~3~9~5~7~8~7~6~3~6~2~1~4~8~6',
      '4 - 5 - 3 - 9 - 5 - 7 - 8 - 7 - 6 - 3 - 6 - 2 - 1 - 4 - 8 - 6',
    ])
      assert.deepEqual(pieces(ALL, `it is ${text} ok?`), [text], text);
    assert.deepEqual(pieces(ALL, 'card 4|5|3|9|5|7|8|7|6|3|6|2|1|4|8|6').length, 1);
    for (const text of [
      '4|5|3|9|5|7|8|7|6|3|6|2|1|4|8|6',
      '[4, 5, 3, 9, 5, 7, 8, 7, 6, 3, 6, 2, 1, 4, 8, 6]',
      'SSN 5 3 6 9 0 4 3 9 9 1 2 5 7 3 4',
      'phone keys 1 2 3 4 5 6 7 8 9',
      'social votes 1 0 0 1 1 0 1 0 0',
    ])
      assert.deepEqual(pieces(ALL, text), [], text);
  });

  it('may have any one separator between the groups of a card', () => {
    for (const separator of ['~', '•', '·', '*', '=', '➖', '\u3000', '\u202f', '\u2009', ' ~ '])
      for (const card of [
        `4539${separator}5787${separator}6362${separator}1486`,
        `3782${separator}822463${separator}10005`,
      ])
        assert.deepEqual(pieces(ALL, `it is ${card}!`), [card], card);
    // As lists, times and rows have them, where words of payment stand near.
    for (const separator of [',', ', ', '|', ':', '\n', ' . ', ';']) {
      const card = ['4539', '5787', '6362', '1486'].join(separator);
      assert.deepEqual(pieces(ALL, `card: ${card}!`), [card], card);
      assert.deepEqual(pieces(ALL, `it is ${card}!`), [], card);
    }
  });

  it('may have groups of other lengths where words of payment stand near', () => {
    for (const card of ['45395 78763 621486', '453957 8763621486', '45 39 57 87 63 62 14 86'])
      for (const text of [`pay by card ${card}`, `charge ${card} 04/27`])
        assert.deepEqual(pieces(ALL, text), [card], text);
    for (const text of [
      'it is 45395 78763 621486',
      'card 12 45395 78763 621486',
      'card 45395 78763-621486',
      'card 45395787636214.86',
    ])
      assert.deepEqual(pieces(ALL, text), [], text);
  });

  it('may stand behind its label without a space, where it has groups', () => {
    for (const [label, number] of [
      ['Phone', '0151 2345678'],
      ['SSN', '536-90-4399'],
      ['visa', '4111 1111 1111 1111'],
      ['Tel', '(030) 901820'],
    ] as const)
      assert.deepEqual(pieces(ALL, `a ${label}${number}, b`), [number], label);
    for (const text of ['ssn536904399', 'step536-90-4399', 'phone1 2345 of 6789'])
      assert.deepEqual(pieces(ALL, text), [], text);
  });

  it('begins with its parenthesis, also where that has a space', () => {
    for (const text of ['(0 30) 90 18 20', '(030) 901820'])
      assert.deepEqual(pieces(ALL, `Tel.: ${text}\n`), [text], text);
  });

  it('is one find where narrow or wide spaces part its groups', () => {
    for (const space of ['\u202f', '\u2009', '\u3000', '\u2002'])
      for (const text of ['RO98 RGFM 8279 6764 8640 4681', '6011 1865 7004 8596'].map((each) =>
        each.replaceAll(' ', space),
      ))
        assert.deepEqual(pieces(ALL, `a ${text} b`), [text], text);
  });

  it('is none of hexadecimal digits, code points and hashes', () => {
    for (const text of [
      '527C 5272 5274 5275 5269 52DE',
      '50DC 5287 5288 5289\n528D',
      '; [.4180.0024.0002.6613][.41F9.0020]',
      '0063 0063 0053 ; [.1FD7]',
      '154\t\t0052 0301\n',
      'merge cacae4329f and f917f57f40',
      'rs1661671 and NM_280898.3',
    ])
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
