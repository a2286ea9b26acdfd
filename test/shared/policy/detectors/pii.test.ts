import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf, pieces } from '../support.ts';

type Table = [text: string, expected: string | null][];

function table(entity: string, rows: Table, threshold?: number): void {
  const detect = { pii: { entities: [entity], ...(threshold === undefined ? {} : { threshold }) } };
  for (const [text, expected] of rows) {
    const name =
      expected === null
        ? `does not find one in ${JSON.stringify(text)}`
        : `finds ${JSON.stringify(expected)} in ${JSON.stringify(text)}`;
    it(name, () => assert.deepEqual(pieces(detect, text), expected === null ? [] : [expected]));
  }
}

describe('pii CREDIT_CARD', () => {
  table('CREDIT_CARD', [
    ['pay 4111111111111111 now', '4111111111111111'],
    ['4111 1111 1111 1111', '4111 1111 1111 1111'],
    ['4111-1111-1111-1111.', '4111-1111-1111-1111'],
    ['4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1', '4 1 1 1 1 1 1 1 1 1 1 1 1 1 1 1'],
    ['amex 3782 822463 10005', '3782 822463 10005'],
    ['diners 3056 930902 5904', '3056 930902 5904'],
    ['5555555555554444', '5555555555554444'],
    ['2223003122003222', '2223003122003222'],
    ['6011111111111117', '6011111111111117'],
    ['3530111333300000', '3530111333300000'],
    ['4222222222222', '4222222222222'],
    ['card:4111111111111111', '4111111111111111'],
    ['４１１１ １１１１ １１１１ １１１１', '４１１１ １１１１ １１１１ １１１１'],
    ['4111\u200b1111\u200b1111\u200b1111', '4111\u200b1111\u200b1111\u200b1111'],
    ['4111‑1111‑1111‑1111', '4111‑1111‑1111‑1111'],
    ['4111 1111 1111 1111 12/29', '4111 1111 1111 1111'],
    // what parts the groups may change, and be invisible
    ['4111-1111 1111 1111', '4111-1111 1111 1111'],
    ['4111 1111 1111-1111', '4111 1111 1111-1111'],
    ['4111.1111.1111.1111', '4111.1111.1111.1111'],
    ['4111.1111-1111 1111.', '4111.1111-1111 1111'],
    ['4111\u200b1111 1111 1111', '4111\u200b1111 1111 1111'],
    ['4111 1111\u200b1111\u20601111', '4111 1111\u200b1111\u20601111'],
    ['4111 1111\u00ad1111 1111', '4111 1111\u00ad1111 1111'],
    ['41\u200b11 1111 1111 1111', '41\u200b11 1111 1111 1111'],
    ['4111\u200b\u200b\u200b\u200b1111 11111111', '4111\u200b\u200b\u200b\u200b1111 11111111'],
    ['3782\u200b822463 10005', '3782\u200b822463 10005'],
    ['3782-822463.10005', '3782-822463.10005'],
    ['4111111111111111.00', '4111111111111111'],
    ['0.4111.1111.1111.1111', null],
    ['4111..1111 1111 1111', null],
    ['411 1111.1111.1111.11', null],
    ['4111111111111112', null], // check digit
    ['1234567812345670', null], // no issuer
    ['2000000000000006', null], // no issuer either
    ['order 48213 of 2024', null],
    ['x4111111111111111', null],
    ['41111111111111111111', null],
    ['4111 1111-1111 1111', null], // mixed separators
    ['0.4111111111111111', null],
    ['411111 1111 111111', null], // no card is grouped so
    ['0000000000000000', null],
  ]);
});

describe('pii IBAN_CODE', () => {
  table('IBAN_CODE', [
    ['DE89370400440532013000', 'DE89370400440532013000'],
    ['KW16CBKUABCDEFGHJKLMNPQRSTUVWX', 'KW16CBKUABCDEFGHJKLMNPQRSTUVWX'], // an account of letters alone
    ['7 KW16 CBKU ABCD EFGH JKLM NPQR STUV WX', 'KW16 CBKU ABCD EFGH JKLM NPQR STUV WX'],
    ['to DE89 3704 0044 0532 0130 00.', 'DE89 3704 0044 0532 0130 00'],
    ['gb82 west 1234 5698 7654 32', 'gb82 west 1234 5698 7654 32'],
    ['FR14-2004-1010-0505-0001-3M02-606', 'FR14-2004-1010-0505-0001-3M02-606'],
    ['NO9386011117947', 'NO9386011117947'],
    ['ＤＥ８９３７０４００４４０５３２０１３０００', 'ＤＥ８９３７０４００４４０５３２０１３０００'],
    ['DE89370400440532013001', null], // checksum
    ['DE8937040044053201300', null], // too short
    ['DE893704004405320130001', null], // too long
    ['XDE89370400440532013000', null],
    ['ZZ89370400440532013000', null], // no such country
    ['DE 89 3704', null],
  ]);
});

