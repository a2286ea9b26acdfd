/**
 * The description of a model by its operator: a file NAME.yaml (or JSON) beside NAME.onnx. A model file says only the shape
 * of its input. How pixels or words become numbers, and what its output means, depends on how the model was trained.
 *
 *     input:
 *       width: 224
 *       height: 224
 *       mean: [0.485, 0.456, 0.406]
 *       std: [0.229, 0.224, 0.225]
 *     output:
 *       labels: [safe, unsafe]
 *       activation: softmax
 *
 * A model of texts has `text` in place of `input`, and its tokenizer beside it, as NAME.tokenizer.json:
 *
 *     text:
 *       max_tokens: 512
 *       stride: 64
 *       max_windows: 16
 */
import {
  type Cursor,
  choiceOf,
  complain,
  createReport,
  fieldsOf,
  isAbsent,
  listOf,
  NAME_RULE,
  numberOf,
  type ObjectFields,
  textOf,
} from '../../shared/configuration/read/fields.js';
import { readSource } from '../../shared/configuration/read/source.js';
import type { Rendition } from '../images/decode/types.js';

export const MODEL_LIMITS = {
  /** Models in a folder. Each of images may need pixels of its own, and the decoder makes 8 renditions at most. */
  count: 6,
  /** pixels a side of an input */
  side: 1024,
  labels: 1024,
  /** bytes of a description */
  descriptionBytes: 256 * 1024,
  /** bytes of a model */
  bytes: 1024 * 1024 * 1024,
  /** bytes of a tokenizer */
  tokenizerBytes: 64 * 1024 * 1024,
  /** of an input of texts */
  tokens: 8192,
  windows: 64,
} as const;

const LAYOUTS = ['nchw', 'nhwc'] as const;
const CHANNELS = ['rgb', 'bgr', 'gray'] as const;
const FITS = ['fill', 'cover', 'contain'] as const;
const ACTIVATIONS = ['none', 'sigmoid', 'softmax'] as const;

/** A value of the input is (pixel × scale − mean) / std, for a pixel of 0 to 255. A model that takes bytes gets the pixel. */
export interface ModelInput {
  /** null: the model has only one */
  name: string | null;
  width: number;
  height: number;
  /** order of the dimensions: n is the image, c its channels, h its rows, w its columns */
  layout: (typeof LAYOUTS)[number];
  channels: (typeof CHANNELS)[number];
  fit: (typeof FITS)[number];
  scale: number;
  /** one number a channel, in the order of `channels` */
  mean: number[];
  std: number[];
}

export interface ModelOutput {
  /** null: the model has only one */
  name: string | null;
  labels: string[];
  /** turns the output into scores of 0 to 1; `none`: the output is scores */
  activation: (typeof ACTIVATIONS)[number];
}

/** A text is looked at in windows of tokens. */
export interface TextInput {
  /** of a window, those that the tokenizer adds included */
  max_tokens: number;
  /** about so many of them are those that the window before ends with */
  stride: number;
  /** a text that needs more is not looked at */
  max_windows: number;
}

export interface ImageDescription {
  input: ModelInput;
  output: ModelOutput;
}

export interface TextDescription {
  text: TextInput;
  output: ModelOutput;
}

export type ModelDescription = ImageDescription | TextDescription;

export type DescriptionResult = { ok: true; description: ModelDescription } | { ok: false; problems: string[] };

const MAX_PROBLEMS = 20;

