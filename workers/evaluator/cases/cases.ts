/** Reads a file of cases: what each checks, as a caller would send it, and what it expects. */
import { LIMITS } from '../../../shared/api/limits.js';
import { CHECKABLE_FIELDS, type EventType, type Issue } from '../../../shared/api/types.js';
import { issuesOfEvents, validateSession } from '../../../shared/api/validate/validate.js';
import { type Configuration, type Problem, problemsIn } from '../../../shared/configuration/configuration.js';
import {
  type Cursor,
  choiceOf,
  clip,
  complain,
  createReport,
  type FindingsReport,
  fieldsOf,
  listOf,
  NAME_RULE,
  type ObjectFields,
  textOf,
} from '../../../shared/configuration/read/fields.js';
import { type ConfigurationPath, type Position, readSource } from '../../../shared/configuration/read/source.js';
import { type Expectation, readExpectation } from './expectation.js';
import { type Defaults, readDefaults, readScope, type TestScope } from './scope.js';

export interface Case {
  name: string;
  /** where it stands in its file */
  position: Position;
  kind: 'events' | 'session' | 'artifact';
  scope: TestScope;
  /** the request as a caller would send it */
  body: object;
  /** of an event: earlier texts of its conversation, oldest first */
  context: readonly string[];
  expected: Expectation;
}

export type Cases = { ok: true; cases: Case[] } | { ok: false; problems: Problem[] };

/** Reads a file by its name, which is relative to that of the cases. Throws an error that says why it cannot be read. */
export type ReadBytes = (name: string) => Buffer;

const MAX_CASES = 10_000;
/** A caller's conversation has no more texts either. */
const MAX_CONTEXT = 50;
const WHAT = ['text', 'event', 'session', 'image'] as const;
const KEYS = ['name', 'team', 'environment', 'deployment', ...WHAT, 'role', 'context', 'expect'];
/** The run of an event that names none. */
const RUN = 'test';

/** What a file of cases is read with. */
export interface CasesReading {
  /** the name that problems show */
  file: string;
  /** the one that the cases are for */
  configuration: Configuration;
  readBytes: ReadBytes;
  /** where cases are checked that name no place, and whose file has no default; absent: in the only place of their team */
  where?: TestScope;
}

export function readCases(text: string, { file, configuration, readBytes, where }: CasesReading): Cases {
  const source = readSource(text);
  const report = createReport();
  const cases: Case[] = [];
  if (source.errors.length === 0) {
    const locate = (path: ConfigurationPath): Position => source.locate(path, 'value');
    const fields = fieldsOf({ report, value: source.value, path: [] }, ['defaults', 'cases']);
    const defaults = fields && readDefaults(fields.get('defaults'), configuration);
    if (defaults) cases.push(...readAll(fields.get('cases'), { configuration, defaults, readBytes, where, locate }));
  }
  const problems = problemsIn(file, source, report.findings);
  return problems.length > 0 ? { ok: false, problems } : { ok: true, cases };
}

/** What a case is read with. */
interface CaseReading {
  configuration: Configuration;
  defaults: Defaults;
  readBytes: ReadBytes;
  where: TestScope | undefined;
  locate(path: ConfigurationPath): Position;
}

function readAll(cursor: Cursor, reading: CaseReading): Case[] {
  const cases = listOf(cursor, MAX_CASES, (item) => readCase(item, reading));
  if (!Array.isArray(cursor.value) || cursor.value.length === 0)
    complain(cursor, 'expected a list of at least one case');
  const seen = new Set<string>();
  cases.forEach(({ name }, i) => {
    const twice = name !== '' && seen.has(name);
    if (twice) cursor.report.add([...cursor.path, i, 'name'], `the name "${clip(name)}" is used twice`);
    seen.add(name);
  });
  return cases;
}

function readCase(cursor: Cursor, reading: CaseReading): Case | undefined {
  const fields = fieldsOf(cursor, KEYS);
  if (!fields) return undefined;
  const name = textOf(fields.get('name'), NAME_RULE);
  const given = WHAT.filter((key) => fields.has(key));
  const [what] = given;
  if (what === undefined || given.length > 1) {
    const found = what === undefined ? '' : `, found ${given.join(' and ')}`;
    return complain(cursor, `expected exactly one of ${WHAT.join(', ')}${found}`);
  }
  const scope = readScope(fields, { ...reading, what });
  const item = scope && readItem(what, fields, { ...reading, scope });
  const expected = scope && readExpectation(fields.get('expect'), { ...reading, team: scope.team });
  checkBeside(what, fields);
  if (!item || !expected) return undefined;
  return {
    name,
    position: reading.locate(cursor.path),
    scope,
    context: readContext(fields, item.kind),
    expected,
    ...item,
  };
}

/** Reports fields that say nothing of what is checked. */
function checkBeside(what: (typeof WHAT)[number], fields: ObjectFields): void {
  const role = fields.get('role');
  const within = what === 'event' ? 'event.role' : 'the last message';
  if (fields.has('role') && (what === 'event' || what === 'session')) complain(role, `expected the role in ${within}`);
}

function readContext(fields: ObjectFields, kind: Case['kind']): string[] {
  const context = fields.get('context');
  const texts = listOf(context, MAX_CONTEXT, (item) => textOf(item, { max: LIMITS.contentBytes }));
  if (kind !== 'events' && texts.length > 0) {
    complain(context, kind === 'session' ? 'expected earlier messages in session.messages' : 'an image has no context');
  }
  return texts;
}

type Item = Pick<Case, 'kind' | 'body'>;

