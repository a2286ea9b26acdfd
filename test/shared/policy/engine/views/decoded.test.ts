import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { decodedIn } from '#weir/shared/policy/engine/views/decoded';
import { HINTS, isHint, mayBeEncodedWords } from '#weir/shared/policy/engine/views/may-be-encoded';
import { assertBounded } from '../../../../support/effort.ts';

const rot13 = (text: string): string =>
  text.replace(/[a-z]/g, (letter) => String.fromCharCode(97 + ((letter.charCodeAt(0) - 97 + 13) % 26)));

describe('ROT13', () => {
  const ENGLISH = 'tell me where the old keys of the office are kept';

  it('is turned back where it starts', () => {
    const [payload] = decodedIn(`good morning. ${rot13(ENGLISH)}`);
    assert.ok(payload?.inPlace && payload.text.endsWith(ENGLISH), payload?.text);
  });

  it('is turned back behind what only leans to it', () => {
    const [payload] = decodedIn(`zwykle jeszcze raz, a potem znowu; ${rot13(ENGLISH)}`);
    assert.ok(payload?.text.endsWith(ENGLISH.slice(12)), payload?.text);
  });

  it('is turned back wherever it is, and what follows it is not', () => {
    const plain = 'a sentence that nobody has turned, and that goes on. '.repeat(100);
    const text = `${plain}${rot13(ENGLISH)}. ${plain}${rot13(ENGLISH.repeat(60))}. ${plain}`;
    const [first, second, ...more] = decodedIn(text);
    assert.deepEqual(more, []);
    assert.ok(first!.text.includes(ENGLISH) && first!.end < 2 * plain.length);
    assert.equal(second!.text.split(ENGLISH.slice(12)).length, 61);
    for (const { start, end, text: said } of [first!, second!]) assert.equal(said.length, end - start);
  });

  it('is no sentence of another language, nor an English one with odd letters', () => {
    for (const text of [
      'Czy ktoś jeszcze wypożyczy namiot, jeśli był już raz rozłożony w ogrodzie?',
      'Jak szybko zwykle przychodzi paczka z magazynu w Krakowie?',
      'nobody knew which log shows a gap, which explains the missing key',
      'Zwanzig Zebras zogen zwei Wagen über den vereisten Weg.',
    ])
      assert.deepEqual(decodedIn(text), [], text);
  });

  it('takes time linear in a text that leans to it all along', () => {
    assertBounded(() => decodedIn('k k '.repeat(25_000)));
    assertBounded(() => decodedIn('kq'.repeat(50_000)));
  });
});

describe('encoded text', () => {
  it('is read wherever it stands in a text, however much there is before it that is none', () => {
    const lines = Array.from({ length: 4000 }, (_, i) => {
      const hash = createHash('sha256').update(`${i}`).digest();
      return `${hash.toString('hex')} GET /internationalization?key=${hash.toString('base64')} %41\n`;
    });
    const said = 'tell nobody where the keys are kept';
    const bytes = Buffer.from(said);
    for (const run of [
      bytes.toString('base64'),
      bytes.toString('hex'),
      said.replaceAll(' ', '%20'),
      bytes.toString('latin1').replace(/./g, (letter) => `\\x${letter.charCodeAt(0).toString(16)}`),
      Buffer.from('kept here').toString('base64'),
    ]) {
      const text = `${lines.join('')}${run} \n${lines.slice(0, 100).join('')}`;
      const at = lines.join('').length;
      const found = decodedIn(text).find(({ start }) => start === at);
      assert.deepEqual([found?.end, said.includes(found?.text.slice(0, 4) ?? '?')], [at + run.length, true], run);
    }
  });
});

describe('the look at bytes whether words may be encoded', () => {
  const words = fc.stringMatching(/^[a-zA-Z]?[a-z0-9]{1,14}[.,:=& ]{0,2}$/);
  const secret = fc.stringMatching(/^[a-z ]{4,40}$/);
  const encoded = fc
    .tuple(
      secret,
      fc.constantFrom<(text: string) => string>(
        rot13,
        (text) => Buffer.from(text).toString('base64'),
        (text) => Buffer.from(text).toString('base64url'),
        (text) => Buffer.from(text).toString('hex'),
        (text) => Buffer.from(text).toString('hex').toUpperCase(),
        (text) => Buffer.from(text).toString('hex').replaceAll(/../g, '%$&'),
        (text) => Buffer.from(text).toString('hex').replaceAll(/../g, '\\x$&'),
        (text) => text.replaceAll(/./g, (letter) => `&#${letter.charCodeAt(0)};`),
      ),
    )
    .map(([text, encode]) => encode(text));

  it('misses nothing that is decoded', () => {
    let found = 0;
    fc.assert(
      fc.property(
        fc.array(fc.oneof(words, encoded), { minLength: 1, maxLength: 12 }),
        fc.boolean(),
        (pieces, spaced) => {
          const text = pieces.join(spaced ? ' ' : '');
          if (decodedIn(text).length === 0) return;
          found++;
          const hinted = HINTS.some((hint) => {
            for (let at = text.toLowerCase().indexOf(hint); at >= 0; at = text.toLowerCase().indexOf(hint, at + 1))
              if (isHint(text, at)) return true;
            return false;
          });
          assert.ok(hinted || mayBeEncodedWords({ bytes: Buffer.from(`0${text}0`), at: 1 }, text), text);
        },
      ),
      { numRuns: 2000 },
    );
    assert.ok(found > 500, `something is encoded in ${found} texts`);
  });

  it('does not take prose for it', () => {
    const text = 'Nobody understands interoperability, said Marie-Louise; an All-or-nothing deal was struck.';
    assert.equal(mayBeEncodedWords({ bytes: Buffer.from(text), at: 0 }, text), false);
  });
});

describe('percent-encoding', () => {
  it('is read where it stands, with what stands beside it', () => {
    const text = '100% of a=%7a%65%62%72%61,b and (%63%61%72%64)%, or %6e%6f';
    const said = decodedIn(text).map(({ start, end, text: read }) => [text.slice(start, end), read]);
    assert.deepEqual(said, [
      ['a=%7a%65%62%72%61,b', 'a=zebra,b'],
      ['(%63%61%72%64)%,', '(card)%,'],
    ]);
  });

  it('takes time linear in what stands beside one sign', () => {
    for (const text of ['', ' ', ' % '].map((gap) => `%${gap}${'x'.repeat(500_000)}${gap}%`))
      assertBounded(() => decodedIn(text));
    assertBounded(() => decodedIn(`100% ${'x'.repeat(500_000)}`));
  });
});
