/** The function of each metric. Those with data of their own are loaded by the first metric that needs them. */
import type { MetricConfiguration } from '../../../shared/configuration/types.js';
import { characters } from './characters.js';
import { expression } from './expression.js';
import { imageSize } from './image-size.js';
import type { Compute } from './kind.js';
import { latency } from './latency.js';
import { readingTime } from './reading-time.js';
import { refusal } from './refusal.js';
import { sentiment } from './sentiment.js';
import { words } from './words.js';

const LOADERS: Record<MetricConfiguration['kind'], (metric: MetricConfiguration) => Compute | Promise<Compute>> = {
  characters: () => characters,
  words: () => words,
  tokens: async () => (await import('./tokens.js')).tokens,
  language: async () => (await import('./language.js')).language,
  reading_time: () => readingTime,
  refusal: () => refusal,
  sentiment: () => sentiment,
  classifier: async ({ label }) => (await import('./classifier.js')).classifier(label!),
  latency: () => latency,
  image_size: () => imageSize,
  expression: ({ value }) => expression(value!),
};

export const computeOf = async (metric: MetricConfiguration): Promise<Compute> => await LOADERS[metric.kind](metric);
