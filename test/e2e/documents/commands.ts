/** Commands of examples in shell: the first of each name is a process, what follows runs in the process of the test. */
import { mkdirSync, mkdtempSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { packageRoot } from '#weir/shared/paths';
import { weir } from '../../deploy/cli/support.ts';
import { type Origin, startOrigin } from '../../support/network/origin.ts';

/** Runs what `npx` would run, without the second that npm takes to find it. */
const npx = (url: string): string => `#!/bin/sh
[ "$1" = weir ] || exec "node_modules/.bin/$@"
shift
started="\${0%/*}/../started/$1"
[ -e "$started" ] || { : > "$started" && exec node deploy/cli/weir.mjs "$@"; }
ran=$(printf '%s\\0' "$PWD" "$@" | curl -sS --data-binary @- ${url})
cat "$ran/out"
cat "$ran/err" >&2
exit "$(cat "$ran/code")"
`;

/** Puts `npx` into the folder `bin` of `home`. Close what it returns. */
export async function startCommands(home: string): Promise<Origin> {
  const ran = join(home, 'ran');
  for (const folder of ['bin', 'started', 'ran']) mkdirSync(join(home, folder));
  const origin = await startOrigin((request, response) => {
    void text(request).then(async (sent) => {
      const [cwd, ...args] = sent.split('\0').slice(0, -1);
      process.chdir(cwd!);
      const { code, out, err } = await weir(...args).finally(() => process.chdir(packageRoot));
      const folder = mkdtempSync(join(ran, '-'));
      for (const [name, said] of Object.entries({ out, err })) {
        writeFileSync(join(folder, name), said === '' ? '' : `${said}\n`);
      }
      writeFileSync(join(folder, 'code'), String(code));
      response.end(folder);
    });
  });
  writeFileSync(join(home, 'bin', 'npx'), npx(`http://127.0.0.1:${origin.port}`), { mode: 0o755 });
  return origin;
}
