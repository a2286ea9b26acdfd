/** Figures of the development sets, by detector and group of cases. The table of `docs/detectors/figures.md` is made of them. */
import { evidenceOf } from '../shared/policy/support.ts';
import { interval } from './interval.ts';
import { ABOUT_PERSONS, ANY, detectOf, HARMLESS, LABELS, ONLY_LOOK_UNSAFE, ORDINARY, SETS } from './models/sets.ts';
import { NAMED, nameFigures } from './pii/names/set.ts';
import { FILES, SET, spansOf, textOf } from './pii/set.ts';
import { NEGATIVES, POSITIVES } from './secrets/set.ts';
import { DISGUISES, randomFrom } from './terms/disguises.ts';
import { DISGUISED, HARMLESS_SENTENCES, HARMLESS_WORDS, SPACED } from './terms/everyday.ts';
import { FOREIGN } from './terms/foreign.ts';
import { BAD, BAD_SENTENCES, INNOCENT, SENTENCES } from './terms/words.ts';

/** Texts that one `detect` is to fire on, and texts that it is not to fire on. */
interface Cases {
  detect: unknown;
  positive: readonly string[];
  innocent: readonly string[];
}

interface Group {
  name: string;
  cases: Cases[];
}

const BUNDLES = ['profanity', 'slurs', 'sexual', 'violence', 'self_harm', 'drugs', 'insults', 'weapons'];
const SEED = 20;

function pii(): Group[] {
  return Object.entries(FILES).map(([file, entities]) => ({
    name: `\`pii\`: ${file.replaceAll('-', ' ')}`,
    cases: Object.entries(entities).map(([entity, { finds, none, never }]) => ({
      detect: { pii: { entities: [entity] } },
      positive: finds.map(textOf),
      innocent: [...none, ...never].map(textOf),
    })),
  }));
}

function secrets(): Group[] {
  const group = (name: string, positive: readonly string[], innocent: readonly string[]): Group => ({
    name: `\`secrets\`: ${name}`,
    cases: [{ detect: { secrets: {} }, positive, innocent }],
  });
  return [
    ...Object.entries(POSITIVES).map(([name, { texts }]) => group(name, texts, [])),
    ...Object.entries(NEGATIVES).map(([name, texts]) => group(name, [], texts)),
  ];
}

function terms(): Group[] {
  const detect = { terms: { bundle: BUNDLES, severity: 'low' } };
  return [
    ...Object.entries(DISGUISES).map(([name, disguise]) => {
      const random = randomFrom(SEED);
      const positive = BAD.flatMap((word) => disguise(word, random) ?? []);
      const innocent = INNOCENT.flatMap((word) => disguise(word, random) ?? []);
      return { name: `\`terms\`, bundles: ${name}`, cases: [{ detect, positive, innocent }] };
    }),
    { name: '`terms`, bundles: sentences', cases: [{ detect, positive: BAD_SENTENCES, innocent: SENTENCES }] },
    {
      name: '`terms`, bundles, medium: as people type it; words, names and sentences of 25 languages',
      cases: [
        {
          detect: { terms: { bundle: BUNDLES } },
          positive: [...DISGUISED, ...SPACED],
          innocent: [...HARMLESS_WORDS, ...HARMLESS_SENTENCES],
        },
      ],
    },
    ...Object.entries(FOREIGN).map(([language, texts]) => ({
      name: `\`terms\`, bundles, medium: ${language}`,
      cases: [{ detect: { terms: { bundle: BUNDLES } }, positive: texts, innocent: [] }],
    })),
  ];
}

function models(): Group[] {
  const quiet = [...HARMLESS, ...ORDINARY];
  const nameOf = (name: string): string =>
    name.startsWith('injection') ? name.replace('injection', '`injection`') : `\`classifier\`: ${name}`;
  return [
    ...SETS.map(({ name, label, positive, innocent }) => ({
      name: nameOf(name),
      cases: [{ detect: detectOf(label), positive, innocent }],
    })),
    ...LABELS.map((label) => ({
      name: `${nameOf(label)}, only looks unsafe`,
      cases: [{ detect: detectOf(label), positive: [], innocent: ONLY_LOOK_UNSAFE }],
    })),
    { name: 'any of them, only looks unsafe', cases: [{ detect: ANY, positive: [], innocent: ONLY_LOOK_UNSAFE }] },
    ...(['hate', 'sexism'] as const).map((label) => ({
      name: `${nameOf(label)}, about persons`,
      cases: [{ detect: detectOf(label), positive: [], innocent: ABOUT_PERSONS }],
    })),
    { name: 'any of them, about persons', cases: [{ detect: ANY, positive: [], innocent: ABOUT_PERSONS }] },
    ...LABELS.map((label) => ({
      name: `${nameOf(label)}, other texts`,
      cases: [{ detect: detectOf(label), positive: [], innocent: quiet }],
    })),
  ];
}

function cell(hits: number, of: number): string {
  if (of === 0) return '–';
  const [low, high] = interval(hits, of).map((share) => (share * 100).toFixed(1));
  return `${hits} of ${of} (${low}–${high} %)`;
}

/** A row for each group: how many of its cases are found, and how many innocent texts are. */
export function figuresTable(): string {
  const rows = [...pii(), ...secrets(), ...terms(), ...models()].map(({ name, cases }) => {
    const sum = (texts: (each: Cases) => readonly string[]): string => {
      let [hits, of] = [0, 0];
      for (const each of cases) {
        of += texts(each).length;
        hits += texts(each).filter((text) => evidenceOf(each.detect, text).length > 0).length;
      }
      return cell(hits, of);
    };
    return `| ${name} | ${sum(({ positive }) => positive)} | ${sum(({ innocent }) => innocent)} |`;
  });
  return ['| Detector: cases | Found (95 % interval) | False alarms (95 % interval) |', '|---|---|---|', ...rows].join(
    '\n',
  );
}

/** A row for each entity of `pii`: how many of its numbers are found in their sentences, and with nothing around them; and of its look-alikes. */
export function entityTable(): string {
  const rows = Object.entries(SET).map(([entity, { finds, none, never }]) => {
    const found = (texts: readonly string[]): string => {
      const hits = texts.filter((text) => evidenceOf({ pii: { entities: [entity] } }, text).length > 0).length;
      return `${hits} of ${texts.length}`;
    };
    const cells = [finds.map(textOf), finds.flatMap(spansOf), [...none, ...never].map(textOf)].map(found);
    return `| \`${entity}\` | ${cells.join(' | ')} |`;
  });
  return ['| Entity | In sentences | Numbers alone | False alarms |', '|---|---|---|---|', ...rows].join('\n');
}

/** A row for each entity that the tagger of names finds: how many of its names are found as a whole, and how many finds are right. */
export function namesTable(): string {
  const detect = { pii: { entities: ['PERSON', 'LOCATION', 'ORGANIZATION', 'POSTAL_ADDRESS'] } };
  const rows = nameFigures((text) => evidenceOf(detect, text)).map(
    ({ entity, names, exact, finds }) => `| \`${entity}\` | ${cell(exact, names)} | ${cell(exact, finds)} |`,
  );
  const none = NAMED.filter(({ names }) => names.length === 0);
  const alarms = none.filter(({ text }) => evidenceOf(detect, text).length > 0).length;
  return [
    '| Entity | Found (95 % interval) | Finds that are right (95 % interval) |',
    '|---|---|---|',
    ...rows,
    `| sentences without names | – | false alarms in ${cell(alarms, none.length)} |`,
  ].join('\n');
}
