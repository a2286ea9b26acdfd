/** Personal data. Checksums are verified, names are told by a model, and each find has a score; a policy says from which score it counts. */
import {
  type Cursor,
  complain,
  isAbsent,
  listOrWord,
  noteShape,
  numberOf,
  suggestion,
} from '../../configuration/read/fields.js';
import { encodedFrom, lastShown } from '../engine/open.js';
import type { Find, Interest, NumberProbe, PlaceProbe, TextProbe } from '../engine/probes/probe.js';
import type { Detector } from './detector.js';
import {
  CONTEXT_HELP,
  DEFAULT_THRESHOLD,
  parametersAt,
  readContext,
  readThreshold,
  requireSome,
} from './parameters.js';
import { ENTITIES, ENTITY_NAMES, GROUPS, ORDINARY, type PiiEntity } from './pii/catalogue.js';
import { lookIn } from './pii/chunk.js';
import { ENCODED_LITERALS, findEncoded } from './pii/encoded.js';
import type { PiiFind } from './pii/find.js';
import { AT_SIGNS, DOT_WORDS, findEmail, findEmailInWords, findIpv6 } from './pii/kinds/addresses.js';
import { findMac, findMacByColon } from './pii/kinds/hardware.js';
import { DOMAIN_LITERALS, findDomain, findUrl, findWww } from './pii/kinds/url.js';
import { nameProbe } from './pii/names/names.js';
import { type AskedEntities, FEWEST_OF_IBAN, soughtBy } from './pii/sought.js';

export type { PiiEntity };

/** Longest line of the help. */
const LINE = 110;

export interface PiiParameters {
  entities: PiiEntity[];
  /** lowest score, 0 to 1, at which a find counts */
  threshold: number;
  /** by entity, in place of `threshold` */
  thresholds: Partial<Record<PiiEntity, number>>;
  context: number;
}

export const pii: Detector<PiiParameters> = {
  help: 'personal data; checksums are verified, words nearby raise the score',
  parameters: {
    entities: entitiesHelp(),
    threshold: 'least score, 0 to 1 [0.5]',
    thresholds: 'least scores by entity or group, such as {US_SSN: 0.3, financial: 0.8} [none]',
    context: CONTEXT_HELP,
  },
  read,
  least: ({ entities, threshold, thresholds }, fired) => {
    const entity = entities.find((each) => fired === `pii:${each}`);
    return entity && { least: thresholds[entity] ?? threshold, usual: undefined };
  },
  text: {
    interests,
    open: ({ entities }) => (entities.some((entity) => PLACES[entity]?.includes('names')) ? undefined : openPii),
    mark: (label) => label.slice('pii:'.length),
  },
};

/** The entities by group, a line each, indented as `weir check-config --help` has its parameters. */
function entitiesHelp(): string {
  const lines: string[] = [];
  for (const [group, entities] of GROUPS) {
    const isHome = entities.some((entity) => ENTITIES[entity].groups[0] === group);
    if (group === 'all') lines.push(`all, groups, or names. all: every entity but ${ORDINARY.join(', ')}`);
    else if (isHome) lines.push(...wrapped(`${group}: ${entities.join(', ')}`));
    else lines.push(...wrapped(`${group}: entities of any country, such as ${entities.slice(0, 3).join(', ')}`));
  }
  lines.push(`in no group: ${ORDINARY.join(', ')}`);
  return lines.join(`\n${' '.repeat(18)}`);
}

function wrapped(text: string): string[] {
  const lines: string[] = [];
  let line = '';
  for (const word of text.split(' ')) {
    if (line.length + word.length > LINE) {
      lines.push(line);
      line = ' ';
    }
    line += line === '' ? word : ` ${word}`;
  }
  return [...lines, line];
}

function read(cursor: Cursor): PiiParameters | undefined {
  const fields = parametersAt(cursor, pii);
  if (!fields) return undefined;
  const given = fields.get('entities');
  const entities = [...new Set(listOrWord(given, 'all', 100, readEntities)?.flat() ?? GROUPS.get('all'))];
  requireSome(given, 'all, or a list of entities and groups, such as [CREDIT_CARD, US, financial]');
  const threshold = readThreshold(fields.get('threshold'));
  const thresholds = readThresholds(fields.get('thresholds'), entities);
  return { entities, threshold, thresholds, context: readContext(fields) };
}

const NAMES: readonly string[] = [...ENTITY_NAMES, ...GROUPS.keys()];

/** The entities that a name stands for: itself, or those of a group. */
function entitiesOf(name: unknown): readonly PiiEntity[] | undefined {
  if (typeof name !== 'string') return undefined;
  return Object.hasOwn(ENTITIES, name) ? [name as PiiEntity] : GROUPS.get(name);
}

const unknownName = (name: unknown): string => {
  const hint = typeof name === 'string' ? suggestion(name, NAMES) : '';
  return `expected an entity such as CREDIT_CARD, a group such as US or financial, or all${hint || '; "weir check-config --help" lists them'}`;
};

function readEntities(cursor: Cursor): readonly PiiEntity[] {
  noteShape(cursor, { enum: [...NAMES] });
  const entities = entitiesOf(cursor.value);
  if (!entities) complain(cursor, () => unknownName(cursor.value));
  return entities ?? [];
}

