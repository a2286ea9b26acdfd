/**
 * Keys of providers that are not listed. Most name themselves, as in `abc_live_…`: a short word of small letters, a joint, and a long random
 * rest. Ids of things look the same, so their words are left out, and the rest must be as random as a key is.
 */
import type { Find } from '../../engine/probes/probe.js';
import { isExample } from './placeholders.js';
import { entropyOf, wordinessOf } from './randomness.js';
import type { PlaceRule } from './rule.js';

/** Units of the rest. */
const [SHORTEST, LONGEST] = [28, 128] as const;
const MAX_PREFIX = 32;
const PREFIX = /(?<![\w./@#%+&$~-])[a-z][a-z0-9]{1,11}(?:[_-][a-z0-9]{1,11}){0,3}$/;
const REST = /[A-Za-z0-9]{28,129}(?![A-Za-z0-9_/-]|\.[a-z0-9])/y;

/** Words of prefixes of ids, of what is public, and of checksums. */
const IDS = new Set(
  (
    'req request msg message toolu srvtoolu call resp response run thread file chatcmpl cmpl batch evt event cus cust customer pi sub ch txn tx price prod product in seti cs acct ' +
    'account card src user usr org proj project team id ids uid obj object item job task session conv conversation asst assistant step vs img image video audio doc document chunk ' +
    'commit sha sha1 sha256 sha512 md5 hash build deploy deployment dpl release ver version trace span email inv invoice order ord pay payment pm po re rf ref py ba bank grp group ' +
    'node pod svc vol snap ami sg vpc subnet eni rtb igw nat exec execution flow wf workflow tmpl template form field page post comment blob tree tag cert crt pub public pk site ' +
    'web app application device gen rs ig fc mcp container etag nonce csrf xsrf cursor next prev cache css js asset static media tmp temp data test fixture integrity digest ' +
    'fingerprint signature sig state code challenge verifier upload download track font bundle module class style'
  ).split(' '),
);
/** Words of prefixes of keys, with which one case of letters is enough. */
const KEYS = new Set('sk key secret token tok pat apikey pass password'.split(' '));

const isAlnum = (unit: number): boolean =>
  (unit >= 48 && unit <= 57) || (unit >= 65 && unit <= 90) || (unit >= 97 && unit <= 122);

function findPrefixed(text: string, at: number): Find | undefined {
  REST.lastIndex = at + 1;
  const rest = REST.exec(text)?.[0];
  if (rest === undefined || rest.length > LONGEST) return undefined;
  const prefix = PREFIX.exec(text.slice(Math.max(0, at - MAX_PREFIX), at))?.[0];
  if (prefix === undefined) return undefined;
  const words = prefix.split(/[_-]/);
  if (
    words.some((word) => IDS.has(word)) ||
    !isKey(
      rest,
      words.some((word) => KEYS.has(word)),
    )
  )
    return undefined;
  return { start: at - prefix.length, end: at + 1 + rest.length, score: 0.6, label: 'secrets:prefixed-key' };
}

/** `named`: the prefix says that it is one. */
function isKey(rest: string, named: boolean): boolean {
  const [digits = 0, upper = 0, lower = 0] = [/\d/g, /[A-Z]/g, /[a-z]/g].map((kind) => rest.match(kind)?.length);
  const isMixed = digits >= 2 && upper >= 3 && lower >= 3;
  if (!isMixed && !(named && digits >= 3 && upper + lower >= 3)) return false;
  return entropyOf(rest) >= (isMixed ? 3.8 : 3.2) && wordinessOf(rest) < 0.5 && !isExample(rest);
}

/** Whether the value from `start` to `end` is such a key, which is reported by itself. */
export function isPrefixed(text: string, start: number, end: number): boolean {
  let joint = end - 1;
  while (joint > start && isAlnum(text.charCodeAt(joint))) joint--;
  const find = joint > start && '_-'.includes(text[joint]!) ? findPrefixed(text, joint) : undefined;
  return find?.start === start;
}

/** Whether `value` begins as ids do: `req_…`, `file-…`. */
export const isId = (value: string): boolean => {
  const [prefix] = /^[a-z][a-z0-9]{1,11}(?=[_-])/.exec(value) ?? [];
  return prefix !== undefined && IDS.has(prefix);
};

export const PREFIXED: PlaceRule = {
  kind: 'place',
  name: 'prefixed-key',
  provider: '–',
  what: 'long random keys behind a short prefix, as in `abc_live_…`, of providers that are not listed',
  group: 'providers',
  score: 0.6,
  literals: ['_', '-'],
  // Most joints are of words, which three units tell.
  look: (text, at) =>
    isAlnum(text.charCodeAt(at + SHORTEST)) && isAlnum(text.charCodeAt(at + 14)) && isAlnum(text.charCodeAt(at + 7))
      ? findPrefixed(text, at)
      : undefined,
};
