/** Trains the models that Weir ships, from the labelled data of a folder and from templates. */
import { readModel } from '../../shared/policy/models/format.js';
import { cardOf } from './card.js';
import { SHIPPED_LABELS, type ShippedLabel, type TrainingExample, targetsOf } from './example.js';
import { auditIdentities } from './figures/audit.js';
import { figuresOf } from './figures/figures.js';
import { ordinaryRows } from './figures/ordinary.js';
import type { LabelOptions } from './fit/fit.js';
import { balanced, falsePositives } from './fit/thresholds.js';
import { buildEntries, countWords } from './lexicon/build.js';
import {
  dataTexts,
  frequentWords,
  hashesOfData,
  type OrdinaryText,
  packageTexts,
  type Side,
} from './ordinary/ordinary.js';
import { readSources, type Term } from './sources.js';
import { makeExamples } from './templates/examples.js';
import { ORDINARY as ORDINARY_TARGETS } from './templates/targets.js';
import { readTexts } from './texts.js';
import { type HeldOutScore, type LabelPlan, train } from './train.js';

export interface BuiltinOptions {
  data: string;
  seed: number;
  folds: number;
}

/** Kinds whose words are harmless also where a few of them stand alone. */
const PLAIN = new Set(['support', 'request of a model', 'context email', 'request of a customer']);
/** Share of the ordinary texts of a kind, and of a class of length, that may be found. Tools give whole files, which have many such excerpts. */
const MOST_OF_GROUP = 0.007;
const MOST_OF_GROUP_IN_TOOLS = 0.005;
/** Texts of a kind that sets a threshold: of fewer, one would decide. */
const LEAST_OF_GROUP = 600;
/** What people write every day, and requests that only look like harm. */
const ORDINARY = /^(talk_pages|template:everyday|template:ordinary(?!:(scenes|wishes)$))/;
/** Short sentences that are easy to make: as many as these would hide the others in a share of all. */
const SCENES = /^template:ordinary:(scenes|wishes)$/;
/** What the threshold of `hate` is set by: annotators of the other data do not agree on what hate is. */
const MADE = /^template:(hate|named)|^toxigen/;
const NOTHING = /^template:(machine|fragment)/;
const LOOK_ALIKES = /^template:(sexual|violence|self_harm|unsafe):0/;
const REQUESTS = /^template:request/;

/** The model's bytes, and its card. Throws where the data cannot be read. */
export function trainBuiltin(
  { data, seed, folds }: BuiltinOptions,
  report: (line: string) => void,
): { bytes: Uint8Array; card: () => string } {
  const texts = readTexts();
  const { examples: real, terms, hashes } = readSources(data);
  report(`${real.length} texts of ${Object.keys(hashes).length} files`);
  const options = { data, seed, folds };
  const ordinary = ordinaryTexts('trained', options, { real, terms }).map(ordinaryExample);
  const aside = ordinaryTexts('tuned', options, { real, terms }).map((one) => ({
    ...ordinaryExample(one),
    aside: true,
  }));
  report(`${ordinary.length} ordinary texts`);
  const talk = real
    .filter(({ source, targets }) => source === 'talk_pages' && targets[0]!.value === 0)
    .map(({ text }) => text);
  const carriers = [...talk, ...ordinary.filter(({ text }) => text.length > 80).map(({ text }) => text)];
  const plain = ordinary.filter(({ kind }) => PLAIN.has(kind)).map(({ text }) => text);
  const made = makeExamples(seed, texts, terms, { carriers, talk, plain });
  report(`${made.length} texts of templates`);
  const entries = buildEntries(
    texts.words,
    classesOf(terms),
    countWords([...real, ...ordinary].map(({ text }) => text)),
  );
  const examples: TrainingExample[] = [...real, ...ordinary, ...aside, ...made];
  const labels = SHIPPED_LABELS.map((name) => planOf(name));
  const trained = train(
    { name: 'weir', labels, examples, entries, seed, folds, hashes: { ...hashes, ...hashesOfData(data) } },
    report,
  );
  const { model } = readModel(trained.bytes);
  const card = (): string =>
    cardOf({
      trained,
      figures: figuresOf(trained),
      audit: auditIdentities(model, texts.audit),
      ordinary: ordinaryRows(model, ordinaryTexts('kept', options, { real, terms })),
      examples,
      folds,
    });
  return { bytes: trained.bytes, card };
}

/** What the words that stand alone are counted in, and those that are rude. */
interface WordSources {
  real: readonly TrainingExample[];
  terms: readonly Term[];
}

