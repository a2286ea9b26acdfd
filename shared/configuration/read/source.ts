/** The text of a configuration: reads YAML or JSON, and tells the line and column of a path. */
import { createRequire } from 'node:module';
import type { CST, Document, LineCounter, Node, ParsedNode } from 'yaml';
import { yamlProblems } from './yaml-problems.js';

export type ConfigurationPath = readonly (string | number)[];

export interface Position {
  line: number;
  column: number;
}

export interface ConfigurationText {
  /** undefined when the text does not parse */
  value: unknown;
  /** why it does not parse */
  errors: { message: string; position: Position }[];
  /** where the value at `path` starts, or its key; where it is absent, the nearest value around it */
  locate(path: ConfigurationPath, at: 'key' | 'value'): Position;
}

/** Longest text that is read, in UTF-16 units. */
export const MAX_CONFIGURATION_LENGTH = 32 * 1024 * 1024;
/** Aliases may stand for large values, and for other aliases. This bounds what they grow to. */
const MAX_ALIAS_COUNT = 1000;

/** Levels of lists and objects. The library calls itself for each, and the deepest configuration has a quarter of them. */
const MAX_LEVELS = 200;

const require = createRequire(import.meta.url);
let loaded: typeof import('yaml') | undefined;
/** The library has 73 files. They are loaded by the first text that is not JSON, so never by a service: what is stored is JSON. */
function yaml(): typeof import('yaml') {
  loaded ??= require('yaml') as typeof import('yaml');
  return loaded;
}

const START: Position = { line: 1, column: 1 };

/** Reads `text`. JSON, as configurations are stored, is read quickly: positions are worked out only on request. */
export function readSource(text: string): ConfigurationText {
  if (text.length > MAX_CONFIGURATION_LENGTH) {
    const message = `the file has ${text.length} characters; at most ${MAX_CONFIGURATION_LENGTH} are read`;
    return { value: undefined, errors: [{ message, position: START }], locate: () => START };
  }
  const json = parseJson(text);
  if (json !== undefined) {
    let source: ConfigurationText | undefined;
    return {
      value: json,
      errors: [],
      locate(path, at) {
        source ??= readYaml(text);
        return source.value === undefined ? START : source.locate(path, at);
      },
    };
  }
  return readYaml(text);
}

