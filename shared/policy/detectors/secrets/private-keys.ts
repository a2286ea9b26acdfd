/** Private keys in the forms that programs write, and JSON Web Tokens. */
import type { Find } from '../../engine/probes/probe.js';
import { isExample, isReference } from './placeholders.js';
import { BASE64, type PlaceRule, type SecretRule, token } from './rule.js';

type PrivateKeyRow = Pick<PlaceRule, 'name' | 'what' | 'literals'> &
  Partial<PlaceRule> & { find(text: string, at: number): KeySpan | undefined };

interface KeySpan {
  start: number;
  end: number;
  score?: number;
}

function place({ find, ...row }: PrivateKeyRow): PlaceRule {
  const rule = { kind: 'place', provider: '–', group: 'private-keys', score: 1, ...row } as const;
  const look = (text: string, at: number): Find | undefined => {
    const found = find(text, at);
    return found && { score: rule.score, ...found, label: `secrets:${rule.name}` };
  };
  return { ...rule, look };
}

const PEM_HEADER = /-----BEGIN (?:(?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY(?: BLOCK)?|OpenVPN Static key V1)-----/y;
/** Between lines of a key: line breaks, also escaped, and what joins strings in code. */
const GAP = String.raw`(?:\s|\\[nrt\\]|["'+,.&|\x60(]){1,40}`;
const PEM_BODY = new RegExp(
  String.raw`(?:${GAP}|)(?:[A-Za-z-]{4,20}: [^\n\\]{0,100}(?:\s|\\[nr]){1,8}){0,4}${BASE64.slice(0, -1)}=]{16}`,
  'y',
);
const MAX_BODY = 16_384;

/** A key with a body in Base64, to its last line; else what stands between a header and the end that belongs to it. */
function findPem(text: string, at: number): KeySpan | undefined {
  PEM_HEADER.lastIndex = at;
  if (!PEM_HEADER.test(text)) return undefined;
  const head = PEM_HEADER.lastIndex;
  PEM_BODY.lastIndex = head;
  if (PEM_BODY.test(text)) {
    const end = endOfBody(text, PEM_BODY.lastIndex);
    const [body = ''] = /[A-Za-z0-9+/=]{16,64}/.exec(text.slice(PEM_BODY.lastIndex - 16, end)) ?? [];
    return isExample(body) ? undefined : { start: at, end: endOfFooter(text, end) };
  }
  // A body that is no Base64: cut, indented or encoded in another way.
  const line = /(?:[ \t]{0,4}\r?\n|\\r?\\?n)[ \t]{0,40}([^\r\n\\<>"']{16,200})/y;
  line.lastIndex = head;
  const body = line.exec(text)?.[1];
  if (body === undefined || body.startsWith('-----') || isExample(body) || isReference(body)) return undefined;
  const end = text.slice(head, head + 2048).search(/-----END (?:[A-Z0-9]{2,10} ){0,3}PRIVATE KEY/);
  return end < 0 ? undefined : { start: at, end: endOfFooter(text, head + end), score: 0.7 };
}

/** Behind the last unit of the body: Base64, gaps and what code puts between strings. */
function endOfBody(text: string, from: number): number {
  let end = from;
  for (let i = from; i < text.length && i - from < MAX_BODY; i++) {
    const unit = text.charCodeAt(i);
    const lower = unit | 32;
    if ((unit >= 47 && unit <= 57) || (lower >= 97 && lower <= 122) || unit === 43 || unit === 61) end = i + 1;
    else if (unit > 34 && unit !== 39 && unit !== 44 && unit !== 92) break;
    else if (text.startsWith('\n\n', i) || text.startsWith('" ', i)) break;
  }
  return end;
}

function endOfFooter(text: string, end: number): number {
  const footer = /(?:\s|\\[nrt\\]|["'+,.&|]){0,40}-----END [A-Za-z0-9 ]{4,40}-----/y;
  footer.lastIndex = end;
  return footer.test(text) ? footer.lastIndex : end;
}

function findPutty(text: string, at: number): KeySpan | undefined {
  const head = /PuTTY-User-Key-File-[123]: {0,4}[a-z0-9-]{3,40}/y;
  head.lastIndex = at;
  if (!head.test(text)) return undefined;
  const near = text.slice(at, at + 4096);
  const lines = /Private-Lines: {0,4}\d{1,3}(?:\s|\\[nr]){1,4}[A-Za-z0-9+/=\s\\]{16,2000}/.exec(near);
  return {
    start: at,
    end: lines ? at + lines.index + lines[0].trimEnd().length : head.lastIndex,
    score: lines ? 1 : 0.8,
  };
}

function findSsh2(text: string, at: number): KeySpan | undefined {
  const head = /---- BEGIN SSH2 (?:ENCRYPTED )?PRIVATE KEY ----/y;
  head.lastIndex = at;
  return head.test(text) ? { start: at, end: endOfBody(text, head.lastIndex) } : undefined;
}

function findXmlKey(text: string, at: number): KeySpan | undefined {
  const near = text.slice(at, at + 6000);
  const close = near.indexOf('</RSAKeyValue>');
  const whole = close < 0 ? near : near.slice(0, close + 14);
  return /<D>[A-Za-z0-9+/=\s]{16,}/.test(whole) ? { start: at, end: at + whole.length } : undefined;
}

/** The secret member of a JSON Web Key: `d`, of a symmetric key `k`. */
function findJwk(text: string, at: number): KeySpan | undefined {
  const earliest = Math.max(0, at - 1500);
  const before = text.slice(earliest, at);
  // An object says once what it is, so it is read once.
  const other = before.lastIndexOf('"kty');
  if (other >= 0 && !before.includes('{', other)) return undefined;
  const from = earliest + Math.max(0, before.lastIndexOf('{'));
  const near = text.slice(from, at + 1500);
  const own = near.slice(0, endOfObject(near, at - from));
  const member = /\\?"(?:d|k)\\?"\s{0,4}:\s{0,4}\\?"([A-Za-z0-9_-]{16,1000})\\?"/.exec(own);
  if (!member || isExample(member[1]!)) return undefined;
  const start = from + member.index + member[0].indexOf(member[1]!);
  return { start, end: start + member[1]!.length };
}

function endOfObject(text: string, from: number): number {
  const end = text.indexOf('}', from);
  return end < 0 ? text.length : end;
}

/** A whole line of Base64 that is the start of a key in DER, outside of a key with a header. */
function findDer(text: string, at: number): KeySpan | undefined {
  if (!/[\s"'=:,`>(]/.test(text[at - 1] ?? ' ')) return undefined;
  const body = /[A-Za-z0-9+/]{60,4000}={0,2}/y;
  body.lastIndex = at;
  if (!body.test(text) || text.slice(Math.max(0, at - 120), at).includes('-----BEGIN ')) return undefined;
  return { start: at, end: body.lastIndex };
}

const decode = (base64: string): string => Buffer.from(base64, 'base64').toString('latin1');

export const PRIVATE_KEYS: readonly SecretRule[] = [
  place({
    name: 'private-key',
    what: 'private keys with a header (RFC 7468): PKCS, RSA, DSA, EC, OpenSSH, PGP, static keys of OpenVPN; also in one line',
    literals: ['-----BEGIN '],
    find: findPem,
  }),
  place({
    name: 'putty-private-key',
    what: 'private keys of PuTTY',
    literals: ['PuTTY-User-Key-File-'],
    find: findPutty,
  }),
  place({ name: 'ssh2-private-key', what: 'private keys of SSH2', literals: ['---- BEGIN SSH2 '], find: findSsh2 }),
  place({ name: 'xml-private-key', what: 'RSA private keys in XML', literals: ['<RSAKeyValue>'], find: findXmlKey }),
  place({
    name: 'jwk-private-key',
    what: 'private and symmetric JSON Web Keys (RFC 7517)',
    literals: ['"kty"', '\\"kty\\"'],
    find: findJwk,
  }),
  place({
    name: 'der-private-key',
    what: 'private keys in Base64 without a header',
    score: 0.9,
    literals: (
      'MIIEpAIBAAKCAQEA MIIEowIBAAKCAQEA MIIEogIBAAKCAQEA MIIEpQIBAAKCAQEA MIIJKQIBAAKCAgEA MIIJKAIBAAKCAgEA ' +
      'MIICXAIBAAKBgQ MIICXQIBAAKBgQ MIIEvQIBADANBgkq MIIEvAIBADANBgkq MIIEvgIBADANBgkq MIIJQgIBADANBgkq ' +
      'MC4CAQAwBQYDK2VwBCIEI b3BlbnNzaC1rZXktdjEAAAA MIIFHDBOBgkqhkiG9w0BBQ0w MIIFJDBWBgkqhkiG9w0BBQ0w MIIFLTBXBgkqhkiG9w0BBQ0w ' +
      'MIIJQwIBADANBgkq MIGHAgEAMBMGByqGSM49 MHcCAQEEI MIIBOgIBAAJBA MIIBOwIBAAJBA MIIBPAIBAAJBA'
    ).split(' '),
    find: findDer,
  }),
  token(
    ['encoded-private-key', '–', 'private keys with a header, encoded in Base64'],
    ['LS0tLS1CRUdJTi'],
    'LS0tLS1CRUdJTi[A-Za-z0-9+/]{60,20000}={0,2}',
    {
      group: 'private-keys',
      score: 1,
      check: (secret) => decode(secret.slice(0, 80)).includes('PRIVATE KEY'),
    },
  ),
  token(
    ['age-private-key', 'age', 'private keys of age'],
    ['AGE-SECRET-KEY-1'],
    'AGE-SECRET-KEY-1[QPZRY9X8GF2TVDW0S3JN54KHCE6MUA7L]{58}',
    { group: 'private-keys', score: 1 },
  ),
  token(
    ['jwt', '–', 'JSON Web Tokens (RFC 7519), signed or not'],
    ['eyJ'],
    'eyJ[A-Za-z0-9_-]{10,1000}={0,2}\\.[A-Za-z0-9_-]{4,8000}={0,2}(?:\\.[A-Za-z0-9_-]{0,1500})?',
    {
      group: 'generic',
      score: 0.9,
      dashed: true,
      check: isJwt,
    },
  ),
  token(['encoded-jwt', '–', 'JSON Web Tokens, encoded in Base64'], ['ZXlK'], 'ZXlK[A-Za-z0-9+/_-]{60,8000}={0,2}', {
    group: 'generic',
    score: 0.9,
    check: (secret) => isJwt(decode(secret)),
  }),
];

/** Whether the first part is a JSON object that names its algorithm; without a third part, the second is an object, too. */
function isJwt(jwt: string): boolean {
  const [header = '', payload = '', signature] = jwt.split('.');
  const first = objectIn(header);
  if (!first || !Object.hasOwn(first, 'alg')) return false;
  return signature !== undefined || objectIn(payload) !== undefined;
}

function objectIn(part: string): object | undefined {
  try {
    const value = JSON.parse(Buffer.from(part, 'base64url').toString('utf8')) as unknown;
    return typeof value === 'object' && value !== null ? value : undefined;
  } catch {
    return undefined;
  }
}
