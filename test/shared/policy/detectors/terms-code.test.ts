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
