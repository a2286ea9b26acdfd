/** The files of the Python client that are made of the OpenAPI document: the shapes of bodies, and the table of endpoints. */
import { ENDPOINTS, type Endpoint, type EndpointName } from '#weir/shared/api/endpoints';
import { LIMITS } from '#weir/shared/api/limits';
import type { Schema } from '#weir/shared/api/openapi/forms';
import { EVENT_TYPES } from '#weir/shared/api/types';
import { VERSIONS } from '#weir/shared/api/versions';
import { openapi, operationOf } from '../../support/api/openapi.ts';

export const PYTHON_CLIENT = 'deploy/clients/python';

/** Endpoints that programs do not call by a method, and what callers have who come from elsewhere. */
const NO_METHOD: readonly EndpointName[] = [
  'getHome',
  'getOpenapi',
  'getDocs',
  'getDocsFile',
  'getLogin',
  'getLoginAnswer',
  'getLoginSession',
  'endLoginSession',
  'getConsole',
  'getConsoleFile',
  'checkProtect',
  'getKey',
  'getHistory',
  'getConversation',
  'getHistoryFigures',
  'getUsers',
  'tryPolicies',
  'backtestPolicies',
  'testPolicies',
  'getConfigurationVersions',
  'getConfigurationChanges',
  'getConfiguredPolicies',
  'getAudit',
  'getAuditOfAll',
  'getStatus',
  'getDeadLetters',
  'getRefused',
  'replay',
  'eraseUser',
  'eraseSession',
  'eraseRun',
  'eraseEvent',
  'getErasure',
];

export const METHODS = (Object.keys(ENDPOINTS) as EndpointName[]).filter(
  (name) => !NO_METHOD.includes(name) && !('dialect' in ENDPOINTS[name]),
);

export const snakeCase = (name: string): string => name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);

/** Parameters in the query of an endpoint. */
export const queryOf = (name: EndpointName): string[] =>
  operationOf(name).parameters.flatMap((one) => ('in' in one && one.in === 'query' ? [one.name] : []));

const quoted = (text: string): string => JSON.stringify(text);
const tupleOf = (texts: readonly string[]): string =>
  texts.length === 1 ? `(${quoted(texts[0]!)},)` : `(${texts.map(quoted).join(', ')})`;
const truth = (value: unknown): string => (value ? 'True' : 'False');

const MADE = 'Made from the OpenAPI document (CONTRIBUTING.md says how): changes by hand are lost.';

export function renderEndpoints(): string {
  const rows = METHODS.map((name) => {
    const { method, path, versions, scope, views, redacts }: Endpoint = ENDPOINTS[name];
    return `    ${quoted(snakeCase(name))}: Endpoint(
        ${quoted(method)},
        ${quoted(path)},
        versions=${tupleOf(versions)},
        query=${tupleOf(queryOf(name))},
        keyed=${truth(scope !== null)},
        views=${truth(views)},
        redacts=${truth(redacts)},
    ),
`;
  });
  return `"""The endpoints that a client calls. ${MADE}"""

from __future__ import annotations

from typing import NamedTuple


class Endpoint(NamedTuple):
    method: str
    #: The last segment may be a parameter.
    path: str
    #: Values of \`\`service-version\`\`, oldest first; empty: none is needed.
    versions: tuple[str, ...]
    #: Names of all parameters of the query.
    query: tuple[str, ...]
    #: It needs the API key.
    keyed: bool
    #: The answer has policies, which the query may ask to be explained.
    views: bool
    #: The query may ask for redacted content.
    redacts: bool


VERSIONS = ${tupleOf(VERSIONS)}
EVENT_TYPES = ${tupleOf(EVENT_TYPES)}
EVENTS_PER_BATCH = ${LIMITS.eventsPerBatch}
DECLARATIONS_PER_BATCH = ${LIMITS.declarationsPerBatch}

ENDPOINTS: dict[str, Endpoint] = {
${rows.join('')}}
`;
}

/** A class that is still to be written: a schema of its own, or an object within one. */
interface Shape {
  name: string;
  schema: Schema;
}

