// What a number is called: by the header of its column, a key, a name of a program.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf } from '../../support.ts';

const labels = (text: string): string[] =>
  evidenceOf({ pii: { entities: 'all' } }, text).map(
    ({ detector, start, end }) => `${detector.slice(4)} ${text.slice(start, end)}`,
  );

describe('what a number is called', () => {
  it('is the name of its column', () => {
    for (const [text, expected] of [
      [
        'name,phone_number,city\nEva,3105550123,Rome\nBo,3105550187,Oslo',
        ['PHONE_NUMBER 3105550123', 'PHONE_NUMBER 3105550187'],
      ],
      ['id;customerSsn;n\n7;536904399;2\n', ['US_SSN 536904399']],
      ['id,ssn,n\n7,536904399,2\n', ['US_SSN 536904399']],
      ['Nom;Téléphone\nEva;3105550123', ['PHONE_NUMBER 3105550123']],
      ['Имя,Телефон\nЕва,3105550123', ['PHONE_NUMBER 3105550123']],
      ['| Name | CPF |\n|---|---|\n| Eva | 11144477735 |', ['BR_CPF 11144477735']],
      ['when\tnhsNumber\n"a\tb"\t4010232137', ['UK_NHS 4010232137']],
      ['"a, b","SSN"\n"x, y","536904399"', ['US_SSN 536904399']],
      [
        '<table><tr><th>Phone</th><th>SSN</th></tr>\n<tr><td>3105550123</td><td>536904399</td></tr></table>',
        ['PHONE_NUMBER 3105550123', 'US_SSN 536904399'],
      ],
      [
        '<table class="x"><thead><tr>\n<th scope="col">Order</th>\n<th>CPF</th>\n</tr></thead><tbody><tr><td>11144477735</td><td>11144477735</td></tr>',
        ['BR_CPF 11144477735'],
      ],
    ] as const)
      assert.deepEqual(labels(text), expected, text);
  });

  it('is no name of another column, of a line that has other cells, or of a sentence', () => {
    for (const text of [
      'ssn,order\n536-90,536904399',
      `ssn,order\n${'one of '.repeat(12)}\ntwo,three,536904399`,
      'We sell phones, cases and more, as you know from us,\nwhich is why it is said, once and twice and more often than that and then again 3105550123,',
    ])
      assert.deepEqual(labels(text), [], text);
  });

  it('is the key before it, whatever the number before is called', () => {
    for (const text of [
      'phone=3105550123&ssn=536904399',
      'user=7 phone=3105550123 ssn=536904399 ok',
      '<phone>3105550123</phone><ssn>536904399</ssn>',
      '<person phone="3105550123" ssn="536904399"/>',
      'phone: 3105550123\nssn: 536904399',
      '[a]\nphone = 3105550123\nssn=536904399',
    ])
      assert.deepEqual(labels(text), ['PHONE_NUMBER 3105550123', 'US_SSN 536904399'], text);
  });

  it('is the heading of a list, for all its items', () => {
    const text = 'phones:\n  - 3105550123\n  - "3105550187"\n';
    assert.deepEqual(labels(text), ['PHONE_NUMBER 3105550123', 'PHONE_NUMBER 3105550187']);
  });

  it('is a key or a name of a program', () => {
    for (const [text, expected] of [
      ['{"phoneNumber":"3105550123"}', 'PHONE_NUMBER 3105550123'],
      ['{"workTel": 3105550123}', 'PHONE_NUMBER 3105550123'],
      ['{"primarySsn":"536904399"}', 'US_SSN 536904399'],
      ['social_security_number=536904399', 'US_SSN 536904399'],
      ['nationalInsuranceNumber: AB123456C', 'UK_NINO AB123456C'],
      ['routing-number: 125763675', 'ABA_ROUTING_NUMBER 125763675'],
      ['{\\"ssn\\":\\"536904399\\"}', 'US_SSN 536904399'],
      ['phone1: 3105550123', 'PHONE_NUMBER 3105550123'],
      ['📞 3105550123', 'PHONE_NUMBER 3105550123'],
    ] as const)
      assert.deepEqual(labels(text), [expected], text);
    for (const text of ['{"phoneModelId":3105550123}', 'phone_count=3105550123'])
      assert.deepEqual(labels(text), [], text);
    for (const text of ['{"callId":3105550123}', 'system_call=3105550123', 'microphones3105550123'])
      assert.deepEqual(labels(text), [], text);
  });

  it('is nothing of a row that is not below names, or of a cell that has others', () => {
    for (const text of [
      `<table><tr><th>SSN</th></tr></table><p>${'and so on '.repeat(9)}</p><p>536904399</p>`,
      '<table><tr><th>SSN</th><th>Order</th></tr><tr><td>a</td><td>536904399</td></tr></table>',
      '<tr><td>SSN of all, which are not kept</td></tr>',
    ])
      assert.deepEqual(labels(text), [], text);
  });
});
