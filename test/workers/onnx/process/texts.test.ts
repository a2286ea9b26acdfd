/** Models of texts in this process: what they must be like, and their scores. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { readModelDescription } from '#weir/workers/onnx/file';
import { loadSession } from '#weir/workers/onnx/process/session';
import { type ScoreTexts, textScorer } from '#weir/workers/onnx/process/texts';
import type { TextLoad } from '#weir/workers/onnx/types';
import { FLOAT, INT32, redness, type WordsOptions, words } from '../../../support/models/onnx.ts';
import { WORDPIECE } from '../../../support/models/tokenizers.ts';

/** A scorer of a model, by its description. */
async function scorer(
  model: Buffer,
  text = '{max_tokens: 16, stride: 4}',
  labels = 'bad, rest',
  tokenizer = WORDPIECE,
) {
  const described = readModelDescription(`text: ${text}\noutput: {labels: [${labels}]}`, 'm.yaml');
  assert.ok(described.ok && 'text' in described.description, JSON.stringify(described));
  const { output, ...rest } = described.description;
  const none = { path: '', size: 0, mtimeMs: 0 };
  const counted = { ...output, labels: output.labels.length };
  const request: TextLoad = { ...rest, output: counted, file: none, tokenizer: none, memoryBytes: 0 };
  return await textScorer(await loadSession(model), request, Buffer.from(tokenizer));
}

/** Of each text its windows: offsets, and the scores of the labels. */
async function scored(score: ScoreTexts, texts: readonly string[], labels = [0]): Promise<number[][][]> {
  const request = { lengths: texts.map(({ length }) => length), labels, limitMs: 60_000 };
  const { reply, body } = await score(request, Buffer.from(texts.join(''), 'utf16le'));
  assert.equal(reply.status, 'windows');
  const numbers = [...new Float64Array(new Uint8Array(body!).buffer)];
  const wide = labels.length + 2;
  return (reply as { counts: number[] }).counts.map((count) =>
    Array.from({ length: count }, () => numbers.splice(0, wide).map((each) => Math.round(each * 1000) / 1000)),
  );
}

describe('scores of texts', () => {
  const texts = ['bad', 'good', '', 'a bad good bad word', `${'good '.repeat(30)}bad ${'good '.repeat(30)}`, 'Bad!'];

  it('are those of each text by itself, whatever stands beside it', async () => {
    const score = await scorer(words());
    const together = await scored(score, texts, [1, 0]);
    for (const [i, text] of texts.entries()) assert.deepEqual(together[i], (await scored(score, [text], [1, 0]))[0]);
    // Two of three tokens stand around it.
    assert.deepEqual(together[0], [[0, 3, 0.667, 0.333]]);
    const long = together[4]!;
    assert.ok(long.length > 4);
    const firing = long.filter(([, , , bad]) => bad! > 0);
    assert.ok(firing.length >= 1 && firing.every(([start, end]) => start! <= 150 && end! >= 153), JSON.stringify(long));
  });

  it('are the same for models that take other numbers, more, or no padding', async () => {
    const usual = await scored(await scorer(words()), texts);
    const all = ['input_ids', 'attention_mask', 'token_type_ids'];
    const others: WordsOptions[] = [
      { type: INT32 },
      { inputs: all, shape: [1, 'tokens'] },
      { inputs: all, shape: ['texts', 16] },
      { inputs: ['input_ids'] },
    ];
    for (const other of others) assert.deepEqual(await scored(await scorer(words(other)), texts), usual);
  });

  it('are not there for a text that needs too many windows, and for others they are', async () => {
    const score = await scorer(words(), '{max_tokens: 16, max_windows: 2}');
    const [short, long] = await scored(score, ['good', 'good '.repeat(60)]);
    assert.deepEqual([short!.length, long!.length], [1, 0]);
  });

  it('are not there where the time is over', async () => {
    const score = await scorer(words());
    const { reply } = await score({ lengths: [3], labels: [0], limitMs: 0 }, Buffer.from('bad', 'utf16le'));
    assert.equal(reply.status, 'late');
  });
});

describe('a model of texts that does not fit', () => {
  const rows: [why: RegExp, model: Buffer, text?: string, labels?: string, tokenizer?: string][] = [
    [/it takes "x": expected no inputs but "input_ids", "attention_mask", "token_type_ids"/, redness()],
    [/expected "input_ids" to take tensors of int64 or int32, \[texts, tokens\]/, words({ type: FLOAT })],
    [/expected an input "input_ids", found "attention_mask"/, words({ inputs: ['attention_mask'] })],
    [/it takes 4 texts at once: expected one, or any number/, words({ shape: [4, 'tokens'] })],
    [/it takes 8 tokens, and the description has max_tokens: 16/, words({ shape: ['texts', 8] })],
    [/it takes 16 tokens and no "attention_mask"/, words({ inputs: ['input_ids'], shape: ['texts', 16] })],
    [/the output "logits" has the shape \[texts, 3\], but the description names 2 labels/, words({ labels: 3 })],
    [/its tokenizer cannot be loaded/, words(), undefined, undefined, '{}'],
    [/it gave numbers beyond 0 to 1, which are no scores: set activation/, words({ bias: [2, 2] })],
  ];
  for (const [why, ...given] of rows) {
    it(`is refused: ${why.source.slice(0, 60)}`, async () => {
      await assert.rejects(scorer(...given), (error: Error) => {
        assert.match(error.message, why);
        return error.constructor.name === 'ModelRefusal';
      });
    });
  }
});