describe('pii EMAIL_ADDRESS', () => {
  table('EMAIL_ADDRESS', [
    ['write to bob@example.org.', 'bob@example.org'],
    ['<Bob.Smith+tag@mail.example.co.uk>', 'Bob.Smith+tag@mail.example.co.uk'],
    ["'bob@example.org'", 'bob@example.org'],
    ['mailto:bob@example.org?x', 'bob@example.org'],
    ['jürgen@bücher.example', 'jürgen@bücher.example'],
    ['bob＠example．org', 'bob＠example．org'],
    ['bob\u200b@example.org', 'bob\u200b@example.org'],
    ['bob@localhost', null],
    ['@example.org', null],
    ['bob@@example.org', null],
    ['bob.@example.org', null],
    ['bob@-example.org', null],
    ['npm i pkg@1.2.3', null],
    ['at 5@6', null],
  ]);
});

describe('pii PHONE_NUMBER', () => {
  table('PHONE_NUMBER', [
    ['+1 (415) 555-2671', '+1 (415) 555-2671'],
    ['+14155552671', '+14155552671'],
    ['+44 20 7946 0958', '+44 20 7946 0958'],
    ['+44 (0)20 7946 0958', '+44 (0)20 7946 0958'],
    ['+4915112345678', '+4915112345678'],
    ['(415) 555-2671', '(415) 555-2671'],
    ['415-555-2671', '415-555-2671'],
    ['415.555.2671', '415.555.2671'],
    ['1-415-555-2671', '1-415-555-2671'],
    ['0049 151 12345678', '0049 151 12345678'],
    ['call 4155552671', '4155552671'],
    ['Telefon 030 1234567', '030 1234567'],
    ['＋１４１５５５５２６７１', '＋１４１５５５５２６７１'],
    ['id 4155552671', null], // bare digits without a word for it
    ['from 030 1234567 on', null],
    ['115-555-2671', null], // no area code starts with 1
    ['2024-05-12 10:30', null],
    ['+1000000 users', null],
    // a part of a number with a checksum
    ['to DE89 3704 0044 0532 0130 00.', null],
    ['number DE89 3704 0044 0532 0130 00', null],
    ['DE89-3704-0044-0532-0130-00', null],
    ['number FR14 2004 1010 0505 0001 3M02 606', null],
    ['call 4000 0212 3456 7897', null],
    ['DE89 3704 0044 0532 0130 01', '0044 0532 0130 01'], // which has to be right
    ['DE89 3704 0044 0532 0130 00, 0049 151 12345678', '0049 151 12345678'],
    ['+999 123 456 789', null], // no such country
    ['version 1.2.3.4', null],
    ['item-415-555-2671', null],
    ['my phone is 4 1 5 5 5 5 2 6 7 1', '4 1 5 5 5 5 2 6 7 1'],
    ['4 1 5 5 5 5 2 6 7 1', null],
    ['(11) 91234-5678', '(11) 91234-5678'],
    ['(02) 9876 5432', '(02) 9876 5432'],
    ['(2019) 1234-5678', null], // a year and pages
    ['ph: 02 9876 5432', '02 9876 5432'],
    ['txt me at 4155552671', '4155552671'],
    ['mob. 087 123 4567', '087 123 4567'],
    ['Festnetz 030/1234567', '030/1234567'],
    ['τηλέφωνο: 210 123 4567', '210 123 4567'],
    ['phone #4155552671', '4155552671'],
    ['phone model 4155552671', null], // what stands right before it says what it is
    ['phone case, sku: 4155552671', null],
    ['the telephones cost 4155552671 won', null],
    ['docket number 415-555-2671', null],
    ['scores 415 555 2671', null],
    ['RGB (415 555 2671)', null],
    ['mob no 087 123 4567', '087 123 4567'],
    ['{"contact_number":"4155552671"}', '4155552671'],
    ['звоните 8-916-123-45-67', '8-916-123-45-67'],
    ['Natel 079 123 45 67', '079 123 45 67'],
  ]);
});

