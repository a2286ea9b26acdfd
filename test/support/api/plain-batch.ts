/** Batches for the two readers of plain ones, of ingress and of the worker. */
import fc from 'fast-check';

export const message = { type: 'message', role: 'user', content: 'x', event_id: 'a' };

export const batch = (...events: unknown[]): Record<string, unknown> & { events: unknown[] } => ({
  environment_id: 'prod',
  run_id: 'r',
  events,
});

const SIGNS = ['"', '\\', '{', '}', '[', ']', ',', ':', ' ', '\n', '0', '-', 'e', '\u0000', 'é'];
const PIECES = [
  'null',
  'true',
  '\\u00',
  '\\u0041',
  '"x":',
  ',"run_id":"q"',
  '-2',
  ',"parent":"m"',
  ',"links":["m"]',
  '"a":1,',
];

/** `json` with a piece or two of it cut out, or put in. */
export function changed(json: string): fc.Arbitrary<string> {
  const edit = fc.record({
    at: fc.nat(json.length),
    cut: fc.nat(12),
    put: fc.constantFrom('', ...SIGNS, ...PIECES),
  });
  return fc
    .array(edit, { minLength: 1, maxLength: 2 })
    .map((edits) => edits.reduce((text, { at, cut, put }) => text.slice(0, at) + put + text.slice(at + cut), json));
}
