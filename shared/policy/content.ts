/** What is checked of a JSON value: its keys and string values, in document order, joined by newlines. */

/** Deeper levels are not read; a body that reaches the engine has at most 64. */
const MAX_DEPTH = 200;

/** A string is itself; of an object or array, its keys and strings; of anything else, nothing. */
export function textOf(value: unknown): string {
  if (typeof value === 'string') return value;
  const parts: string[] = [];
  collect(value, parts, 0);
  return parts.join('\n');
}

function collect(value: unknown, parts: string[], depth: number): void {
  if (typeof value === 'string') parts.push(value);
  else if (Array.isArray(value)) {
    if (depth < MAX_DEPTH) for (const item of value) collect(item, parts, depth + 1);
  } else if (typeof value === 'object' && value !== null && depth < MAX_DEPTH) {
    for (const key of Object.keys(value)) {
      parts.push(key);
      collect((value as Record<string, unknown>)[key], parts, depth + 1);
    }
  }
}
