/** What is looked for in numbers: what the detectors of a scan ask for, and what excludes it wherever it is. */
import { ASIA } from './ids/asia.js';
import { EUROPE } from './ids/europe.js';
import { GERMANY } from './ids/germany.js';
import { SOUTH } from './ids/south.js';
import { UK } from './ids/uk.js';
import { US } from './ids/us.js';
import { type LayoutTree, liveNodes, type Recogniser, treeOf, unfold } from './layouts.js';

export const RECOGNISERS: readonly Recogniser[] = [...US, ...UK, ...EUROPE, ...GERMANY, ...ASIA, ...SOUTH];

/** What numbers that are found by other means than a layout have at least, digits. */
const OTHERS: Readonly<Record<string, number>> = {
  CREDIT_CARD: 12,
  IP_ADDRESS: 4,
  PHONE_NUMBER: 7,
  BR_CNPJ: 2,
  TR_PHONE_NUMBER: 7,
  PH_MOBILE_NUMBER: 7,
  ZA_MOBILE_NUMBER: 7,
  ZA_TELEPHONE_NUMBER: 7,
};

/** Digits that an IBAN has at least, besides the letters of a country. */
export const FEWEST_OF_IBAN = 2;
const DIGITS_OF_IBAN = 12;

/** Entities that the look at telephone numbers finds. */
const PHONES: ReadonlySet<string> = new Set([
  'PHONE_NUMBER',
  'TR_PHONE_NUMBER',
  'PH_MOBILE_NUMBER',
  'ZA_MOBILE_NUMBER',
  'ZA_TELEPHONE_NUMBER',
]);

/** What a detector asks for. */
export interface AskedEntities {
  entities: readonly string[];
  /** Finds that are not sure and score less are left out: the detector counts none, and they exclude none. */
  score: number;
}

/**
 * What is looked for. What is sure (a card, an IBAN, a MAC address, a UUID, an address of a cryptocurrency, a date) is always looked for in
 * what is read: it excludes what others ask for.
 */
export interface SoughtEntities {
  /** A chunk with fewer digits is not read, unless {@link ibans}. */
  digits: number;
  /** A chunk with the beginning of an IBAN is read whatever its digits. */
  ibans: boolean;
  phones: boolean;
  addresses: boolean;
  lettered: boolean;
  /** dates of all kinds, and not only where they may exclude something */
  dates: boolean;
  score: number;
  /** The layouts of all entities, made by the first text that needs them: most processes read policies and evaluate none. */
  forms(): SoughtLayouts;
}

export interface SoughtLayouts {
  tree: LayoutTree;
  /** by number of a recogniser: 1 where its finds are asked for or sure */
  recognised: Uint8Array;
  /** by node of the tree: 1 where a layout of one of these ends there or behind */
  live: Uint8Array;
}

export function soughtBy(all: readonly AskedEntities[]): SoughtEntities {
  const entities = new Set(all.flatMap((asked) => asked.entities));
  const least = [...entities].map(leastDigits);
  const ibans = entities.has('IBAN_CODE');
  let forms: SoughtLayouts | undefined;
  return {
    digits: Math.min(...least),
    ibans,
    phones: [...entities].some((entity) => PHONES.has(entity)),
    addresses: entities.has('IP_ADDRESS'),
    lettered: entities.has('BR_CNPJ'),
    dates: entities.has('DATE_TIME'),
    score: Math.min(...all.map(({ score }) => score)),
    forms: () => (forms ??= formsOf(entities)),
  };
}

let tree: LayoutTree | undefined;

function formsOf(entities: ReadonlySet<string>): SoughtLayouts {
  tree ??= treeOf(RECOGNISERS);
  const recognised = Uint8Array.from(RECOGNISERS, ({ entity, sure = false }) => Number(sure || entities.has(entity)));
  return { tree, recognised, live: liveNodes(tree, recognised) };
}

const LEAST = new Map<string, number>();

/** Digits that a number of `entity` has at least. */
function leastDigits(entity: string): number {
  const known = LEAST.get(entity) ?? countLeast(entity);
  LEAST.set(entity, known);
  return known;
}

function countLeast(entity: string): number {
  if (entity === 'IBAN_CODE') return DIGITS_OF_IBAN;
  const paths = RECOGNISERS.filter((each) => each.entity === entity).flatMap(({ layouts }) => Object.keys(layouts));
  const digits = paths.flatMap(unfold).map((path) => path.split('9').length - 1);
  return Math.max(1, Math.min(OTHERS[entity] ?? (digits.length > 0 ? Infinity : 1), ...digits));
}
