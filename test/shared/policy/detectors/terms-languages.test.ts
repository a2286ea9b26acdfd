// Terms of the bundles beside other languages: what is ordinary there, and what is not.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { bundleTerms, LANGUAGES } from '#weir/shared/policy/detectors/terms/bundles';
import { languageAround } from '#weir/shared/policy/detectors/terms/languages';
import { assertBounded } from '../../../support/effort.ts';
import { evidenceOf, pieces } from '../support.ts';

const all = { terms: { bundle: ['profanity', 'slurs', 'sexual', 'insults'] } };

describe('a word of a bundle that is ordinary in another language', () => {
  const pairs: [ordinary: string, meant: string, find: string][] = [
    ['Filmen är slut', 'you are a slut', 'slut'],
    ['Der Pullover ist dick und warm.', 'suck a dick', 'dick'],
    ['Cum vă pot ajuta?', 'covered in cum', 'cum'],
    ['U kunt hier bellen met de winkel.', 'you stupid kunt', 'kunt'],
    ['Nous sommes très en retard.', 'you are a retard', 'retard'],
    ['kkkkkk muito bom', 'join the kkk', 'kkk'],
  ];
  for (const [ordinary, meant, find] of pairs) {
    it(`is none in ${JSON.stringify(ordinary)}, and one in ${JSON.stringify(meant)}`, () => {
      assert.deepEqual(pieces(all, ordinary), []);
      assert.deepEqual(pieces(all, meant), [find]);
      // The sentence decides, not the text.
      assert.deepEqual(pieces(all, `${ordinary}\n${meant}`), [find]);
    });
  }
  it('counts where all languages know it, whatever the sentence', () => {
    assert.deepEqual(pieces(all, 'Das ist doch fucking Bullshit und nicht wahr.'), ['fuck', 'Bullshit']);
  });
});

describe('a word with marks that a term of a bundle has not', () => {
  it('is another word, where the term is short or only spelt alike', () => {
    for (const text of ['již', 'Phúc', 'Bích', 'cúm', 'fãg', 'aß', 'väg', 'To již není potřeba.'])
      assert.deepEqual(pieces(all, text), [], text);
  });
  it('is the term, where that is long and no language has the marks', () => {
    assert.deepEqual(pieces(all, 'what the fück'), ['fück']);
    assert.deepEqual(pieces(all, 'such a bítch'), ['bítch']);
  });
  it('is the term, where marks lie on marks', () => {
    assert.deepEqual(pieces(all, 'f\u0336u\u0336c\u0336k\u0336'), ['f\u0336u\u0336c\u0336k\u0336']);
    assert.deepEqual(pieces(all, 'a\u0336s\u0336s\u0336'), ['a\u0336s\u0336s\u0336']);
  });
});

describe('bundles of other languages', () => {
  it('have at least 40 entries each', () => {
    for (const language of LANGUAGES) {
      assert.ok(bundleTerms().filter((term) => term.language === language).length >= 40, language);
    }
    assert.ok(LANGUAGES.length >= 10);
  });
  it('name the bundle, and count from its severity on', () => {
    assert.deepEqual(
      evidenceOf(all, 'Das ist Scheiße.').map(({ detector }) => detector),
      ['terms:profanity'],
    );
    assert.deepEqual(evidenceOf({ terms: { bundle: 'profanity', severity: 'high' } }, 'Das ist Scheiße.'), []);
    assert.equal(evidenceOf({ terms: { bundle: 'profanity', severity: 'high' } }, 'Du Arschloch!').length, 1);
  });
  it('count some words only in a sentence of their language', () => {
    assert.deepEqual(pieces(all, 'O cu da gente não é de ninguém'), ['cu']);
    assert.deepEqual(pieces(all, 'Ag, Au and Cu are metals'), []);
  });
  it('count short words with their marks, or in a sentence of their language', () => {
    assert.deepEqual(pieces(all, 'göt'), ['göt']);
    assert.deepEqual(pieces(all, 'I got it'), []);
    assert.deepEqual(pieces(all, 'to jest gowno, nie wiem'), ['gowno']);
    for (const text of ['gowno', 'a pic of my cat', 'sen bir pic değil']) assert.deepEqual(pieces(all, text), [], text);
  });
  it('keep Cyrillic words and Latin ones apart', () => {
    assert.deepEqual(pieces(all, 'Вот сука, опять'), ['сука']);
    assert.deepEqual(pieces(all, 'это п*здец'), ['п*здец']);
    for (const text of ['сок и факт', 'nihua hui ebu', 'Saya suka kamu']) assert.deepEqual(pieces(all, text), [], text);
  });
});

describe('the language of a sentence', () => {
  const codesOf = (text: string, word: string): string[] => {
    const start = text.indexOf(word);
    return [...languageAround(text, start, start + word.length).codes];
  };
  it('is told by its frequent words and letters, without the word itself', () => {
    assert.deepEqual(codesOf('Filmen är slut', 'slut'), ['sv']);
    assert.deepEqual(codesOf('To již není potřeba.', 'již'), ['cs']);
    assert.deepEqual(codesOf('är', 'är'), []);
    assert.deepEqual(codesOf('Hindi ko alam kung nasaan ang puki', 'puki'), ['tl']);
    assert.deepEqual(codesOf('No sé nada de eso, cabrón', 'cabrón'), ['es']);
  });
  it('is none in English, and where English tells as much', () => {
    assert.deepEqual(codesOf('You are the dick of the day', 'dick'), []);
    assert.deepEqual(codesOf('you slut på', 'slut'), []);
  });
  it('takes a bounded time, however often it is asked for', () => {
    assertBounded(() => {
      for (const unit of ['dick ist und ', 'již ', 'cum vă ', 'slut på. ', 'сок '])
        evidenceOf(all, unit.repeat(100_000 / unit.length));
    });
  });
});
