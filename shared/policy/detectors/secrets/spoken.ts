/**
 * Credentials beside their name without an operator: in sentences, in the next cell or line, behind an arrow, in brackets. Names are
 * those of people, in many languages. What is said must look like a credential; the less says that it is one, the more.
 */
import { isAsciiLetter, unitAt } from '../../engine/probes/characters.js';
import { isAbout, type NameKind } from './names.js';
import { isContent, isDescription, isExample, isMethod, isPlaceholder, isReference } from './placeholders.js';
import { entropyOf, wordinessOf } from './randomness.js';

/** Of passwords, which people choose, by the literal that leads to them; and of what programs make. */
const PASSWORDS: ReadonlyMap<string, RegExp | undefined> = new Map([
  ...(
    'password|passwd|passwort|kennwort|passphrase|passcode|pwd|pw|pass|palavra-passe|palavra passe|口令|암호|패스워드|mot de passe|mdp|senha|wachtwoord|hasło|haslo|parola|' +
    'adgangskode|salasana|kata sandi|密码|密碼|şifre|şifrem|şifresi|sifre|passord|heslo|jelszó|jelszo|mật khẩu|lozinka|slaptažodis|parolă|κωδικός|' +
    'סיסמה|รหัสผ่าน|पासवर्ड'
  )
    .split('|')
    .map((name) => [name, undefined] as const),
  ['contrase', /contrase[nñ]as?/iy],
  // "Key" in Spanish, of a wireless network as of a table.
  ['clave', /claves?(?: (?:de (?:acceso|usuario|administrador|la red)|secreta|del? wi-?fi))?/iy],
  ['senord', /senord(?:et)?/iy],
  ['парол', /парол[ьюеяи]/iy],
  ['パスワ', /パスワード/y],
  ['비밀', /비밀번호/y],
  ['كلمة ', /كلمة (?:المرور|السر)/y],
]);
const KEYS =
  "secret|token| key|apikey|api-key|api_key|credential|токен|jeton|d'accès|d’accès|トークン|apiキー|令牌|密钥|密鑰|토큰|api 키|schlüssel|clé api|ключ api".split(
    '|',
  );

/** Names of other things as well: a value behind them mixes small letters, capitals and digits or symbols. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['clave', 'pass']);
const OF_ALL_KINDS = /^(?=.*\p{Ll})(?=.*\p{Lu})(?=.*[\d!@#$%^&*+=~?]).{8,}$/u;

/** Such are parts of words, too. */
export const SHORT: ReadonlySet<string> = new Set(['mdp', 'pw', 'pass']);

/** In lower case, where the script has it. */
export const SPOKEN_NAMES: readonly string[] = [...PASSWORDS.keys(), ...KEYS];

export interface SpokenSecret {
  /** where the name and the credential stand */
  name: { start: number; end: number };
  start: number;
  end: number;
  kind: NameKind;
  /** something between the two says that the one is the other */
  told: boolean;
}

const [ARROW, VERB, BETWEEN] = [
  '\\s{0,4}(?:->|=>|→|⇒|:=|[:：=|])(?:[*_]{1,3}|</\\w{1,8}>)?[ \\t]{0,4}',
  '(?:,? (?:which|it|that|and it))?\\s{1,3}(?:[—–-] )?(?:(?:(?:is|was|has been) )?(?:(?:re)?set|changed) to|is|was|(?:will|should|would) be|ist|lautet|est|es|é|è|är|er|jest|это|adalah|là|to|هي|هو)(?: (?:now|still|currently|jetzt|ahora))?:? {1,3}',
  '\\s{0,2}(?:是|为|為|は|が|은|는|이|:)\\s{0,2}|[ \\t]{0,3}\\r?\\n[ \\t]{0,8}|\\t{1,3}| {0,2}[(\\[]| [–—-] {1,2}| \\.{4,60} {1,2}',
];
/** What a credential is for, between its name and what tells. */
const PURPOSE =
  "(?: (?:for|to|of|on|für|zum|zur|para|pour|de|del|du|da|do|dla|voor|van|til|för|от|для|к) (?:(?:the|our|my|das|den|die|la|el|le|het|de) )?[\\p{L}\\d.'-]{2,20}(?: [a-z]{2,12})?)?";
