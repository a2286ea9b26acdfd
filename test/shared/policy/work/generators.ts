/** Policies, and texts that were made to be slow for them. A seed decides all of it. */
import { SECRET_RULES } from '#weir/shared/policy/detectors/secrets/rules';
import { BUNDLE_NAMES } from '#weir/shared/policy/detectors/terms/bundles';

/** From 0 up to, and without, `below`. */
export type Random = (below: number) => number;

export function seeded(seed: number): Random {
  let state = seed >>> 0;
  return (below) => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return Math.floor((state / 2 ** 32) * below);
  };
}

export const pick = <T>(random: Random, from: readonly T[]): T => from[random(from.length)]!;

const ALL_VIEWS = ['raw', 'nfkc', 'folded', 'leetspeak', 'masked', 'squashed', 'decoded'];

/** By name: detectors with all that they have. */
export const DETECTORS: Readonly<Record<string, unknown>> = {
  bundles: { terms: { bundle: BUNDLE_NAMES, severity: 'low', views: ALL_VIEWS.slice(2) } },
  words: {
    terms: { list: ['card dump', 'a b', 'aaab', 'ab', 'x', 'сор'], views: ALL_VIEWS, allow: ['a b c', 'aaabc'] },
  },
  parts: { terms: { list: ['aab', 'a a', 'zz', 'бб'], match: 'substring', views: ALL_VIEWS } },
  pii: { pii: { entities: ['all', 'DATE_TIME', 'URL'], threshold: 0 } },
  names: { pii: { entities: ['PERSON', 'LOCATION', 'ORGANIZATION', 'POSTAL_ADDRESS'], threshold: 0 } },
  card: { pii: { entities: ['CREDIT_CARD'], threshold: 0.9 } },
  secrets: { secrets: { threshold: 0, allow: ['^(?:x+x+)+y', 'EXAMPLE$'] } },
  'private keys': { secrets: { rules: ['private-keys'] } },
  'hidden text': { invisible_text: {} },
  commands: { commands: {} },
  addresses: { addresses: {} },
  models: { any: [{ injection: {} }, { classifier: { label: 'hate' } }] },
  patterns: {
    regex: { patterns: ['\\b[a-z]+\\d+[a-z]+\\b', '(a|aa)+$', '(?:x+x+)+y', '.{0,100}b.{0,100}q'], flags: 'is' },
  },
};

const ATOMS = ['a', 'b', '1', '.', '\\d', '\\w', '\\s', '[a-c]', '[^x]', 'ab', 'key', '\\.', '\\p{L}', '-', '@', 'é'];
const REPEATS = ['', '', '', '+', '*', '?', '{0,20}', '{3}', '+?', '*?'];

/** A pattern that may be one that policies may have. */
export function pattern(random: Random, depth = 0): string {
  const pieces = Array.from({ length: 1 + random(4) }, () => {
    const group = depth < 3 && random(4) === 0;
    const atom = group ? `(?:${pattern(random, depth + 1)}|${pattern(random, depth + 1)})` : pick(random, ATOMS);
    return atom + pick(random, REPEATS);
  });
  return `${pick(random, ['', '', '^', '\\b'])}${pieces.join('')}${pick(random, ['', '', '$', '\\b'])}`;
}

