/** Keys of services without a form of their own: values of enough randomness with the name of the service in their name or near it. */
import { dataLines } from '../../../data-file.js';
import { CLASSES, named } from './rule.js';

/** Hexadecimal digits, both cases with digits, or one case with digits. Ids have a prefix, and a UUID is mostly the id of something. */
const MIXED =
  '(?![a-z]{2,12}[_-])(?=\\D{0,60}\\d)(?=[^A-Z]{0,60}[A-Z])(?=[^a-z]{0,60}[a-z])[A-Za-z0-9_-]{20,128}={0,2}';
const LOWER = '(?=\\D{0,40}\\d)(?=\\d{0,12}[a-z])[a-z0-9]{20,64}';
const UPPER = '(?=\\D{0,40}\\d)(?=\\d{0,12}[A-Z])[A-Z0-9]{20,64}';
const KEY = [`${CLASSES.HEX}{24,128}`, MIXED, LOWER, UPPER].join('|');

export const SERVICES = named(
  ['service-key', '–', 'random values with the name of one of 800 services in their name or near it'],
  dataLines('policy/detectors/secrets/services').flatMap((line) => line.split(' ')),
  KEY,
  { score: 0.7, entropy: 3 },
);
