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
