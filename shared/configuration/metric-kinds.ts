/** The kinds of metrics: what each is computed from, and what its value is. */
import { CLASSIFIER_LABELS } from '../policy/detectors/classifier.js';

interface MetricKindDefinition {
  /** what its value and its label are */
  help: string;
  /** what it is computed from. Items without a text, or that are no images, have no row of it. `any`: all items have one */
  from: 'text' | 'image' | 'any';
  /** it reads the content or the metadata of an item, of which nothing is kept with `content_days: 0` */
  reads: 'content' | 'metadata' | 'nothing';
  /** the field that it needs besides those of all metrics */
  field?: 'label' | 'value';
}

export const METRIC_KINDS = {
  characters: { help: 'characters (code points) of the text', from: 'text', reads: 'content' },
  words: { help: 'words of the text, by the rules of Unicode for word boundaries', from: 'text', reads: 'content' },
  tokens: { help: 'tokens of the text in the encoding o200k_base', from: 'text', reads: 'content' },
  language: {
    help: 'label: the language of the text (ISO 639-1); value: the score of it, 0 to 1',
    from: 'text',
    reads: 'content',
  },
  reading_time: { help: 'seconds that people take to read the text', from: 'text', reads: 'content' },
  refusal: {
    help: '1 where the text says that its author will not help, else 0 (English)',
    from: 'text',
    reads: 'content',
  },
  sentiment: {
    help: 'how the words of the text sound, -1 to 1; label: negative, neutral or positive (English)',
    from: 'text',
    reads: 'content',
  },
  classifier: {
    help: 'score of the text, 0 to 1, for `label`',
    from: 'text',
    reads: 'content',
    field: 'label',
  },
  latency: { help: '`metadata.assistant.latency` of the item', from: 'any', reads: 'metadata' },
  image_size: { help: 'bytes of the image; label: its pixels, such as 640x480', from: 'image', reads: 'nothing' },
  expression: {
    help: 'what the CEL expression `value` over `metadata` and `event` gives: a number, or a string as label with value 1',
    from: 'any',
    reads: 'metadata',
    field: 'value',
  },
} as const satisfies Record<string, MetricKindDefinition>;

export type MetricKind = keyof typeof METRIC_KINDS;

export const METRIC_NAMES = Object.keys(METRIC_KINDS) as MetricKind[];

/** What a kind is. */
export const metricKind = (kind: MetricKind): MetricKindDefinition => METRIC_KINDS[kind];

/** A line for each kind. */
export const metricHelp = (): string =>
  METRIC_NAMES.map((name) => {
    const { help, field } = metricKind(name);
    const needs = field === 'label' ? `. label: one of ${CLASSIFIER_LABELS.join(', ')}` : '';
    return `  ${name.padEnd(14)}${help}${needs}`;
  }).join('\n');
