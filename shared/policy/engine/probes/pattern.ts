/** Patterns that people write: RE2 syntax, matched in linear time, with a bound of their size. */
import { RE2JS } from 're2js';

const MAX_PATTERN_LENGTH = 1000;
/** A compiled pattern costs at most about this many steps for each character of a text. */
const MAX_PATTERN_STEPS = 2000;

/** Compiles `pattern` with flags among `i`, `m`, `s`. Throws an error with a message for the author of the pattern. */
export function compilePattern(pattern: string, flags: string): RE2JS {
  if (pattern.length > MAX_PATTERN_LENGTH) throw new Error(`a pattern has at most ${MAX_PATTERN_LENGTH} characters`);
  let bits = 0;
  if (flags.includes('i')) bits |= RE2JS.CASE_INSENSITIVE;
  if (flags.includes('m')) bits |= RE2JS.MULTILINE;
  if (flags.includes('s')) bits |= RE2JS.DOTALL;
  let compiled: RE2JS;
  try {
    compiled = RE2JS.compile(pattern, bits);
  } catch (error) {
    throw new Error(explain(pattern, error));
  }
  const steps = compiled.programSize();
  if (steps > MAX_PATTERN_STEPS) {
    throw new Error(`the pattern is too large (${steps} steps, at most ${MAX_PATTERN_STEPS}); use smaller repetitions`);
  }
  if (compiled.test('')) throw new Error('the pattern matches the empty text, so it would flag everything');
  return compiled;
}

function explain(pattern: string, error: unknown): string {
  const reason = (error instanceof Error ? error.message : String(error)).split('\n')[0]!;
  const foreign = /\(\?<?[=!]|\\[1-9]|\(\?>|[*+?}]\+/.test(pattern);
  const hint = foreign ? '; look-around, back-references and possessive repetitions are not in RE2' : '';
  return `expected a pattern in RE2 syntax: ${reason}${hint}`;
}
