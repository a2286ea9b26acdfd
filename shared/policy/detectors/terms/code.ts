/**
 * Finds that are pieces of code: a name of a program, a bracket, a key, a digest. The signs that hide a letter of a word are those that
 * code is written with, so a disguise counts only where prose may stand.
 */
import type { Find, SentPlace } from '../../engine/probes/probe.js';

/** Characters on either side of a find that are read. */
const AROUND = 24;
/** So few letters are a name of a variable as often as they are a word. */
const SHORT = 3;

/** What may stand between a disguised word and the space around it. */
const BEFORE = /(?:^|\s)["'“‘«(*_~>#-]{0,3}$/;
const BEHIND = /^["'”’»)*_~!?.,…-]{0,6}(?:\s|$)/;
/** Signs with which names of code are joined, or called, and which may stand for a letter. */
const JOINS = /[_.?&:[\](){}<>/\\;=^~-]/;
/** What code has beside a name, and prose has not. */
const CODE_BEFORE =
  /(?:[[{}=;&*_<>\\/$@%|+]|::|->|\.)\s?$|\b(?:def|let|var|const|int|void|char|class|return|new|self)\s$/;
const CODE_BEHIND = /^\s?(?:[[\]{}=&_<>\\/|+]|\(|::|->|\.\w|;\s*$)/;
/** What is behind a name with `_`, and behind a word of prose only with a space between. */
const NAME_BEHIND = /^(?:\)|\s?(?:[=<>]|!=)|;\s*$|,\S)/;
const IN_NAME = /[A-Za-z0-9_]/;
const OPENING = /[([{<]/;
const CLOSING: Readonly<Record<string, string>> = { '(': ')', '[': ']', '{': '}', '<': '>' };
/** A bracket that closes within so many characters is one. */
const CLOSES_WITHIN = 120;
/** A capital behind a small letter. */
const CAMEL = /[a-z][A-Z]/;
const CODE_POINT = /^[0-9A-F]*[0-9][0-9A-F]*$/;

/** Whether what stands there is a piece of code. */
export function isCode({ view }: Find, { sent, start, end }: SentPlace): boolean {
  const piece = sent.slice(start, Math.min(end, start + AROUND));
  const before = sent.slice(Math.max(0, start - AROUND), start);
  const behind = sent.slice(end, end + AROUND);
  const letters = piece.replace(/[^A-Za-z]+/g, '').length;
  const isShort = piece.length <= SHORT;
  // Letters that are apart one by one are no name of a file.
  if (view === 'squashed' && !/[A-Za-z]{2}/.test(piece)) return isBracketed(sent, start, end);
  if (isShort && (CAMEL.test(piece) || CODE_BEFORE.test(before) || CODE_BEHIND.test(behind))) return true;
  if (piece.includes('_') && (IN_NAME.test(before.at(-1) ?? '') || IN_NAME.test(behind[0] ?? ''))) return true;
  if (view === 'folded') return false;
  if (CODE_POINT.test(piece) || (/\d\.$/.test(before) && /\d/.test(piece)) || /^\.\d/.test(behind)) return true;
  if (!JOINS.test(piece)) return false;
  if (!BEFORE.test(before) || !BEHIND.test(behind) || 2 * letters < piece.length) return true;
  return (piece.includes('_') && NAME_BEHIND.test(behind) && !before.endsWith('(')) || isBracketed(sent, start, end);
}

const [ADDRESS_BEFORE, ADDRESS_BEHIND] = [/[\w.+-]{1,24}$/, /^[\w.-]{0,24}/];
const ADDRESS = /^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$/;

/** Whether the find is a part of an e-mail address, whose `@` hides no letter. An address that is all of a word may be one. */
export function isOfAddress({ view }: Find, { sent, start, end }: SentPlace): boolean {
  if (view === 'folded') return false;
  const piece = sent.slice(start, Math.min(end, start + AROUND));
  if (!piece.includes('@')) return false;
  const before = ADDRESS_BEFORE.exec(sent.slice(Math.max(0, start - AROUND), start))?.[0] ?? '';
  const behind = ADDRESS_BEHIND.exec(sent.slice(end, end + AROUND))?.[0].replace(/[.-]+$/, '') ?? '';
  return (IN_NAME.test(before.at(-1) ?? '') || IN_NAME.test(behind[0] ?? '')) && ADDRESS.test(before + piece + behind);
}

/** Whether a bracket within the find closes behind it. */
function isBracketed(sent: string, start: number, end: number): boolean {
  for (let at = start; at < Math.min(end, start + AROUND); at++) {
    const sign = sent[at]!;
    if (!OPENING.test(sign)) continue;
    const rest = sent.slice(end, end + CLOSES_WITHIN);
    if (rest.includes(CLOSING[sign]!)) return true;
  }
  return false;
}
