/**
 * JSON Schemas of everything that crosses the wire, made by typia from the types that also validate, so that the
 * document cannot say anything else. What a type cannot carry (words, lengths, formats) is laid over it from
 * `request-fields.ts` and
 * `answer-fields.ts`.
 */
import { json } from 'typia';
import type {
  ArtifactRequest,
  ArtifactResult,
  ErrorBody,
  EventRequest,
  EventResult,
  EventsRequest,
  EventsResponse,
  GuardrailRequest,
  GuardrailResponse,
  ProtectList,
  RunGraph,
  SessionEnvelope,
  SessionRequest,
  SessionResult,
  UserRisk,
} from '../types.js';
import { ANSWER_FIELDS } from './answer-fields.js';
import type { ComponentName, Described, Probe, Refinement, Schema } from './forms.js';
import { REQUEST_FIELDS } from './request-fields.js';

const { components } = json.schemas<
  [
    ArtifactRequest,
    ArtifactResult,
    EventRequest,
    EventsRequest,
    SessionRequest,
    GuardrailRequest,
    EventResult,
    EventsResponse,
    SessionResult,
    SessionEnvelope,
    RunGraph,
    ProtectList,
    UserRisk,
    GuardrailResponse,
    Probe,
    ErrorBody,
  ],
  '3.1'
>();
const MADE = components.schemas as Record<string, Schema>;

/** What callers send. Everything else is an answer, whose fields are all known: its schema is closed. */
const REQUESTS: readonly ComponentName[] = [
  'ArtifactRequest',
  'EventRequest',
  'EventsRequest',
  'SessionRequest',
  'GuardrailRequest',
];

const FIELDS: Described<ComponentName> = { ...REQUEST_FIELDS, ...ANSWER_FIELDS };
const PREFIX = '#/components/schemas/';

/** A reference to a component of the document. */
export function refTo(name: ComponentName): Schema {
  return { $ref: PREFIX + name };
}

const isDescribed = (name: string): name is ComponentName => Object.hasOwn(FIELDS, name);

/** Every schema of the document, by name. */
export function makeSchemas(): Record<string, Schema> {
  const open = new Set<string>();
  for (const name of REQUESTS) reach(name, open);
  const made: Record<string, Schema> = {};
  for (const name of Object.keys(FIELDS).filter(isDescribed).sort()) {
    const schema = MADE[name];
    if (schema === undefined) throw new Error(`The schema ${name} is described but is part of no type of the wire.`);
    const { about, fields } = FIELDS[name];
    made[name] = { description: about, ...objectOf(schema, fields as Record<string, Refinement>, !open.has(name)) };
  }
  return made;
}

function reach(name: string, into: Set<string>): void {
  if (into.has(name)) return;
  into.add(name);
  for (const [, found] of JSON.stringify(MADE[name]).matchAll(/"#\/components\/schemas\/([^"]+)"/g)) {
    reach(found!, into);
  }
}

function objectOf(schema: Schema, fields: Record<string, Refinement>, closed: boolean): Schema {
  const properties: Record<string, Schema> = {};
  for (const [name, property] of Object.entries(schema.properties ?? {})) {
    properties[name] = refine(property, fields[name], closed);
  }
  const { required = [], additionalProperties: rest } = schema;
  return {
    type: 'object',
    ...(Object.keys(properties).length > 0 ? { properties } : {}),
    ...(required.length > 0 ? { required } : {}),
    ...(rest === undefined ? (closed ? { additionalProperties: false } : {}) : { additionalProperties: others(rest) }),
  };

  function others(rest: boolean | Schema): boolean | Schema {
    // A map of anything is written as `true`, which generators of clients read as such.
    if (typeof rest === 'boolean' || Object.keys(rest).length === 0) return true;
    return simplify(rest, {}, closed);
  }
}

function refine(schema: Schema, refinement: Refinement = '', closed: boolean): Schema {
  if (typeof refinement === 'string') return { ...simplify(schema, {}, closed), description: refinement };
  const { about, fields = {}, schema: instead, items, ...limits } = refinement;
  const made = instead ?? simplify(schema, fields as Record<string, Refinement>, closed);
  return {
    ...made,
    ...(items && made.items ? { items: { ...made.items, ...items } } : {}),
    ...limits,
    description: about,
  };
}

/** The schema as people would write it: `null` as a type among others, constants as an enum, names where they help. */
function simplify(schema: Schema, fields: Record<string, Refinement>, closed: boolean): Schema {
  if (schema.$ref !== undefined) {
    const name = schema.$ref.slice(PREFIX.length);
    return isDescribed(name) ? { $ref: schema.$ref } : simplify(MADE[name]!, fields, closed);
  }
  if (schema.oneOf) return union(schema.oneOf, fields, closed);
  const { description: _, ...rest } = schema;
  if (rest.type === 'object') return objectOf(rest, fields, closed);
  return rest.items ? { ...rest, items: simplify(rest.items, fields, closed) } : rest;
}

function union(members: Schema[], fields: Record<string, Refinement>, closed: boolean): Schema {
  const nullable = members.some((member) => member.type === 'null');
  const rest = members.filter((member) => member.type !== 'null');
  if (rest.every((member) => typeof member.const === 'string')) {
    // typia's order is that of the compiler's table of types, which changes with unrelated sources.
    const values = rest.map((member) => member.const as string).sort();
    return nullable ? { type: ['string', 'null'], enum: [...values, null] } : { type: 'string', enum: values };
  }
  const made = rest.map((member) => simplify(member, fields, closed));
  const [only] = made;
  if (made.length === 1 && !nullable) return only!;
  if (made.length === 1 && typeof only!.type === 'string') return { ...only, type: [only!.type, 'null'] };
  return { oneOf: nullable ? [...made, { type: 'null' }] : made };
}
