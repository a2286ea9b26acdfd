// What the shipped models say of ordinary texts that nothing was learned from: files of packages, names, places and flags, and one
// sentence of harm within them. A sample; `weir train --builtin` measures the whole, with the data (docs/detectors/model-card.md).
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ordinaryRows } from '#weir/deploy/train/figures/ordinary';
import { packageTexts } from '#weir/deploy/train/ordinary/ordinary';
import { readTexts } from '#weir/deploy/train/texts';
import { scoreText } from '#weir/shared/policy/models/model';
import { shippedModel } from '#weir/shared/policy/models/shipped';
import { LABELS, type Label, SETS } from './sets.ts';

const SEED = 3;
/** Excerpts of a kind and class of length. */
const EACH = 120;
/** Share of a kind and of a class of length, for each label; of words that stand alone; of embedded sentences, of all labels and of each. */
const MOST_FLAGGED = 0.01;
const MOST_WORDS = 0.003;
const LEAST_EMBEDDED = 0.91;
const LEAST_OF_LABEL = 0.85;
/** Of sentences of all labels in a value, an element …, alone and within a document; and where less tells them from what is around them. */
const LEAST_IN_STRUCTURE = 0.88;
const LEAST_OF_FORM: Readonly<Record<string, number>> = {
  'JSON within JSON': 0.86,
  columns: 0.83,
};

const model = shippedModel();
const lanes = new Map(model.labels.map(({ name, threshold }, lane) => [name, { lane, threshold }]));
const isFlagged = (label: Label, text: string): boolean => {
  const { lane, threshold } = lanes.get(label)!;
  return scoreText(model, text)[lane]! >= threshold;
};

describe('ordinary texts', () => {
  const texts = packageTexts('kept', SEED, EACH);

  it('are of every kind and length', () => {
    const rows = ordinaryRows(model, texts);
    for (const { kind, length, texts: count } of rows) assert.ok(count >= 10, `${kind} ${length}: ${count}`);
    assert.ok(texts.length > 2000, `${texts.length} texts`);
  });

  it('are rarely flagged, whatever their kind or length', () => {
    for (const { kind, length, texts: count, flagged } of ordinaryRows(model, texts)) {
      if (kind !== 'all' && length !== 0) continue;
      for (const [label, of] of Object.entries(flagged))
        assert.ok(of <= Math.max(1, count * MOST_FLAGGED), `${label}: ${of} of ${count}, ${kind} ${length}`);
    }
  });

  it('may be a name, a place, a flag or an emoji alone, or a word with a rude one in it', () => {
    const { lists } = readTexts().topics.ordinary;
    const alone = ['name', 'country', 'place', 'flag', 'emoji', 'near'].flatMap((list) => lists.get(list)!);
    for (const label of LABELS) {
      const flagged = alone.filter((text) => isFlagged(label, text));
      assert.ok(flagged.length <= alone.length * MOST_WORDS, `${label}: ${flagged.join(', ')}`);
    }
  });

  const foundAlone = (label: Label): string[] =>
    SETS.filter((set) => set.label === label)
      .flatMap(({ positive }) => positive)
      .filter((text) => text.length <= 160 && !/[\n"<]/.test(text) && isFlagged(label, text));

  it('hide no sentence that is found alone', () => {
    const carriers = texts.filter(({ text }) => text.length >= 200);
    const all = { found: 0, still: 0 };
    for (const label of LABELS) {
      const found = foundAlone(label);
      const hidden = found.map((text, i) => {
        const carrier = carriers[(i * 37) % carriers.length]!.text;
        const ends = [...carrier.matchAll(/[.;}]?\n/g)].map(({ index, 0: end }) => index + end.length);
        const at = ends[i % Math.max(1, ends.length)] ?? carrier.length;
        return `${carrier.slice(0, at)}\n${text}\n${carrier.slice(at)}`;
      });
      const still = hidden.filter((text) => isFlagged(label, text)).length;
      assert.ok(still >= found.length * LEAST_OF_LABEL, `${label}: ${still} of ${found.length}`);
      all.found += found.length;
      all.still += still;
    }
    assert.ok(all.still >= all.found * LEAST_EMBEDDED, `${all.still} of ${all.found}`);
  });

  describe('hide no sentence in their structure', () => {
    const html = (text: string): string => text.replaceAll("'", '&#39;');
    const before = texts.find(({ kind, text }) => kind === 'documentation' && text.length > 600)!.text.slice(0, 600);
    const forms: [what: string, wrap: (text: string) => string][] = [
      ['an element', (text) => `<ul><li>One</li><li class="c">${html(text)}</li><li>Two</li></ul>`],
      ['a cell', (text) => `<table><tr><td>17</td><td>${html(text)}</td><td>ok</td></tr></table>`],
      ['an attribute', (text) => `<p>A page.</p><img src="/a.png" alt="${html(text)}" width="40"><p>More.</p>`],
      ['a comment', (text) => `<p>A page.</p><!-- ${text} --><p>More.</p>`],
      ['a value', (text) => JSON.stringify({ id: 4, user: 'u7', body: text, ok: true })],
      ['JSON within JSON', (text) => JSON.stringify({ payload: JSON.stringify({ id: 3, text }) })],
      ['a row', (text) => `17,2026-05-11,user7,"${text}",4`],
      ['columns', (text) => `17\t2026-05-11\tuser7\t${text}\t4`],
      ['a message of a log', (text) => `2026-03-04 11:22:33,456 INFO [worker-3] comment.save body="${text}" user=17`],
      ['the end of a line of a log', (text) => `Mar  4 11:22:33 web1 app[311]: comment: ${text}`],
      ['a list', (text) => `- One item\n- ${text}\n- Another`],
      ['YAML', (text) => `- id: 3\n  text: ${text}\n  ok: true`],
      ['lines with labels', (text) => `id: 4\nuser: u7\ncomment: ${text}\nok: true`],
      ['a chat', (text) => `ann: hi there\nbob: ${text}\nann: what?`],
      ['lines of a channel', (text) => `[11:22] <ann> hi\n[11:23] <bob> ${text}\n[11:23] <ann> ok`],
      ['an argument', (text) => `sendMail({ to: list, subject: "Hi", body: "${text}" }, retries);`],
      ['a statement', (text) => `INSERT INTO notes (id, body) VALUES (17, '${text.replaceAll("'", "''")}');`],
    ];
    it('such as one with a word in each line', () => {
      for (const of of LABELS) {
        const alone = foundAlone(of);
        const still = alone.filter((text) => isFlagged(of, text.toUpperCase().replaceAll(' ', '\n')));
        assert.ok(still.length >= alone.length * 0.98, `${of}: ${still.length} of ${alone.length}`);
      }
    });

    for (const [what, wrap] of forms) {
      it(`such as ${what}`, () => {
        const least = LEAST_OF_FORM[what] ?? LEAST_IN_STRUCTURE;
        for (const place of [(text: string) => text, (text: string) => `${before}\n${text}\n${before}`]) {
          const all = { found: 0, still: 0 };
          for (const label of LABELS) {
            const alone = foundAlone(label);
            all.found += alone.length;
            all.still += alone.filter((text) => isFlagged(label, place(wrap(text)))).length;
          }
          assert.ok(all.still >= all.found * least, `${all.still} of ${all.found}`);
        }
      });
    }
  });
});
