import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { compilePlan } from '#weir/shared/policy/compile';
import { evaluateText } from '#weir/shared/policy/evaluate';
import { assertBounded } from '../../../support/effort.ts';
import { evidenceOf, id, pieces, SCOPE, sketch } from '../support.ts';

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
    ['takes an underscore as an edge', 'my_scam_list', 'scam'],
    ['takes an underscore for the space of a phrase', 'my_card_dump_2', 'card_dump'],
    ['takes a hyphen for the space of a phrase', 'pre-card-dump', 'card-dump'],
    ['takes a hyphen that does not break for one', 'card\u2011dump', 'card\u2011dump'],
    ['finds a phrase with soft hyphens', 'card du\u00admp', 'card du\u00admp'],
    ['finds a Latin word in Chinese text', '这是scam吗', 'scam'],
    ['finds a Latin word before a Korean particle', 'scam은 나쁘다', 'scam'],
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
  describe('with marks that are typed in several ways', () => {
    const detect = { terms: { list: ["don't tell", 'project heron', 'blue-heron', 'it_admin', 'rm -rf'] } };
    const typed: string[] = [
      ...Array.from("'’‘ʼ`´＇′", (mark) => `don${mark}t tell`),
      'DON’T\nTELL',
      'project-heron',
      'Project_Heron',
      'PROJECT\u2010HERON',
      'project\u00a0heron',
      'project\uff0dheron',
      'ｐｒｏｊｅｃｔ　ｈｅｒｏｎ',
      'blue heron',
      'blue-heron',
      'BLUE_HERON',
      'IT-Admin',
      'rm -rf',
    ];
    for (const text of typed) {
      it(`are found as ${JSON.stringify(text)}`, () => {
        assert.deepEqual(pieces(detect, `é ${text}, so`), [text]);
        assert.deepEqual(pieces(detect, `x ${text}`), [text]);
      });
    }
    it('are found among many that begin alike', () => {
      const list = Array.from({ length: 50 }, (_, i) => `don't tell thing${i}`);
      assert.deepEqual(pieces({ terms: { list } }, 'don’t tell-thing7, don`t tell_thing42'), [
        'don’t tell-thing7',
        'don`t tell_thing42',
      ]);
    });
    it('are not found where a dash parts them, or where the raw text is asked for', () => {
      for (const text of ['project - heron', 'project—heron', 'project--heron', 'projectheron', 'rm rf'])
        assert.deepEqual(pieces(detect, text), [], text);
      assert.deepEqual(pieces({ terms: { list: ["don't tell"], views: ['raw'] } }, 'don’t tell'), []);
    });
  });

  describe('with letters whose case Unicode folds', () => {
    const detect = { terms: { list: ['Straße 7', 'ΟΔΟΣ', 'ısparta', 'weiss', 'İzmir'] } };
    const folded = [
      'STRASSE 7',
      'straße 7',
      'STRAẞE 7',
      'Strasse-7',
      'οδος',
      'ΟΔΟΣ',
      'οδοσ',
      'ISPARTA',
      'Isparta',
      'weiß',
      'izmir',
    ];
    for (const text of folded)
      it(`are found as ${text}`, () => assert.deepEqual(pieces(detect, `ß, ﬁ ${text}!`), [text]));
    it('have exact offsets behind letters that become two', () => {
      assert.deepEqual(pieces({ terms: { list: ['heron'] } }, `${'ß'.repeat(5000)} heron ß`), ['heron']);
    });
  });

  describe('in Arabic, Persian and Hebrew', () => {
    const detect = { terms: { list: ['كتاب', 'إرهاب', 'شعر', 'ایران', 'שלום', 'בית ספר', 'عين', 'נמל', 'नमस्ते'] } };
    const found = ['كِتَابٌ', 'كـتـاب', 'کتاب', 'ارهاب', 'إِرْهَاب', 'ايران', 'שָׁלוֹם', 'בית־ספר', 'בֵּית סֵפֶר', 'नमस्\u200dते'];
    for (const text of found)
      it(`are found with and without points as ${text}`, () =>
        assert.deepEqual(pieces(detect, `a ${text}, b`), [text]));
    for (const [text, term] of [
      ['والكتاب', 'كتاب'],
      ['للكتاب', 'كتاب'],
      ['بكتاب', 'كتاب'],
      ['الإرهاب', 'إرهاب'],
      ['الشعر', 'شعر'],
      ['בשלום', 'שלום'],
      ['ושלום', 'שלום'],
      ['הנמל', 'נמל'],
    ])
      it(`are found behind a prefix in ${text}`, () => assert.deepEqual(pieces(detect, text!), [term]));
    for (const text of ['مكتاب', 'كتابة', 'تشعر', 'בירושלום', 'שלומי', 'תנמל', 'שנמל', 'بعين', 'קבית ספר'])
      it(`are not found within ${text}`, () => assert.deepEqual(pieces(detect, text), []));
  });

  describe('in scripts without spaces', () => {
    const list = [
      '苍鹭',
      '禁止',
      '毒',
      '京都',
      '覚醒剤',
      'パン',
      'ヘロイン',
      'ยาบ้า',
      'ตลาด',
      'គ្រឿងញៀន',
      'ຢາບ້າ',
      'မူးယစ်',
      '도박',
      '마약',
    ];
    const running: [string, string[]][] = [
      ['我们的苍鹭计划失败了', ['苍鹭']],
      ['这里禁止吸烟', ['禁止']],
      ['那个毒很强', ['毒']],
      ['昨日京都に行きました', ['京都']],
      ['覚醒剤を売っています', ['覚醒剤']],
      ['ジャパンのパンを食べる', ['パン']],
      ['彼はヘロインを買った', ['ヘロイン']],
      ['ฉันเห็นยาบ้าที่ตลาด', ['ยาบ้า', 'ตลาด']],
      ['ខ្ញុំលក់គ្រឿងញៀននៅទីនេះ', ['គ្រឿងញៀន']],
      ['ကျွန်တော်မူးယစ်ဆေးဝါးရောင်းတယ်', ['မူးယစ်']],
      ['도박을 하고 마약에서는 도박하는 마약들까지도', ['도박', '마약', '도박', '마약']],
    ];
    for (const [text, found] of running) {
      it(`are found in ${text}`, () => assert.deepEqual(pieces({ terms: { list } }, text), found));
    }
    const within = ['東京都に住む', 'ジャパン', '毒品', '도박꾼들', '해도박', 'ตลาดี่'];
    for (const text of within) {
      it(`are not found within another word: ${text}`, () => assert.deepEqual(pieces({ terms: { list } }, text), []));
    }
    it('take a bounded time', () => {
      const units = ['東京都', '京都', 'ジャパン', 'ยาบ้านะ'];
      assertBounded(() => {
        for (const unit of units) evidenceOf({ terms: { list } }, unit.repeat(50_000 / unit.length));
        const mixed = Array.from(
          { length: 20_000 },
          (_, i) => `東京都${String.fromCharCode(0x4e00 + ((i * 7919) % 20_000))}`,
        );
        evidenceOf({ terms: { list } }, mixed.join(''));
      });
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

describe('terms of bundles', () => {
  const of = (more: object) => ({ terms: { bundle: ['profanity', 'slurs'], ...more } });
  const labels = (detect: unknown, text: string): string[] =>
    evidenceOf(detect, text).map(({ detector, view }) => `${detector} ${view}`);

  it('name the bundle and the view that they were read in', () => {
    assert.deepEqual(labels(of({}), 'what the fuck'), ['terms:profanity folded']);
    assert.deepEqual(labels(of({}), 'what the fuuuck'), ['terms:profanity leetspeak']);
    assert.deepEqual(labels(of({}), 'what the f*ck'), ['terms:profanity masked']);
    assert.deepEqual(labels(of({}), 'what the f u c k'), ['terms:profanity squashed']);
  });

  it('are inflected, and stand in compounds', () => {
    for (const text of ['bullsh1ter', 'fuckers', 'dickhead', 'shittiest', 'cuntface'])
      assert.ok(labels({ terms: { bundle: ['profanity', 'sexual'] } }, text).length > 0, text);
  });

  it('count from a severity on', () => {
    assert.deepEqual(labels(of({ severity: 'high' }), 'damn shit'), []);
    assert.deepEqual(pieces(of({ severity: 'medium' }), 'damn shit'), ['shit']);
    assert.deepEqual(pieces(of({ severity: 'low' }), 'damn shit'), ['damn', 'shit']);
    assert.deepEqual(pieces(of({}), 'damn shit'), ['shit']);
  });

  it('are only those of the categories that are named', () => {
    assert.deepEqual(labels({ terms: { bundle: 'slurs' } }, 'shit'), []);
  });

  it('do not count within what is allowed', () => {
    assert.deepEqual(pieces(of({ allow: ['holy shit'] }), 'holy  shit, what shit'), ['shit']);
    assert.deepEqual(pieces({ terms: { list: ['tail'], match: 'substring', allow: ['cocktail'] } }, 'cocktail tails'), [
      'tail',
    ]);
  });

  it('are looked for in the views that are named', () => {
    assert.deepEqual(pieces(of({ views: ['folded'] }), 'fuck f*ck f u c k'), ['fuck']);
    assert.deepEqual(pieces(of({ views: ['masked'] }), 'fuck f*ck f u c k'), ['f*ck']);
  });

  it('never join words that are not single letters', () => {
    assert.deepEqual(pieces(of({}), 'push it, as sess, mass hit'), []);
  });

  it('give offsets into the text as sent', () => {
    assert.deepEqual(pieces(of({}), 'a ｆ\u200bｕｃｋ!'), ['ｆ\u200bｕｃｋ']);
  });

  it('are found in what is encoded, two deep', () => {
    const encoded = Buffer.from('well, fuck you too').toString('base64');
    const twice = Buffer.from(encoded).toString('base64');
    for (const text of [encoded, twice, Buffer.from('you fucking idiot').toString('hex')]) {
      const [find] = evidenceOf(of({}), `see ${text} there`);
      assert.deepEqual([find?.view, find?.start, find?.end], ['decoded', 4, 4 + text.length], text);
    }
    assert.deepEqual(labels(of({ views: ['folded'] }), encoded), []);
  });

  it('take time linear in a text made to cost much', () => {
    for (const piece of ['f*', 'f.u.c.', 'a s ', '@$$', 'sss', 'f****', '5h1']) {
      assertBounded(() => evidenceOf(of({}), piece.repeat(100_000 / piece.length)));
    }
  });
});

describe('terms of bundles in a long text', () => {
  const slurs = { terms: { bundle: ['slurs'] } };

  it('are found behind any number of other terms', () => {
    assert.deepEqual(pieces(slurs, `${'damn '.repeat(1000)}kike`), ['kike']);
  });

  it('are found behind any number of innocent words that are disguised', () => {
    assert.deepEqual(pieces(slurs, `${'sc4nthorpe snigg3r '.repeat(1000)}kike`), ['kike']);
  });

  it('are found behind a letter that is written thousands of times', () => {
    assert.deepEqual(pieces(slurs, `${'s'.repeat(50_000)} kike`), ['kike']);
  });

  it('are unknown where the text takes more steps than its length allows', () => {
    const detect = { terms: { bundle: ['profanity'] } };
    const plan = compilePlan(sketch({ policies: [{ detect }] }), 1);
    const text = 'f*f***^@$** '.repeat(5000);
    const { flagged, evaluated, notEvaluated, note } = evaluateText(plan, SCOPE, text);
    assert.deepEqual(
      { flagged, evaluated, notEvaluated, note },
      { flagged: false, evaluated: [], notEvaluated: 1, note: '1 policy could not be evaluated' },
    );
    // What was found before counts.
    assert.ok(evaluateText(plan, SCOPE, `fuck, ${text}`).flagged);
  });
});

describe('terms of bundles in texts of few different characters', () => {
  const all = { terms: { bundle: ['profanity', 'slurs'], severity: 'low' } };
  const plan = compilePlan(sketch({ policies: [{ detect: all }] }), 1);
  const missed: string[] = [];
  const see = (text: string): void => {
    if (evaluateText(plan, SCOPE, text).notEvaluated > 0)
      missed.push(`${JSON.stringify(text.slice(0, 40))} of ${text.length}`);
  };

  it('are evaluated, however short or long the text', () => {
    const units = [
      '| ',
      '+-',
      '1\t',
      'f*',
      '-+',
      '|-',
      '= ',
      '* ',
      '** ',
      '# ',
      '0 1 ',
      '1, ',
      '_ ',
      '. ',
      '~-',
      '1|',
      'a ',
      'x*y ',
      'f.',
      '|--',
      '1 0 1 1\n',
      '+1 ',
      '$1 ',
      '!1 ',
    ];
    for (const unit of units) {
      for (const times of [10, 63, 66, 72, 130, 500, 5000]) {
        see(unit.repeat(times));
        see(`Result: ${unit.repeat(times)}, as asked.`);
      }
    }
    assert.deepEqual(missed, []);
  });
});

describe('terms of a list, in the views of disguises', () => {
  const list = { terms: { list: ['Wally', 'scam artist'], views: ['leetspeak', 'masked', 'squashed'] } };
  it('are found in these views alone', () => {
    assert.deepEqual(pieces(list, 'w4lly, w*lly, w a l l y, sc4m art1st, wally'), [
      'w4lly',
      'w*lly',
      'w a l l y',
      'sc4m art1st',
    ]);
  });
});

describe('terms of a file', () => {
  const files: Record<string, string> = {
    'names.txt': '# code names\nblue heron\nred kite\tlow\n\n',
    'wrong.txt': 'fine\nblue heron\tsevere\n',
    'empty.txt': '# nothing\n',
  };
  const read = (parameters: object) =>
    loadConfiguration(
      JSON.stringify({
        version: 1,
        teams: [{ id: 't' }],
        policies: [{ id: id(1), team: 't', name: 'P', detect: { terms: parameters } }],
      }),
      'f',
      {
        terms(name) {
          const text = files[name];
          if (text === undefined) throw new Error('there is no such file');
          return text;
        },
        model: () => assert.fail('no model is named'),
      },
    );

  it('join the list when the configuration is loaded, from the severity on', () => {
    const detectOf = (parameters: object) => {
      const loaded = read(parameters);
      assert.ok(loaded.ok);
      return loaded.configuration.policies[0]!.detect as unknown as { terms: { list: string[]; file: null } };
    };
    assert.deepEqual(detectOf({ file: 'names.txt', list: ['owl'] }).terms.list, ['owl', 'blue heron', 'red kite']);
    assert.deepEqual(detectOf({ file: 'names.txt', severity: 'medium' }).terms.list, ['blue heron']);
    assert.equal(detectOf({ file: 'names.txt' }).terms.file, null);
  });

  it('are refused with the line that is wrong', () => {
    const messageOf = (file: string) => {
      const loaded = read({ file });
      return loaded.ok ? '' : loaded.problems[0]!.message;
    };
    assert.match(
      messageOf('wrong.txt'),
      /^wrong\.txt: line 2: expected nothing behind the term, or a tab and one of low/,
    );
    assert.match(messageOf('empty.txt'), /^empty\.txt: expected a file of at least one term$/);
    assert.match(messageOf('none.txt'), /^none\.txt: there is no such file$/);
    assert.match(messageOf('../names.txt'), /^expected a name of a-z/);
  });
});
