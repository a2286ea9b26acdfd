/** Whether an output is what a document shows. */

/** What a document shows as an example of itself, and what stands for it; the first that matches. */
const ANY_SUCH: readonly [RegExp, string][] = [
  [/"…":"…"|…/, '[\\s\\S]*?'],
  [/[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[0-9a-f]{4}-[0-9a-f]{12}/, '[0-9a-f-]{36}'],
  [/\d{4}-\d\d-\d\d[T ]?\d\d:\d\d:\d\d(?:\.\d+)?/, '\\d{4}-\\d\\d-\\d\\d[T ]?\\d\\d:\\d\\d:\\d\\d(?:\\.\\d+)?'],
  [/\bwk_\w+/, 'wk_\\w+'],
  [/[0-9a-f]{64}/, '[0-9a-f]{64}'],
  [/─+/, '─+'],
];
const FIGURE: [RegExp, string] = [/\d+(?:\.\d+)?/, '\\d+(?:\\.\\d+)?'];

const quoted = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
const spaced = (text: string): string => text.trim().replace(/\s+/g, ' ');
const bare = (text: string): string => text.replace(/\s+/g, '');

/**
 * Whether `output` is `shown`: `…` stands for anything, an id of Weir's or a time for any other. White space does
 * not count in JSON; in text it counts as one space, and a figure stands for any other figure.
 */
export function isAsShown(shown: string, output: string, kind: 'json' | 'text'): boolean {
  const packed = kind === 'json' ? bare : spaced;
  const such = kind === 'json' ? ANY_SUCH : [...ANY_SUCH, FIGURE];
  const pattern = new RegExp(such.map(([example]) => `(${example.source})`).join('|'), 'g');
  let expected = '';
  let at = 0;
  const text = packed(shown);
  for (const match of text.matchAll(pattern)) {
    const found = match.slice(1).findIndex((group) => group !== undefined);
    expected += quoted(text.slice(at, match.index)) + such[found]![1];
    at = match.index + match[0].length;
  }
  return new RegExp(`^${expected}${quoted(text.slice(at))}$`).test(packed(output));
}
