/** Programs that run another one, and where that begins. */
import type { Word } from './words.js';

/** Options of programs that run another one, which have a value. A number says how many operands come before it. */
export const WRAPPERS: Readonly<Record<string, { valued: string; operands?: number }>> = {
  sudo: { valued: 'u g h p C r t T U D R' },
  doas: { valued: 'u C' },
  env: { valued: 'u C chdir unset' },
  nice: { valued: 'n' },
  ionice: { valued: 'c n p' },
  nohup: { valued: '' },
  setsid: { valued: '' },
  time: { valued: 'f o' },
  timeout: { valued: 's k signal kill-after', operands: 1 },
  stdbuf: { valued: 'i o e' },
  exec: { valued: 'a' },
  command: { valued: '' },
  builtin: { valued: '' },
  busybox: { valued: '' },
  toybox: { valued: '' },
  xargs: { valued: 'I n P L d a s E i l max-args max-procs delimiter' },
  parallel: { valued: 'j jobs' },
  chroot: { valued: '', operands: 1 },
  unshare: { valued: '' },
  fakeroot: { valued: '' },
  strace: { valued: 'o e p s' },
  ltrace: { valued: 'o e p s' },
  watch: { valued: 'n interval' },
  flock: { valued: 'w E', operands: 1 },
  proxychains: { valued: 'f' },
  caffeinate: { valued: 't w' },
  nsenter: { valued: 't target' },
  'systemd-run': { valued: 'p unit' },
  winpty: { valued: '' },
  start: { valued: '' },
  call: { valued: '' },
  npx: { valued: 'p package' },
  pipenv: { valued: '', operands: 1 },
  poetry: { valued: '', operands: 1 },
  bundle: { valued: '', operands: 1 },
  dotenv: { valued: '' },
  run: { valued: '' },
};

/** What is behind the options, assignments and operands of a program that runs another one. */
export function behindOptions(words: readonly Word[], valued: string, operands: number): readonly Word[] {
  const takes = valued.split(' ');
  let at = 1;
  let left = operands;
  for (; at < words.length; at++) {
    const { text } = words[at]!;
    if (text === '--') {
      at++;
      break;
    }
    if (text.startsWith('-') && text.length > 1) {
      const name = text.replace(/^--?/, '');
      const isValued =
        takes.includes(name) ||
        (!text.startsWith('--') && takes.includes(text.at(-1)!) && text.length <= 4 && text.length > 2);
      if (isValued && !text.includes('=')) at++;
    } else if (/^[A-Za-z_]\w*=/.test(text)) {
      // an assignment of `env`
    } else if (left > 0) left--;
    else break;
  }
  return words.slice(at);
}
