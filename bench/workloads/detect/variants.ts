/** What the benchmark of detectors measures: detectors with all they have, and texts in which nothing is to be found. */
import { loadConfiguration, problemText } from '../../../shared/configuration/configuration.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import type { Detector } from '../../../shared/policy/detectors/detector.js';
import { DETECTOR_NAMES, DETECTORS, type DetectorName } from '../../../shared/policy/detectors/registry.js';
import { BUNDLE_NAMES } from '../../../shared/policy/detectors/terms/bundles.js';
import type { Plan } from '../../../shared/policy/plan.js';
import { speak, type Voice } from '../conversation.js';
import { seeded, type WorkloadRandom } from '../random.js';

export const TEXTS = 64;
export const CHARACTERS = 250;
export const TEAM = 'bench';

/** By detector of texts: all that it has. */
const EVERYTHING: Partial<Record<DetectorName, unknown>> = {
  terms: { bundle: BUNDLE_NAMES, severity: 'low' },
  regex: { patterns: ['\\b(?:print|show|repeat)\\b.{0,40}\\bsystem prompt\\b', 'DROP\\s+TABLE'], flags: 'i' },
  pii: { entities: 'all' },
  secrets: {},
  commands: {},
  addresses: {},
  invisible_text: {},
  injection: {},
  classifier: { label: 'toxicity' },
};

/** Detectors that judge texts by a model; the others follow rules. */
const MODELS: readonly DetectorName[] = ['injection', 'classifier'];

type DetectField = Record<string, unknown>;
export interface Variant {
  name: string;
  /** of its policies */
  detects: DetectField[];
  /** has a model, which may find something in any text */
  models: boolean;
}

/** Detectors that look at texts themselves. */
export const TEXT_DETECTORS = DETECTOR_NAMES.filter((name) => {
  const { text }: Detector<object> = DETECTORS[name];
  return text !== undefined && !text.question;
});

export function variants(): Variant[] {
  const together = (name: string, which: readonly DetectorName[]): Variant => ({
    name,
    detects: which.map((each) => ({ [each]: EVERYTHING[each] })),
    models: which.some((each) => MODELS.includes(each)),
  });
  return [
    ...TEXT_DETECTORS.map((name) => together(name, [name])),
    together(
      'all rules together',
      TEXT_DETECTORS.filter((name) => !MODELS.includes(name)),
    ),
    together('all models together', MODELS),
    { name: '10 policies', detects: manyPolicies(10), models: false },
    { name: '1,000 policies', detects: manyPolicies(1000), models: false },
  ];
}

/** Policies as teams write them, each with terms and a pattern of its own. */
function manyPolicies(count: number): DetectField[] {
  return Array.from({ length: count }, (_, n) => ({
    any: [
      { terms: { list: [`project falcon${n}`, `codename heron${n}`] } },
      { regex: { patterns: [`ticket-${n}-[0-9]{3,6}`] } },
      { pii: { entities: ['CREDIT_CARD', 'IBAN_CODE'] } },
    ],
  }));
}

const VOICES: readonly Voice[] = ['user', 'assistant', 'reasoning', 'output'];

const BEYOND_ASCII = [
  'Je n’ai toujours pas reçu la lampe que j’ai commandée à Orléans, pourriez-vous vérifier où elle est passée ?',
  'Können Sie die Lieferung bitte auf nächsten Dienstag verschieben? Vorher ist leider niemand zu Hause.',
  'La señora Ibáñez llamó esta mañana y pidió que cambiáramos la dirección de envío.',
  'Czy mogę zwrócić namiot, jeśli został już raz rozłożony w ogródku? Chciałabym wiedzieć, ile to potrwa.',
  'Заказ прибыл вовремя, но коробка была немного помята, и внутри не хватало одной детали.',
  'ご注文の商品は明日の午後に届く予定です。ご不在の場合は再配達をお申し付けください。',
  'Thanks so much 🙏 the jacket fits perfectly — I’ll definitely order the “blue” one as well 😀',
  'Η παραγγελία σας ετοιμάζεται και θα σταλεί αύριο το πρωί από την αποθήκη μας.',
];
const WITH_NUMBERS = [
  'Your order 48213 of 14 March 2026 costs 129.90 plus 7 for shipping, and it arrives between 9:30 and 12:00.',
  'Version 3.11.2 fixed 42 of the 57 reports, the other 15 are planned for build 20260418.',
  'The flat has 84 square metres on floor 3, the rent is 1,250 a month and rises by 2.5 percent in 2027.',
  'Seats 14 and 15 in row 7 are free on the train at 18:42, which takes 3 hours and 20 minutes.',
];

export const KINDS = ['plain ASCII', 'with numbers', 'beyond ASCII'] as const;
export type TextKind = (typeof KINDS)[number];

function textOf(kind: TextKind, random: WorkloadRandom): string {
  if (kind === 'plain ASCII') return speak(random.pick(VOICES), CHARACTERS, random).slice(0, CHARACTERS);
  const sentences = kind === 'beyond ASCII' ? BEYOND_ASCII : WITH_NUMBERS;
  let text = '';
  while (text.length < CHARACTERS) text += `${random.pick(sentences)} `;
  return text.slice(0, CHARACTERS);
}

/** The texts of a kind, always the same. */
export function textsByKind(): Record<TextKind, string[]> {
  const random = seeded(20260715);
  return Object.fromEntries(
    KINDS.map((kind) => [kind, Array.from({ length: TEXTS }, () => textOf(kind, random))]),
  ) as Record<TextKind, string[]>;
}

export function planOf(detects: readonly DetectField[]): Plan {
  const policies = detects.map((detect, n) => ({
    id: `00000000-0000-4000-8000-${String(n).padStart(12, '0')}`,
    team: TEAM,
    name: `Policy ${n}`,
    detect,
  }));
  const loaded = loadConfiguration(JSON.stringify({ version: 1, teams: [{ id: TEAM }], policies }));
  if (!loaded.ok) throw new Error(loaded.problems.map(problemText).join('\n'));
  return compilePlan(loaded.configuration, 1);
}