/** What may stand between a name and its value: closing marks, what tells, opening marks. */
const TOLD = new RegExp(
  `${PURPOSE}["'\`*_)\\]]{0,3}(?:</\\w{1,8}>)?(?:${ARROW}|${VERB}|${BETWEEN})(?:<\\w{1,8}>)?["'\`“«「『<(\\[*]{0,3}`,
  'uy',
);
/** "Пароль от сервера …": a purpose that needs no more. */
const OF_SERVER = ' (?:от|для|к) [\\p{L}\\d.-]{2,20}';
const BESIDE = new RegExp(`(?:${OF_SERVER})?["'\`*_)\\]]{0,3}(?:,? {1,4}| - )["'\`“«<([*]{0,3}`, 'uy');
/** What leads from a name over some words and a colon to a value that is the rest of its line, or a line of its own. */
const LED_TO =
  /(?:[ \t](\([^()\n]{1,40}\)|[^\n.:;=?!(){}<>"'`|,]{1,60}))?:[*_]{0,3}(?:[ \t]{1,4}|[ \t]{0,4}(?:\r?\n){1,2}[ \t]{0,8})["'`“«]?/y;
/** The value, with what ends a sentence or a mark behind it. */
const VALUE = /[^\s"'`<>|“”»\u0e00-\u0eff\u3000-\u9fff\uac00-\ud7a3\uff00-\uffef]{6,300}/y;
const ENDS = /[.,;:)\]}*?_]+$/;
/** Names and words before a name, with which it is none of a credential. */
const OTHER_NAME =
  /(?:public(?:[ _-]?key)?|gpg|pgp|primary|foreign|cache|partition|sort|object|row|lookup|idempotency|redis|s3|host|fingerprint|csrf|xsrf|next|page|continuation|cancel(?:lation)?|palabras?|map|hash(?:ed)?|encrypted|encoded|sha\d*|commit|translation|publishable|gpg:|pgp:|signature|answer|registry|shift|any|escape|enter|hot)[ _-]{0,2}$/i;
const LONGEST_BEFORE = 24;

/** Words before "key" with which it is one of a credential. */
const OF_SECRET =
  /(?:api|secret|access|client|auth|private|encryption|service|account|licen[cs]e|master|app|admin|signing)[ _-]$/i;

/** The name whose literal is at `at`; undefined: it is part of another one. */
export function spokenName(text: string, at: number, literal: string): SpokenSecret['name'] | undefined {
  if (isAsciiLetter(unitAt(text, at + literal.length)) && !PASSWORDS.get(literal)) return undefined;
  // Most names stand in prose, with no digit near: that is told in a tenth of the time of what follows.
  if (!hasSign(text, at + literal.length, at + literal.length + REACH) && !hasSign(text, Math.max(0, at - REACH), at))
    return undefined;
  return nameAt(text, at, literal);
}

/** What is said behind the name of the literal at `at`, or before it as in "use … as the api key". */
export function spokenAt(
  text: string,
  at: number,
  literal: string,
  name: SpokenSecret['name'],
): SpokenSecret | undefined {
  const isAhead = hasSign(text, at + literal.length, at + literal.length + REACH);
  const ahead = text.slice(Math.max(0, name.start - LONGEST_BEFORE), name.start);
  if (OTHER_NAME.test(ahead)) return undefined;
  if (PASSWORDS.has(literal)) {
    const found =
      (isAhead ? (behind(text, name, 'password') ?? ledTo(text, name)) : undefined) ?? before(text, name, 'password');
    return found && AMBIGUOUS.has(literal) && !isSure(text, literal, name, found) ? undefined : found;
  }
  const kind: NameKind =
    literal === 'token' ? 'token' : literal === ' key' && !OF_SECRET.test(ahead) ? 'key' : 'secret';
  return (isAhead ? behind(text, name, kind) : undefined) ?? before(text, name, kind);
}

/** Whether what is found beside a name of other things as well is a password. */
function isSure(text: string, literal: string, name: SpokenSecret['name'], found: SpokenSecret): boolean {
  if (!OF_ALL_KINDS.test(text.slice(found.start, found.end))) return false;
  if (literal !== 'pass' || found.end < name.start) return true;
  // "Pass" is a verb, too.
  const between = text.slice(name.end, found.start);
  return (
    /[:=(>]|\b(?:is|was|be)\b| [–—-] /.test(between) ||
    (/^,? ["'`]?$/.test(between) && OF_USER.test(text.slice(Math.max(0, name.start - 48), name.start)))
  );
}

/** A user right before. */
const OF_USER =
  /(?:\b(?:user(?:name)?|log ?in|account|benutzer(?:name)?|gebruikersnaam|usuario|utilisateur|identifiant)\b[^\n]{0,30}|[\w.+-]@[\w.-]{1,40})[,;:/|(]{0,2} ?$/i;

/** Whether a user, a verb or a bracket stands before the name, and the value ends a part of the sentence: then a word with a number is enough. */
function isGiven(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 48), start);
  return (
    /^(?:[.,;!?)]|\s*$|\s*\n)/.test(text.slice(end, end + 4)) &&
    (OF_USER.test(before) || /(?:\b(?:with|using|by)(?: (?:the|a|this))?|\() ?$/i.test(before))
  );
}

/** What stands before the name of a password that is given: a user, a verb, a bracket, an article. */
const INTRODUCTION =
  /(?:\b(?:with|using|user(?:name)?|log ?in|account|root|admin|the|my|new|old|temp(?:orary)?|default|and|via|set)|\b(?:user(?:name)?|log ?in|account)\b[^\n]{1,30}|[\w.+-]@[\w.-]{1,40}|[(,;/|])[,;]? ?$/i;

/** Whether something says that the value at `at`, beside the name at `start`, is one: what stands before the name, or its purpose. */
const isIntroduced = (text: string, start: number, at: number): boolean =>
  /^(?:pwd?|mdp|passwd)\b/i.test(text.slice(start, start + 7)) ||
  INTRODUCTION.test(text.slice(Math.max(0, start - 48), start)) ||
  / \p{L}+ /u.test(text.slice(start, at));

/** Whether a value below such a name may be one. */
export const isSpokenValue = (value: string, kind: NameKind, literal: string): boolean =>
  kind === 'password' && SHORT.has(literal)
    ? isPassword(value, true) && OF_ALL_KINDS.test(value)
    : kind === 'password'
      ? isPassword(value, true)
      : isToken(value, true);

/** So near to its name a credential has a digit or a symbol. */
const REACH = 64;
const IS_SIGN = Uint8Array.from({ length: 128 }, (_, unit) =>
  Number(/[\d!@#$%^&*+=~]/.test(String.fromCharCode(unit))),
);

function hasSign(text: string, from: number, to: number): boolean {
  for (let i = from; i < to && i < text.length; i++) {
    const unit = text.charCodeAt(i);
    if (unit < 128 && IS_SIGN[unit] === 1) return true;
  }
  return false;
}

/** The whole name whose literal is at `at`; undefined: it is part of a longer word. */
function nameAt(text: string, at: number, literal: string): SpokenSecret['name'] | undefined {
  const start = literal[0] === ' ' ? at + 1 : at;
  const pattern = PASSWORDS.get(literal);
  if (!pattern) {
    const end = at + literal.length;
    if (text.slice(at, end).toLowerCase() !== literal) return undefined;
    const isLatin = literal.charCodeAt(literal.length - 1) < 0x250;
    if (literal.length < 5 && SHORT.has(literal) && /[\p{L}\d$./-]/u.test(text[at - 1] ?? '')) return undefined;
    return isLatin && /[\p{L}\d-]/u.test(text[end] ?? '') ? undefined : { start, end };
  }
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match ? { start, end: at + match[0].length } : undefined;
}

function behind(text: string, name: SpokenSecret['name'], kind: NameKind): SpokenSecret | undefined {
  TOLD.lastIndex = name.end;
  BESIDE.lastIndex = name.end;
  const told = TOLD.test(text);
  if (!told && !BESIDE.test(text)) return undefined;
  VALUE.lastIndex = told ? TOLD.lastIndex : BESIDE.lastIndex;
  const start = VALUE.lastIndex;
  const value = VALUE.exec(text)?.[0].replace(ENDS, '');
  if (value === undefined || /^(?:…|\.{3})/.test(text.slice(start + value.length, start + value.length + 3)))
    return undefined;
  const end = start + value.length;
  // In the next line, it is all of it.
  const isLine = /[\n\r]/.test(text.slice(name.end, start));
  if (isLine && !/^[^\S\n]{0,3}(?:\r?\n|$)/.test(text.slice(end, end + 6))) return undefined;
  const sure = told && !isLine;
  const fits =
    kind === 'password'
      ? isPassword(value, sure) ||
        (!isLine && isChosen(value) && isIntroduced(text, name.start, start)) ||
        (!isLine &&
          (WORD_AND_NUMBER.test(value) || (/^(?=.*\d)[a-z\d]{10,40}$/.test(value) && wordinessOf(value) < 0.5)) &&
          !isNone(value) &&
          isGiven(text, name.start, end))
      : isToken(value, kind === 'secret' || kind === 'token') ||
        (sure &&
          kind === 'secret' &&
          value.length >= 10 &&
          OF_ALL_KINDS.test(value) &&
          isPassword(value, false) &&
          wordinessOf(value) < 0.35);
  return fits ? { name, start, end, kind, told: sure } : undefined;
}

/** The password in "a temporary password is generated for root: …", where it is the rest of the line or a line of its own. */
function ledTo(text: string, name: SpokenSecret['name']): SpokenSecret | undefined {
  LED_TO.lastIndex = name.end;
  const led = LED_TO.exec(text);
  if (!led || isAbout(/[\p{L}\d]+\s*$/u.exec(led[1] ?? '')?.[0].trim() ?? '')) return undefined;
  VALUE.lastIndex = LED_TO.lastIndex;
  const start = VALUE.lastIndex;
  const value = VALUE.exec(text)?.[0];
  if (
    value === undefined ||
    value.length > LONGEST ||
    (led[1] === undefined && !led[0].includes('\n')) ||
    !/^["'`”»]?[^\S\n]{0,3}(?:\r?\n|$)/.test(text.slice(start + value.length, start + value.length + 6))
  )
    return undefined;
  const fits = isPassword(value, false) || isToken(value, false) || isChosen(value);
  return fits ? { name, start, end: start + value.length, kind: 'password', told: true } : undefined;
}

/** Longest credential before its name, with what stands between them. */
const MOST_BEFORE = 240;
const AS_NAME =
  /(?<![\w/+.-])([A-Za-z0-9+/_-]{20,160}={0,2})["'`)]{0,2} (?:as|is|for) (?:(?:the|my|our|your|an?|their|his|her) )?(?:[A-Za-z]{2,16} ){0,3}$/;

/** What somebody is told to enter as the password. */
const AS_PASSWORD =
  /\b(?:use|using|enter|type|try|put|take|with|set|is|gave|give)\s["'`]?([^\s"'`(),;]{8,64})["'`]? (?:as|for|when (?:asked|prompted) for) (?:(?:the|my|our|your|an?|their|his|her) )?(?:[A-Za-z]{2,16} ){0,2}$/i;

const ENDS_NAME =
  /^(?:["'`.,;:!?)]|\s*$|\s*\n| (?:please|and|on|to|when|at|in|if|for|it|now|but|or|then|until|this|today|tomorrow)\b)/;

function before(text: string, name: SpokenSecret['name'], kind: NameKind): SpokenSecret | undefined {
  const from = Math.max(0, name.start - MOST_BEFORE);
  const near = text.slice(from, name.start);
  if (!/ (?:as|is|for) /.test(near.slice(-60))) return undefined;
  // "Use … for password storage".
  if (kind === 'password' && !ENDS_NAME.test(text.slice(name.end, name.end + 12))) return undefined;
  const match = (kind === 'password' ? AS_PASSWORD : AS_NAME).exec(near);
  if (!match) return undefined;
  const value = match[1]!;
  const fits = kind === 'password' ? isPassword(value, false) || isChosen(value) : isToken(value, false);
  if (!fits) return undefined;
  const start = from + match.index + match[0].indexOf(value);
  return { name, start, end: start + value.length, kind, told: true };
}

/** Addresses, paths, files, dates, versions, amounts, options, and what programs call. */
const OTHER_VALUE =
  /^(?:[A-Za-z_$][\w$.]*\[|[^,]{0,12},[A-Za-z_$][\w$.]*[:=(]|[^\s\]]*\]\(|[a-z][a-z0-9+.-]*:\/\/|[~.]{0,2}\/|[A-Za-z]:\\|--?[a-z]|#[\w-]+$|\d[\d.,:%/-]*[a-z]{0,7}[.!]?$|v?\d+(?:\.\d+)+|[\w.+-]+@[\w-]+\.[a-z.]{2,}$|[a-z]\w*[.(]\w|[a-z_]+=\S*$|0x[\da-f]{1,16}$|\w+\(|[\w-]+\.(?:js|ts|json|ya?ml|txt|md|pem|crt|py|go|rb|php|html?|env|conf|cfg)$)/i;
/** Of a pattern. */
const CLASS = /a-z|A-Z|0-9[\]_/!]/;
const isNone = (value: string): boolean =>
  isReference(value) ||
  isDescription(value) ||
  OTHER_VALUE.test(value) ||
  CLASS.test(value) ||
  isMethod(value) ||
  isContent(value);

/** Longer ones are keys, or encrypted. */
const LONGEST = 128;

/** `told`: something says that it is one. Then a word with a digit is enough; else it mixes cases or has a symbol. */
function isPassword(value: string, told: boolean): boolean {
  if (value.length > LONGEST || isNone(value) || (told ? isPlaceholder(value) : isExample(value))) return false;
  const digits = value.match(/\d/g)?.length ?? 0;
  const hasLetter = /\p{L}/u.test(value);
  const mixed = /[A-Z]/.test(value) && /[a-z]/.test(value);
  const symbol = /[!@#$%^&*+=~?\\[\]{}]/.test(value);
  if (told) return hasLetter && (digits > 0 ? value.length >= 6 : symbol && mixed && value.length >= 8);
  if (value.length < 8 || digits === 0 || !hasLetter || !(mixed || symbol)) return false;
  // Names end with digits; what is random has them within.
  return wordinessOf(value) < (/\d+[A-Za-z]+/.test(value) && mixed ? 0.65 : 0.5);
}

/** Words and what people put behind them: `Maple2020`, `silverTiger85!`. */
const CHOSEN =
  /^(?=.{8,40}$)(?=.*\p{Ll})(?=.*\p{Lu})[\p{L}\d@$!#%&*._-]*\p{L}(?:\d{2,8}[!@#$%&*?+]{0,3}|\d[!@#$%&*?+]{1,3}|[@#$%&*_-]\d{1,6}[!@#$%&*?+]{0,3})$/u;
/** Words with a number between them, as managers of passwords make them: `blue-Horse-72-staple`. */
const WORDS = /^(?=.*\d)(?=.*[A-Z])[A-Za-z]{3,12}(?:[-_.][A-Za-z\d]{1,12}){2,5}$/;
const WORD_AND_NUMBER = /^\p{Ll}{4,16}\d{2,8}[!@#$%&*?+]{0,3}$/u;
const isChosen = (value: string): boolean =>
  (CHOSEN.test(value) || WORDS.test(value)) && !isNone(value) && !isExample(value);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/i;

/** `named`: the name is one of credentials alone, so a UUID may be one, too. */
function isToken(value: string, named: boolean): boolean {
  if (value.length < 16 || !/^[\w+/=.~%:-]+$/.test(value) || isNone(value) || isExample(value)) return false;
  if (UUID.test(value)) return named;
  const digits = value.match(/\d/g)?.length ?? 0;
  const letters = value.match(/[A-Za-z]/g)?.length ?? 0;
  if (digits < 2 || letters < 4) return false;
  return entropyOf(value) >= 3 && (/^[0-9a-f-]+$/i.test(value) || wordinessOf(value) < 0.5);
}
