// What ordinary texts have, and is nobody's: numbers without a word that names them, versions, files, units, logs.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { generator } from '../../../../detection/secrets/generate.ts';
import { evidenceOf, pieces } from '../../support.ts';

const ALL = { pii: { entities: 'all' } };
const labels = (text: string): string[] =>
  evidenceOf(ALL, text).map(({ detector, start, end }) => `${detector} ${text.slice(start, end)}`);

describe('pii with all entities', () => {
  it('finds nothing in what ordinary texts have', () => {
    for (const text of [
      'The number 04711815162 was drawn.',
      'part number 44791-80213, meter number 2011 3456 7891 2',
      'The order number of the customer is 3105550123.',
      'any number from 2000000000 to 4155550134',
      'sizes 300 450 2000 and 640 480 3000',
      'row 11144477735 of 20000000000',
      'svc_x 193456787\nsvc_y 130692544',
      '0123456789 abcdefghij',
      '{"level":20,"time":1531171074631,"msg":"up"}',
      'listen 0.0.0.0:9090 and curl-8.14.1.2.tar.gz',
      'nginx/1.25.3.10, zlib 1.2.13.1-2ubuntu1, "version": "10.0.19041.1", ^12.10.3.4',
      'EUI-64 00:1b:63:ff:fe:84:45:26, serial 0b:1c:2d:3e:4f:50:61:72',
      'pkg@latest.tgz, icon@2x.png, logo@3x.jpg, getty@tty1.service and backup@0300.timer',
      'git clone git@example.com:team/tool.git',
      'id 3f2504e0-4f89-41d3-9a0c-0305e82c3301',
      'the top10-Abc of A5 - cho',
      '20240131: a new release, call it final',
      'M 0 0.554688 0.445312 L 3 4',
      '<svg viewBox="0 0 400 119.35"/>',
      'l 0.03125 12.472656 l 5.996094 -2.402344 c 1.234 200.555 0199',
      'the phone costs 0.1234567890 of it',
      'account 4108543249 is closed',
      '[assembly: AssemblyVersion("9.5.213.181")]',
      'Section 4.10.22.7, RFC 9111 §5.2.2.10, OID 1.3.101.112',
      'c1.52-.87 2.83-2.12 3.51.98.32 2.03.5 3.11.5 3.5 0 6.58z',
      'args[::2], args[1::2] and f(x)[::2]',
      'as defined in Clause 252.227-7013 (c) (1) of DFARs',
      'CA\t+4339-07923\tAmerica/Toronto\nCA\t+624900-0920459\tAmerica/Rankin_Inlet',
      'x = [9518 2326 9528 9088; 3888 0064 2453 1464]',
      'prefer other drivers (LP #669152), <dl><dt>id2705766</dt></dl>',
      '; [*0209.0020.0002]',
      '--cellStatusBar:#00000014;--cellToolbar:#80808059',
      'built 1a2b3c4d5e6f on my Mac',
    ])
      assert.deepEqual(labels(text), [], text);
  });

  it('finds telephone numbers whose groups are parted by dots', () => {
    for (const text of [
      '212.555.0199',
      '+49.30.901820',
      '1 212.555.0199',
      '(212) 555.0199',
      '212 555.0199',
      'Tel: 030 901.820',
    ])
      assert.ok(
        labels(text).some((label) => label.startsWith('pii:PHONE_NUMBER')),
        text,
      );
  });

  it('finds nothing in at most one block of a log in a hundred', () => {
    const { some } = generator(7);
    const digits = (count: number): string => `1${some('digits', count - 1)}`;
    const line = (n: number): string =>
      [
        `2026-03-1${n % 10}T0${n % 9}:14:15.${some('digits', 3)}Z INFO [worker-${n % 7}] job ${digits(10)} took 31 ms`,
        `app[${digits(5)}]: object ${digits(9)} is flushed (${digits(8)} bytes), next ${digits(10)}`,
        `{"level":30,"time":${digits(13)},"seq":${some('digits', 11)},"msg":"message is delivered"}`,
        `ts=${digits(10)} level=debug offset=${some('digits', 12)} span=${some('hex', 16)}`,
      ][n % 4]!;
    const blocks = Array.from({ length: 300 }, () => Array.from({ length: 20 }, (_, n) => line(n)).join('\n'));
    const found = blocks.filter((block) => evidenceOf(ALL, block).length > 0);
    assert.ok(found.length <= 3, `${found.length}: ${found.map((block) => labels(block)).join(' | ')}`);
  });

  it('finds such numbers where a word names them', () => {
    for (const [text, label] of [
      ['my number is 3105550123', 'pii:PHONE_NUMBER 3105550123'],
      ['CPF 11144477735', 'pii:BR_CPF 11144477735'],
      ['SIN 130692544', 'pii:CA_SIN 130692544'],
      ['call 310 555 0123 now', 'pii:PHONE_NUMBER 310 555 0123'],
    ] as const)
      assert.deepEqual(labels(text), [label], text);
  });
});

