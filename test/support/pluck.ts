/** The values of one property of each in a list; of several, a list for each. */
export function pluck<T, K extends keyof T>(list: readonly T[], name: K): T[K][];
export function pluck<T, K extends keyof T>(list: readonly T[], ...names: K[]): T[K][][];
/** The same of parsed JSON, which has no type. */
export function pluck(list: readonly unknown[], ...names: string[]): unknown[];
export function pluck(list: readonly unknown[], ...names: PropertyKey[]): unknown[] {
  return (list as readonly Record<PropertyKey, unknown>[]).map((one) =>
    names.length === 1 ? one[names[0]!] : names.map((name) => one[name]),
  );
}
