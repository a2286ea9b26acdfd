/** Least squares: what several loads cost, as a sum of what their parts cost. */

/** One measurement: `amounts` of each part, which cost `total` together. */
export interface FitPoint {
  amounts: readonly number[];
  total: number;
}

/**
 * The cost of each part by which the totals of `points` are missed least, relative to each total. No cost is negative: a
 * part that would be is left out, and the others are fitted again.
 */
export function fitCosts(points: readonly FitPoint[]): number[] {
  const parts = points[0]?.amounts.length ?? 0;
  let used = Array.from({ length: parts }, (_, i) => i).filter((i) => points.some(({ amounts }) => amounts[i] !== 0));
  // A total of nothing says that its parts cost nothing, and has no relative error.
  const measured = points.filter(({ total }) => total > 0);
  if (measured.length === 0) return Array.from({ length: parts }, () => 0);
  for (;;) {
    const found = solve(measured, used);
    const worst = found.reduce((low, cost, i) => (cost < found[low]! ? i : low), 0);
    if (used.length === 0 || found[worst]! >= 0) {
      return Array.from({ length: parts }, (_, i) => (used.includes(i) ? found[used.indexOf(i)]! : 0));
    }
    used = used.filter((_, i) => i !== worst);
  }
}

/** Costs of the parts `used`, by the normal equations. */
function solve(points: readonly FitPoint[], used: readonly number[]): number[] {
  const rows = points.map(({ amounts, total }) => used.map((i) => amounts[i]! / total));
  // Parts differ by orders of magnitude; scaled to one, the equations are well conditioned.
  const scale = used.map((_, i) => Math.max(...rows.map((row) => Math.abs(row[i]!))));
  const scaled = rows.map((row) => row.map((value, i) => value / scale[i]!));
  const matrix = used.map((_, i) => [
    ...used.map((_, j) => scaled.reduce((sum, row) => sum + row[i]! * row[j]!, 0)),
    scaled.reduce((sum, row) => sum + row[i]!, 0),
  ]);
  return eliminate(matrix).map((value, i) => value / scale[i]!);
}

/** Solves linear equations, each a row with its right side last. Parts that cannot be told apart cost 0. */
function eliminate(matrix: number[][]): number[] {
  const size = matrix.length;
  for (let column = 0; column < size; column++) {
    const below = matrix.slice(column).map((row) => Math.abs(row[column]!));
    const pivot = column + below.indexOf(Math.max(...below));
    [matrix[column], matrix[pivot]] = [matrix[pivot]!, matrix[column]!];
    if (Math.abs(matrix[column]![column]!) < 1e-12) continue;
    for (let row = 0; row < size; row++) {
      if (row === column) continue;
      const factor = matrix[row]![column]! / matrix[column]![column]!;
      for (let k = column; k <= size; k++) matrix[row]![k]! -= factor * matrix[column]![k]!;
    }
  }
  return matrix.map((row, i) => (Math.abs(row[i]!) < 1e-12 ? 0 : row[size]! / row[i]!));
}
