/** A text with what was found in it marked. Finds may overlap: each has a number, which the list of finds has, too. */
import type { VNode } from 'preact';

export interface NumberedFind {
  number: number;
  /** UTF-16 units */
  start: number;
  end: number;
}

interface Stretch {
  text: string;
  /** it is in one find at least */
  found: boolean;
  /** of the finds that end with it */
  numbers: number[];
}

/** The text in stretches that begin and end where a find does. */
export function stretchesOf(text: string, finds: readonly NumberedFind[]): Stretch[] {
  const within = finds.filter(({ start, end }) => end > start && start < text.length);
  const edges = [
    ...new Set([0, text.length, ...within.flatMap(({ start, end }) => [start, Math.min(end, text.length)])]),
  ];
  edges.sort((a, b) => a - b);
  return edges.slice(0, -1).map((from, i) => {
    const to = edges[i + 1]!;
    const over = within.filter(({ start, end }) => start <= from && end >= to);
    const ending = over.filter(({ end }) => Math.min(end, text.length) === to);
    return { text: text.slice(from, to), found: over.length > 0, numbers: ending.map(({ number }) => number) };
  });
}

export const Marked = ({ text, finds }: { text: string; finds: readonly NumberedFind[] }): VNode => (
  <pre class="marked">
    {stretchesOf(text, finds).map(({ text: part, found, numbers }, i) => (
      <span key={i}>
        {found ? <mark>{part}</mark> : part}
        {numbers.length > 0 && <sup>{numbers.join(' ')}</sup>}
      </span>
    ))}
  </pre>
);
