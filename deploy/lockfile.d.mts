export function unchecked(lockfile: { packages?: Record<string, Record<string, unknown>> }): string[];
