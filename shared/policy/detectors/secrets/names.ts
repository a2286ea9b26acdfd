/** The names of values: which say that the value is a credential, and which that it is none. */

/**
 * What a name says of its value. `password`: people choose it, so it need not be random. `secret`: a credential, random or not. `token`
 * and `key`: a credential if it is random. `public`: none, whatever it looks like. `other`: nothing.
 */
export type NameKind = 'password' | 'secret' | 'token' | 'key' | 'public' | 'other';

/** The last word of names that tell about a credential, or of something else: `password_hash`, `token_url`. */
const ABOUT = new Set(
  (
    'signature signatures name names file files filename path paths dir directory folder url urls uri endpoint host hostname port type types id ids field fields label hint length len ' +
    'size count limit max min policy prefix suffix format hash hashes digest algorithm algo alg expiry expires expiration expire ttl age ref refs reference arn version ' +
    'regex pattern placeholder input element column param parameter header class style title text message msg error errors reset manager provider service ' +
    'store enabled required optional rotation validator validation valid form page link button index map mapping desc description help info usage strength checksum sha sha1 sha256 sha512 ' +
    'md5 fingerprint thumbprint commit rev revision etag integrity uuid guid color image img icon src href release tag build chunk trace span request correlation transaction ' +
    'tx txid address block session cursor next prev page bucket region zone email date time timestamp at created updated by status state secure scope scopes role roles group ' +
    'num number code codes kind mode method issuer audience subject feature flag option options example sample test template visible shown display show hide toggle ' +
    'through timeout attempt attempts retry retries interval duration days hours minutes seconds period lifetime history complexity requirements rules quality score delay encryption ' +
    'encrypted encoded ciphertext challenge confirmation confirm mismatch match equal equals charset encoding locale lang language model module package head verification'
  ).split(' '),
);
/** Anywhere in a name. */
const PUBLIC_WORDS = new Set(
  'public publishable pub pubkey encrypted hashed md checksum hash sha sha1 sha256 sha512 md5 integrity fingerprint commit rev srcrev revision etag csrf xsrf nonce digest uuid guid integrity cert certificate'.split(
    ' ',
  ),
);
const PASSWORD =
  /password|passwd|passphrase|passwort|kennwort|contrase[nñ]a|senha|motdepasse|wachtwoord|parola|has[lł]o$|lösenord|losenord|adgangskode|salasana|şifre|пароль|密码|密碼|パスワード|비밀번호|(?:^|[^a-z])pa55|passcode/;
const PASSWORD_WORDS = new Set('pass pwd pw psw pswd passwd passw pword userpass dbpass dbpwd userpwd'.split(' '));
const SECRET =
  /secret(?!ary|ar|io)|credential|(?:api|access|auth|service|account|acct|db|database|priv|private|client|encryption|encrypt|crypt|signing|signature|sign|master|license|licence|subscription|storage|application|app|admin|shared|hmac|cipher|aes|ssh|deploy|consumer|security|webhook|write|server|bot|integration|ingest|project|admin|root|user|host|function|sas|event|oauth|jwt|session|cookie|ftp|smtp|wifi|wpa|psk|presharedk?)keys?(?![a-z]*(?:word|board))/;
const SECRET_WORDS = new Set('creds cred secret secrets requirepass masterauth authtoken'.split(' '));
const TOKEN = /token(?!iz|s?count|iser)/;
const KEY_WORDS = new Set(
  'key auth authorization authentication api apikey access sas sig salt pat psk bearer pin jwt pepper dsn seed'.split(
    ' ',
  ),
);
const NOT_KEYS =
  /(?<![a-z])(?:monkey|turkey|hockey|whiskey|donkey|jockey)|keyboard|keyword|keynote|hotkey|keystroke|keyframe|keycode|(?:primary|foreign|gpg|pgp|partition|sort|cache|object|row|index|map|dict|group|lookup|unique|idempotency|routing|translation|i18n|hash|shard|web_?socket|verif(?:y|ying|ication)|site|column|composite|candidate|natural|surrogate|storage_?class|state|react|query)[_ -]?key|(?:next|page|paging|continuation|cursor|sync|resume|skip|scroll|delta)[_ -]?(?:page[_ -]?)?token/;