/** Reads a description. `file` is named in the problems (`FILE:LINE:COL: message`). */
export function readModelDescription(text: string, file: string): DescriptionResult {
  const at = ({ line, column }: { line: number; column: number }): string => `${file}:${line}:${column}`;
  if (text.length > MODEL_LIMITS.descriptionBytes) {
    return { ok: false, problems: [`${file}:1:1: expected at most ${MODEL_LIMITS.descriptionBytes} bytes`] };
  }
  const source = readSource(text);
  if (source.errors.length > 0) {
    const problems = source.errors.map(({ message, position }) => `${at(position)}: ${message}`);
    return { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
  }
  const report = createReport();
  const description = readDescription({ report, value: source.value, path: [] });
  if (description && report.findings.length === 0) return { ok: true, description };
  const problems = report.findings.map(({ path, message, at: where }) => {
    const place = path.length === 0 ? '' : `${path.join('.')}: `;
    return `${at(source.locate(path, where))}: ${place}${message}`;
  });
  return { ok: false, problems: problems.slice(0, MAX_PROBLEMS) };
}

/** The pixels that the model looks at. */
export function modelRendition({ width, height, channels, fit }: ModelInput): Rendition {
  return { width, height, kind: channels === 'gray' ? 'gray' : 'rgb', fit };
}

export const channelsOf = ({ channels }: Pick<ModelInput, 'channels'>): 1 | 3 => (channels === 'gray' ? 1 : 3);

function readDescription(cursor: Cursor): ModelDescription | undefined {
  const fields = fieldsOf(cursor, ['input', 'text', 'output']);
  if (!fields) return undefined;
  if (fields.has('text')) {
    if (fields.has('input')) complain(fields.get('input'), 'expected input, for images, or text, not both');
    const text = readTextInput(fields.get('text'));
    const output = readOutput(fields.get('output'));
    return text && output ? { text, output } : undefined;
  }
  const input = readInput(fields.get('input'));
  const output = readOutput(fields.get('output'));
  return input && output ? { input, output } : undefined;
}

function readTextInput(cursor: Cursor): TextInput | undefined {
  const fields = fieldsOf(cursor, ['max_tokens', 'stride', 'max_windows']);
  if (!fields) return undefined;
  const { tokens, windows } = MODEL_LIMITS;
  const most = numberOf(fields.get('max_tokens'), { default: 512, min: 8, max: tokens });
  return {
    max_tokens: most,
    stride: numberOf(fields.get('stride'), { default: Math.floor(most / 8), min: 0, max: Math.floor(most / 2) }),
    max_windows: numberOf(fields.get('max_windows'), { default: 16, min: 1, max: windows }),
  };
}

function readInput(cursor: Cursor): ModelInput | undefined {
  const known = ['name', 'width', 'height', 'layout', 'channels', 'fit', 'scale', 'mean', 'std'];
  const fields = fieldsOf(cursor, known);
  if (!fields) return undefined;
  const channels = choiceOf(fields.get('channels'), CHANNELS, 'rgb');
  const numbers = (name: string, fallback: number, min: number): number[] =>
    perChannel(fields.get(name), channelsOf({ channels }), { default: fallback, min, max: 1e6, integer: false });
  return {
    name: nameOf(fields),
    width: sideOf(fields.get('width')),
    height: sideOf(fields.get('height')),
    layout: choiceOf(fields.get('layout'), LAYOUTS, 'nchw'),
    channels,
    fit: choiceOf(fields.get('fit'), FITS, 'fill'),
    scale: numberOf(fields.get('scale'), { default: 1 / 255, min: 1e-9, max: 1e6, integer: false }),
    mean: numbers('mean', 0, -1e6),
    std: numbers('std', 1, 1e-9),
  };
}

function readOutput(cursor: Cursor): ModelOutput | undefined {
  const fields = fieldsOf(cursor, ['name', 'labels', 'activation']);
  if (!fields) return undefined;
  const labels = listOf(fields.get('labels'), MODEL_LIMITS.labels, (item) => textOf(item, { ...NAME_RULE, max: 128 }));
  if (isAbsent(fields.get('labels')))
    complain(fields.get('labels'), 'is required: expected a list of labels, in order');
  else if (labels.length === 0) complain(fields.get('labels'), 'expected at least one label');
  const twice = labels.find((label, i) => labels.indexOf(label) < i);
  if (twice !== undefined) complain(fields.get('labels'), `the label "${twice.slice(0, 60)}" is there twice`);
  return { name: nameOf(fields), labels, activation: choiceOf(fields.get('activation'), ACTIVATIONS, 'none') };
}

function nameOf(fields: ObjectFields): string | null {
  return isAbsent(fields.get('name')) ? null : textOf(fields.get('name'), NAME_RULE);
}

function sideOf(cursor: Cursor): number {
  const { side } = MODEL_LIMITS;
  if (isAbsent(cursor)) complain(cursor, `is required: expected a whole number from 1 to ${side}`);
  return numberOf(cursor, { default: 1, min: 1, max: side });
}

function perChannel(cursor: Cursor, count: number, rule: Parameters<typeof numberOf>[1]): number[] {
  if (isAbsent(cursor)) return Array<number>(count).fill(rule.default);
  const numbers = listOf(cursor, 3, (item) => numberOf(item, rule));
  if (numbers.length !== count)
    complain(cursor, `expected a list of ${count === 1 ? 'one number' : `${count} numbers`}`);
  return numbers;
}