/** Repeated, each is what some detector looks at closely, or would go over again and again. */
export const HOSTILE: readonly string[] = [
  'a',
  'x',
  'a ',
  'a.',
  'zqxwvkjtrbmnpdfg ',
  'killyouwomenhatethe',
  's-',
  'a*',
  '//a',
  'http:',
  'http:/\\',
  'http://[',
  'http://a@',
  '169.254.169.254',
  'rm ',
  'rm -rf /\n',
  "git '\n",
  'cat <<a\n',
  '$(',
  'a=$a$a;',
  'sudo ',
  'bash -c "',
  'cd ..;',
  'delete from a\nwhere\n',
  'command\nrm\n',
  'find -exec ',
  '*',
  '#',
  '@',
  'a@',
  'a@b.',
  '1',
  '1 ',
  '1-',
  '1.',
  '1:',
  '1/',
  '4 ',
  '4111-',
  '536904399 ',
  '+44',
  '+1 (',
  '(2',
  '0x',
  '12:',
  'ab:',
  'ab-',
  '::',
  '1::',
  'DE89 3',
  'AB12',
  'A1 ',
  'card  ',
  'card dump ',
  'tax 1 ',
  'eyJ-',
  'eyJaaaaaaaaaaaa.',
  '.eyJaaaaaaaaaaaa',
  '-----BEGIN ',
  '-----BEGIN PRIVATE KEY-----',
  'sk-proj-',
  'SKa',
  'xoxb-',
  'discord',
  '"',
  "'",
  '`',
  '\\"',
  '"a',
  '="',
  'a="',
  'key="',
  'password=',
  'password is ',
  'token: ',
  'a=b&',
  '=',
  '==',
  ':',
  '://',
  'http://',
  '://a:',
  '://a@',
  'www.',
  'a.com',
  '.com',
  '.co',
  '{"kty":',
  '"kty"',
  '{',
  '<',
  '<a>',
  '>',
  'kind: Secret\n',
  'kind: Secret\ndata:\n',
  'data: ',
  'ENV A_KEY ',
  ' -p',
  ' -u a',
  ' --',
  '--password ',
  'machine a login b password ',
  ':5432:',
  'basic YWE6YmI=',
  'Bearer a',
  'authorization: ',
  'ZXlK',
  '+ZXlK',
  'MIIEpAIBAAKCAQEA',
  '<RSAKeyValue>',
  'QUFB',
  'QUFBQUFB ',
  'QUFBQUE=',
  '%41',
  '%41 ',
  '\\x41',
  'nopqrstu ',
  'uryyb jbeyq ',
  '41 ',
  '\n',
  '\t',
  ' ',
  '\u200b',
  'a\u200b',
  '\u200b\u200c',
  '\u{e0041}',
  '\ufe0f',
  '\ufe00\ufe01',
  '\u202e',
  'a\u202e',
  '\u2066',
  '\u0301',
  'e\u0301',
  '\ufdfa',
  'ﬁ',
  'а',
  'aа',
  'b',
  'é',
  'İ',
  '字',
  '字1',
  'です',
  '가',
  '\u1100',
  '\u1100\u1161',
  'क्',
  'ʀ',
  'ж ',
  'f.u.c.k ',
  'f u c k ',
  'fu',
  'fuc',
  'fück ',
  'fuck',
  'ph*',
  'sh!t',
  's$',
  'ass',
  'asshole ',
  'a$$',
  'f**',
  '***',
  'scunthorpe ',
  'sc4nthorpe ',
  'ho-',
  'i ',
  'l1',
  '\ud800',
  '\udc00',
  '🙏',
];

const ALPHABETS = [
  'abcdefghijklmnopqrstuvwxyz',
  'abc ',
  '0123456789',
  '0123456789 -./',
  '01 ',
  'aA1 =:"\'',
  '{}[]()<>"\':,=',
  ' \t\n',
  'abcdef0123456789',
  'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/=',
  'fuckshit*@#$!.- ',
  '\u200b\u200c\u200d\u2060\ufeffa',
  '\u0300\u0301\u0316ae',
  'абвгabc ',
  '字です가 ',
  '\u202a\u202b\u202c\u202e\u2066\u2069a\n',
  '%4\\x1aF',
  '-_.@:/a1',
];

const stretch = (random: Random): string => {
  const alphabet = Array.from(pick(random, ALPHABETS));
  return Array.from({ length: 1 + random(12) }, () => pick(random, alphabet)).join('');
};

function literal(random: Random): string {
  const rule = pick(random, SECRET_RULES);
  const literals = 'literals' in rule ? rule.literals : 'words' in rule ? rule.words : ['"'];
  const all = pick(random, literals);
  return all.slice(0, 1 + random(all.length)) + pick(random, ['', '', ' ', '-', '+', '.', '/', '=', '"']);
}

/** What a random text repeats: pieces that detectors know, and others. */
export function unit(random: Random): string {
  const pieces = Array.from({ length: 1 + random(3) }, () => {
    const kind = random(4);
    return kind === 0 ? pick(random, HOSTILE) : kind === 1 ? literal(random) : stretch(random);
  });
  return pieces.join('');
}

/** A text of `length` units: one piece again and again, or pieces that differ. */
export function text(random: Random): (length: number) => string {
  const one = unit(random);
  if (random(3) > 0) return (length) => one.repeat(Math.ceil(length / one.length)).slice(0, length);
  const pieces = Array.from({ length: 64 }, () => (random(2) === 0 ? one : stretch(random)));
  const all = pieces.join('');
  return (length) => all.repeat(Math.ceil(length / all.length)).slice(0, length);
}