describe('pii IP_ADDRESS', () => {
  table('IP_ADDRESS', [
    ['from 192.168.0.1.', '192.168.0.1'],
    ['10.0.0.0/8', '10.0.0.0/8'],
    ['[2001:db8::1]:80', '2001:db8::1'],
    ['2001:0db8:85a3:0000:0000:8a2e:0370:7334', '2001:0db8:85a3:0000:0000:8a2e:0370:7334'],
    ['fe80::1%eth0', 'fe80::1%eth0'],
    ['::1 is me', '::1'],
    ['１９２.１６８.０.１', '１９２.１６８.０.１'],
    ['256.1.1.1', null],
    ['1.2.3', null],
    ['1.2.3.4.5', null],
    ['01.2.3.4', null],
    ['version 1.2.3.4', null],
    ['at 12:30:45', null],
    ['aa:bb:cc:dd:ee:ff', null],
    ['std::vector', null],
    ['a::b', null],
    ['1:2:3:4:5:6:7:8:9', null],
    ['1::2::3', null],
  ]);
  it('finds an IPv6 address with an IPv4 tail', () => {
    assert.ok(pieces({ pii: { entities: ['IP_ADDRESS'] } }, '::ffff:10.0.0.1').includes('::ffff:10.0.0.1'));
  });
});

describe('pii US_SSN', () => {
  table('US_SSN', [
    ['536-90-4399', '536-90-4399'],
    ['SSN 536904399', '536904399'],
    ['social security number: 536 90 4399', '536 90 4399'],
    ['536‑90‑4399', '536‑90‑4399'],
    ['５３６-９０-４３９９', '５３６-９０-４３９９'],
    ['536904399', null], // nine bare digits score low
    ['536 90 4399', null],
    ['000-12-3456', null],
    ['666-12-3456', null],
    ['900-12-3456', null],
    ['536-00-4399', null],
    ['536-90-0000', null],
    ['536-90-43991', null],
    ['1-536-90-4399', null],
    ['536-90 4399', null],
    ['078-05-1120', null], // printed on a million wallets
  ]);
  describe('with a low threshold', () => {
    table('US_SSN', [['id 536904399', '536904399']], 0.1);
  });
  describe('with a high threshold', () => {
    table(
      'US_SSN',
      [
        ['id 536-90-4399', null],
        ['ssn 536-90-4399', '536-90-4399'],
      ],
      0.9,
    );
  });
});

