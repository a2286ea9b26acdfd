/**
 * The finder of a choice of rules: which literals to look for, and the look at each.
 *
 * A credential that several rules find is reported once: forms and providers come before what is told by a name alone.
 */
import type { Find, PlaceLook } from '../../engine/probes/probe.js';
import { cellBehind, columnBelow, elementColumnBelow } from './columns.js';
import { type GenericName, judge } from './generic.js';
import { indexLiterals, type LiteralIndex } from './literal-index.js';
import { isInKubernetesSecret } from './manifests.js';
import { findNamed } from './named.js';
import { kindOfName, mayTell, type NameKind } from './names.js';
import { isOpenPgp } from './placeholders.js';
import { isPrefixed, PREFIXED } from './prefixed.js';
import type { NamedRule, PlaceRule, SecretRule, TokenRule, ValueRule } from './rule.js';
import { isSpokenValue, SHORT, SPOKEN_NAMES, spokenAt, spokenName } from './spoken.js';
import type { SpokenSecret } from './spoken-values.js';
import {
  isConfigured,
  isCounted,
  isOfList,
  isOfRegistry,
  isOption,
  isSealed,
  isToldByWord,
  isVariable,
  LOGIN_NAME,
  NEAR,
} from './surroundings.js';
import { findToken } from './tokens.js';
import {
  elementBefore,
  isQuote,
  nameBefore,
  operandValue,
  quotedValue,
  type SecretValue,
  type ValueName,
} from './values.js';

export interface Finder {
  /** by literal: the look at its places */
  looks: ReadonlyMap<string, PlaceLook>;
}

/** What is said of credentials. Its literals are looked at with what else is known of values. */
export const SPOKEN: ValueRule = {
  kind: 'value',
  name: 'spoken-secret',
  provider: '–',
  what: 'passwords, keys and tokens beside their name: in sentences, tables, brackets, the next line, behind arrows, in the answer to who asks; names in 37 languages',
  group: 'places',
  score: 0.5,
};

const OPERATORS = ['=', ':', '>'];
const QUOTES = ['"', "'", '`'];

export function finderOf(rules: readonly SecretRule[]): Finder {
  const tokens = rules.filter((rule): rule is TokenRule => rule.kind === 'token');
  const places = rules.filter((rule): rule is PlaceRule => rule.kind === 'place');
  const named = rules.filter((rule): rule is NamedRule => rule.kind === 'named');
  const values = rules.filter(({ kind, group }) => kind === 'value' && group === 'generic');
  const generic = new Set(values.map(({ name }) => name as GenericName));
  const context: Context = {
    tokens: lazily(() => indexLiterals(tokens.map((rule) => [rule, rule.literals]))),
    named: lazily(() => indexLiterals(named.map((rule) => [rule, rule.words]))),
    generic,
    kubernetes: places.some(({ name }) => name === 'kubernetes-secret'),
    prefixed: rules.includes(PREFIXED),
  };
  const byLiteral = new Map<string, PlaceLook[]>();
  const add = (literal: string, look: PlaceLook): void => {
    const known = byLiteral.get(literal);
    if (known) known.push(look);
    else byLiteral.set(literal, [look]);
  };
  for (const rule of tokens) {
    for (const literal of rule.literals) {
      add(literal, (text, at) => (text.startsWith(literal, at) ? findToken(rule, text, at) : undefined));
    }
  }
  for (const rule of places) {
    const isForm = rule.group === 'private-keys';
    for (const literal of rule.literals) {
      add(literal, (text, at) => {
        const found = rule.anyCase || text.startsWith(literal, at) ? rule.look(text, at) : undefined;
        if (found === undefined || isForm || Array.isArray(found)) return found;
        return hasToken(text, found as Find, context) ? undefined : found;
      });
    }
  }
  if (rules.includes(SPOKEN)) {
    for (const literal of SPOKEN_NAMES) add(literal, (text, at) => lookAtSpoken(text, at, literal, context));
  }
  if (named.length > 0) add('|', (text, at) => (text[at] === '|' ? lookAtCell(text, at, context) : undefined));
  if (named.length > 0 || generic.size > 0) {
    // Characters may share a class of the automaton.
    for (const literal of OPERATORS)
      add(literal, (text, at) => (text[at] === literal ? lookAtOperand(text, at, context) : undefined));
    for (const literal of QUOTES)
      add(literal, (text, at) => (text[at] === literal ? lookAtQuoted(text, at, context) : undefined));
  }
  return {
    looks: new Map([...byLiteral].map(([literal, looks]) => [literal, all(looks)])),
  };
}

