/** Addresses on the web: with a scheme, with `www.`, and bare names of hosts under well-known top-level domains. */
import { isDigit, isWordAt } from '../../../engine/probes/characters.js';
import { findOf, type PiiFind } from '../find.js';
import { findIpv4 } from './numbers.js';

const SCHEMES = new Set('http https ftp ftps sftp ws wss git ssh hxxp hxxps rtsp smb file'.split(' '));
const LONGEST_HOST = 253;
const LONGEST_LABEL = 63;
const LONGEST_URL = 2048;

/** Domains that are rarely the end of a sentence or of a file's name. */
const TOP = (
  'com org net edu gov mil int info biz dev app xyz online site website shop store tech cloud blog news page live space ' +
  'club agency email digital life world today uk de fr es nl se fi dk pt ch eu ca au nz jp cn kr br mx ar ru ua tr za ng ph th ' +
  'sg my hk tw il ae sa gr cz hu ro sk si hr bg lt lv ee ie lu pl'
).split(' ');
/** These are words or endings of files as well, so that a path has to follow. */
const AMBIGUOUS = 'io ai co me us it at be in is to no so tv cc ly gg fm am sh md rs py ps pm id vn'.split(' ');
const KNOWN = new Map([
  ...TOP.map((name) => [name, true] as const),
  ...AMBIGUOUS.map((name) => [name, false] as const),
]);

/** Whether `label` is a top-level domain; false: it is a word as well; undefined: none is known. */
export const isKnownTop = (label: string): boolean | undefined => KNOWN.get(label.toLowerCase());

/** What leads to a bare host. */
export const DOMAIN_LITERALS: readonly string[] = [...TOP, ...AMBIGUOUS].map((name) => `.${name}`);

/** `at` is the colon of `://`. */
export function findUrl(text: string, at: number): PiiFind | undefined {
  if (text[at + 1] !== '/' || text[at + 2] !== '/') return undefined;
  let start = at;
  while (at - start < 6 && /[a-z\d]/i.test(text[start - 1] ?? '')) start--;
  if (!SCHEMES.has(text.slice(start, at).toLowerCase()) || isWordAt(text, start - 1)) return undefined;
  let host = at + 3;
  // user and password
  const at64 = text.slice(host, host + 64).search(/[@/\s]/);
  if (at64 >= 0 && text[host + at64] === '@') host += at64 + 1;
  const end = endOfHost(text, host);
  return end === host ? undefined : findOf('URL', { start, end: endOfPath(text, end, start) }, 0.6, true);
}

/** `at` is where `www.` starts. */
export function findWww(text: string, at: number): PiiFind | undefined {
  if (isWordAt(text, at - 1) || text[at - 1] === '/' || text[at - 1] === '@' || text[at - 1] === '.') return undefined;
  const end = endOfHost(text, at);
  // A name and its top-level domain follow.
  if (text.slice(at, end).split('.').length < 3) return undefined;
  return findOf('URL', { start: at, end: endOfPath(text, end, at) }, 0.6, true);
}

/** `at` is the dot before a top-level domain. Only the last of a host is looked at, so that each host is read once. */
export function findDomain(text: string, at: number): PiiFind | undefined {
  if (hasLabelBehind(text, at)) return undefined;
  let start = at;
  while (at - start < LONGEST_HOST && (isWordAt(text, start - 1) || text[start - 1] === '-' || text[start - 1] === '.'))
    start--;
  while (text[start] === '-' || text[start] === '.') start++;
  const before = text[start - 1] ?? '';
  if (
    start >= at ||
    before === '@' ||
    before === '/' ||
    before === '_' ||
    before === '\\' ||
    /^www\./i.test(text.slice(start, at + 1))
  ) {
    return undefined;
  }
  const end = endOfHost(text, start);
  if (end <= at + 1 || text[end] === '@' || text[end] === '_' || isWordAt(text, end)) return undefined;
  const top = text.slice(text.lastIndexOf('.', end - 1) + 1, end);
  const sure = KNOWN.get(top);
  const path = text[end] === '/' && isWordAt(text, end + 1);
  if (sure === undefined || (!sure && !path)) return undefined;
  return findOf('URL', { start, end: endOfPath(text, end, start) }, 0.5);
}

/** Whether the label behind the dot at `at` is followed by another one. */
function hasLabelBehind(text: string, at: number): boolean {
  let end = at + 1;
  while (end - at <= LONGEST_LABEL && (isWordAt(text, end) || text[end] === '-')) end++;
  return text[end] === '.' && isWordAt(text, end + 1);
}

/** End of the host name, IPv4 address or bracketed IPv6 address at `from`, with its port; `from`: there is none. */
function endOfHost(text: string, from: number): number {
  let end = from;
  if (text[from] === '[') {
    const close = text.slice(from, from + 48).indexOf(']');
    if (close < 0) return from;
    end = from + close + 1;
  } else {
    const address = isDigit(text.charCodeAt(from)) ? findIpv4(text, from) : undefined;
    if (address) end = address.end;
    else {
      while (end - from < LONGEST_HOST && (isWordAt(text, end) || text[end] === '-' || text[end] === '.')) end++;
      while (end > from && (text[end - 1] === '.' || text[end - 1] === '-')) end--;
      if (!/^[^.]+(?:\.[^.]+)+$|^localhost$/i.test(text.slice(from, end))) return from;
    }
  }
  const port = /^:\d{1,5}(?!\d)/.exec(text.slice(end, end + 7));
  return port ? end + port[0].length : end;
}

/** End of the address: what closes a sentence or a bracket around it does not belong to it. */
function endOfPath(text: string, from: number, start: number): number {
  if (!/[/?#]/.test(text[from] ?? '')) return from;
  let end = from;
  while (end - start < LONGEST_URL && end < text.length && !/[\s<>"{}|\\^`\u3000-\u303f\u201c\u201d]/.test(text[end]!))
    end++;
  for (; end > from + 1; end--) {
    const last = text[end - 1]!;
    if (/[.,;:!?'*\]]/.test(last)) continue;
    if (last !== ')' || text.slice(from, end).split('(').length >= text.slice(from, end).split(')').length) break;
  }
  return end;
}
