/** Credentials of providers that are told by the name of the provider, in the name of the value or near it. */
import type { Find } from '../../engine/probes/probe.js';
import type { LiteralIndex } from './literal-index.js';
import { compactOf, type NameKind } from './names.js';
import { isExample, isReference } from './placeholders.js';
import { entropyOf, wordinessOf } from './randomness.js';
import type { NamedRule } from './rule.js';
import type { ValueName } from './values.js';

/** So far before the name of a value the provider may be named. */
const NEAR = 48;
const FEW_LETTERS = 4;
const compiled = new Map<NamedRule, RegExp>();

function fits(rule: NamedRule, value: string): boolean {
  let pattern = compiled.get(rule);
  if (!pattern) {
    pattern = new RegExp(`^(?:${rule.pattern})$`);
    compiled.set(rule, pattern);
  }
  return pattern.test(value) && entropyOf(value) >= rule.entropy;
}

/** The credential of a provider whose name is in the name of the value, or near it. */
export function findNamed(
  text: string,
  value: string,
  name: Pick<ValueName, 'start' | 'end'> | undefined,
  kind: NameKind,
  index: LiteralIndex<NamedRule>,
): Pick<Find, 'score' | 'label'> | undefined {
  if (!name || value.length < 11 || !(/\d/.test(value) || (value.length >= 16 && wordinessOf(value) < 0.45)))
    return undefined;
  const near = compactOf(text, Math.max(0, name.start - NEAR), name.end);
  const own = near.text.length - compactOf(text, name.start, name.end).text.length;
  let best: NamedRule | undefined;
  let bestRank = 0;
  for (let i = 0; i < near.text.length; i++) {
    index.at(near.text, i, (rule, word) => {
      const isOwn = i + word.length > own;
      if ((!isOwn && kind === 'other') || !isWord(near, i, word)) return;
      const rank = word.length + (isOwn ? 100 : 0) + rule.score;
      if (rank > bestRank && fits(rule, value)) {
        best = rule;
        bestRank = rank;
      }
    });
  }
  if (!best || isExample(value) || isReference(value) || wordinessOf(value) >= 0.65) return undefined;
  return { score: best.score, label: `secrets:${best.name}` };
}

/** A short word is the name of a provider only where a word starts and ends. */
function isWord({ text, starts }: { text: string; starts: Uint8Array }, at: number, word: string): boolean {
  if (word.length > FEW_LETTERS) return true;
  if (starts[at] !== 1) return false;
  const end = at + word.length;
  return (
    end === text.length ||
    starts[end] === 1 ||
    /^(?:api|key|token|secret|auth|access|pass|pwd|client|app)/.test(text.slice(end, end + 6))
  );
}