describe('pii MAC_ADDRESS', () => {
  it('knows pairs with spaces, halves and unbroken digits by their name', () => {
    for (const address of ['00 1a 2b 3c 4d 5e', '001A2B-3C4D5E', '001a2b3c4d5e', 'a41a2b3c4d5e'])
      for (const text of [`MAC address: ${address}`, `{"mac":"${address}"}`, `hwaddr=${address} ok`])
        assert.deepEqual(labels(text), [`pii:MAC_ADDRESS ${address}`], text);
    for (const text of ['00 1a 2b 3c 4d 5e', 'commit 001a2b3c4d5e', 'macro 001a2b3c4d5e'])
      assert.deepEqual(labels(text), [], text);
  });
});

describe('pii EMAIL_ADDRESS', () => {
  it('spans the address alone in scripts that are written without spaces', () => {
    for (const [text, address] of [
      ['联系anna.k@example.org谢谢', 'anna.k@example.org'],
      ['連絡先はken@example.co.jpです', 'ken@example.co.jp'],
      ['메일은kim@example.com입니다', 'kim@example.com'],
      ['อีเมลsom@example.comครับ', 'som@example.com'],
      ['用户@例子.中国', '用户@例子.中国'],
    ] as const)
      assert.deepEqual(pieces({ pii: { entities: ['EMAIL_ADDRESS'] } }, text), [address], text);
  });

  it('knows the encoded at sign, and hosts that are addresses', () => {
    for (const [text, address] of [
      ['<a href="mailto:eva%40example.com?subject=x">', 'eva%40example.com'],
      ['write to eva&#64;example.com', 'eva&#64;example.com'],
      ['eva@[192.0.2.7]', 'eva@[192.0.2.7]'],
      ['/reset?to=eva@example.com&x=1', 'eva@example.com'],
      ['eva(at)example.com', 'eva(at)example.com'],
      ['write to eva [AT] example.com', 'eva [AT] example.com'],
    ] as const)
      assert.deepEqual(pieces({ pii: { entities: ['EMAIL_ADDRESS'] } }, text), [address], text);
  });

  it('knows signs in brackets and in words', () => {
    for (const address of [
      'eva [at] example [dot] com',
      'eva(at)example(dot)co(dot)uk',
      'eva(dot)lind(at)example(dot)com',
      'eva {at} example.org',
      'eva<at>example.com',
      'eva[@]example.com',
      'eva[at]example[.]com',
      'eva@example[.]com',
      'eva (bei) example.de',
      'eva at example dot com',
      'Eva AT example DOT co DOT uk',
      'eva dot lind at mail.example dot org',
      'eva arroba example punto es',
      'eva\\u0040example.com',
    ])
      for (const text of [`write to ${address}, please`, `<${address}>`])
        assert.deepEqual(pieces({ pii: { entities: ['EMAIL_ADDRESS'] } }, text), [address], text);
    assert.deepEqual(pieces({ pii: { entities: ['EMAIL_ADDRESS'] } }, 'E-Mail: eva @ example.com'), [
      'eva @ example.com',
    ]);
    for (const text of [
      'find us at example dot com',
      'he looked at it dot by dot',
      'lunch @ example.com',
      'polka dot com',
      'he stood at point dot in space',
      'see [at] the end (at) home',
      'a look at the dot that moved',
    ])
      assert.deepEqual(pieces({ pii: { entities: ['EMAIL_ADDRESS'] } }, text), [], text);
  });
});