/** One look for several at the same literal. A find within a surer one is left out. */
function all(looks: readonly PlaceLook[]): PlaceLook {
  if (looks.length === 1) return looks[0]!;
  return (text, at) => {
    let found: Find[] | undefined;
    for (let i = 0; i < looks.length; i++) {
      const more = looks[i]!(text, at);
      if (more) found = [...(found ?? []), ...(Array.isArray(more) ? (more as readonly Find[]) : [more as Find])];
    }
    return found && found.length > 1 ? withoutOverlaps(found) : found;
  };
}

function withoutOverlaps(finds: readonly Find[]): Find[] {
  const kept: Find[] = [];
  for (const find of [...finds].sort((a, b) => b.score - a.score)) {
    if (kept.every(({ start, end }) => find.end <= start || find.start >= end)) kept.push(find);
  }
  return kept;
}

/** What the looks at values need of the choice of rules. */
interface Context {
  tokens(): LiteralIndex<TokenRule>;
  named(): LiteralIndex<NamedRule>;
  generic: ReadonlySet<GenericName>;
  kubernetes: boolean;
  prefixed: boolean;
}

function lazily<T>(make: () => T): () => T {
  let made: T | undefined;
  return () => {
    made ??= make();
    return made;
  };
}

/** Whether a credential that is told by its form overlaps `find`, and is reported by itself. */
function hasToken(text: string, find: { start: number; end: number }, { tokens }: Context): boolean {
  const index = tokens();
  let has = false;
  for (let at = Math.max(0, find.start - 4); at < find.end && !has; at++) {
    index.at(text, at, (rule) => {
      const token = has ? undefined : findToken(rule, text, at);
      if (token && token.end > find.start && token.start < find.end) has = true;
    });
  }
  return has;
}

/** Credentials beside their name, and below it in a table. What an operator or quotes tell is reported by their look. */
function lookAtSpoken(text: string, at: number, literal: string, context: Context): Find[] | undefined {
  const name = spokenName(text, at, literal);
  if (!name) return undefined;
  const finds: Find[] = [];
  const spoken = spokenAt(text, at, literal, name);
  const beside = spoken && findSpoken(text, spoken, context);
  if (beside) finds.push(beside);
  const column = text.charCodeAt(name.end) === LESS ? elementColumnBelow(text, name) : columnBelow(text, name);
  if (!column) return finds.length === 0 ? undefined : finds;
  // A short name is one of a column where it is all of its head.
  if (SHORT.has(literal) && column.head.end - column.head.start !== literal.length) return finds;
  const kind = kindOfName(text.slice(column.head.start, column.head.end));
  // A column of keys is mostly one of what tells rows apart.
  if (kind === 'other' || kind === 'public' || kind === 'key') return finds;
  for (const cell of column.cells) {
    if (!isSpokenValue(text.slice(cell.start, cell.end), kind, literal)) continue;
    const find = findSpoken(text, { ...cell, name: column.head, kind, told: true }, context);
    if (find) finds.push(find);
  }
  return finds.length === 0 ? undefined : finds;
}

/** Names of keys that are none of OpenPGP, though they may look the same. */
const OF_SERVICE =
  /(?:api|access|secret|auth|encryption|master|licen[cs]e|app|client|consumer|storage|account|session|service)[ _-]?key/i;

