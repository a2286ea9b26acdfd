import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf, pieces } from '../support.ts';

const words = { terms: { list: ['card dump', 'naïve', 'scam', 'c++', 'ключ', '禁止'] } };

describe('terms', () => {
  const found: [string, string, string][] = [
    ['finds a word', 'this is a scam.', 'scam'],
    ['ignores case', 'SCAM alert', 'SCAM'],
    ['finds a word at the very start and end', 'scam', 'scam'],
    ['takes any white space between the words of a phrase', 'a card \n\t dump here', 'card \n\t dump'],
    ['ignores accents of the text', 'a scám', 'scám'],
    ['ignores accents of the term', 'so naive', 'naive'],
    ['sees through decomposed accents', 'nai\u0308ve people', 'nai\u0308ve'],
    ['sees through zero-width characters', 'a s\u200bc\u200dam!', 's\u200bc\u200dam'],
    ['sees through bidi controls', 'a \u202esc\u202cam', 'sc\u202cam'],
    ['sees through tag characters', `a sc\u{e0041}am`, `sc\u{e0041}am`],
    ['sees through full-width letters', 'ｓｃａｍ now', 'ｓｃａｍ'],
    ['sees through mathematical letters', '𝓼𝓬𝓪𝓶 now', '𝓼𝓬𝓪𝓶'],
    ['sees through Cyrillic look-alikes', 'a sсаm', 'sсаm'],
    ['sees through Greek look-alikes', 'a scαm', 'scαm'],
    ['finds a term that ends in symbols', 'I write c++ code', 'c++'],
    ['finds a Cyrillic word as it is', 'вот Ключ тут', 'Ключ'],
    ['finds a word of a script without spaces when it stands alone', 'x 禁止 y', '禁止'],
    ['takes an underscore as an edge', 'card_dump scam_list', 'scam'],
    ['finds a phrase with no-break spaces', 'card\u00a0dump', 'card\u00a0dump'],
  ];
  for (const [name, text, piece] of found) {
    it(name, () => assert.deepEqual(pieces(words, text), [piece]));
  }

  describe('of other scripts', () => {
    const mixed = { terms: { list: ['пароль', 'чёрный нал', 'сор'] } };
    const disguised: [string, string, string][] = [
      ['sees through Latin look-alikes', 'мой пapoль тут', 'пapoль'],
      ['sees through one Latin letter', 'ПAРОЛЬ', 'ПAРОЛЬ'],
      ['sees through Latin look-alikes in a word of a phrase', 'чёpный нал', 'чёpный нал'],
      ['sees through those in each word', 'чёpный нaл', 'чёpный нaл'],
      ['finds them undisguised', 'вот чёрный  нал', 'чёрный  нал'],
    ];
    for (const [name, text, piece] of disguised) it(name, () => assert.deepEqual(pieces(mixed, text), [piece]));
    it('are not taken for Latin words that look like them', () => {
      for (const text of ['a cop and a cap', 'a cop caf\u00e9', 'COP']) assert.deepEqual(pieces(mixed, text), []);
    });
    it('end where a word ends that is spelt with vowel signs', () => {
      const hindi = { terms: { list: ['कम', 'कमी'] } };
      for (const text of ['कमीज', 'कमरा', 'कमे', 'काकम']) assert.deepEqual(pieces(hindi, text), [], text);
      assert.deepEqual(pieces(hindi, 'वह कम है'), ['कम']);
      assert.deepEqual(pieces(hindi, 'यह कमी।'), ['कमी']);
    });
  });
  it('finds a part of a decomposed Korean word at its very start', () => {
    const detect = { terms: { list: ['나쁜'], match: 'substring' } };
    assert.deepEqual(pieces(detect, '나쁜말'.normalize('NFD')), ['나쁜'.normalize('NFD')]);
  });

  it('finds a letter as sent that has no lower case of its length', () => {
    assert.deepEqual(pieces({ terms: { list: ['İstanbul'], views: ['raw'] } }, 'in İstanbul'), ['İstanbul']);
  });

  const clean: [string, string][] = [
    ['does not find a word inside a longer one', 'scamper and discam'],
    ['does not find a word glued to a letter of another script', 'scamж'],
    ['does not find a word next to a digit', 'scam2'],
    ['does not find a phrase whose words are apart', 'card and dump'],
    ['does not find a phrase without its space', 'carddump'],
    ['leaves words that are wholly Cyrillic alone', 'ѕсам'],
  ];
  for (const [name, text] of clean) it(name, () => assert.deepEqual(pieces(words, text), []));

  it('finds substrings where asked to', () => {
    const detect = { terms: { list: ['scam'], match: 'substring' } };
    assert.deepEqual(pieces(detect, 'discamper'), ['scam']);
  });

  it('looks only at the views it names', () => {
    const raw = { terms: { list: ['Scam'], views: ['raw'] } };
    assert.deepEqual(pieces(raw, 'a Scam'), ['Scam']);
    assert.deepEqual(pieces(raw, 'a scam'), []);
    assert.deepEqual(pieces(raw, 'a Ｓcam'), []);
    const nfkc = { terms: { list: ['Scam'], views: ['nfkc'] } };
    assert.deepEqual(pieces(nfkc, 'a Ｓcam'), ['Ｓcam']);
    assert.deepEqual(pieces(nfkc, 'a ｓcam'), []);
  });

  it('finds the plain form in the nfkc view of text that has no other', () => {
    const nfkc = { terms: { list: ['Scam'], views: ['nfkc'] } };
    assert.deepEqual(pieces(nfkc, 'a Scam'), ['Scam']);
    assert.deepEqual(pieces(nfkc, 'é Scam'), ['Scam']);
  });

  it('tells terms apart that share a long beginning', () => {
    const detect = { terms: { list: ['internationalisation', 'internationalist'] } };
    assert.deepEqual(pieces(detect, 'an internationalist'), ['internationalist']);
    assert.deepEqual(pieces(detect, 'an internationally'), []);
  });

  it('gives offsets into the text as sent', () => {
    const [evidence] = evidenceOf(words, 'ﬁﬁ ﬁ e\u0301 scam');
    assert.deepEqual(evidence, { detector: 'terms', view: 'folded', source: 'text', start: 8, end: 12 });
  });

  it('keeps eight finds at most', () => {
    assert.equal(evidenceOf(words, 'scam '.repeat(100)).length, 8);
  });
});
