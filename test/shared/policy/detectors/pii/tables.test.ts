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

  it('is the name of its column in what queries have and print', () => {
    const both = ['US_SSN 536904399', 'US_SSN 536904390'];
    for (const text of [
      ' id | name | ssn\n----+------+-----\n  1 | Eva | 536904399\n  2 | Bo | 536904390\n(2 rows)',
      '+----+-----------+\n| id | ssn       |\n+----+-----------+\n|  1 | 536904399 |\n|  2 | 536904390 |\n+----+-----------+',
      "INSERT INTO people (id, ssn) VALUES (1, '536904399'), (2, '536904390');",
      "insert into `people` (`id`, `ssn`, `n`)\nvalues\n(1, '536904399', 'a, b'),\n(2, '536904390', 'it''s (1)');",
      'COPY public.people (id, ssn) FROM stdin;\n1\t536904399\n2\t536904390\n\\.',
      '{"columns":["id","ssn"],"rows":[[1,"536904399"],[2,"536904390"]]}',
      '{"columns": ["id", "ssn"], "index": [0, 1], "data": [[1, 536904399], [2, 536904390]]}',
      '[["Name","SSN"],["Eva","536904399"],["Bo","536904390"]]',
      'NAME     SSN         CITY\nEva      536904399   Rome\nBo Kim   536904390   Oslo',
      'name         ssn\n----   ---------\nEva    536904399\nBo     536904390',
    ])
      assert.deepEqual(labels(text), both, text);
    for (const text of [
      "INSERT INTO orders (ssn, order_id) VALUES ('x', 536904399), ('y', 536904390);",
      '{"columns":["ssn","order_id"],"rows":[["x",536904399]]}',
      '[["SSN","Order"],["x","536904399"]]',
      'SSN      ORDER\nx        536904399\ny        536904390',
    ])
      assert.deepEqual(labels(text), [], text);
  });

  it('is what the label says rather than another form of its own', () => {
    assert.deepEqual(labels('Teléfono: 612-345-678'), ['PHONE_NUMBER 612-345-678']);
    assert.deepEqual(labels('call me about 111.444.777-35'), ['BR_CPF 111.444.777-35']);
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