/** The ordinary texts of a side: excerpts of packages, texts of the data, and frequent words. */
function ordinaryTexts(side: Side, { data, seed }: BuiltinOptions, { real, terms }: WordSources): OrdinaryText[] {
  const rude = new Set(terms.map(({ text }) => text.toLowerCase()));
  const texts = [...packageTexts(side, seed), ...dataTexts(data, side, seed)];
  const calm = real.filter(({ source, targets }) => source === 'talk_pages' && targets[0]!.value === 0);
  const words = frequentWords(
    [...calm, ...texts].map(({ text }) => text),
    side,
    (word) => rude.has(word),
  );
  return [...texts, ...words];
}

const ordinaryExample = ({ text, kind, length, source }: OrdinaryText): TrainingExample & { kind: string } => ({
  text,
  kind,
  targets: targetsOf(ORDINARY_TARGETS),
  source: `ordinary:${kind}:${length}`,
  group: source,
});

function classesOf(terms: readonly Term[]): Map<string, Term['class']> {
  return new Map(
    terms.filter(({ text }) => /^[a-z]+$/i.test(text)).map(({ text, class: name }) => [text.toLowerCase(), name]),
  );
}

/**
 * How labels are learned: all of their features count alike. Many long texts without hate would drown what is said of groups in few words.
 * What is found of some labels depends on the order of the texts: several orders together find what most of them do.
 */
const LEARNED: Record<ShippedLabel, Pick<LabelOptions, 'epochs' | 'decay' | 'highestOnly' | 'runs'>> = {
  toxicity: { epochs: 8, decay: 3e-4 },
  hate: { epochs: 4, decay: 1e-5, highestOnly: true, runs: 3 },
  sexism: { epochs: 12, decay: 3e-4 },
  sexual: { epochs: 8, decay: 1e-3 },
  violence: { epochs: 8, decay: 1e-3, runs: 3 },
  self_harm: { epochs: 8, decay: 1e-3, runs: 3 },
  injection: { epochs: 8, decay: 3e-4 },
};

function planOf(name: ShippedLabel): LabelPlan {
  return {
    name,
    plain: true,
    start: 0.001,
    ...LEARNED[name],
    threshold: (held, aside) =>
      Math.max(ownThreshold(name, held), ordinary(name, held), lookAlikes(name, held), ...worstKinds(name, aside)),
  };
}

/** Where both kinds of error are rare; for labels without real data, where false positives are. */
function ownThreshold(name: ShippedLabel, held: readonly HeldOutScore[]): number {
  // Look-alikes have a limit of their own, and their number says nothing of how often they occur.
  const others = held.filter(({ source }) => ![LOOK_ALIKES, REQUESTS, SCENES].some((one) => one.test(source)));
  if (name === 'toxicity') return balanced(others);
  if (name === 'hate') {
    const own = balanced(held.filter(({ source }) => MADE.test(source)));
    return Math.max(
      own,
      falsePositives(held, 0.25, (source) => /^template:hate:\w+:n$/.test(source)),
    );
  }
  // What is sexist is disputed: a ninth of what was said not to be may be found.
  if (name === 'sexism') return falsePositives(held, 0.11, (source) => source === 'edos');
  return falsePositives(others, 0.01);
}

/** Few ordinary texts may be found, fewest as toxic, and few requests that only look like harm. */
function ordinary(name: ShippedLabel, held: readonly HeldOutScore[]): number {
  return Math.max(
    falsePositives(held, name === 'toxicity' ? 0.0037 : 0.004, (source) => ORDINARY.test(source)),
    falsePositives(held, 0.01, (source) => SCENES.test(source)),
    falsePositives(held, 0.03, (source) => LOOK_ALIKES.test(source)),
    falsePositives(held, 0.09, (source) => REQUESTS.test(source)),
    falsePositives(held, 0.003, (source) => NOTHING.test(source)),
  );
}

/** Of what was written to look like the label, little may be found: 0 where nothing was. */
const lookAlikes = (name: ShippedLabel, held: readonly HeldOutScore[]): number =>
  falsePositives(held, 0.1, (source) => source.startsWith(`template:${name}:0`) && LOOK_ALIKES.test(source));

/**
 * The least thresholds at which ordinary texts are quiet enough, by class of length and by kind. The worst of them sets the threshold. What
 * is one kind of one length has too few sources to say it.
 */
function worstKinds(name: ShippedLabel, aside: readonly HeldOutScore[]): number[] {
  const most = name === 'injection' ? MOST_OF_GROUP_IN_TOOLS : MOST_OF_GROUP;
  const groups = new Map<string, HeldOutScore[]>();
  for (const one of aside) {
    const [, kind = '', length = ''] = one.source.split(':');
    for (const group of [kind, length]) {
      const known = groups.get(group);
      if (known) known.push(one);
      else groups.set(group, [one]);
    }
  }
  const large = [...groups.entries()].filter(([, { length }]) => length >= LEAST_OF_GROUP);
  return large.map(([, group]) => falsePositives(group, most));
}
