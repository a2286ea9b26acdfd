/** Evidence leads to what it says was found, in the unit that was asked for. */
import assert from 'node:assert/strict';
import fc from 'fast-check';
import type { EventPolicyResult, OffsetUnit } from '#weir/shared/api/types';
import type { Request } from './request.ts';

type ExplainedPolicies = Record<string, Pick<EventPolicyResult, 'flagged' | 'severity' | 'evidence'>>;

const flag = fc.constantFrom(undefined, undefined, 'true', 'True', '1', 'false', '0');

/** What a query asks of policies; nothing that contradicts itself. */
export const viewQuery: fc.Arbitrary<Record<string, string>> = fc
  .record({
    explain: flag,
    matched: flag,
    offsets: fc.constantFrom(undefined, undefined, 'utf16', 'codepoints', 'bytes'),
  })
  .map((view) => {
    const wants = isTrue(view.matched) || (view.offsets ?? 'utf16') !== 'utf16';
    if (wants && view.explain !== undefined) view.explain = 'true';
    const asked: Record<string, string> = {};
    for (const [name, value] of Object.entries(view)) if (value !== undefined) asked[name] = value;
    return asked;
  });

const isTrue = (value: string | null | undefined): boolean => /^(true|1)$/i.test(value ?? '');

const CUTS: Record<OffsetUnit, (text: string, start: number, end: number) => string> = {
  utf16: (text, start, end) => text.slice(start, end),
  codepoints: (text, start, end) => Array.from(text).slice(start, end).join(''),
  bytes: (text, start, end) => Buffer.from(text).subarray(start, end).toString(),
};

/** `content`: what paths begin at, or the string that evidence without a path is in. */
export function assertEvidence({ query }: Request, content: unknown, policies: ExplainedPolicies): void {
  const asked = new URLSearchParams(query.join('&'));
  const unit = (asked.get('offsets') || 'utf16') as OffsetUnit;
  const matched = isTrue(asked.get('matched'));
  const explained = matched || unit !== 'utf16' || isTrue(asked.get('explain'));
  for (const { flagged, severity, evidence } of Object.values(policies)) {
    assert.equal(severity !== undefined, explained);
    assert.equal(evidence !== undefined, explained && flagged);
    for (const one of evidence ?? []) {
      assert.equal(one.matched !== undefined, matched && one.source === 'text', JSON.stringify(one));
      const text = one.source === 'text' && one.end > 0 && one.index === undefined ? at(content, one.path) : undefined;
      if (one.matched === undefined || typeof text !== 'string') continue;
      const cut = CUTS[unit](text, one.start, one.end);
      // A surrogate without its other half has no bytes of its own.
      assert.equal(cut, unit === 'bytes' ? Buffer.from(one.matched).toString() : one.matched);
    }
  }
}

function at(content: unknown, path = ''): unknown {
  const steps = path.split('/').slice(1);
  return steps.reduce((value: unknown, step) => {
    const name = step.replaceAll('~1', '/').replaceAll('~0', '~');
    return typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[name] : undefined;
  }, content);
}

/** Policies without what only an explanation has. */
export const bare = (policies: object): object =>
  Object.fromEntries(
    Object.entries(policies).map(([id, { severity: _, evidence: __, ...rest }]) => [id, rest as unknown]),
  );