describe('pii', () => {
  const labels = (detect: object, text: string): string[] =>
    evidenceOf({ pii: detect }, text).map(({ detector, start, end }) => `${detector} ${text.slice(start, end)}`);

  it('says which entity it was', () => {
    const detect = { pii: { entities: ['EMAIL_ADDRESS', 'US_SSN'] } };
    assert.deepEqual(
      evidenceOf(detect, 'a@b.io 536-90-4399')
        .map(({ detector }) => detector)
        .sort(),
      ['pii:EMAIL_ADDRESS', 'pii:US_SSN'],
    );
  });

  it('reports a number once, as the best entity that is asked for', () => {
    const text = 'my passport is 536904399';
    assert.deepEqual(labels({ entities: 'all' }, text), ['pii:US_PASSPORT 536904399']);
    assert.deepEqual(labels({ entities: ['US_SSN', 'US_BANK_NUMBER'], threshold: 0.01 }, text), [
      'pii:US_SSN 536904399',
    ]);
    assert.deepEqual(labels({ entities: ['US_BANK_NUMBER'], threshold: 0.01 }, text), ['pii:US_BANK_NUMBER 536904399']);
  });

  it('reports digits of a card as nothing less, also where cards are not asked for', () => {
    const text = 'account 4111 1111 1111 1111';
    assert.deepEqual(labels({ entities: ['US_BANK_NUMBER', 'PHONE_NUMBER', 'IN_AADHAAR'], threshold: 0.01 }, text), []);
    assert.deepEqual(labels({ entities: 'all' }, text), ['pii:CREDIT_CARD 4111 1111 1111 1111']);
  });

  it('finds an IBAN by two check digits, whatever else is asked for', () => {
    for (const entities of [['IBAN_CODE'], ['IBAN_CODE', 'UUID']])
      assert.deepEqual(labels({ entities }, 'iban be0n0fj51hyscall of 12345'), []);
  });

  it('finds a number that is written with an exponent as what it is in plain digits [event.plain-number]', () => {
    const rows = [
      ['pay 4111111111111111e0 now', 'pii:CREDIT_CARD 4111111111111111e0'],
      ['pay 4.111111111111111e+15.', 'pii:CREDIT_CARD 4.111111111111111e+15'],
      ['pay 4.111111111111111E15, please', 'pii:CREDIT_CARD 4.111111111111111E15'],
      ['{"card": 41111111111111110e-1} and more', 'pii:CREDIT_CARD 41111111111111110e-1'],
      ['my ssn is 5.36904399e8', 'pii:US_SSN 5.36904399e8'],
    ];
    for (const [text, label] of rows) {
      assert.deepEqual(labels({ entities: ['CREDIT_CARD', 'US_SSN'] }, text!), [label], text);
    }
    const others = [
      '4.111111111111111e14',
      '4.1111111111111111e15',
      '4111111111111111e0x',
      '4111111111111111e',
      '4e15',
    ];
    for (const text of others) assert.deepEqual(labels({ entities: ['CREDIT_CARD'] }, text), [], text);
  });

  it('is judged by the threshold of each detector that looks at it', () => {
    const detect = { any: [{ pii: { entities: ['US_SSN'] } }, { pii: { entities: ['US_PASSPORT'], threshold: 0.1 } }] };
    assert.deepEqual(
      evidenceOf(detect, 'of 536904399').map(({ detector }) => detector),
      ['pii:US_PASSPORT'],
    );
    assert.deepEqual(
      evidenceOf(detect, 'ssn 536904399').map(({ detector }) => detector),
      ['pii:US_SSN', 'pii:US_PASSPORT'],
    );
  });

  it('counts finds from the threshold of their entity, of its group, or of all', () => {
    const text = 'id 536904399 and +44 20 7946 0958';
    assert.deepEqual(labels({ entities: ['US_SSN', 'contact'] }, text), ['pii:PHONE_NUMBER +44 20 7946 0958']);
    assert.deepEqual(labels({ entities: ['US_SSN', 'contact'], thresholds: { US_SSN: 0.2, contact: 0.8 } }, text), [
      'pii:US_SSN 536904399',
    ]);
    const both = { contact: 0.8, PHONE_NUMBER: 0.7 };
    assert.deepEqual(labels({ entities: ['contact'], thresholds: both }, text), ['pii:PHONE_NUMBER +44 20 7946 0958']);
    assert.deepEqual(labels({ entities: ['US_SSN'], threshold: 0.1, thresholds: { US_SSN: 0.3 } }, text), []);
  });

  it('hears words before and after a number, in the language of the country', () => {
    for (const text of [
      'SSN 536904399',
      '536904399 is my SSN',
      'ssn: 536904399',
      'número de seguro social 536904399',
    ]) {
      assert.deepEqual(labels({ entities: ['US_SSN'] }, text), ['pii:US_SSN 536904399'], text);
    }
    assert.deepEqual(labels({ entities: ['KR_DRIVER_LICENSE'] }, '운전면허번호 111512345667'), [
      'pii:KR_DRIVER_LICENSE 111512345667',
    ]);
    // The word belongs to the number before.
    const text = 'passport 912803456, then we counted 912803457 more';
    assert.deepEqual(labels({ entities: ['US_PASSPORT'] }, text), ['pii:US_PASSPORT 912803456']);
  });

  it('lets words that exclude lower plain digits, and no form that is distinct', () => {
    const detect = { entities: ['ABA_ROUTING_NUMBER'], threshold: 0.4 };
    assert.deepEqual(labels(detect, 'it is 021000021'), ['pii:ABA_ROUTING_NUMBER 021000021']);
    for (const text of [
      'order 021000021',
      'invoice no. 021000021',
      '$021000021',
      '021000021 bytes',
      'https://a.example/?x=021000021',
    ]) {
      assert.deepEqual(labels(detect, text), [], text);
    }
    assert.deepEqual(labels({ entities: ['ES_NIF'] }, 'pedido 12345678Z'), ['pii:ES_NIF 12345678Z']);
  });

  it('finds several numbers side by side', () => {
    const text = '536-90-4399,4111111111111111,131052-308T';
    const found = labels({ entities: ['US_SSN', 'CREDIT_CARD', 'FI_PERSONAL_IDENTITY_CODE'] }, text).sort();
    assert.deepEqual(found, [
      'pii:CREDIT_CARD 4111111111111111',
      'pii:FI_PERSONAL_IDENTITY_CODE 131052-308T',
      'pii:US_SSN 536-90-4399',
    ]);
  });

  it('finds numbers in texts that are written without spaces', () => {
    assert.deepEqual(labels({ entities: ['KR_RRN'] }, '주민등록번호는900512-1234561입니다'), [
      'pii:KR_RRN 900512-1234561',
    ]);
  });
});
