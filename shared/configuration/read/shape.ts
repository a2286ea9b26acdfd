/**
 * What the readers ask of a value, noted as JSON Schema (draft 07). Where a cursor has a shape there is no value: each reader runs once,
 * and what it would check is noted. So the schema for editors is made by the code that reads configurations, and not kept beside it.
 * What a reader checks by code of its own it notes by `is`.
 */

export interface JsonSchema {
  $schema?: string;
  $ref?: string;
  title?: string;
  description?: string;
  type?: string | string[];
  const?: unknown;
  enum?: unknown[];
  default?: unknown;
  pattern?: string;
  minLength?: number;
  maxLength?: number;
  minimum?: number;
  maximum?: number;
  minItems?: number;
  maxItems?: number;
  minProperties?: number;
  maxProperties?: number;
  items?: JsonSchema;
  properties?: Record<string, JsonSchema>;
  additionalProperties?: boolean | JsonSchema;
  propertyNames?: JsonSchema;
  required?: string[];
  anyOf?: JsonSchema[];
  if?: JsonSchema;
  else?: JsonSchema;
  definitions?: Record<string, JsonSchema>;
}

export interface Shape {
  /** Notes what the value is. The first description stays. */
  is(schema: JsonSchema): void;
  /** It may be absent, or null. */
  maybe(): void;
  /** A reader without a default has asked for it. It is required unless it may be absent. */
  asked(): void;
  /** It is required. */
  must(): void;
  /** It is an object; a shape for each of its keys. */
  object(keys: readonly string[]): ReadonlyMap<string, Shape>;
  /** The shape of the items of a list. */
  items(most: number): Shape;
  /** One more form that it may have. */
  form(): Shape;
  /** A form that has a name, since it stands in several places or within itself. `note` is called for the first one. */
  named(name: string, note: (shape: Shape) => void): void;
  /** None of its keys is required, whatever was noted of them. */
  free(): void;
  /** Its schema, with those of its parts. */
  schema(): JsonSchema;
  /** Whether an object without it is wrong. */
  required(): boolean;
}

type Definitions = Map<string, Shape>;

/** A value of which nothing is known yet. `definitions`: shapes by their names. */
export function createShape(definitions: Definitions = new Map()): Shape {
  const own: JsonSchema = {};
  const notes = { maybe: false, asked: false, must: false, free: false };
  let children: Map<string, Shape> | undefined;
  let item: Shape | undefined;
  const forms: Shape[] = [];

  function whole(): JsonSchema {
    const made: JsonSchema = { ...own };
    if (item) made.items = item.schema();
    if (forms.length > 0) made.anyOf = forms.map((form) => form.schema());
    if (children) {
      const entries = [...children];
      made.properties = Object.fromEntries(entries.map(([key, child]) => [key, child.schema()]));
      const required = entries.flatMap(([key, child]) => (child.required() ? [key] : []));
      if (required.length > 0 && !notes.free) made.required = required;
    }
    return notes.maybe && !notes.must ? orNull(made) : made;
  }

  return {
    is(schema) {
      Object.assign(own, schema, own.description ? { description: own.description } : {});
    },
    maybe() {
      notes.maybe = true;
    },
    asked() {
      notes.asked = true;
    },
    must() {
      notes.must = true;
    },
    object(keys) {
      Object.assign(own, { type: 'object', additionalProperties: false });
      children ??= new Map();
      for (const key of keys) if (!children.has(key)) children.set(key, createShape(definitions));
      return children;
    },
    items(most) {
      Object.assign(own, { type: 'array', maxItems: most });
      item ??= createShape(definitions);
      return item;
    },
    form() {
      const form = createShape(definitions);
      forms.push(form);
      return form;
    },
    named(name, note) {
      own.$ref = `#/definitions/${name}`;
      if (definitions.has(name)) return;
      const shape = createShape(definitions);
      definitions.set(name, shape);
      note(shape);
    },
    free() {
      notes.free = true;
    },
    schema: whole,
    required: () => notes.must || (notes.asked && !notes.maybe),
  };
}

/** `null` and absent are the same to the readers. */
function orNull(schema: JsonSchema): JsonSchema {
  const { description, default: fallback, ...rest } = schema;
  const said = { ...(description ? { description } : {}), ...(fallback === undefined ? {} : { default: fallback }) };
  if (rest.enum) return { ...said, ...rest, enum: [...rest.enum, null] };
  if (typeof rest.type === 'string' && !rest.anyOf && !rest.if) return { ...said, ...rest, type: [rest.type, 'null'] };
  if (Object.keys(rest).length === 0) return said;
  return {
    ...said,
    anyOf: [...(rest.anyOf && Object.keys(rest).length === 1 ? rest.anyOf : [rest]), { type: 'null' }],
  };
}

/** The schema of what `note` notes, as a document of its own. */
export function schemaDocument(title: string, note: (shape: Shape) => void): JsonSchema {
  const definitions: Definitions = new Map();
  const root = createShape(definitions);
  note(root);
  return {
    $schema: 'http://json-schema.org/draft-07/schema#',
    title,
    ...root.schema(),
    definitions: Object.fromEntries([...definitions].map(([name, shape]) => [name, shape.schema()])),
  };
}
