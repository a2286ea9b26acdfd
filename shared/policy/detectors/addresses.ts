/**
 * Addresses that are not of the public internet: URLs, read as the WHATWG standard does, and metadata of clouds by name or number. All notations
 * of an address are one number, so none hides it.
 */
import { type AddressRange, isLocalName, rangeOf } from '../../addresses.js';
import { type Cursor, choiceOf, isAbsent, listOrWord } from '../../configuration/read/fields.js';
import { lastShown, runStart } from '../engine/open.js';
import type { Find, Interest, PlaceProbe } from '../engine/probes/probe.js';
import type { Detector } from './detector.js';
import { CONTEXT_HELP, parametersAt, readContext } from './parameters.js';

export interface AddressesParameters {
  ranges: readonly AddressRange[];
  context: number;
}

/** In the order that documents name them. */
export const ADDRESS_RANGES = ['local', 'metadata', 'private', 'special'] as const satisfies readonly AddressRange[];
const DEFAULT: readonly AddressRange[] = ['local', 'metadata', 'private'];
const CHOICES = ['all', ...ADDRESS_RANGES] as const;

export const addresses: Detector<AddressesParameters> = {
  help: 'URLs of hosts that are not on the public internet, in all notations, and metadata of clouds',
  parameters: {
    ranges: `all, or of ${ADDRESS_RANGES.join(', ')} [${DEFAULT.join(', ')}]`,
    context: CONTEXT_HELP,
  },
  read,
  text: { interests, open: () => (text) => runStart(text, lastShown(text, LONGEST_SCHEME)), reach: () => LONGEST_HOST },
};

function read(cursor: Cursor): AddressesParameters | undefined {
  const fields = parametersAt(isAbsent(cursor) ? { ...cursor, value: {} } : cursor, addresses);
  if (!fields) return undefined;
  const given = fields.get('ranges');
  const named = listOrWord(given, 'all', CHOICES.length, (item) => choiceOf(item, CHOICES)) ?? ['all'];
  const ranges =
    named.length === 0 ? DEFAULT : ADDRESS_RANGES.filter((range) => named.includes('all') || named.includes(range));
  return { ranges, context: readContext(fields) };
}

/** Schemes whose address the URL standard reads without slashes as well. */
const SPECIAL = ['http:', 'https:', 'ftp:', 'ws:', 'wss:'];
/** What stands for metadata without a scheme, too. */
const BARE = ['169.254.169.254', '169.254.170.2', 'fd00:ec2::254', '100.100.100.200', 'metadata.google.internal'];

/** Slashes within the parameter of a URL, encoded once and twice. */
const ENCODED = ['%2f%2f', '%252f%252f'];
/** Programs that take an address without a scheme. */
const FETCHERS = ['curl ', 'wget '];

function interests({ ranges }: AddressesParameters): Interest[] {
  const labels = new Set(ranges.map((range) => `addresses:${range}`));
  return [
    {
      key: 'addresses',
      probe: (): PlaceProbe => ({
        kind: 'place',
        label: 'addresses',
        views: ['raw', 'nfkc'],
        literals: ['//', ...SPECIAL, ...BARE, ...ENCODED, ...FETCHERS],
        look,
      }),
      accepts: ({ label }) => label !== undefined && labels.has(label),
    },
  ];
}

