import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { modelRendition, readModelDescription } from '#weir/workers/onnx/file';

function problems(text: string): string[] {
  const result = readModelDescription(text, 'm.yaml');
  return result.ok ? [] : result.problems;
}

const INPUT = 'input: {width: 8, height: 4}';
const OUTPUT = 'output: {labels: [a, b]}';

describe('the description of an image model', () => {
  it('fills in what is usual', () => {
    assert.deepEqual(readModelDescription(`${INPUT}\n${OUTPUT}`, 'm.yaml'), {
      ok: true,
      description: {
        input: {
          name: null,
          width: 8,
          height: 4,
          layout: 'nchw',
          channels: 'rgb',
          fit: 'fill',
          scale: 1 / 255,
          mean: [0, 0, 0],
          std: [1, 1, 1],
        },
        output: { name: null, labels: ['a', 'b'], activation: 'none' },
      },
    });
  });

  it('takes all fields, as JSON too', () => {
    const description = {
      input: {
        name: 'pixels',
        width: 1024,
        height: 1,
        layout: 'nhwc',
        channels: 'gray',
        fit: 'contain',
        scale: 1,
        mean: [127.5],
        std: [127.5],
      },
      output: { name: 'logits', labels: ['a'], activation: 'sigmoid' },
    };
    assert.deepEqual(readModelDescription(JSON.stringify(description), 'm.yaml'), { ok: true, description });
  });

  it('says what windows a model of texts looks at', () => {
    const of = (text: string) => {
      const result = readModelDescription(`text: ${text}\n${OUTPUT}`, 'm.yaml');
      return result.ok ? 'text' in result.description && result.description.text : result.problems;
    };
    assert.deepEqual(of('{}'), { max_tokens: 512, stride: 64, max_windows: 16 });
    const own = { max_tokens: 128, stride: 0, max_windows: 2 };
    assert.deepEqual(of(JSON.stringify(own)), own);
    assert.deepEqual(of('{max_tokens: 4, stride: 300, max_windows: 65}\ninput: {width: 8, height: 8}'), [
      'm.yaml:2:8: input: expected input, for images, or text, not both',
      'm.yaml:1:20: text.max_tokens: expected a whole number from 8 to 8192',
      'm.yaml:1:31: text.stride: expected a whole number from 0 to 256',
      'm.yaml:1:49: text.max_windows: expected a whole number from 1 to 64',
    ]);
  });

  it('says which pixels the model looks at', () => {
    const result = readModelDescription(`input: {width: 8, height: 4, channels: bgr, fit: cover}\n${OUTPUT}`, 'm');
    assert.ok(result.ok && 'input' in result.description);
    assert.deepEqual(modelRendition(result.description.input), { width: 8, height: 4, kind: 'rgb', fit: 'cover' });
    const gray = { ...result.description.input, channels: 'gray' as const };
    assert.equal(modelRendition(gray).kind, 'gray');
  });

  it('names file, line and column of every mistake', () => {
    const text = `input:
  width: 0
  height: 1025
  layout: nchv
  mean: [1, 2]
  size: 5
output:
  labels: [a, a]
  activation: relu
`;
    assert.deepEqual(problems(text), [
      'm.yaml:6:3: input.size: unknown key "size"',
      'm.yaml:2:10: input.width: expected a whole number from 1 to 1024',
      'm.yaml:3:11: input.height: expected a whole number from 1 to 1024',
      'm.yaml:4:11: input.layout: expected one of nchw, nhwc; did you mean "nchw"?',
      'm.yaml:5:9: input.mean: expected a list of 3 numbers',
      'm.yaml:8:11: output.labels: the label "a" is there twice',
      'm.yaml:9:15: output.activation: expected one of none, sigmoid, softmax',
    ]);
  });

  it('says what is missing', () => {
    assert.deepEqual(problems('input: {}\noutput: {}'), [
      'm.yaml:1:8: input.width: is required: expected a whole number from 1 to 1024',
      'm.yaml:1:8: input.height: is required: expected a whole number from 1 to 1024',
      'm.yaml:2:9: output.labels: is required: expected a list of labels, in order',
    ]);
    assert.deepEqual(problems(`${INPUT}\noutput: {labels: []}`), [
      'm.yaml:2:18: output.labels: expected at least one label',
    ]);
    assert.deepEqual(problems(''), ['m.yaml:1:1: expected an object with input, text, output, found nothing']);
    assert.match(problems(OUTPUT)[0]!, /input: expected an object with name, width, .*, found nothing/);
  });

  it('takes no division by zero, no text for a number, and one number a channel', () => {
    const input = (more: string): string[] => problems(`input: {width: 8, height: 4, ${more}}\n${OUTPUT}`);
    assert.match(input('std: [0, 1, 1]')[0]!, /std\.0: expected a number from/);
    assert.match(input('mean: ["1", 1, 1]')[0]!, /mean\.0: expected a number from/);
    assert.match(input('scale: .nan')[0]!, /scale: expected a number from/);
    assert.match(input('channels: gray, mean: [1, 1, 1]')[0]!, /mean: expected a list of one number/);
  });

  it('reports text that is not YAML, or too long', () => {
    assert.match(problems('input: [')[0]!, /^m\.yaml:\d+:\d+: /);
    assert.match(problems(`# ${'x'.repeat(300_000)}`)[0]!, /expected at most 262144 bytes/);
    const labels = Array.from({ length: 1025 }, (_, i) => `l${i}`).join(', ');
    assert.match(problems(`${INPUT}\noutput: {labels: [${labels}]}`)[0]!, /expected at most 1024 items, found 1025/);
  });
});
