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

/** Runs it in this process against a Redis. */
export async function weirOn(redisUrl: string, ...args: string[]): Promise<Ran> {
  const before = process.env.WEIR_REDIS_URL;
  process.env.WEIR_REDIS_URL = redisUrl;
  try {
    return await weir(...args);
  } finally {
    if (before === undefined) delete process.env.WEIR_REDIS_URL;
    else process.env.WEIR_REDIS_URL = before;
  }
}
