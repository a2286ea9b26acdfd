/** Trains the models that Weir ships, from the labelled data of a folder and from templates. */
import { readModel } from '../../shared/policy/models/format.js';
import { cardOf } from './card.js';
import { SHIPPED_LABELS, type ShippedLabel, type TrainingExample } from './example.js';
import { auditIdentities } from './figures/audit.js';
import { figuresOf } from './figures/figures.js';
import { balanced, bestF1, falsePositives } from './fit/thresholds.js';
import { buildEntries, countWords } from './lexicon/build.js';
import { readSources, type Term } from './sources.js';
import { makeExamples } from './templates/examples.js';
import { readTexts } from './texts.js';
import { type HeldOutScore, type LabelPlan, train } from './train.js';

export interface BuiltinOptions {
  data: string;
  seed: number;
  folds: number;
}

/** Sources whose texts attacks are put into. */
const CARRIERS = new Set(['talk_pages', 'self_instruct', 'bipia']);
/** Sources whose words are harmless also where a few of them stand alone. */
const PLAIN = new Set(['task_dialogues', 'self_instruct', 'bipia']);
/** What people write every day, and requests that only look like harm. */
const ORDINARY = /^(talk_pages|task_dialogues|self_instruct|template:everyday)/;
/** What the threshold of `hate` is set by: annotators of the other data do not agree on what hate is. */
const MADE = /^template:(hate|named)|^toxigen/;
const NOTHING = /^template:(machine|fragment)/;
const LOOK_ALIKES = /^template:(sexual|violence|self_harm|unsafe):0|^template:request/;

/** The model's bytes, and its card. Throws where the data cannot be read. */
export function trainBuiltin(
  { data, seed, folds }: BuiltinOptions,
  report: (line: string) => void,
): { bytes: Uint8Array; card: () => string } {
  const texts = readTexts();
  const { examples: real, terms, hashes } = readSources(data);
  report(`${real.length} texts of ${Object.keys(hashes).length} files`);
  const carriers = real.filter(({ source }) => CARRIERS.has(source)).map(({ text }) => text);
  const talk = real
    .filter(({ source, targets }) => source === 'talk_pages' && targets[0]!.value === 0)
    .map(({ text }) => text);
  const plain = real.filter(({ source }) => PLAIN.has(source)).map(({ text }) => text);
  const made = makeExamples(seed, texts, terms, { carriers, talk, plain });
  report(`${made.length} texts of templates`);
  const entries = buildEntries(texts.words, classesOf(terms), countWords(real.map(({ text }) => text)));
  const examples: TrainingExample[] = [...real, ...made];
  const labels = SHIPPED_LABELS.map((name) => planOf(name));
  const trained = train({ name: 'weir', labels, examples, entries, seed, folds, hashes }, report);
  const { model } = readModel(trained.bytes);
  const card = (): string =>
    cardOf({ trained, figures: figuresOf(trained), audit: auditIdentities(model, texts.audit), examples, folds });
  return { bytes: trained.bytes, card };
}

function classesOf(terms: readonly Term[]): Map<string, Term['class']> {
  return new Map(
    terms.filter(({ text }) => /^[a-z]+$/i.test(text)).map(({ text, class: name }) => [text.toLowerCase(), name]),
  );
}

/** How labels are learned whose data are many: by larger first steps than others. Where these are smaller, epochs are more. */
const LEARNED: Partial<Record<ShippedLabel, { start: number; epochs: number }>> = {
  toxicity: { start: 0.02, epochs: 16 },
  hate: { start: 0.001, epochs: 4 },
  sexism: { start: 0.1, epochs: 32 },
};
const OTHERS = { start: 1, epochs: 4 };

function planOf(name: ShippedLabel): LabelPlan {
  return {
    name,
    plain: name === 'hate',
    ...(LEARNED[name] ?? OTHERS),
    threshold: (held) => Math.max(ownThreshold(name, held), ordinary(held)),
  };
}

/** Where both kinds of error are rare; for labels without real data, where false positives are. */
function ownThreshold(name: ShippedLabel, held: readonly HeldOutScore[]): number {
  // Look-alikes have a limit of their own, and their number says nothing of how often they occur.
  const others = held.filter(({ source }) => !LOOK_ALIKES.test(source));
  if (name === 'toxicity') return balanced(others);
  if (name === 'hate') {
    const own = balanced(held.filter(({ source }) => MADE.test(source)));
    return Math.max(
      own,
      falsePositives(held, 0.25, (source) => /^template:hate:\w+:n$/.test(source)),
    );
  }
  if (name === 'sexism') return bestF1(held.filter(({ source }) => source === 'edos'));
  return falsePositives(others, 0.01);
}

/** Few ordinary texts may be found, and few requests that only look like harm. */
function ordinary(held: readonly HeldOutScore[]): number {
  return Math.max(
    falsePositives(held, 0.005, (source) => ORDINARY.test(source)),
    falsePositives(held, 0.05, (source) => LOOK_ALIKES.test(source)),
    falsePositives(held, 0.003, (source) => NOTHING.test(source)),
  );
}
