/** Only ends a run that hangs: a test passes however slow the machine is. */
const LIMIT_MS = 240_000;

/** Waits until `condition` holds; fails with `what` where it never does. The longer it has waited, the less often it looks. */
export async function until(what: string, condition: () => boolean | Promise<boolean>): Promise<void> {
  const started = performance.now();
  let timer: NodeJS.Timeout | undefined;
  // Also one that never says whether it holds.
  const inVain = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(new Error(`waited ${LIMIT_MS} ms in vain: ${what}`)), LIMIT_MS);
  });
  try {
    while (!(await Promise.race([condition(), inVain]))) {
      const waited = performance.now() - started;
      await Promise.race([sleep(Math.min(100, Math.max(10, waited / 10))), inVain]);
    }
  } finally {
    clearTimeout(timer);
  }
}

export const sleep = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

/** Something that waits at `open` until the test calls `end`. */
export function gate(): { open: Promise<void>; end(): void } {
  let end = (): void => {};
  const open = new Promise<void>((resolve) => {
    end = resolve;
  });
  return { open, end };
}