/** What is in all names that tell about a credential. Most names have none of it, which is told in a tenth of the time of {@link kindOfName}. */
const TELLING =
  /pass|pw|psw|pa55|woo?r[td]|cookie|contrase|senha|parola|has[lł]o|senord|adgangskode|salasana|secret|cred|key|auth|token|api|access|sas|sig|salt|pat|psk|bearer|pin|jwt|pepper|dsn|seed|şifre|пароль|密[码碼]|パスワード|비밀번호/i;
/** Whether `word`, behind the name of a credential, says that the whole is about one: `password policy`. */
export const isAbout = (word: string): boolean => ABOUT.has(word.toLowerCase());

const NO_LETTERS = /[^A-Za-z\u0080-\uffff]+/g;

/** Whether the kind of `name` may be one of a credential. */
export const mayTell = (name: string): boolean => TELLING.test(name.replace(NO_LETTERS, ''));

const WORDS = /[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[\u0080-\uffff]+/g;

/** `name` as it is written: `DB_PASSWORD`, `dbPassword`, `db.password`, `X-Api-Key`. */
export function kindOfName(name: string): NameKind {
  const words = (name.match(WORDS) ?? []).map((word) => word.toLowerCase());
  const last = words.at(-1);
  if (last === undefined) return 'other';
  const whole = words.join('');
  if (/secretid$/.test(whole)) return 'secret';
  // What hashes and tokens of forms are made with is a secret, though they are none.
  if (/(?:salt|pepper|[cx]srf_?(?:secret|key))$/.test(whole))
    return last === 'salt' || last === 'pepper' ? 'key' : 'secret';
  if (words.some((word) => PUBLIC_WORDS.has(word)) || /[cx]srf/.test(whole)) return 'public';
  // The key of a password is the place where it is kept.
  if (ABOUT.has(last) || (last === 'key' && words.includes('password'))) return 'public';
  if (
    PASSWORD.test(whole) ||
    words.some((word) => PASSWORD_WORDS.has(word)) ||
    /(?:db|user|my|root|admin|ssh|ftp|smtp|mail|bind|store|ldap|sql|sudo|become|wifi|wlan|vpn|pg|mysql|redis|mq|sa)(?:pass|pw)$|pwd$/.test(
      whole,
    ) ||
    last === 'psk'
  )
    return 'password';
  if (NOT_KEYS.test(name.toLowerCase())) return 'public';
  if (
    SECRET.test(whole) ||
    /(?:erlang|release|node)cookie$/.test(whole) ||
    words.some((word) => SECRET_WORDS.has(word))
  )
    return 'secret';
  if (TOKEN.test(whole) && last !== 'tokens') return 'token';
  return words.some((word) => KEY_WORDS.has(word)) || /(?:key|auth|token)$/.test(whole) ? 'key' : 'other';
}

/** A name with the letters and digits of what is near it, in lower case without separators. */
export interface Compact {
  text: string;
  /** 1 where a word starts */
  starts: Uint8Array;
}

/** The stretch from `start` to `end` of `text`, compact. */
export function compactOf(text: string, start: number, end: number): Compact {
  let compact = '';
  const starts = new Uint8Array(end - start + 1);
  let before = 0; // 0: no letter or digit; 1: lower case or digit; 2: upper case
  for (let i = start; i < end; i++) {
    const unit = text.charCodeAt(i);
    const isUpper = unit >= 65 && unit <= 90;
    const isLower = (unit >= 97 && unit <= 122) || (unit >= 48 && unit <= 57);
    if (!isUpper && !isLower) {
      before = 0;
      continue;
    }
    if (before === 0 || (before === 1 && isUpper)) starts[compact.length] = 1;
    compact += isUpper ? String.fromCharCode(unit + 32) : text[i];
    before = isUpper ? 2 : 1;
  }
  return { text: compact, starts };
}
