/** Where an argument has a program of Python, JavaScript and the like rather than a script of a shell. */

/** How a line of such a program begins, and none of a shell. */
const PROGRAM = new RegExp(
  `^(?:${[
    'import\\s+(?:[\\w.,* ]+(?:$|;)|[\\w{*].*\\bfrom\\b|[\'"])',
    'from\\s+[\\w.]+\\s+import\\b',
    '(?:const|let|var)\\s+[\\w${[]',
    'def\\s+\\w+\\s*\\(|class\\s+\\w+|try:|new\\s+\\w+|\\(async',
    '(?:async|await)\\s|(?:export\\s+)?(?:async\\s+)?function\\s+\\w*\\s*\\(',
    'package\\s+\\w+$|using\\s+[\\w.]+;|<\\?php',
    '(?:for|while|if|with)\\s.+:(?:\\s|$)',
    // a call or an assignment; `name() {` is a function of a shell
    '\\$?[A-Za-z_][\\w$]*(?:(?:\\.|::|->|\\?\\.)[\\w$]+|\\[[^\\]]{1,64}\\])*(?:\\((?!\\)\\s*\\{)|`|\\s+=\\s|\\s*[+:]=\\s)',
    '\\$`|\\[[\\w.]+\\]::\\w+\\(|\\(New-Object\\s|&\\s*\\(\\[scriptblock\\]',
  ].join('|')})`,
);
/** A line that says nothing of the language. */
const COMMENT = /^\s*(?:$|#|\/\/|\/\*|\*|"""|'''|%|!)/;
/** Lines before the first that says it. */
const MOST_COMMENTS = 16;
/** So much of an argument is read as a program. */
const LONGEST = 32 * 1024;
/** A line that may be the name of the next argument, which a word of a program is not. */
const NAME_OF_OTHER = /^(?!(?:pass|break|continue|return|else|end|then|do)$)[A-Za-z_][\w-]{0,39}$/;

/** Where the program ends that begins at `at`; -1: there is none. */
export function programEnd(text: string, at: number): number {
  let line = at;
  for (let n = 0; n < MOST_COMMENTS; n++) {
    const end = lineEnd(text, line);
    const said = text.slice(line, Math.min(end, line + 512));
    if (!COMMENT.test(said)) return PROGRAM.test(said.trim()) ? argumentEnd(text, end) : -1;
    if (end >= text.length) return -1;
    line = end + 1;
  }
  return -1;
}

function argumentEnd(text: string, from: number): number {
  const last = Math.min(text.length, from + LONGEST);
  for (let end = from; ; ) {
    if (end >= last) return Math.min(end, text.length);
    const next = lineEnd(text, end + 1);
    if (next - end <= 41 && NAME_OF_OTHER.test(text.slice(end + 1, next))) return end;
    end = next;
  }
}

/** Where the line ends that `at` is in. */
export function lineEnd(text: string, at: number): number {
  const found = text.indexOf('\n', at);
  return found < 0 ? text.length : found;
}
