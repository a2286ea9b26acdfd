/** Finds credentials that are told by their form. */
import type { Find } from '../../engine/probes/probe.js';
import { isExample } from './placeholders.js';
import { entropyOf, wordinessOf } from './randomness.js';
import type { TokenRule } from './rule.js';

const HYPHEN = 45;
/** So much of a long credential says how random it is. */
const MOST_JUDGED = 512;
/** Share of frequent pairs of letters from which on a text is words. */
const MOST_WORDS = 0.6;

function isTokenUnit(unit: number): boolean {
  const lower = unit | 32;
  return (unit >= 48 && unit <= 57) || (lower >= 97 && lower <= 122) || unit === 95;
}

const compiled = new Map<TokenRule, RegExp>();

/** Patterns are compiled when they are first needed: most never are. */
function patternOf(rule: TokenRule): RegExp {
  let pattern = compiled.get(rule);
  if (!pattern) {
    pattern = new RegExp(`${rule.pattern}(?![A-Za-z0-9_-])`, 'y');
    compiled.set(rule, pattern);
  }
  return pattern;
}

/** The credential of `rule` whose literal, one of those of the rule, is at `at`. */
export function findToken(rule: TokenRule, text: string, at: number): Find | undefined {
  const earliest = rule.before === undefined ? at : startOfToken(text, at, rule.before, rule.extra ?? '');
  // A credential within a longer word is part of something else.
  if (isInWord(text, earliest, rule.dashed === true)) return undefined;
  const pattern = patternOf(rule);
  pattern.lastIndex = earliest;
  const match = pattern.exec(text);
  if (!match) return undefined;
  const secret = match[1] ?? match[0];
  const start = earliest + match[0].lastIndexOf(secret);
  if (entropyOf(secret.slice(0, MOST_JUDGED)) < rule.entropy) return undefined;
  const part = randomPart(rule, secret);
  if (rule.check ? !rule.check(secret) : isExample(part)) return undefined;
  if (rule.random && (!/\d/.test(part) || wordinessOf(part.slice(0, MOST_JUDGED)) >= MOST_WORDS)) return undefined;
  return { start, end: start + secret.length, score: rule.score, label: `secrets:${rule.name}` };
}

/** Whether a token that starts at `start` continues a word. An escape such as `\n` or `%3D` before it is no word. */
function isInWord(text: string, start: number, dashed: boolean): boolean {
  const outside = text.charCodeAt(start - 1);
  if (dashed && outside === HYPHEN) return true;
  if (!isTokenUnit(outside)) return false;
  return text[start - 2] !== '\\' && text[start - 3] !== '%';
}

/** What stands behind the literal of a credential, which is no part of what is random in it. */
function randomPart({ literals }: TokenRule, secret: string): string {
  const literal = literals.find((each) => secret.startsWith(each));
  return literal === undefined ? secret : secret.slice(literal.length);
}

/** Where the token that holds the literal starts, at most `most` characters before it. */
function startOfToken(text: string, at: number, most: number, extra: string): number {
  let start = at;
  while (start > 0 && at - start < most) {
    const unit = text.charCodeAt(start - 1);
    if (!isTokenUnit(unit) && unit !== HYPHEN && !extra.includes(text[start - 1]!)) break;
    start--;
  }
  return start;
}
