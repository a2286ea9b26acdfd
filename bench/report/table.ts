/** Numbers and tables of a report. */

export const whole = (n: number): string => Math.round(n).toLocaleString('en-US');
export const fixed = (n: number, digits: number = 1): string => n.toFixed(digits);

/** A Markdown table; the first column is aligned to the left, the others to the right. */
export function table(head: readonly string[], rows: readonly (readonly string[])[]): string {
  const widths = head.map((title, c) => Math.max(title.length, 4, ...rows.map((row) => row[c]!.length)));
  const line = (cells: readonly string[]): string =>
    `| ${cells.map((cell, c) => (c === 0 ? cell.padEnd(widths[c]!) : cell.padStart(widths[c]!))).join(' | ')} |`;
  const rule = widths.map((width, c) => (c === 0 ? '-'.repeat(width) : `${'-'.repeat(width - 1)}:`));
  return [line(head), `| ${rule.join(' | ')} |`, ...rows.map(line)].join('\n');
}
