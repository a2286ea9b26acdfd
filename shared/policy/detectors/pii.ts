/** Personal data. Checksums are verified, and each find has a score; a policy says from which score it counts. */
import { type Cursor, choiceOf, listOf } from '../../configuration/fields.js';
import type { Find, Interest, NumberProbe, PlaceProbe, Probe } from '../engine/probes/probe.js';
import type { Detector } from './detector.js';
import { CONTEXT_HELP, parametersAt, readContext, readThreshold, requireSome } from './parameters.js';
import { findEmail, findIpv6 } from './pii/addresses.js';
import { findCard, findIban, findIpv4, findSsn } from './pii/numbers.js';
import { findPhone } from './pii/phone.js';

const number = (label: string, digits: number, look: NumberProbe['look']): NumberProbe => ({
  kind: 'number',
  digits,
  label: `pii:${label}`,
  views: ['raw', 'nfkc'],
  look,
});
const place = (label: string, literal: string, look: PlaceProbe['look']): PlaceProbe => ({
  kind: 'place',
  label: `pii:${label}`,
  views: ['raw', 'nfkc'],
  literals: [literal],
  look,
});

/** By entity: what is looked for. The order is the order of messages. */
const PROBES = {
  CREDIT_CARD: [number('CREDIT_CARD', 13, findCard)],
  IBAN_CODE: [number('IBAN_CODE', 2, findIban)],
  EMAIL_ADDRESS: [place('EMAIL_ADDRESS', '@', findEmail)],
  PHONE_NUMBER: [number('PHONE_NUMBER', 8, findPhone)],
  IP_ADDRESS: [number('IP_ADDRESS', 4, findIpv4), place('IP_ADDRESS', ':', findIpv6)],
  US_SSN: [number('US_SSN', 9, findSsn)],
} satisfies Record<string, Probe[]>;

export type PiiEntity = keyof typeof PROBES;
const ENTITIES = Object.keys(PROBES) as PiiEntity[];

export interface PiiParameters {
  entities: PiiEntity[];
  /** lowest score, 0 to 1, at which a find counts */
  threshold: number;
  context: number;
}

export const pii: Detector<PiiParameters> = {
  help: 'personal data; checksums are verified, words nearby raise the score',
  parameters: {
    entities: `of ${ENTITIES.join(', ')}`,
    threshold: 'least score, 0 to 1 [0.5]',
    context: CONTEXT_HELP,
  },
  read,
  text: { interests },
};

function read(cursor: Cursor): PiiParameters | undefined {
  const fields = parametersAt(cursor, pii);
  if (!fields) return undefined;
  const entities = listOf(fields.get('entities'), 100, (item) => choiceOf(item, ENTITIES));
  requireSome(fields.get('entities'), `a list of ${ENTITIES.join(', ')}`);
  const threshold = readThreshold(fields.get('threshold'));
  return { entities: [...new Set(entities)], threshold, context: readContext(fields) };
}

function interests({ entities, threshold }: PiiParameters): Interest[] {
  const accepts = (find: Find): boolean => find.score >= threshold;
  return entities.flatMap((entity) =>
    PROBES[entity].map((probe: Probe) => ({ key: `${probe.label}:${probe.kind}`, probe: () => probe, accepts })),
  );
}
