import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf } from '../support.ts';

const invisible = { invisible_text: {} };
const found = (text: string): string[] =>
  evidenceOf(invisible, text).map(
    ({ detector, start, end }) => `${detector.slice('invisible_text:'.length)} ${start}-${end}`,
  );

const inTags = (text: string): string =>
  Array.from(text, (each) => String.fromCodePoint(0xe0000 + each.charCodeAt(0))).join('');
const flagOf = (code: string): string => `🏴${inTags(code)}\u{e007f}`;
const inSelectors = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => String.fromCodePoint(byte < 16 ? 0xfe00 + byte : 0xe0100 + byte - 16)).join(
    '',
  );
const inBits = (text: string): string =>
  Array.from(Buffer.from(text), (byte) => byte.toString(2).padStart(8, '0'))
    .join('')
    .replace(/./g, (bit) => (bit === '0' ? '\u200b' : '\u200c'));

describe('invisible_text', () => {
  const fires: [string, string, string][] = [
    ['tag characters', `hi ${inTags('abc')} x`, 'tags 3-9'],
    ['bytes in variation selectors', `😀${inSelectors('abc')}`, 'selectors 2-8'],
    ['a run of zero-width characters', 'a\u200b\u200c\u200bb', 'zero_width 1-4'],
    ['zero-width characters between letters', 'f\u200bo\u200bu\u200br', 'zero_width 1-6'],
    ['a flag whose code is a word', flagOf('ignore'), 'tags 2-16'],
    ['one of no country', `${flagOf('usca')} ${flagOf('hide')}`, 'tags 15-25'],
    [
      'zero-width characters that say bits behind marks',
      'a/\u200bb/\u200cc/\u200bd/\u200ce/\u200cf',
      'zero_width 5-15',
    ],
    ['an override', 'abc \u202efed\u202c', 'bidi 4-9'],
    ['an isolate that no one closes', 'open \u2066never', 'bidi 5-6'],
  ];
  for (const [name, text, expected] of fires) it(`fires on ${name}`, () => assert.deepEqual(found(text), [expected]));

  const innocent: [string, string][] = [
    ['plain text', 'plain text'],
    ['a flag of a region', '🏴\u{e0067}\u{e0062}\u{e0065}\u{e006e}\u{e0067}\u{e007f}'],
    ['a flag of a state', flagOf('ustx')],
    [
      'an address that may go on in the next line',
      'https://example.com/\u200bpath/\u200bto/\u200bfile/\u200bname_\u200bof',
    ],
    ['emoji that are joined', '👨\u200d👩\u200d👧\u200d👦 ❤\ufe0f 🏳\ufe0f\u200d🌈'],
    ['Persian', 'می\u200cخواهم نمی\u200cشود'],
    ['Hindi', 'क्\u200dष'],
    ['Hebrew with direction marks', 'שלום \u200fabc\u200e'],
    ['a name that an application isolates', 'hello \u2068Name\u2069!'],
    ['a byte order mark', '\ufefftext'],
  ];
  for (const [name, text] of innocent) it(`lets ${name} pass`, () => assert.deepEqual(found(text), []));

  for (const [carrier, hide] of Object.entries({ tags: inTags, selectors: inSelectors, bits: inBits })) {
    it(`leaves what ${carrier} say to the other detectors`, () => {
      const hidden = hide('mail joe@example.com');
      const [find] = evidenceOf({ pii: { entities: ['EMAIL_ADDRESS'] } }, `see ${hidden} there`);
      const { start, end } = { start: 4, end: 4 + hidden.length };
      assert.deepEqual(find, { detector: 'pii:EMAIL_ADDRESS', view: 'hidden', source: 'text', start, end });
    });
  }

  it('leaves what is hidden behind many other runs to them, too', () => {
    const emails = { pii: { entities: ['EMAIL_ADDRESS'] } };
    for (const hide of [inTags, inSelectors, inBits]) {
      const text = `${`${inTags('ab')} x `.repeat(200)}${hide('mail joe@example.com')} there`;
      assert.deepEqual(
        evidenceOf(emails, text).map(({ detector, end }) => [detector, end]),
        [['pii:EMAIL_ADDRESS', text.length - ' there'.length]],
      );
    }
  });

  it('fires on each way of hiding in zero-width characters', () => {
    assert.deepEqual(found('a\u200b\u200c\u200bb, f\u200bo\u200bu\u200br'), ['zero_width 1-4', 'zero_width 8-13']);
  });
});