/** Units of a scheme, and of what may stand before it. */
const LONGEST_SCHEME = 34;
/** A host with its user and password is looked for in so many units. */
const LONGEST_HOST = 1024;
const SLASHES = /[/\\]*/y;
/** What ends the host of a URL that stands in a text. */
const END = /[/\\?#\s"'<>`|^{}]/;
/** Text before `//` that makes it the address of no host. */
const SCHEME = /(?:^|[^A-Za-z0-9+.-])([A-Za-z][A-Za-z0-9+.-]{0,31}):$/;

function look(text: string, at: number): Find | undefined {
  const first = text[at]!;
  if (first === '/') return lookBehindSlashes(text, at);
  if (first === '%') return encodedAt(text, at);
  if (FETCHERS.includes(text.slice(at, at + 5).toLowerCase())) return fetchedAt(text, at);
  if (/[A-Za-z]/.test(first) && /:/.test(text.slice(at, at + 6))) {
    const colon = text.indexOf(':', at);
    if (SPECIAL.includes(text.slice(at, colon + 1).toLowerCase())) {
      if (isWord(text[at - 1])) return undefined;
      SLASHES.lastIndex = colon + 1;
      SLASHES.test(text);
      const host = SLASHES.lastIndex;
      // Behind `//` it is found by these.
      if (host - colon === 3 && text.startsWith('//', colon + 1)) return undefined;
      return hostAt(text, host, at);
    }
  }
  return bareAt(text, at);
}

function lookBehindSlashes(text: string, at: number): Find | undefined {
  if (text[at - 1] === '/' || text[at + 2] === '/') return undefined;
  const before = SCHEME.exec(text.slice(Math.max(0, at - 34), at))?.[1];
  if (before !== undefined) {
    if (BUCKETS.test(before)) return undefined;
    const start = at - before.length - 1;
    return SPECIAL.includes(`${before.toLowerCase()}:`) || isNamed(text, at + 2)
      ? hostAt(text, at + 2, start)
      : undefined;
  }
  // Without a scheme, that of the page: `//host/`. Others are comments and paths.
  const previous = text[at - 1];
  if (previous !== undefined && !/[\s"'=(]/.test(previous)) return undefined;
  return isNamed(text, at + 2) ? hostAt(text, at + 2, at) : undefined;
}

/** Schemes whose first part is the name of a bucket. */
const BUCKETS = /^(?:s3[an]?|gs|r2|oss|b2)$/i;

/** The address of a URL that is encoded in another one. */
function encodedAt(text: string, at: number): Find | undefined {
  const slash = ENCODED.find((each) => text.slice(at, at + each.length).toLowerCase() === each)!;
  const before = ENCODED_SCHEME.exec(text.slice(Math.max(0, at - LONGEST_SCHEME - 4), at))?.[0];
  if (before === undefined) return undefined;
  const from = at + slash.length;
  const authority = ENCODED_HOST.exec(text.slice(from, from + LONGEST_HOST))![0];
  const range = rangeOfAuthority(decoded(slash === ENCODED[1] ? authority.replaceAll('%25', '%') : authority));
  return range && { start: at - before.length, end: from + authority.length, score: 1, label: `addresses:${range}` };
}

const ENCODED_SCHEME = /[a-z][a-z\d+.-]{1,31}(?:%3a|%253a|:)$/i;
/** Up to a slash, a question mark or a number sign that is encoded, or to what ends the parameter. */
const ENCODED_HOST = /^(?:(?!%(?:25)?(?:2f|3f|23|5c))[^\s"'<>`|^{}&/?#\\])*/i;

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

/** The first address that a program is to fetch, where it has no scheme. */
function fetchedAt(text: string, at: number): Find | undefined {
  if (isWord(text[at - 1])) return undefined;
  const from = at + FETCHERS[0]!.length;
  const line = FETCHED_LINE.exec(text.slice(from, from + LONGEST_HOST))![0].replace(SAID, (said) =>
    ' '.repeat(said.length),
  );
  for (const found of line.matchAll(WITHOUT_SCHEME)) {
    const host = found[1]!;
    const range = rangeOfAuthority(host);
    if (range === undefined) continue;
    const start = from + found.index + found[0].length - host.length;
    return { start, end: start + host.length, score: 1, label: `addresses:${range}` };
  }
  return undefined;
}

/** A header, a body: what is quoted and has a space. */
const SAID = /"[^"\s]*\s[^"]*"|'[^'\s]*\s[^']*'/g;
/** The arguments of a command, up to the next one. */
const FETCHED_LINE = /^(?:(?!curl |wget )[^\n;|&`])*/i;
/** An argument that is an address by its form: numbers, or a name that is of a network of its own. */
const WITHOUT_SCHEME =
  /(?:^|\s)["']?(?:[^\s@/"']{1,64}@)?((?:localhost|127\.\d+|(?:\d{1,3}|0x[\da-f]{1,2})(?:\.(?:\d{1,3}|0x[\da-f]{1,2})){3}|0x[\da-f]{8}|\d{8,10}|\[[\da-f:.]{2,45}\]|[a-z\d.-]{1,128}\.(?:internal|local|lan|corp|svc|localhost|nip\.io))(?::\d{1,5})?)(?=[/?#\s"']|$)/gi;

/** One number is a host only where the URL standard reads it as an address: behind a scheme such as `http:`. Elsewhere it numbers a line. */
const NUMBER = /^(?:\d+|0x[\da-f]*)\.?(?![\w.@-]|:\d)/i;
const isNamed = (text: string, from: number): boolean =>
  /^[\w[]/.test(text[from] ?? '') && !NUMBER.test(text.slice(from, from + 32));

/** Judges the host that begins at `from`, of a URL that begins at `start`. */
function hostAt(text: string, from: number, start: number): Find | undefined {
  const rest = text.slice(from, from + LONGEST_HOST);
  const length = rest.search(END);
  const authority = rest.slice(0, length < 0 ? rest.length : length);
  if (authority === '' || (length < 0 && rest.length === LONGEST_HOST)) return undefined;
  const range = rangeOfAuthority(authority);
  return range && { start, end: from + authority.length, score: 1, label: `addresses:${range}` };
}

function rangeOfAuthority(authority: string): AddressRange | undefined {
  const host = authority.slice(authority.lastIndexOf('@') + 1);
  // Most hosts are names of the public internet.
  if (
    /^[a-z][a-z\d-]*(?:\.[a-z\d-]+)*\.(?:com|org|net|io|dev|example|de|uk|eu|gov|edu)(?::\d+)?$/.test(host) &&
    !EMBEDDED.test(host)
  ) {
    return rangeOfName(host.replace(/:\d+$/, ''));
  }
  // Signs of the sentence may stand behind it.
  const url = `http://${host.replace(/[.,;:!?)*_~]+$/, '').replace(ZONE, ']')}/`;
  if (!URL.canParse(url)) return undefined;
  const { hostname } = new URL(url);
  return rangeOf(hostname) ?? rangeOfName(hostname);
}

/** Of an address of a link, the interface that it goes out by; the URL standard knows none. */
const ZONE = /%(?:25)?[a-z][\w.-]{0,32}\]/i;

/** Services that resolve a name to the address that is in it. */
const EMBEDDED = /\.(?:nip|sslip|xip)\.io(?::\d+)?$/;
const METADATA = new Set([
  'metadata',
  'metadata.google.internal',
  'metadata.goog',
  'instance-data',
  'instance-data.ec2.internal',
  'metadata.azure.internal',
  'metadata.packet.net',
  'metadata.platformequinix.com',
  'metadata.tencentyun.com',
  'rancher-metadata',
]);
const LOCAL = new Set([
  'ip6-localhost',
  'localhost.localdomain',
  'localhost6',
  'localtest.me',
  'lvh.me',
  'vcap.me',
  'lacolhost.com',
  'localho.st',
  'loopback',
  'host.docker.internal',
  'gateway.docker.internal',
  'kubernetes.docker.internal',
]);
const PRIVATE = /(?:^|\.)(?:internal|local|lan|intranet|corp|home\.arpa|localdomain|svc|cluster\.local)$/;

function rangeOfName(host: string): AddressRange | undefined {
  const name = host.endsWith('.') ? host.slice(0, -1) : host;
  if (METADATA.has(name)) return 'metadata';
  if (isLocalName(name) || LOCAL.has(name) || name.endsWith('.localtest.me') || name.endsWith('.lvh.me'))
    return 'local';
  if (PRIVATE.test(name) || name === 'kubernetes.default') return 'private';
  if (!EMBEDDED.test(name)) return undefined;
  const hex = /(?:^|[.-])([\da-f]{8})\.(?:nip|sslip|xip)\.io$/.exec(name)?.[1];
  if (hex !== undefined) return rangeOf(new URL(`http://0x${hex}/`).hostname);
  const inside = /(?:^|[.-])(\d{1,3})[.-](\d{1,3})[.-](\d{1,3})[.-](\d{1,3})\.(?:nip|sslip|xip)\.io$/.exec(name);
  return inside ? rangeOf(inside.slice(1, 5).map(Number).join('.')) : undefined;
}

/** An address of metadata that stands by itself. */
function bareAt(text: string, at: number): Find | undefined {
  const said = BARE.find((each) => text.slice(at, at + each.length).toLowerCase() === each);
  if (said === undefined || isWord(text[at - 1]) || text[at - 1] === '.' || text[at - 1] === '-') return undefined;
  const end = at + said.length;
  if (isWord(text[end]) || (text[end] === '.' && isWord(text[end + 1])) || text[end] === '-') return undefined;
  return { start: at, end, score: 1, label: 'addresses:metadata' };
}

const isWord = (sign: string | undefined): boolean => sign !== undefined && /[\p{L}\p{N}_]/u.test(sign);
