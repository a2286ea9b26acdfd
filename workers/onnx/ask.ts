/** Asks models about the texts of a check: each model once, about all texts that are open for it. */
import {
  type Answers,
  type AskedModel,
  type DetectorQuestion,
  type TextAnswer,
  TOO_LONG,
} from '../../shared/policy/types.js';
import type { TextModelMetrics, TextOutcome } from './meters.js';
import type { LoadedTextModel } from './models.js';
import type { ScoringLimits } from './text-model.js';

/** What to ask about the text of an item. */
export interface ModelAsks {
  item: number;
  text: string;
  of: readonly DetectorQuestion<AskedModel>[];
}

export interface TextModelAsking {
  /** Never rejects; questions that were not answered are missing. */
  ask(asks: readonly ModelAsks[], limits: ScoringLimits): Promise<ModelAnswers>;
  /** Counts what is not asked after all. */
  leave(asks: readonly ModelAsks[], outcome: 'no_room' | 'no_time'): void;
}

export interface ModelAnswers {
  /** by item and detector */
  answers: ReadonlyMap<number, Answers>;
  /** by name of a model that has not scored a text: why */
  failures: ReadonlyMap<string, TextOutcome>;
}

export interface TextModelAskingTools {
  /** The model of that name; undefined: there is none that works. */
  model(name: string): LoadedTextModel | undefined | Promise<LoadedTextModel | undefined>;
  metrics: TextModelMetrics;
}

export function createTextModels({ model: find, metrics }: TextModelAskingTools): TextModelAsking {
  /** Asks one model. Returns why it has not said all that was asked; undefined: it has. */
  async function askOne(
    name: string,
    texts: readonly ModelAsks[],
    limits: ScoringLimits,
    say: Say,
  ): Promise<ScoringFailure> {
    const model = await find(name);
    const labels = new Set(texts.flatMap(({ of }) => of.map(({ label }) => label)));
    const known = [...labels].filter((label) => model?.labels.includes(label));
    if (!model || known.length === 0) {
      const outcome = model ? 'no_label' : 'no_model';
      for (const _ of texts) metrics.text(outcome);
      return outcome;
    }
    const content = texts.map(({ text }) => text);
    const results = await model.score(content, known, limits);
    let failure: ScoringFailure;
    for (const [i, { item, of }] of texts.entries()) {
      const result = results[i]!;
      let outcome: TextOutcome = result.ok ? 'scored' : result.reason;
      for (const { detector, label } of of) {
        const windows = result.ok ? result.windows.get(label) : undefined;
        if (windows) say(item, detector, { windows });
        else if (result.ok) outcome = 'no_label';
        else if (result.reason === 'too_long') say(item, detector, TOO_LONG);
      }
      metrics.text(outcome);
      if (outcome !== 'scored') failure = outcome;
    }
    return failure;
  }

  return {
    async ask(asks, limits) {
      const answers = new Map<number, Map<number, TextAnswer | typeof TOO_LONG>>(
        asks.map(({ item }) => [item, new Map()]),
      );
      const failures = new Map<string, TextOutcome>();
      const say: Say = (item, detector, said) => answers.get(item)!.set(detector, said);
      const calls = [...byModel(asks)].map(async ([name, texts]) => {
        const failure = await askOne(name, texts, limits, say);
        if (failure) failures.set(name, failure);
      });
      await Promise.all(calls);
      return { answers, failures };
    },
    leave(asks, outcome) {
      for (const texts of byModel(asks).values()) for (const _ of texts) metrics.text(outcome);
    },
  };
}

type Say = (item: number, detector: number, said: TextAnswer | typeof TOO_LONG) => void;
type ScoringFailure = TextOutcome | undefined;

function byModel(asks: readonly ModelAsks[]): Map<string, ModelAsks[]> {
  const groups = new Map<string, ModelAsks[]>();
  for (const { item, text, of } of asks) {
    for (const name of new Set(of.map(({ model }) => model))) {
      const own = { item, text, of: of.filter(({ model }) => model === name) };
      groups.set(name, [...(groups.get(name) ?? []), own]);
    }
  }
  return groups;
}
