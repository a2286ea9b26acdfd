import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf } from '../support.ts';

const bundles = ['profanity', 'slurs', 'sexual', 'violence', 'self_harm', 'drugs', 'insults', 'weapons'];
const found = (text: string): string[] =>
  evidenceOf({ terms: { bundle: bundles } }, text).map(({ start, end }) => text.slice(start, end));

describe('terms of bundles in code', () => {
  const code = [
    '# ifndef OPENSSL_THREADS',
    'ASN1_STRFLGS_UTF8_CONVERT',
    'export LANG=en_US.UTF-8',
    'for name, value in self.items.items():',
    'see https://www.oreilly.com/library',
    'cc_t\tc_cc[NCCS];',
    '#define UNDEF(untouchwin)(W)',
    'INIT_START\t\t(1UL << 1)',
    'return StringRef(Key) < S;',
    'call C<iota> in a loop',
    'FA26\tN\nFA2A\t\nF900\tFA6D\tHan',
    'const MachineFunction &MF;',
    'int X509V3_EXT_val_prn(BIO *out, int len);',
    'int SSL_CTX_get_meth_data(const SSL_METHOD *meth);',
    'node-gyp rebuild, and the sources of gyp',
    'Copyright by Ty Coon, President of Vice',
    'Mongolian Phags-pa',
    'bez6DNya27QW/WoG/4oBsAQCEN',
    '["a-zA-Z"]{2,3}',
    'import run from "./run/cli.ts";',
    'https://studio.example/item?itemName=bio',
    'void svc_getreq (int rdfds);\nextern int svc_max_pollfd;\nint svc_fdset;\nextern "C" int xdr_rpcb();'.repeat(20),
    '<path d="M9.51 16V15.016H11.298V8.224H9.51V7.24H14.19V8.224"></path>',
    'zero, subnormal or normal',
    'NSLog(@"Symbol slut+1: %ld", slut+1);',
    'Thanks to marc@ntnu.no and <eric@ntu.edu.tw>',
    'Signed-off-by: Al <alsh@tsmc.com>',
  ];
  for (const text of code)
    it(`lets ${JSON.stringify(text.slice(0, 60))} pass`, () => assert.deepEqual(found(text), []));

  const prose: [string, string][] = [
    ['what the f(k is this', 'f(k'],
    ['oh sh_t, again', 'sh_t'],
    ['"f_ck" he said', 'f_ck'],
    ['you c.u.n.t.', 'c.u.n.t'],
    ['**fuck** this', 'fuck'],
    ['// this is shit', 'shit'],
    ['print("fuck")', 'fuck'],
    ['<b>fuck</b>', 'fuck'],
    ['{"text":"fuck you"}', 'fuck'],
    ['lol mf', 'mf'],
    ['he is on meth', 'on meth'],
    ['got some meth for you', 'some meth'],
    ['kiss my ass', 'ass'],
    ['oh sh@t.com', 'sh@t'],
    ['f@ck.you man', 'f@ck'],
  ];
  for (const [text, word] of prose)
    it(`finds it in ${JSON.stringify(text)}`, () =>
      assert.deepEqual(
        found(text).filter((piece) => piece.startsWith(word.slice(0, 2))).length > 0,
        true,
        found(text).join(),
      ));

  it('finds words of ROT13 among words that are none', () => {
    const turned = (text: string): string =>
      text.replace(/[a-z]/g, (letter) => String.fromCharCode(((letter.charCodeAt(0) - 97 + 13) % 26) + 97));
    assert.ok(found(`for int and let: ${turned('what a piece of shit you are and always were')}`).length > 0);
  });
});

describe('terms of bundles that are acronyms', () => {
  const harmless = [
    'Create a KMS key in eu-west-1',
    'aws kms list-keys, with kms:Decrypt',
    'It is 5 kms from here',
    'Give 5 mg every six hours PRN for pain',
    'IBUPROFEN 400 MG PRN',
    'Connect to the FAP server, or to another fap',
    'FC København (FCK) won 2-0',
    'Left FFS for further study',
    'GER 3 JAP 1',
    'The code of Japan is JAP here',
    'ASS subtitles are kept as they are',
    'Suprême NTM, ntm for short',
    ...[
      'AMK',
      'CUM',
      'DIK',
      'FAG',
      'FUK',
      'HDP',
      'HUJ',
      'JFC',
      'NIG',
      'SHT',
      'TIT',
      'TNC',
      'VAG',
      'VSF',
      'WOG',
      'WOP',
      'YID',
    ].map((acronym) => `Rotate the ${acronym} module`),
  ];
  for (const text of harmless) it(`lets ${JSON.stringify(text)} pass`, () => assert.deepEqual(found(text), []));

  const meant = [
    'i want to kms',
    'im gonna KMS tonight',
    'kys loser',
    'just KYS already',
    'WTF is this',
    'took some LSD',
    'you stupid FAG',
    'he is a JAP and a liar',
    'kiss my ASS',
    'FCK you',
    'fck this',
    'YOU FAG',
    'ffs stop it',
    'ntm toi et ta mère, je suis là',
  ];
  for (const text of meant) it(`finds ${JSON.stringify(text)}`, () => assert.notDeepEqual(found(text), []));
});
