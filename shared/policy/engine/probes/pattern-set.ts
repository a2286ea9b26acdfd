/** Which of many patterns may match a text, told in one pass, and the search for one of them. */
import { RE2JS, RE2Set } from 're2js';
import type { Find, PatternProbe } from './probe.js';

/** So many finds within earlier texts are passed over one by one, which bounds what earlier texts can cost. */
const MAX_FINDS = 200;
/** Steps of a pattern that may be in a set. */
const MAX_SET_SIZE = 64;
/** Memory that the states of one set may take, bytes. */
const SET_MEMORY = 8 * 1024 * 1024;

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

export interface PatternSet {
  /** indexes into the list it was built from */
  match(text: string): number[];
}

/**
 * Sets over `probes`, as few as fit. A word boundary keeps a set from running as an automaton, so boundaries are left out: the set
 * may then name a pattern that does not match, but misses none. A pattern with large repetitions would need too many states, so
 * it is tried alone.
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

/** `pattern` with an empty group for each `\b` and `\B` outside of classes. */
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
      // A closing bracket right after the opening one is a literal.
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