function findSpoken(text: string, { start, end, name, kind, told }: SpokenSecret, context: Context): Find | undefined {
  const value = text.slice(start, end);
  if (isOpenPgp(value) && !OF_SERVICE.test(text.slice(Math.max(0, name.start - 16), name.end))) return undefined;
  const byProvider = findNamed(text, value, name, kind, context.named());
  if (!byProvider && context.prefixed && isPrefixed(text, start, end)) return undefined;
  const find = { start, end, ...(byProvider ?? { score: told ? 0.6 : 0.5, label: 'secrets:spoken-secret' }) };
  if (hasToken(text, find, context) || (context.kubernetes && isInKubernetesSecret(text, start))) return undefined;
  const operator = text.slice(Math.min(name.end, start), start).search(/[=:>]/);
  const byOther =
    (operator >= 0 && name.end < start ? lookAtOperand(text, name.end + operator, context) : undefined) ??
    (isQuote(text.charCodeAt(start - 1)) ? lookAtQuoted(text, start - 1, context) : undefined);
  return byOther && byOther.score >= find.score ? undefined : find;
}

/** The key of a provider in the cell of a table behind its name. */
function lookAtCell(text: string, at: number, context: Context): Find | undefined {
  const cell = cellBehind(text, at);
  if (!cell) return undefined;
  const { value, name } = cell;
  const kind = kindOfName(text.slice(name.start, name.end));
  if (kind !== 'other') return undefined;
  const found = findNamed(text, text.slice(value.start, value.end), name, kind, context.named());
  const find = found && { ...value, ...found };
  return find && !hasToken(text, find, context) ? find : undefined;
}

function lookAtOperand(text: string, at: number, context: Context): Find | undefined {
  const value = operandValue(text, at);
  if (!value) return undefined;
  // A word is a password at most where it ends its line, or is set without a space.
  if (isPlain(text, value.start, value.end) && value.start > at + 1 && text.charCodeAt(value.end) > 13)
    return undefined;
  const isElement = text[at] === '>' && text[at - 1] !== '=';
  if (isElement && !endsElement(text, value.end)) return undefined;
  const name = isElement ? elementBefore(text, at) : nameBefore(text, at + 1);
  // The user of an address is no name.
  if (!name || text.startsWith('//', name.start - 2) || isOfArn(text, name)) return undefined;
  return lookAtValue(text, value, name, context);
}

/** Whether the name is a part of a name of AWS, as in `arn:aws:secretsmanager:…:secret:…`. */
const isOfArn = (text: string, { start }: ValueName): boolean =>
  text[start - 1] === ':' && /\barn:[\w:/-]{1,100}$/.test(text.slice(Math.max(0, start - 110), start));

/** The name in `name "value";`, a statement of its own in the configuration of a server. */
function statementBefore(text: string, at: number, end: number): ValueName | undefined {
  if (text[end + 1] !== ';' || !isQuote(text.charCodeAt(end))) return undefined;
  const name = nameBefore(text, at);
  return name?.joint === 'space' && /(?:^|\n)[ \t]{0,20}$/.test(text.slice(Math.max(0, name.start - 21), name.start))
    ? { ...name, joint: 'assign' }
    : undefined;
}

/** Whether the content of an element ends at `at`, or behind white space there. */
function endsElement(text: string, at: number): boolean {
  const end = /(?:\]\]>)?\s{0,24}</y;
  end.lastIndex = at;
  return end.test(text);
}

function lookAtQuoted(text: string, at: number, context: Context): Find | undefined {
  const value = quotedValue(text, at);
  if (!value) return undefined;
  const name = statementBefore(text, at, value.end) ?? nameBefore(text, at);
  // "Always pass `UInt128`" is no name.
  if (
    name?.joint === 'space' &&
    /^pass$/i.test(text.slice(name.start, name.end)) &&
    !text.startsWith('#define', name.start - 8)
  )
    return undefined;
  const isNamed = name !== undefined && name.joint !== 'space' && name.joint !== 'call';
  // Most quoted words of ordinary texts end here.
  if (!isNamed && isPlain(text, value.start, value.end)) return undefined;
  return lookAtValue(text, value, name, context);
}

/** Whether the stretch has neither digits nor symbols. */
function isPlain(text: string, start: number, end: number): boolean {
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    if (
      (unit < 65 && unit !== 45 && unit !== 46) ||
      (unit > 90 && unit < 97 && unit !== 95) ||
      (unit > 122 && unit < 128)
    )
      return false;
  }
  return true;
}