export function renderTypes(): string {
  const { schemas } = openapi.components;
  const wanted = new Set<string>();
  const classes: string[] = [];
  const written: Shape[] = [];

  function typeOf(schema: Schema, name: string): string {
    const { $ref, const: only, enum: values, oneOf, type, items, properties, additionalProperties } = schema;
    if (typeof $ref === 'string') return reference($ref.split('/').at(-1)!);
    if (only !== undefined) return `Literal[${quoted(String(only))}]`;
    if (Array.isArray(oneOf)) return union(oneOf.map((one) => typeOf(one as Schema, name)));
    const types = Array.isArray(type) ? type : [type];
    const nullable = types.includes('null');
    const of = types.find((one) => one !== 'null');
    if (Array.isArray(values)) {
      const literals = values.filter((one) => one !== null).map((one) => quoted(String(one)));
      return union([`Literal[${literals.join(', ')}]`, ...(nullable ? ['None'] : [])]);
    }
    const known = (): string => {
      if (of === 'array') return `list[${typeOf((items ?? {}) as Schema, name)}]`;
      if (of !== 'object') return SCALARS[String(of)] ?? 'Any';
      if (properties !== undefined) return nested({ name, schema });
      const values = typeof additionalProperties === 'object' ? typeOf(additionalProperties as Schema, name) : 'Any';
      return `dict[str, ${values}]`;
    };
    return union([known(), ...(nullable ? ['None'] : [])]);
  }

  const reference = (name: string): string => {
    wanted.add(name);
    return name;
  };
  const nested = (shape: Shape): string => {
    written.push(shape);
    return shape.name;
  };

  function write({ name, schema }: Shape): void {
    const {
      properties = {},
      required = [],
      description,
    } = schema as {
      properties?: Record<string, Schema>;
      required?: string[];
      description?: string;
    };
    const line = ([field, of]: [string, Schema]): string =>
      `${comment(of.description)}    ${field}: ${typeOf(of, `${name}${pascal(field)}`)}\n`;
    const all = Object.entries(properties);
    const needed = all.filter(([field]) => required.includes(field)).map(line);
    const others = all.filter(([field]) => !required.includes(field)).map(line);
    const told = description ? `    """${description.split('\n')[0]!.replaceAll('\\', '')}"""\n\n` : '';
    const base = `_${name}Required`;
    if (others.length === 0) classes.push(`class ${name}(TypedDict):\n${told}${needed.join('')}`);
    else if (needed.length === 0) classes.push(`class ${name}(TypedDict, total=False):\n${told}${others.join('')}`);
    else {
      classes.push(`class ${base}(TypedDict):\n${needed.join('')}`);
      classes.push(`class ${name}(${base}, total=False):\n${told}${others.join('')}`);
    }
  }

  for (const name of METHODS) {
    const { requestBody, responses } = operationOf(name);
    for (const of of [requestBody, responses['200']]) {
      const schema = (of as { content?: Record<string, { schema: Schema }> })?.content?.['application/json']?.schema;
      if (schema) typeOf(schema, pascal(name));
    }
  }
  wanted.add('Issue');
  for (const name of wanted) {
    write({ name, schema: schemas[name]! });
    for (let shape = written.shift(); shape; shape = written.shift()) write(shape);
  }
  return `"""Shapes of bodies. ${MADE}"""

from __future__ import annotations

from typing import Any, Literal, TypedDict

${classes
  .map((each) => `\n${each}\n`)
  .join('')
  .trimEnd()}
`;
}

const SCALARS: Readonly<Record<string, string>> = { string: 'str', boolean: 'bool', integer: 'int', number: 'float' };

const union = (types: readonly string[]): string => {
  const all = [...new Set(types)];
  return all.includes('Any') ? 'Any' : all.join(' | ');
};

const pascal = (name: string): string => name.replace(/(?:^|_)([a-z])/g, (_, letter: string) => letter.toUpperCase());

const WIDTH = 112;

/** The first sentence of a description, as comments in front of a field. */
function comment(description: unknown): string {
  if (typeof description !== 'string') return '';
  const sentence = /^[\s\S]*?[.:](?=\s|$)/.exec(description)?.[0] ?? description;
  const lines: string[] = [];
  for (const word of sentence.split(/\s+/)) {
    const last = lines.at(-1);
    if (last === undefined || last.length + word.length > WIDTH) lines.push(`    #: ${word}`);
    else lines[lines.length - 1] = `${last} ${word}`;
  }
  return `${lines.join('\n')}\n`;
}
