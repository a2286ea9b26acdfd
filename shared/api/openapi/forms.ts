/**
 * What the tags of the comments in `requests.ts` and `responses.ts` stand for. Each begins with `x-`, since typia hands
 * such tags on and makes no check of them: validators, and their error texts, stay as the types alone make them.
 *
 * | Tag | On | Adds |
 * |---|---|---|
 * | `@x-form NAME` | any field | an entry of `FORMS` |
 * | `@x-length FROM..TO` | a text | `minLength`, `maxLength` |
 * | `@x-items FROM..TO` | a list | `minItems`, `maxItems` |
 * | `@x-range FROM..TO` | an integer | `minimum`, `maximum` |
 *
 * Each end of a span is a number or the name of a limit, and can be left out.
 */
import { ERROR_STATUS } from '../errors.js';
import { LIMITS } from '../limits.js';

/** The part of JSON Schema 2020-12 that the document uses. */
export interface Schema {
  $ref?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  properties?: Record<string, Schema>;
  required?: string[];
  additionalProperties?: boolean | Schema;
  items?: Schema;
  oneOf?: Schema[];
  allOf?: Schema[];
  description?: string;
  default?: unknown;
  format?: string;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
}

/** A schema as typia makes it, with the tags of the comment. */
export interface Tagged extends Schema {
  'x-form'?: string;
  'x-length'?: string;
  'x-items'?: string;
  'x-range'?: string;
}

interface SchemaForm {
  /** added to the schema of the type */
  limits?: Schema;
  /** in place of the schema of the type */
  schema?: Schema;
  /** added to the description */
  about?: string;
}

const KIB = 1024;
export const PREFIX = '#/components/schemas/';

/** A reference to a schema of the document. */
export const refTo = (name: string): Schema => ({ $ref: PREFIX + name });

/** An event id or a run id (2.7). */
export const ID: Schema = { minLength: 1, maxLength: LIMITS.idCharacters, pattern: '^[A-Za-z0-9._:-]+$' };

/** What is checked. `more`: what it may be beside a string, an object or an array. */
function checkable(...more: Schema[]): SchemaForm {
  const string: Schema = { type: 'string', maxLength: LIMITS.contentBytes };
  const object: Schema = { type: 'object', additionalProperties: true };
  return {
    schema: { oneOf: [string, object, { type: 'array', items: {} }, ...more, { type: 'null' }] },
    about: [
      'Send a string, or an object or array whose keys, strings and numbers (as written) are checked in order.',
      ...(more.length > 0 ? ['The JSON of a number or a boolean is checked.'] : []),
      `At most ${inUnits('contentBytes')} of UTF-8; an object or array is measured as compact JSON.`,
    ].join(' '),
  };
}

const FORMS: Readonly<Record<string, SchemaForm>> = {
  id: { limits: ID },
  name: { limits: { maxLength: LIMITS.nameCharacters } },
  uuid: { limits: { format: 'uuid' } },
  time: { limits: { format: 'date-time' }, about: 'RFC 3339 in UTC, with milliseconds.' },
  url: { limits: { format: 'uri', maxLength: LIMITS.urlCharacters } },
  path: { limits: { format: 'uri-reference' } },
  eventRole: { schema: { type: ['string', 'null'], pattern: '^(user|assistant)(-.*)?$' } },
  role: { limits: { pattern: '^(system|user|assistant|tool|developer)(-.*)?$' } },
  index: { limits: { type: 'integer', minimum: 0, maximum: LIMITS.eventsPerBatch - 1 } },
  count: { limits: { type: 'integer', minimum: 0 } },
  object: { schema: { type: 'object', additionalProperties: true } },
  image: { schema: { oneOf: [refTo('ArtifactContent'), { type: 'null' }] } },
  errorCode: { schema: { type: 'string', enum: Object.keys(ERROR_STATUS) } },
  delta: { limits: { maxLength: LIMITS.contentBytes }, about: `At most ${inUnits('contentBytes')} of UTF-8.` },
  checkable: checkable(),
  checkableValue: checkable({ type: 'number' }, { type: 'boolean' }),
  evaluated: {
    about: [
      'A policy that does not look at this kind of content is left out.',
      'So is one that could not be evaluated; `note` says how many those are.',
    ].join(' '),
  },
};

const TAGS = ['x-form', 'x-length', 'x-items', 'x-range'];

/** What the tags of `field` say of it. Throws if a tag or a name is unknown. */
export function formOf(field: Tagged): SchemaForm {
  const unknown = Object.keys(field).find((name) => name.startsWith('x-') && !TAGS.includes(name));
  if (unknown !== undefined) throw new Error(`There is no tag @${unknown}.`);
  const { 'x-form': name, 'x-length': length, 'x-items': items, 'x-range': range } = field;
  const form = name === undefined ? {} : FORMS[name];
  if (form === undefined) throw new Error(`@x-form: there is no form ${name}.`);
  const limits: Schema = {
    ...form.limits,
    ...(length === undefined ? {} : span(length, 'minLength', 'maxLength')),
    ...(items === undefined ? {} : span(items, 'minItems', 'maxItems')),
    ...(range === undefined ? {} : { type: 'integer', ...span(range, 'minimum', 'maximum') }),
  };
  return { ...form, limits };
}

function span(text: string, least: keyof Schema, most: keyof Schema): Schema {
  const [from, to, ...more] = text.split('..');
  if (from === undefined || to === undefined || more.length > 0)
    throw new Error(`${text} is not of the form FROM..TO.`);
  return { ...(from === '' ? {} : { [least]: numberOf(from) }), ...(to === '' ? {} : { [most]: numberOf(to) }) };
}

function numberOf(end: string): number {
  return /^\d+$/.test(end) ? Number(end) : LIMITS[limitOf(end)];
}

function limitOf(name: string): keyof typeof LIMITS {
  if (!Object.hasOwn(LIMITS, name)) throw new Error(`There is no limit ${name}.`);
  return name as keyof typeof LIMITS;
}

/** A limit as people read it: `256 KiB`, `16`. */
function inUnits(name: string): string {
  const value = LIMITS[limitOf(name)];
  if (!name.endsWith('Bytes')) return String(value);
  return value >= KIB * KIB ? `${value / KIB / KIB} MiB` : `${value / KIB} KiB`;
}

/** The words of a comment: its limits as numbers, and each paragraph on one line. */
export function proseOf(comment: string): string {
  const words = comment.replaceAll(/\{@link LIMITS\.(\w+)\s*\}/g, (_, name: string) => inUnits(name));
  return words.trim().replaceAll(/(?<!\n)\n(?!\n|- )/g, ' ');
}
