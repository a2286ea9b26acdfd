/**
 * Why a text is no YAML, in words. The library says it in terms of the grammar, and mostly once more for each line that follows. Here
 * each mistake is told once, with what to write instead.
 */

/** As the library reports one. */
export interface YamlError {
  code: string;
  message: string;
  /** offsets */
  pos: readonly [number, number];
}

export interface YamlProblem {
  message: string;
  offset: number;
}

/** What is told of an error. */
interface Explanation {
  message: string;
  /** where it is, if not where the library says */
  offset?: number;
  /** what follows is read as it stands, so further problems are problems of their own */
  local?: true;
}

/** Problems in the order of the text. `firstOf`: the offset of the key that the one at an offset repeats. */
export function yamlProblems(
  text: string,
  errors: readonly YamlError[],
  firstOf: (offset: number) => number | undefined,
): YamlProblem[] {
  const problems: YamlProblem[] = [];
  const told = new Set<number>();
  const tab = errors.find(({ code }) => code === 'TAB_AS_INDENT');
  const inOrder = [...errors].sort((a, b) => a.pos[0] - b.pos[0]);
  for (const error of tab ? [tab] : inOrder) {
    const line = lineAt(text, error.pos[0]).start;
    if (told.has(line)) continue;
    told.add(line);
    const { message, offset = error.pos[0], local } = explain(text, error, firstOf);
    problems.push({ message, offset });
    if (!local) break;
  }
  return problems;
}

type FirstOf = (offset: number) => number | undefined;

const SAME_COLUMN =
  'expected keys of one object in the same column: this line is indented otherwise than the one before it';
const QUOTES = 'put it in quotes';

function explain(text: string, error: YamlError, firstOf: FirstOf): Explanation {
  const { code, message, pos } = error;
  const [start] = pos;
  switch (code) {
    case 'TAB_AS_INDENT':
      return { message: 'expected spaces, found a tab: YAML is indented by spaces alone, in every line of the file' };
    case 'DUPLICATE_KEY':
      return { message: twice(text, start, firstOf(start)), local: true };
    case 'BLOCK_AS_IMPLICIT_KEY':
      return nested(text, start);
    case 'BLOCK_IN_FLOW':
      return { message: `expected a comma or a closing bracket; a value with a colon needs quotes within { } and [ ]` };
    case 'BAD_SCALAR_START':
      return { message: `expected a value; a text that begins with ${text[start]} needs quotes`, local: true };
    case 'BAD_DQ_ESCAPE':
      return {
        message: `${text.slice(start, start + 2)} has no meaning within double quotes: use single quotes, or write \\${text.slice(start, start + 2)}`,
        local: true,
      };
    case 'TAG_RESOLVE_FAILED':
      return { message: 'expected a value; a text that begins with ! needs quotes', local: true };
    case 'BAD_INDENT':
    case 'MISSING_CHAR':
    case 'MULTILINE_IMPLICIT_KEY':
    case 'UNEXPECTED_TOKEN':
      return structural(text, error);
    default:
      return { message: firstLine(message) };
  }
}

function twice(text: string, offset: number, first: number | undefined): string {
  const key = /^[^\s:,{}[\]]+|^"[^"\n]*"|^'[^'\n]*'/.exec(text.slice(offset, offset + 80))?.[0] ?? '';
  const where = first === undefined ? '' : `, first in line ${text.slice(0, first).split('\n').length}`;
  return `the key ${key.replaceAll(/^["']|["']$/g, '"') || 'here'} stands twice in one object${where}: keep one of them`;
}

/** An object stands where a value in one line does. */
function nested(text: string, offset: number): Explanation {
  const { line, start } = lineAt(text, offset);
  const value = line.slice(offset - start);
  if (/^\s*- /.test(value)) return { message: SAME_COLUMN, offset };
  if (/:(\s|$)/.test(value)) {
    const quoted = JSON.stringify(value.trim());
    return { message: `expected one value, found a colon in it: ${QUOTES}, ${clip(quoted)}`, local: true };
  }
  return indentation(text, offset);
}

/** The line below that of `offset` is where the mistake shows. */
function indentation(text: string, offset: number): Explanation {
  const { end } = lineAt(text, offset);
  const next = /\S/.exec(text.slice(end));
  return { message: SAME_COLUMN, offset: next ? end + next.index : offset };
}

function structural(text: string, error: YamlError): Explanation {
  const { message, pos } = error;
  const [start] = pos;
  const quote = /^Missing closing (["'])quote/.exec(message)?.[1];
  if (quote) {
    const open = text.lastIndexOf(quote, start - 1);
    return {
      message: `expected a closing ${quote}: the text in quotes that begins here has no end`,
      offset: Math.max(open, 0),
    };
  }
  const bracket = /end with a ([}\]])/.exec(message)?.[1];
  if (bracket) return { message: `expected ${bracket}, which closes ${bracket === '}' ? '{' : '['}` };
  if (/^Unexpected scalar at node end/.test(message)) {
    return { message: `expected the end of the line behind the closing quote; within single quotes write '' for one` };
  }
  if (/^Unexpected , in flow/.test(message)) return { message: 'expected a value before the comma', local: true };
  if (/^Not a YAML token/.test(message))
    return { message: `expected the end of the line; if the text begins with > or |, ${QUOTES}` };
  return lineProblem(text, error);
}

/** A line that is neither a key with a value nor an item. */
function lineProblem(text: string, { message, pos }: YamlError): Explanation {
  const [start] = pos;
  // Some errors are told at the line behind the one that is wrong.
  for (const { line, start: at } of [lineAt(text, start), lineAt(text, lineAt(text, start).start - 1)]) {
    const offset = at + line.search(/\S|$/);
    const glued = /^\s*(?:- +)*([\w.-]+):[^\s:]/.exec(line);
    if (glued) return { message: `expected a space behind the colon: ${clip(glued[1]!)}: …`, offset };
    if (/^\s*-[^\s-]/.test(line)) return { message: 'expected a space behind the - of an item', offset };
  }
  const { line } = lineAt(text, start);
  if (!/:(\s|$)/.test(line) && !/^\s*-(\s|$)/.test(line) && line.trim() !== '') {
    return { message: `expected "key: value" or "- item", found ${clip(JSON.stringify(line.trim()))}` };
  }
  if (/column|indent|single line|block sequence|map values/i.test(message)) return { message: SAME_COLUMN };
  return { message: firstLine(message) };
}

/** The line of an offset, without its end. */
function lineAt(text: string, offset: number): { line: string; start: number; end: number } {
  const at = Math.max(0, Math.min(offset, text.length));
  const start = at === 0 ? 0 : text.lastIndexOf('\n', at - 1) + 1;
  const end = text.indexOf('\n', at);
  return { line: text.slice(start, end < 0 ? text.length : end), start, end: end < 0 ? text.length : end };
}

const clip = (text: string): string => (text.length > 60 ? `${text.slice(0, 60)}…` : text);

const firstLine = (message: string): string => message.split('\n')[0]!;