/** Least scores. That of an entity holds rather than that of a group. */
function readThresholds(cursor: Cursor, asked: readonly PiiEntity[]): PiiParameters['thresholds'] {
  if (isAbsent(cursor)) return {};
  noteShape(cursor, {
    type: 'object',
    propertyNames: { enum: [...NAMES] },
    additionalProperties: { type: 'number', minimum: 0, maximum: 1 },
  });
  const { value, path, report } = cursor;
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    complain(cursor, 'expected an object with a score for each entity or group, such as {US_SSN: 0.3, financial: 0.8}');
    return {};
  }
  const thresholds: PiiParameters['thresholds'] = {};
  const entries = Object.entries(value);
  entries.sort(([a], [b]) => Number(Object.hasOwn(ENTITIES, a)) - Number(Object.hasOwn(ENTITIES, b)));
  for (const [name, score] of entries) {
    const entities = entitiesOf(name);
    const at = { report, value: score, path: [...path, name] };
    if (!entities) report.add(at.path, () => unknownName(name), 'key');
    else if (!entities.some((entity) => asked.includes(entity))) {
      report.add(at.path, `"${name}" has nothing that entities asks for`, 'key');
    }
    if (score === null) complain(at, 'expected a number from 0 to 1');
    const least = numberOf(at, { default: DEFAULT_THRESHOLD, min: 0, max: 1, integer: false });
    for (const entity of entities ?? []) if (asked.includes(entity)) thresholds[entity] = least;
  }
  return thresholds;
}

const VIEWS = ['raw', 'nfkc'] as const;

const place = (name: string, literals: readonly string[], look: PlaceProbe['look']): TextProbe => ({
  kind: 'place',
  label: `pii:${name}`,
  views: VIEWS,
  literals,
  look,
});

const HEX_PAIRS = [...'abcdef'].flatMap((first) => [...'abcdef'].map((second) => first + second));
const behindPairs = (separator: string): string[] => HEX_PAIRS.map((pair) => pair + separator);

/** Numbers of all entities. Texts with fewer digits than all of them have are not looked at. */
const NUMBERS: NumberProbe = {
  kind: 'number',
  label: 'pii:number',
  views: VIEWS,
  lookFor(asked) {
    const sought = soughtBy(asked as readonly AskedEntities[]);
    return {
      digits: sought.ibans ? Math.min(sought.digits, FEWEST_OF_IBAN) : sought.digits,
      look: (text, steps) => lookIn(text, sought, steps),
    };
  },
};

/** What is looked for beside numbers. Each probe finds several entities. */
const PROBES = {
  email: place('email', AT_SIGNS, findEmail),
  words: place('words', DOT_WORDS, findEmailInWords),
  colon: place('colon', [':'], (text, at) => findUrl(text, at) ?? findMacByColon(text, at) ?? findIpv6(text, at)),
  // A MAC address that begins with letters may have no digit at all.
  pair: place('pair', behindPairs('-'), findMac),
  four: place('four', behindPairs('.'), (text, at) => (text[at + 7] === '.' ? findMac(text, at - 2) : undefined)),
  www: place('www', ['www.'], findWww),
  domain: place('domain', DOMAIN_LITERALS, findDomain),
  names: nameProbe(),
  encoded: place('encoded', ENCODED_LITERALS, (text, at) => findEncoded(text, at, [...NAMES])),
} satisfies Record<string, TextProbe>;

/** Entities that are found elsewhere than at numbers. */
type ProbeName = keyof typeof PROBES | 'number';
const PLACES: Partial<Record<PiiEntity, readonly ProbeName[]>> = {
  EMAIL_ADDRESS: ['email', 'words'],
  IP_ADDRESS: ['number', 'colon'],
  MAC_ADDRESS: ['number', 'colon', 'pair', 'four'],
  URL: ['colon', 'www', 'domain'],
  PERSON: ['names'],
  LOCATION: ['names'],
  ORGANIZATION: ['names'],
  POSTAL_ADDRESS: ['names'],
};

function interests({ entities, threshold, thresholds }: PiiParameters): Interest[] {
  const least = new Map<string, number>(entities.map((entity) => [entity, thresholds[entity] ?? threshold]));
  const reaches = ({ entity, score }: PiiFind): boolean => score >= (least.get(entity) ?? Number.POSITIVE_INFINITY);
  const accepts = (find: Find): boolean => {
    const { rivals } = find as PiiFind;
    return reaches(find as PiiFind) && !rivals?.some((rival) => rival.sure || reaches(rival));
  };
  const probes = new Set(entities.flatMap((entity): readonly ProbeName[] => PLACES[entity] ?? ['number']));
  if (probes.has('number')) probes.add('encoded');
  const inNumbers = entities.filter((entity) => (PLACES[entity] ?? ['number']).includes('number'));
  const asked: AskedEntities = {
    entities: inNumbers,
    // Two levels, so that what words speak for is looked at where it may count.
    score: Math.min(...least.values()) < DEFAULT_THRESHOLD ? 0 : DEFAULT_THRESHOLD,
  };
  return [...probes].map((name) =>
    name === 'number'
      ? { key: 'pii:number', probe: () => NUMBERS, accepts, asked, decoded: 'numbers' }
      : { key: `pii:${name}`, probe: () => PROBES[name] as TextProbe, accepts, decoded: 'numbers' },
  );
}

/**
 * Characters of the longest number with the words around it that speak for it, or against it; of an address without a digit; of what stands
 * before the first digit of a number; and of a row of a table.
 */
const [REACH, ADDRESS, LEAD, ROW] = [160, 64, 24, 1000] as const;
const DIGIT = /\p{Nd}/u;
/** What parts the cells of a row. */
const CELLS = /[\t|;]|,\S/;

function openPii(text: string): number {
  const from = lastShown(text, REACH);
  const digit = text.slice(from).search(DIGIT);
  const number = digit < 0 ? text.length : Math.max(from, from + digit - LEAD);
  const open = encodedFrom(text, Math.min(number, lastShown(text, ADDRESS)));
  const row = Math.max(text.lastIndexOf('\n', open - 1) + 1, open - ROW);
  return row < open && CELLS.test(text.slice(row)) ? row : open;
}
