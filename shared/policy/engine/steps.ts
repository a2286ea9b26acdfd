/**
 * A bound of the work that one look spends on a text, counted in steps and not in time, so that it is the same everywhere. It grows with
 * the text and has a floor. What is evaluated in full stays far below it; what exceeds it throws, and its detectors "could not run".
 */
export interface LookSteps {
  left: number;
}

/** Steps of a text of `length` units: `each` for a unit, and `floor` for the shortest. */
export const stepsFor = (length: number, each: number, floor: number): LookSteps => ({ left: floor + each * length });

/** Steps of sweeps over a text and all that it holds, together. Of what is hidden or encoded there may be hundreds of short texts. */
export const sweepSteps = (length: number): LookSteps => stepsFor(length, 12, 12_000);

/** Takes `count` steps. Throws a RangeError where fewer are left. */
export function spend(steps: LookSteps, count: number): void {
  steps.left -= count;
  if (steps.left < 0) throw new RangeError('the text takes more steps than a text of its length may');
}
