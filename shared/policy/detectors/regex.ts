/** Patterns that people write. */
import { type Cursor, complain, noteShape, textOf } from '../../configuration/read/fields.js';
import { lastShown, type OpenFrom } from '../engine/open.js';
import { neededTexts, requiredLiterals } from '../engine/probes/literals.js';
import { compilePattern } from '../engine/probes/pattern.js';
import type { Interest, PatternProbe } from '../engine/probes/probe.js';
import type { Detector } from './detector.js';
import { CONTEXT_HELP, parametersAt, readContext, readPatterns, requireSome } from './parameters.js';

export interface RegexParameters {
  patterns: string[];
  /** of `i` (case-insensitive), `m` (^ and $ match at lines), `s` (dot matches line breaks) */
  flags: string;
  context: number;
}

export const regex: Detector<RegexParameters> = {
  help: 'patterns, in time linear in the text',
  parameters: {
    patterns: 'patterns in RE2 syntax',
    flags: 'of i (any case), m (^ and $ at lines), s (dot matches line breaks) [none]',
    context: CONTEXT_HELP,
  },
  read,
  text: {
    interests,
    open: ({ patterns }) => (patterns.every(isBounded) ? openFor(patterns) : undefined),
    anchored: ({ patterns }) => patterns.some((pattern) => pattern.includes('^') || pattern.includes('\\A')),
  },
};

function read(cursor: Cursor): RegexParameters | undefined {
  const fields = parametersAt(cursor, regex);
  if (!fields) return undefined;
  const flags = readFlags(fields.get('flags'));
  const patterns = readPatterns(fields.get('patterns'), flags);
  requireSome(fields.get('patterns'), 'a list of at least one pattern');
  return { patterns, flags, context: readContext(fields) };
}

const FLAGS = 'flags among i (any case), m (^ and $ at lines), s (dot matches line breaks), each at most once';

function readFlags(cursor: Cursor): string {
  const flags = cursor.value === '' ? '' : textOf(cursor, { default: '', expected: FLAGS });
  noteShape(cursor, { minLength: 0, pattern: '^[ims]{0,3}$' });
  if (/^[ims]{0,3}$/.test(flags) && new Set(flags).size === flags.length) return flags;
  complain(cursor, `expected ${FLAGS}`);
  return '';
}

function interests({ patterns, flags }: RegexParameters): Interest[] {
  return patterns.map((pattern, index) => ({
    key: `regex:${index}:${flags}:${pattern}`,
    probe: (): PatternProbe => ({
      kind: 'pattern',
      label: `regex:${index}`,
      views: ['raw', 'nfkc'],
      literals: requiredLiterals(pattern),
      needs: neededTexts(pattern),
      pattern,
      flags,
      compiled: compilePattern(pattern, flags),
    }),
  }));
}

/** Quotations, escaped signs and classes: what stands in them repeats and anchors nothing. */
const LITERAL = /\\Q[\s\S]*?(?:\\E|$)|\\[^AzQ]|\[\^?\]?(?:\[:\w+:\]|\\[\s\S]|[^\]\\])*\]/g;
/** Repetitions without a bound, and anchors of the whole text or of lines. */
const UNBOUNDED = /[*+^$]|\{\d+,\}|\\[Az]/;

const isBounded = (pattern: string): boolean => !UNBOUNDED.test(pattern.replace(LITERAL, '.'));

/** Without repetitions that have no bound, each step of the compiled pattern takes one character at most. */
function openFor(patterns: readonly string[]): OpenFrom {
  const longest = Math.max(...patterns.map((pattern) => compilePattern(pattern, '').programSize()));
  return (text) => lastShown(text, longest + 1);
}