function parseJson(text: string): unknown {
  if (!/^\s*\{/.test(text.slice(0, 1000))) return undefined;
  try {
    const value = JSON.parse(text) as unknown;
    // Text that was written from a value, as stored text was, is fine. Other text may name a key twice; the YAML parser says where.
    return JSON.stringify(value) === text || !namesKeyTwice(text) ? value : undefined;
  } catch {
    return undefined;
  }
}

const JSON_TOKEN = /"[^"\\]*(?:\\.[^"\\]*)*"|[{}[\]:]/g;

/** Whether an object of `text`, which is JSON, has the same key twice. */
function namesKeyTwice(text: string): boolean {
  const open: Set<string>[] = [];
  let last = '';
  for (const [token] of text.matchAll(JSON_TOKEN)) {
    if (token === '{' || token === '[') open.push(new Set());
    else if (token === '}' || token === ']') open.pop();
    else if (token !== ':') last = token;
    else {
      const keys = open.at(-1)!;
      const key = last.includes('\\') ? (JSON.parse(last) as string) : last.slice(1, -1);
      if (keys.has(key)) return true;
      keys.add(key);
    }
  }
  return false;
}

function readYaml(text: string): ConfigurationText {
  const lines = new (yaml().LineCounter)();
  const place = (offset: number): Position => {
    const { line, col } = lines.linePos(offset);
    return { line: Math.max(line, 1), column: Math.max(col, 1) };
  };
  let document: Document.Parsed;
  try {
    document = parsedDocument(text, lines);
  } catch (error) {
    const position = error instanceof TooDeep ? place(error.offset) : START;
    return { value: undefined, errors: [{ message: sentence(error), position }], locate: () => START };
  }
  // An unknown tag is only a warning of the library, and loses the text: "when: !has(metadata.user)".
  const found = [...document.errors, ...document.warnings.filter(({ code }) => code === 'TAG_RESOLVE_FAILED')];
  const errors = yamlProblems(text, found, (offset) => firstKeyOf(document, offset)).map(({ message, offset }) => {
    return { message, position: place(offset) };
  });
  const locate = (path: ConfigurationPath, at: 'key' | 'value'): Position => {
    const node = find(document, path, at);
    return node?.range ? place(node.range[0]) : START;
  };
  if (errors.length > 0) return { value: undefined, errors, locate };
  try {
    return { value: document.toJS({ maxAliasCount: MAX_ALIAS_COUNT }) as unknown, errors: [], locate };
  } catch (error) {
    const alias = unresolvedIn(document);
    const problem = alias
      ? {
          message: `there is no &${alias.name} before it; a text that begins with * needs quotes`,
          position: place(alias.offset),
        }
      : { message: sentence(error), position: START };
    return { value: undefined, errors: [problem], locate };
  }
}

/** The offset of the key that the one at `offset` repeats. */
function firstKeyOf(document: Document.Parsed, offset: number): number | undefined {
  const { isMap, isScalar, visit } = yaml();
  let first: number | undefined;
  visit(document, {
    Map(_, map) {
      if (!isMap(map)) return;
      const keys = map.items.map(({ key }) => key).filter(isScalar);
      const again = keys.find(({ range }) => range?.[0] === offset);
      if (again) first = keys.find(({ value }) => value === again.value)?.range?.[0];
    },
  });
  return first === offset ? undefined : first;
}

/** The first alias without its anchor. */
function unresolvedIn(document: Document.Parsed): { name: string; offset: number } | undefined {
  let found: { name: string; offset: number } | undefined;
  yaml().visit(document, {
    Alias(_, alias) {
      if (!found && alias.resolve(document) === undefined)
        found = { name: alias.source, offset: alias.range?.[0] ?? 0 };
    },
  });
  return found;
}

class TooDeep extends Error {
  constructor(readonly offset: number) {
    super(`it has more than ${MAX_LEVELS} levels of lists and objects within each other`);
  }
}

/** As `parseDocument` of the library does it, but for texts of more levels than its stack has room for: those end it, or the process. */
function parsedDocument(text: string, lines: LineCounter): Document.Parsed {
  const { Composer, Lexer, Parser } = yaml();
  const parser = new Parser(lines.addNewLine);
  lines.addNewLine(0);
  const tokens = function* (): Generator<CST.Token> {
    for (const lexeme of new Lexer().lex(text)) {
      yield* parser.next(lexeme);
      if (parser.stack.length > MAX_LEVELS) throw new TooDeep(parser.offset);
    }
    yield* parser.end();
  };
  const composer = new Composer<ParsedNode>({ lineCounter: lines, prettyErrors: false, strict: true });
  const [document, second] = composer.compose(tokens(), true, text.length);
  if (second) {
    const message = 'expected one document, found a second one behind ---';
    document!.errors.push(
      new (yaml().YAMLParseError)(second.range.slice(0, 2) as [number, number], 'MULTIPLE_DOCS', message),
    );
  }
  return document!;
}

/** First line of an error's message. The rest of what the parser says repeats the text. */
function sentence(error: unknown): string {
  return (error instanceof Error ? error.message : String(error)).split('\n')[0]!;
}

function find(document: Document.Parsed, path: ConfigurationPath, at: 'key' | 'value'): Node | null {
  let node: Node | null = document.contents;
  for (let i = 0; i < path.length; i++) {
    const resolved: Node | null | undefined = yaml().isAlias(node) ? node.resolve(document) : node;
    const step: { key: Node | null; value: Node | null } | undefined = child(resolved, path[i]!);
    if (!step) return node;
    node = (at === 'key' && i === path.length - 1 ? step.key : step.value) ?? step.key ?? node;
  }
  return node;
}

function child(
  node: Node | null | undefined,
  key: string | number,
): { key: Node | null; value: Node | null } | undefined {
  const { isMap, isScalar, isSeq } = yaml();
  if (isSeq(node)) {
    const item = node.items[Number(key)];
    return item === undefined ? undefined : { key: item as Node, value: item as Node };
  }
  if (!isMap(node)) return undefined;
  for (const pair of node.items) {
    const name = isScalar(pair.key) ? String(pair.key.value) : String(pair.key);
    if (name === String(key)) return { key: pair.key as Node, value: pair.value as Node | null };
  }
  return undefined;
}
