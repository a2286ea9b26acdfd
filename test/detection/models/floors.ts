/** Shares that the shipped models must reach, and must not pass. */
export const FLOORS = {
  hateFound: 0.88,
  hateWrong: 0.18,
  attacksFound: 0.68,
  attacksWrong: 0.08,
  ordinary: 0.01,
  found: { sexual: 0.85, violence: 0.8, self_harm: 0.85 } as Record<string, number>,
};