/** What an item is read with. */
interface Within {
  scope: TestScope;
  readBytes: ReadBytes;
}

function readItem(what: (typeof WHAT)[number], fields: ObjectFields, within: Within): Item | undefined {
  const cursor = fields.get(what);
  if (what === 'event') return readEvent(cursor, within);
  if (what === 'session') return readSession(cursor, within);
  const role = choiceOf(fields.get('role'), ['user', 'assistant'] as const, 'user');
  return what === 'text' ? textItem(cursor, role, within.scope) : imageItem(cursor, role, within);
}

/** A message with this text: an event of an environment, or a session of a deployment. */
function textItem(cursor: Cursor, role: string, { kind, id }: TestScope): Item | undefined {
  const { value } = cursor;
  if (typeof value !== 'string') return complain(cursor, 'expected a text; put it in quotes');
  if (kind === 'deployment') {
    return { kind: 'session', body: { deployment_id: id, messages: [{ role, content: value }] } };
  }
  const event = { type: 'message', role, content: value };
  return validated(cursor, { events: [event], environment_id: id, run_id: RUN }, issuesOfEvents, 'events', (path) =>
    path.slice(3),
  );
}

/** An image in a file: an artifact event of an environment, or an artifact of a deployment. */
function imageItem(cursor: Cursor, role: string, { scope, readBytes }: Within): Item | undefined {
  const content = contentOf(cursor, cursor.value, readBytes);
  if (!content) return undefined;
  if (scope.kind === 'deployment') return { kind: 'artifact', body: { deployment_id: scope.id, role, content } };
  const event = { type: 'artifact', role, content };
  return { kind: 'events', body: { environment_id: scope.id, run_id: RUN, events: [event] } };
}

/** The image in the file that `name` names. */
function contentOf(cursor: Cursor, name: unknown, readBytes: ReadBytes): { kind: string; data: string } | undefined {
  if (typeof name !== 'string' || name === '') return complain(cursor, 'expected the name of an image file');
  try {
    return { kind: 'image', data: readBytes(name).toString('base64') };
  } catch (error) {
    return complain(cursor, `${clip(name)}: ${(error as Error).message}`);
  }
}

function readEvent(cursor: Cursor, { scope, readBytes }: Within): Item | undefined {
  if (!isObject(cursor.value)) return complain(cursor, 'expected an object with type and a field to check');
  const { type } = cursor.value;
  const event = type === 'artifact' ? withImage(cursor, cursor.value, readBytes) : cursor.value;
  const body = { environment_id: scope.id, run_id: event.run_id ?? RUN, events: [event] };
  const item = validated(cursor, body, issuesOfEvents, 'events', (path) => path.slice(2));
  if (!item) return undefined;
  const fields: readonly string[] = CHECKABLE_FIELDS[type as EventType];
  return fields.some((field) => event[field] != null)
    ? item
    : complain(cursor, `expected content to check: ${fields.join(', ')}`);
}

function readSession(cursor: Cursor, { scope, readBytes }: Within): Item | undefined {
  if (!isObject(cursor.value)) return complain(cursor, 'expected an object with messages');
  const { report, path } = cursor;
  const withImages = (list: unknown, at: ConfigurationPath, change: (value: Json, at: Cursor) => Json): unknown =>
    Array.isArray(list)
      ? list.map((value: unknown, i) => (isObject(value) ? change(value, { report, value, path: [...at, i] }) : value))
      : list;
  const messages = withImages(cursor.value.messages, [...path, 'messages'], (message, at) => ({
    ...message,
    content: withImages(message.content, [...at.path, 'content'], (part, place) =>
      part.type === 'artifact' ? withImage(place, part, readBytes) : part,
    ),
  }));
  const body = { ...cursor.value, deployment_id: scope.id, messages };
  return validated(cursor, body, issuesOfSession, 'session', (steps) => steps);
}

type Json = Record<string, unknown>;

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** `holder` with the data of the `file` of its image. Reports an image by address: nothing is fetched for a test. */
function withImage({ report, path }: Cursor, holder: Json, readBytes: ReadBytes): Json {
  const { content } = holder;
  if (!isObject(content)) return holder;
  const at = (key: string): Cursor => ({ report, value: content[key], path: [...path, 'content', key] });
  if (typeof content.url === 'string') complain(at('url'), 'expected file or data: nothing is fetched for a test');
  if (!Object.hasOwn(content, 'file')) return holder;
  const { file, ...rest } = content;
  return { ...holder, content: { ...rest, ...contentOf(at('file'), file, readBytes) } };
}

/** The item, or undefined after reporting what the service would refuse. `place`: where a path of the body is in the case. */
function validated(
  { report, path }: Cursor,
  body: object,
  issuesOf: (body: unknown) => readonly Issue[],
  kind: Case['kind'],
  place: (path: ConfigurationPath) => ConfigurationPath,
): Item | undefined {
  const issues = issuesOf(body);
  if (issues.length === 0) return { kind, body };
  reportIssues(report, path, issues, place);
  return undefined;
}

function issuesOfSession(body: unknown): readonly Issue[] {
  const judged = validateSession(body);
  return judged.ok ? [] : judged.issues;
}

function reportIssues(
  report: FindingsReport,
  path: ConfigurationPath,
  issues: readonly Issue[],
  place: (path: ConfigurationPath) => ConfigurationPath,
): void {
  for (const issue of issues) {
    const steps = (issue.path.match(/[^.[\]]+/g) ?? []).map((step) => (/^\d+$/.test(step) ? Number(step) : step));
    report.add([...path, ...place(steps)], issue.message);
  }
}
