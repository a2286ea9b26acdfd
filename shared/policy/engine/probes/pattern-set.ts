/** Patterns of a policy. Only texts that hold a required literal, or that the pattern set hits, are searched. */
import { RE2JS, RE2Set } from 're2js';
import type { RegexParameters } from '../../../configuration/types.js';
import { requiredLiterals } from './literals.js';
import { compilePattern } from './pattern.js';
import type { Find, Interest, PatternProbe } from './probe.js';

/** Finds looked at before the first that reaches into the current text: bounds what earlier texts can cost. */
const MAX_FINDS = 200;
/** Steps of a pattern that may be in a set. */
const MAX_SET_SIZE = 64;
/** Memory that the states of one set may take, bytes. */
const SET_MEMORY = 8 * 1024 * 1024;

export function regexInterests(parameters: RegexParameters): Interest[] {
  return parameters.patterns.map((pattern, index) => ({
    key: `regex:${index}:${parameters.flags}:${pattern}`,
    probe: (): PatternProbe => ({
      kind: 'pattern',
      label: `regex:${index}`,
      views: ['raw', 'nfkc'],
      literals: requiredLiterals(pattern),
      pattern,
      flags: parameters.flags,
      compiled: compilePattern(pattern, parameters.flags),
    }),
  }));
}

/** Whether a pattern may hold of a text and not of the same text behind earlier ones. */
export function isAnchored(parameters: RegexParameters): boolean {
  return parameters.patterns.some((pattern) => pattern.includes('^') || pattern.includes('\\A'));
}

/** First match of `probe` that ends beyond `from`. */
export function findPattern(probe: PatternProbe, text: string, from: number): Find | undefined {
  const matcher = probe.compiled.matcher(text);
  for (let n = 0; n < MAX_FINDS; n++) {
    if (!matcher.find()) return undefined;
    if (matcher.end() > from) return { start: matcher.start(), end: matcher.end(), score: 1 };
  }
  if (!matcher.find(from)) return undefined;
  return { start: matcher.start(), end: matcher.end(), score: 1 };
}

/** Which of many patterns may match a text, in one pass. */
export interface PatternSet {
  /** indexes into the list it was built from */
  match(text: string): number[];
}

/**
 * Sets over `probes`, as few as fit. Word boundaries would keep a set from running as an automaton, so they are left
 * out: a set then says yes where the pattern itself may not, never the other way round. Patterns with large repetitions
 * would make the states of a set too many; each of those is tried on its own.
 */
export function buildSets(probes: readonly PatternProbe[]): PatternSet {
  const relaxed = probes.map((probe) => withFlags(withoutBoundaries(probe.pattern), probe.flags));
  const small: number[] = [];
  const alone: { index: number; compiled: RE2JS }[] = [];
  probes.forEach((probe, index) => {
    if (probe.compiled.programSize() <= MAX_SET_SIZE) small.push(index);
    else alone.push({ index, compiled: RE2JS.compile(relaxed[index]!) });
  });
  const sets = build(
    small.map((index) => relaxed[index]!),
    0,
  );
  return {
    match(text) {
      const matched: number[] = [];
      for (const set of sets) for (const index of set.match(text)) matched.push(small[index]!);
      for (const { index, compiled } of alone) if (compiled.test(text)) matched.push(index);
      return matched;
    },
  };
}

function build(patterns: readonly string[], offset: number): PatternSet[] {
  if (patterns.length === 0) return [];
  try {
    const set = new RE2Set(RE2Set.UNANCHORED, 0, SET_MEMORY);
    for (const pattern of patterns) set.add(pattern);
    set.compile();
    return [{ match: (text) => (offset === 0 ? set.match(text) : set.match(text).map((id) => id + offset)) }];
  } catch (error) {
    if (patterns.length === 1) throw error;
    const half = patterns.length >> 1;
    return [...build(patterns.slice(0, half), offset), ...build(patterns.slice(half), offset + half)];
  }
}

function withFlags(pattern: string, flags: string): string {
  return flags === '' ? pattern : `(?${flags}:${pattern})`;
}

/** `pattern` with `\b` and `\B` outside of classes made empty. */
export function withoutBoundaries(pattern: string): string {
  if (pattern.includes('\\Q')) return pattern;
  let inClass = false;
  let out = '';
  for (let i = 0; i < pattern.length; i++) {
    const character = pattern[i]!;
    if (character === '\\') {
      const next = pattern[++i] ?? '';
      out += !inClass && (next === 'b' || next === 'B') ? '(?:)' : character + next;
      continue;
    }
    if (!inClass && character === '[') {
      inClass = true;
      out += character;
      // A bracket right after the opening one is a literal.
      if (pattern[i + 1] === '^') out += pattern[++i]!;
      if (pattern[i + 1] === ']') out += pattern[++i]!;
      continue;
    }
    if (inClass && character === '[' && pattern[i + 1] === ':') {
      const end = pattern.indexOf(':]', i);
      if (end > 0) {
        out += pattern.slice(i, end + 2);
        i = end + 1;
        continue;
      }
    }
    if (inClass && character === ']') inClass = false;
    out += character;
  }
  return out;
}
