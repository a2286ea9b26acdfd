import type { StreamResult } from '../../api/types.js';

/** A stream violates a policy. Thrown by what `guardStream` returns, in place of the next chunk. */
export class WeirViolation extends Error {
  /** the verdict: `policies` has those that are violated */
  readonly answer: StreamResult;
  /** names of the policies that are violated */
  readonly violated: readonly string[];

  constructor(answer: StreamResult) {
    const violated = Object.values(answer.policies).flatMap(({ flagged, name }) => (flagged ? [name] : []));
    super(`The stream violates ${violated.map((name) => `"${name}"`).join(', ') || 'a policy'}.`);
    this.name = 'WeirViolation';
    this.answer = answer;
    this.violated = violated;
  }
}
