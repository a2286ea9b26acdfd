import { run } from '#weir/deploy/cli/main';

export interface Ran {
  code: number;
  out: string;
  err: string;
}

/** Runs the command line in this process. */
export async function weir(...args: string[]): Promise<Ran> {
  const out: string[] = [];
  const err: string[] = [];
  const code = await run(args, { out: (line) => out.push(line), err: (line) => err.push(line) });
  return { code, out: out.join('\n'), err: err.join('\n') };
}

/** Runs it in this process with these variables. */
export async function weirWith(variables: Record<string, string>, ...args: string[]): Promise<Ran> {
  const before = { ...process.env };
  Object.assign(process.env, variables);
  try {
    return await weir(...args);
  } finally {
    process.env = before;
  }
}

/** Runs `weir redis failover` against a Redis. */
export const failOver = (redisUrl: string, ...args: string[]): Promise<Ran> =>
  weirWith({ WEIR_REDIS_URL: redisUrl }, 'redis', 'failover', ...args);
