import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { countTokens } from 'gpt-tokenizer/encoding/o200k_base';
import { METRIC_KINDS, type MetricKind } from '#weir/shared/configuration/metric-kinds';
import type { MetricItem } from '#weir/workers/metrics/kinds/kind';
import { computeOf } from '#weir/workers/metrics/kinds/registry';

const METRIC = { id: 'cccccccc-0000-4000-8000-000000000001', team: 'acme', name: 'M' };

async function compute(kind: MetricKind, item: Partial<MetricItem>, fields: { label?: string; value?: string } = {}) {
  const of = await computeOf({ ...METRIC, kind, ...fields });
  return of({ type: 'message', role: 'user', name: '', text: '', metadata: {}, image: null, ...item });
}
const figureOf = async (kind: MetricKind, text: string): Promise<number> => {
  const outcome = await compute(kind, { text });
  assert.ok('value' in outcome, JSON.stringify(outcome));
  return outcome.value;
};

describe('a metric of', () => {
  it('characters counts code points, and a lone surrogate as one', async () => {
    assert.deepEqual(await compute('characters', { text: '' }), { value: 0 });
    await fc.assert(
      fc.asyncProperty(fc.string({ unit: 'binary' }), async (text) => {
        assert.equal(await figureOf('characters', text), Array.from(text).length);
      }),
      { numRuns: 50 },
    );
    assert.equal(await figureOf('characters', '\ud83d\ude00a\ud83d'), 3);
  });

  it('words counts runs of letters and digits, and each character where words are not parted', async () => {
    const cases: [text: string, words: number][] = [
      ['', 0],
      ['one two  three\n4', 4],
      ["don’t stop-gap 3.14 e.g. that's", 5],
      ['– … !', 0],
      ['naïve Überraschung a\u0301b', 3],
      ['你好，世界', 4],
      ['ไทย', 3],
      ['GPT 和我', 3],
    ];
    for (const [text, words] of cases) assert.equal(await figureOf('words', text), words, text);
  });

  it('reading_time is that of 238 words, or of 300 characters of dense scripts, in a minute', async () => {
    assert.equal(await figureOf('reading_time', 'word '.repeat(238)), 60);
    assert.equal(await figureOf('reading_time', '字'.repeat(300)), 60);
    assert.equal(await figureOf('reading_time', ''), 0);
  });

  it('tokens are those of o200k_base, names of special tokens taken as text, however long the text is', async () => {
    assert.equal(await figureOf('tokens', 'Hello world'), 2);
    assert.ok((await figureOf('tokens', '<|endoftext|>')) > 1);
    const word = fc.constantFrom(
      'the',
      'Übermut',
      'x1',
      '42',
      "can't",
      '…',
      '你好',
      '👍🏽',
      'GetItem_2',
      '\n',
      '--',
      'naïve',
    );
    await fc.assert(
      fc.asyncProperty(fc.array(word, { minLength: 1, maxLength: 900 }), async (words) => {
        const text = words.join(' ');
        assert.equal(await figureOf('tokens', text), countTokens(text));
      }),
      { numRuns: 15 },
    );
  });

  it('tokens takes time linear in a text without spaces', async () => {
    const time = async (units: number): Promise<number> => {
      let text = '';
      for (let i = 0; i < units; i++) text += String.fromCharCode(97 + ((i * i * 7919 + (i >> 3)) % 26));
      const started = process.cpuUsage();
      await figureOf('tokens', text);
      const { user, system } = process.cpuUsage(started);
      return user + system;
    };
    await time(2000);
    const [short, long] = [await time(8000), await time(64_000)];
    assert.ok(long < short * 8 * 4, `${short} µs for 8,000 units, ${long} µs for 64,000`);
  });

  it('language names it, with a score, or says that it cannot be told', async () => {
    const said = {
      en: 'Could you tell me how long the delivery of my order is going to take?',
      de: 'Könnten Sie mir bitte sagen, wie lange die Lieferung meiner Bestellung dauert?',
      fr: 'Pouvez-vous me dire combien de temps prendra la livraison de ma commande ?',
      es: '¿Podría decirme cuánto tiempo tardará en llegar mi pedido a casa?',
      ja: 'ご注文の配達にはどのくらい時間がかかりますか。',
    };
    for (const [label, text] of Object.entries(said)) {
      const outcome = await compute('language', { text });
      assert.ok('value' in outcome && outcome.label === label, `${label}: ${JSON.stringify(outcome)}`);
      assert.ok(outcome.value > 0 && outcome.value <= 1);
    }
    for (const text of ['', '12345', '!!!']) {
      assert.deepEqual(await compute('language', { text }), { note: 'the language cannot be told' });
    }
  });

  it('refusal is 1 where the author will not help, and 0 for other limits and for people who ask', async () => {
    const refused = [
      "I'm sorry, but I can't help with that.",
      'I cannot assist with creating malware.',
      'As an AI language model, I am not able to provide medical advice.',
      "Sorry! I won't write that for you.",
      'I must respectfully decline.',
      "That's not something I can help with.",
      'This request is against my guidelines.',
      'I’m unable to comply with this request.',
      "We don't feel comfortable sharing that.",
    ];
    const helpful = [
      '',
      'Sure, here is the recipe you asked for.',
      "I can't believe how good this is!",
      'The server cannot connect to the database.',
      "You can't help with that if you are not a member.",
      'I am not sure, but I think it is Paris.',
      'Can you help me? I forgot my password.',
      `${'Here is the answer. '.repeat(40)} I cannot help with the rest.`,
    ];
    for (const text of refused) assert.equal(await figureOf('refusal', text), 1, text);
    for (const text of helpful) assert.equal(await figureOf('refusal', text), 0, text);
  });

  it('sentiment is between -1 and 1, turned by negations and moved by degrees', async () => {
    const labels: Record<string, string> = {
      'I love this, it works perfectly!': 'positive',
      'This is terrible and I hate it.': 'negative',
      'The meeting is on Tuesday at noon.': 'neutral',
      'This is not good.': 'negative',
      "It isn't bad at all": 'positive',
      '': 'neutral',
    };
    for (const [text, label] of Object.entries(labels)) {
      const outcome = await compute('sentiment', { text });
      assert.ok('value' in outcome && outcome.label === label, `${text}: ${JSON.stringify(outcome)}`);
    }
    const good = await figureOf('sentiment', 'good');
    assert.ok(
      (await figureOf('sentiment', 'very good')) > good && (await figureOf('sentiment', 'slightly good')) < good,
    );
    const most = await figureOf('sentiment', 'awesome '.repeat(10_000));
    assert.ok(most > 0.9 && most <= 1);
  });

  it('classifier is the score of the models of Weir for its label', async () => {
    const rude = await compute('classifier', { text: 'you are a stupid worthless idiot' }, { label: 'toxicity' });
    const calm = await compute('classifier', { text: 'the train leaves at nine' }, { label: 'toxicity' });
    assert.ok('value' in rude && 'value' in calm && rude.value > 0.5 && calm.value < 0.3, JSON.stringify([rude, calm]));
    assert.equal('label' in rude && rude.label, 'toxicity');
    assert.deepEqual(await compute('classifier', {}, { label: 'toxicity' }), { note: 'the text is empty' });
  });

  it('latency is what the metadata says, of an event, of the last message, or of the session', async () => {
    const assistant = { latency: 0.25 };
    for (const metadata of [{ assistant }, { message: { assistant } }, { session: { assistant } }]) {
      assert.deepEqual(await compute('latency', { metadata }), { value: 0.25 });
    }
    const absent = { note: 'metadata.assistant.latency is absent' };
    for (const metadata of [{}, { assistant: 3 }, { assistant: { latency: null } }, { message: null }]) {
      assert.deepEqual(await compute('latency', { metadata }), absent);
    }
    for (const latency of ['3', -1, true]) {
      const note = 'metadata.assistant.latency is no number of 0 or more';
      assert.deepEqual(await compute('latency', { metadata: { assistant: { latency } } }), { note });
    }
  });

  it('image_size has the bytes and the pixels of an image, or says that it could not be looked at', async () => {
    const image = { width: 640, height: 480, bytes: 12_345 };
    assert.deepEqual(await compute('image_size', { type: 'artifact', image }), { value: 12_345, label: '640x480' });
    assert.deepEqual(await compute('image_size', { type: 'artifact' }), { note: 'the image could not be looked at' });
  });

  it('expression gives a number, or a string as label; else why not, without what the caller sent', async () => {
    const of = (value: string, metadata: Record<string, unknown>) => compute('expression', { metadata }, { value });
    const cost = { usage: { input: 100, output: 20 }, model: 'm-1' };
    assert.deepEqual(await of('metadata.usage.input * 0.5 + metadata.usage.output', cost), { value: 70 });
    assert.deepEqual(await of('size(metadata.model)', cost), { value: 3 });
    assert.deepEqual(await of('uint(metadata.usage.input) + 5u', cost), { value: 105 });
    assert.deepEqual(await of('metadata.model', cost), { value: 1, label: 'm-1' });
    assert.deepEqual(await of('event.role + ":" + event.type', {}), { value: 1, label: 'user:message' });
    assert.deepEqual(await of('has(metadata.model) ? metadata.model : "none"', {}), { value: 1, label: 'none' });
    const long = await of('metadata.model', { model: '👍'.repeat(300) });
    assert.equal('label' in long && Array.from(long.label!).length, 256);
    const notes: [value: string, metadata: Record<string, unknown>, note: RegExp][] = [
      ['metadata.usage.input', {}, /^metadata\.usage\.input is absent$/],
      ['metadata.secret', { secret: { a: 'swordfish' } }, /^the expression gave neither a number nor a string$/],
      ['metadata.secret * 2.0', { secret: 'swordfish' }, /^the expression has no value for this item$/],
      ['1.0 / metadata.zero', { zero: 0 }, /^the expression gave neither/],
      [
        'metadata.list.map(x, x in metadata.list)[0] ? 1 : 0',
        { list: Array.from({ length: 5000 }, (_, i) => i) },
        /too many steps/,
      ],
    ];
    for (const [value, metadata, note] of notes) {
      const outcome = await of(value, metadata);
      assert.ok('note' in outcome, `${value}: ${JSON.stringify(outcome)}`);
      assert.match(outcome.note, note);
    }
  });

  it('every kind is computed', async () => {
    for (const kind of Object.keys(METRIC_KINDS) as MetricKind[]) {
      const outcome = await compute(kind, { text: 'A text.' }, { label: 'toxicity', value: '1' });
      assert.ok('value' in outcome || 'note' in outcome, kind);
    }
  });
});