function lookAtValue(
  text: string,
  { start, end, quoted }: SecretValue,
  name: ValueName | undefined,
  context: Context,
): Find | undefined {
  const isLong = end - start >= LONG_VALUE;
  if (!isLong && !(name && mayBeNamed(text, name))) return undefined;
  const kind = name ? kindWithin(text, name) : 'other';
  if (kind === 'public' || (kind === 'other' && !isLong)) return undefined;
  const value = text.slice(start, end);
  const byProvider = findNamed(text, value, name, kind, context.named());
  if (!byProvider && context.prefixed && isPrefixed(text, start, end)) return undefined;
  const find = byProvider ?? findGeneric(text, { start, end, quoted }, name, kind, context);
  if (!find) return undefined;
  const at = { start, end, ...find };
  if (hasToken(text, at, context)) return undefined;
  return context.kubernetes && !quoted && isInKubernetesSecret(text, start) ? undefined : at;
}

const SPACE = 32;
const LESS = 60;
/** A value that may be a credential whatever its name. */
const LONG_VALUE = 14;
/** Longest word before a name that belongs to it, with the space between them. */
const WORD_BEFORE = 25;

/** Whether the name, with the word before it, may be one of a credential. */
function mayBeNamed(text: string, name: ValueName): boolean {
  const { start, end } = name;
  const from = text.charCodeAt(start - 1) === SPACE ? Math.max(0, start - WORD_BEFORE) : start;
  return mayTell(text.slice(from, end)) || isOfRegistry(text, name);
}

/** What the name says; where it is a common word, with the word before it. */
function kindWithin(text: string, name: ValueName): NameKind {
  if (isOfRegistry(text, name)) return 'password';
  const { start, end } = name;
  const kind = kindOfName(text.slice(start, end));
  if (kind !== 'key' && kind !== 'other') return kind;
  const before = /(\w{2,24}) $/.exec(text.slice(Math.max(0, start - WORD_BEFORE), start));
  if (!before || PARTICLES.test(text.slice(start, end))) return kind;
  const wider = kindOfName(`${before[1]} ${text.slice(start, end)}`);
  return wider === 'other' ? kind : wider;
}

/** What is no name, though a verb such as "pass" stands before it. */
const PARTICLES = /^(?:the|an?|to|in|on|as|with|this|that|these|your|my|its|is|of|for|from|by|or|and|it)$/i;

type JudgedSecret = Pick<Find, 'score' | 'label'>;

function findGeneric(
  text: string,
  span: SecretValue,
  name: ValueName | undefined,
  kind: NameKind,
  { generic }: Context,
): JudgedSecret | undefined {
  if (generic.size === 0) return undefined;
  const joint = name?.joint ?? 'none';
  const { start, end, quoted } = span;
  if (name && (isCounted(text, name) || isOfList(text, name, span) || isSealed(text, name, span))) return undefined;
  if ((joint === 'none' || kind === 'other') && isToldByWord(text, start)) return undefined;
  const configured =
    !quoted &&
    name !== undefined &&
    (isConfigured(text, name, span) || (isElement(text, span) && NO_WORD.test(text.slice(start, end))));
  const variable = name !== undefined && isVariable(text, name.start, start);
  const login = (kind === 'key' || kind === 'secret') && LOGIN_NAME.test(text.slice(name!.start, name!.end));
  const judgement = judge({
    value: text.slice(start, end),
    kind,
    joint,
    quoted,
    configured,
    variable,
    option: name !== undefined && isOption(text, name),
    login,
  });
  if (!judgement || !generic.has(judgement.rule)) return undefined;
  return { score: judgement.score, label: `secrets:${judgement.rule}` };
}

/** Words in elements are mostly shown to people. */
const NO_WORD = /[\d!-,:-@^`~]/;

/** Whether the value is all that an element has. */
const isElement = (text: string, { start, end }: SecretValue): boolean =>
  endsElement(text, end) && />\s*(?:<!\[CDATA\[)?$/.test(text.slice(Math.max(0, start - NEAR), start));
