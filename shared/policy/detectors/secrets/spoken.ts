/**
 * Credentials beside their name without an operator: in sentences, in the next cell or line, behind an arrow, in brackets. Names are
 * those of people, in many languages. What is said must look like a credential; the less says that it is one, the more.
 */
import { isAsciiLetter, unitAt } from '../../engine/probes/characters.js';
import { isAbout, type NameKind } from './names.js';
import { isExample } from './placeholders.js';
import { wordinessOf } from './randomness.js';
import { before } from './spoken-before.js';
import { answered, ledTo, listed, printed } from './spoken-lines.js';
import {
  isChosen,
  isJoined,
  isPassword,
  isToken,
  isWordWithNumber,
  type SpokenSecret,
  VALUE,
} from './spoken-values.js';

/** Of passwords, which people choose, by the literal that leads to them; and of what programs make. */
const PASSWORDS: ReadonlyMap<string, RegExp | undefined> = new Map([
  ...(
    'password|passwd|passwordnya|passwordku|wlan-schlüssel|netzwerkschlüssel|wifi key|wi-fi key|wpa key|wpa2 key|network key|network security key|clé wifi|clé wi-fi|passwort|kennwort|passphrase|passcode|pwd|pw|p/w|pass|palavra-passe|palavra passe|口令|암호|패스워드|비번|mot de passe|mdp|senha|wachtwoord|' +
    'haslo|密码|密碼|heslo|mật khẩu|lozinka|geslo|parool|slaptažodis|contrasenya|лозинка|nenosiri|pasahitza|parolă|κωδικός|סיסמה|הסיסמה|סיסמא|הסיסמא|zaporka|الرقم السري|گذرواژه|รหัสผ่าน|पासवर्ड|' +
    'رمز عبور|kata laluan|zugangscode|access code|código de acceso|código de acesso|codice di accesso'
  )
    .split('|')
    .map((name) => [name, undefined] as const),
  ['contrase', /contrase[nñ]as?/iy],
  // "Key" in Spanish, of a wireless network as of a table.
  ['clave', /claves?(?: (?:de (?:(?:la )?api|acceso|usuario|administrador|la red)|secreta|del? wi-?fi))?/iy],
  ['parola', /parola(?: d['’]ordine|m|sı|mız|nız)?(?!\p{L})/iuy],
  ['kodeord', /kodeord(?:et)?/iy],
  ['tunnussana', /tunnussana(?:ni|si)?(?: on)?/iy],
  ['senord', /senord(?:et)?/iy],
  ['passord', /passord(?:et)?/iy],
  ['adgangskode', /adgangskoden?/iy],
  // The verb is here, since "on" is a preposition in English.
  ['salasana', /salasana(?:ni|si)?(?: on)?/iy],
  ['kata sandi', /kata sandi(?:nya|ku)?/iy],
  ['şifre', /şifre(?:miz|niz|si|m)?(?!\p{L})/iuy],
  ['sifre', /sifre(?:m|si)?/iy],
  ["code d'acc", /code d'acc[eè]s/iy],
  ['hasł', /hasł(?:o|em|a)/iy],
  ['jelsz', /jelsz(?:ó|o|avam|avad|ava)/iy],
  ['парол', /парол(?:ата|[ьюяиа]|ем|ём|е)/iy],
  ['パスワ', /パスワード/y],
  ['비밀', /비밀번호/y],
  ['كلمة ', /كلمة (?:المرور|السر)/y],
]);
const KEYS =
  "secret|secretkey|token| key|apikey|api-key|api_key|credential|токен|jeton|d'accès|d’accès|トークン|apiキー|令牌|密钥|密鑰|토큰|api 키|schlüssel|clé api|clé secrète|ключ api".split(
    '|',
  );

/** Names of other things as well: a value behind them mixes small letters, capitals and digits or symbols. */
const AMBIGUOUS: ReadonlySet<string> = new Set(['clave', 'pass']);
const OF_ALL_KINDS = /^(?=.*\p{Ll})(?=.*\p{Lu})(?=.*[\d!@#$%^&*+=~?]).{8,}$/u;

/** Such are parts of words, too. */
export const SHORT: ReadonlySet<string> = new Set(['mdp', 'pw', 'pass']);

/** In lower case, where the script has it. */
export const SPOKEN_NAMES: readonly string[] = [...PASSWORDS.keys(), ...KEYS];

const ARROW = '\\s{0,4}(?:->|=>|→|⇒|:=|[:：=|])(?:[*_]{1,3}|</\\w{1,8}>)?[ \\t]{0,4}';
/** "Was changed to" and the like. */
const CHANGED = [
  '(?:(?:is|was|got|gets|has been|have been) )?(?:now )?(?:(?:re)?set|changed|updated|rotated) to',
  '(?:wurde|ist|habe ich) (?:jetzt |nun |neu )?(?:auf|zu)',
  '(?:a été|est) (?:changé|modifié|remplacé|mis)e? (?:en|à|par)',
  '(?:fue|ha sido|se) (?:ha )?(?:cambi|modific|actualiz)(?:ada|ó|ado) (?:a|por)',
  'foi (?:alterad|mudad|trocad|redefinid)a para',
  'è stata (?:cambiata|modificata|impostata) (?:in|a)',
  'is (?:gewijzigd|veranderd|aangepast) (?:in|naar)',
].join('|');
const IS =
  'is|IS|was|WAS|ficou|(?:will|should|would) be|ist|lautet|war|est|était|es|era|é|è|är|er|jest|je|este|είναι|היא|הוא|это|це|adalah|là|to|هي|هو|yra|és|ay|है|hai|е';
const VERB = `(?:,? (?:which|it|that|and it))?\\s{1,3}(?:[—–-] )?(?:(?:now|jetzt|nun|ahora|agora|ora|nu|maintenant|désormais) )?(?:${CHANGED}|c['’]est|${IS})(?: (?:now|still|currently|jetzt|ahora|ora|adesso|agora|maintenant|nu|teraz|the word))?:? {1,3}`;
const BETWEEN =
  '\\s{0,2}(?:就?是|[设改换]?(?:为|成)了?|為|は|が|を|은|는|이|가|을|를|คือ|:)\\s{0,2}|[ \\t]{0,3}\\r?\\n[ \\t]{0,8}|\\t{1,3}| {0,2}[(\\[]| [–—-] {1,2}| ?\\.{2,60}:? {1,2}';
/** What a credential is for, between its name and what tells. */
const PURPOSE =
  "(?: (?:for|to|of|on|für|fürs|zum|zur|para|pour|de|del|du|da|do|dla|voor|van|til|för|ke?|na|per|от|для|к) (?:(?:the|our|my|das|den|die|la|el|le|het|de) )?[\\p{L}\\d.'-]{2,20}(?: [a-z]{2,12})?| \\([^()\\n]{1,30}\\)| [\\p{L}\\d.-]{2,20} için| (?:nueva|actual|temporal|provisional|nuova|attuale|provvisoria|temporanea|actuel|temporaire|provisoire|nova|atual|temporária|provisória|inicial|initial|iniziale|mea|ми|мой|такой|доступу|доступа|שלי|μου|saya|aku|ko))?";
/** What may stand between a name and its value: closing marks, what tells, opening marks. */
const TOLD = new RegExp(
  `${PURPOSE}["'\`*_)\\]]{0,3}(?:</\\w{1,8}>)?(?:${ARROW}|${VERB}|${BETWEEN})(?:<\\w{1,8}>)?["'\`“«「『<(\\[*]{0,3}(?:(?<=«)\\s)?`,
  'uy',
);
/** "Пароль от сервера …": a purpose that needs no more. */
const OF_SERVER = ' (?:(?:от|для|к) [\\p{L}\\d.-]{2,20}|[\\u0370-\\u1fff]{3,16})';
const BESIDE = new RegExp(
  `(?:${OF_SERVER})?["'\`*_)\\]]{0,3}(?:,? {1,4}(?:(?:now|jetzt|auf|en|para|naar|на) {1,2})?| - |(?<=[\\u3040-\\u9fff\\uac00-\\ud7a3]))["'\`“«<([*]{0,3}(?:(?<=«)\\s)?`,
  'uy',
);
/** What is said of the password between its name and what tells. */
const OVER_WORDS = new RegExp(`((?: \\p{L}[\\p{L}'’-]{0,15}){1,4})(?:${ARROW}|${VERB})["'\`“«([*]{0,2}`, 'uy');
/** What stands behind the value in a list of options: `password=…,uid=1000`. */
const OPTIONS = /,\w{2,20}=.*$/;
const ENDS = /[.,;:)\]}*?_]+$/;
/** Names and words before a name, with which it is none of a credential. */
const OTHER_NAME =
  /(?:public(?:[ _-]?key)?|gpg|pgp|primary|foreign|cache|partition|sort|object|row|lookup|idempotency|redis|s3|host|fingerprint|csrf|xsrf|next|page|continuation|cancel(?:lation)?|palabras?|map|hash(?:ed)?|encrypted|encoded|sha\d*|commit|translation|publishable|gpg:|pgp:|signature|answer|registry|site|shift|any|escape|enter|hot)[ _-]{0,2}$/i;
const LONGEST_BEFORE = 24;

/** Words before "key" with which it is one of a credential. */
const OF_SECRET =
  /(?:api|secret|access|client|auth|private|encryption|service|account|licen[cs]e|master|app|admin|signing)[ _-]$/i;

/** The name whose literal is at `at`; undefined: it is part of another one. */
export function spokenName(text: string, at: number, literal: string): SpokenSecret['name'] | undefined {
  const isLatin = literal.charCodeAt(literal.length - 1) < 0x250;
  if (isLatin && isAsciiLetter(unitAt(text, at + literal.length)) && !PASSWORDS.get(literal)) return undefined;
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
      (isAhead
        ? (behind(text, name, 'password') ??
          overWords(text, name, 'password') ??
          ledTo(text, name) ??
          answered(text, name) ??
          listed(text, name) ??
          printed(text, name))
        : undefined) ?? before(text, name, 'password');
    return found && AMBIGUOUS.has(literal) && !isSure(text, literal, name, found) ? undefined : found;
  }
  const kind: NameKind =
    literal === 'token' ? 'token' : literal === ' key' && !OF_SECRET.test(ahead) ? 'key' : 'secret';
  return (isAhead ? (behind(text, name, kind) ?? overWords(text, name, kind)) : undefined) ?? before(text, name, kind);
}

/** Whether what is found beside a name of other things as well is a password. */
function isSure(text: string, literal: string, name: SpokenSecret['name'], found: SpokenSecret): boolean {
  if (literal === 'clave' && found.told && (isOfPerson(text, name) || IS_VERB.test(text.slice(name.end, found.start))))
    return true;
  if (literal === 'pass' && found.start > name.end && OWNED.test(text.slice(Math.max(0, name.start - 12), name.start)))
    return true;
  if (literal === 'pass' && found.told && found.start > name.end && isOfUser(text, name.start)) return true;
  if (isBracketed(text, name.start, found.end)) return true;
  if (literal === 'pass' && found.told && IS_VERB.test(text.slice(name.end, found.start)))
    return !OTHER_PASS.test(text.slice(Math.max(0, name.start - 12), name.start));
  if (!OF_ALL_KINDS.test(text.slice(found.start, found.end))) return false;
  if (literal !== 'pass' || found.end < name.start) return true;
  // "Pass" is a verb, too.
  const between = text.slice(name.end, found.start);
  return (
    /[:=(>]|\b(?:is|was|be|es|est|ist)\b| [–—-] /.test(between) ||
    (/^,? ["'`]?$/.test(between) && OF_USER.test(text.slice(Math.max(0, name.start - 48), name.start)))
  );
}

const IS_VERB = /^ (?:is|was|ist|es|est) ["'`]?$/;
/** Passes that are no passwords. */
const OTHER_PASS =
  /(?:boarding|bus|ski|season|day|hall|press|guest|gate|render|first|second|next|each|one|this|compiler|optimi[sz]er) $/i;
/** Whether the name follows an opening bracket, and the value ends before the closing one. */
const isBracketed = (text: string, start: number, end: number): boolean => text[start - 1] === '(' && text[end] === ')';

/** Whose password it is, or of what. */
const OWNED = /(?<![\w-])(?:my|new|temp|wi-?fi|admin|root|login|vpn) $/i;

/** Whether the key is somebody's, or of an access. */
const isOfPerson = (text: string, { start, end }: SpokenSecret['name']): boolean =>
  end - start > 6 || /(?<!\p{L})(?:mi|tu|su|nueva) $/iu.test(text.slice(Math.max(0, start - 7), start));

const USER =
  '(?<!\\p{L})(?:ssid|user(?:name)?|log ?in|account|benutzer(?:name)?|gebruiker(?:snaam)?|usu[aá]rio|utilisateur|identifiant|utente|użytkownik|uživatel|bruker(?:navn)?|brugernavn|användar(?:e|namn)|käyttäjä|kullanıcı|логин|логін|пользователь|用户|账号|ユーザー|아이디|المستخدم)';
/** A user right before. */
const OF_USER = new RegExp(
  `(?:${USER}(?!\\p{L}{4})[^\\n]{0,30}|[\\w.+-]@[\\w.-]{1,40})[,;:/|(]{0,2} ?(?:\\p{L}{1,3} )?$`,
  'iu',
);

const isOfUser = (text: string, name: number): boolean => OF_USER.test(text.slice(Math.max(0, name - 48), name));

/** Whether a user, a verb or a bracket stands before the name, and the value ends a part of the sentence: then a word with a number is enough. */
function isGiven(text: string, start: number, end: number): boolean {
  const before = text.slice(Math.max(0, start - 48), start);
  return (
    /^(?:[.,;!?)]|\s*$|\s*\n)/.test(text.slice(end, end + 4)) &&
    (OF_USER.test(before) || /(?:\b(?:with|using|by|and)(?: (?:the|a|this|my))?|\() ?$/i.test(before))
  );
}

/** What stands before the name of a password that is given: a user, a verb, a bracket, an article. */
const INTRODUCTION = new RegExp(
  `(?:(?<!\\p{L})(?:with|using|root|admin|the|my|new|old|temp(?:orary)?|default|and|via|set|dem|das|mit|und|avec|le|et|con|la|com|met|en|se|с|под|[aeyioz])|${USER}[^\\n]{0,30}|[\\w.+-]@[\\w.-]{1,40}|[(,;/|])[,;]? ?$`,
  'iu',
);

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
    return isLatin && /^(?:[\p{L}\d]|-(?!>))/u.test(text.slice(end, end + 2)) ? undefined : { start, end };
  }
  pattern.lastIndex = at;
  const match = pattern.exec(text);
  return match ? { start, end: at + match[0].length } : undefined;
}

/** The credential in "the new password for … is …", "the api key you asked for: …", where it ends a clause. */
function overWords(text: string, name: SpokenSecret['name'], kind: NameKind): SpokenSecret | undefined {
  if (kind === 'key') return undefined;
  OVER_WORDS.lastIndex = name.end;
  const words = OVER_WORDS.exec(text)?.[1];
  if (words === undefined || words.split(' ').some(isAbout)) return undefined;
  VALUE.lastIndex = OVER_WORDS.lastIndex;
  const start = VALUE.lastIndex;
  const value = VALUE.exec(text)?.[0].replace(ENDS, '');
  if (value === undefined || !ENDS_CLAUSE.test(text.slice(start + value.length, start + value.length + 4)))
    return undefined;
  const fits =
    kind === 'password'
      ? isPassword(value, false) || isChosen(value) || isWordWithNumber(value) || isJoined(value)
      : isToken(value, true);
  return fits ? { name, start, end: start + value.length, kind, told: true } : undefined;
}

function behind(text: string, name: SpokenSecret['name'], kind: NameKind): SpokenSecret | undefined {
  TOLD.lastIndex = name.end;
  BESIDE.lastIndex = name.end;
  const told = TOLD.test(text);
  if (!told && !BESIDE.test(text)) return undefined;
  VALUE.lastIndex = told ? TOLD.lastIndex : BESIDE.lastIndex;
  const start = VALUE.lastIndex;
  const value = VALUE.exec(text)?.[0].replace(OPTIONS, '').replace(ENDS, '');
  if (
    value === undefined ||
    isPair(text, name.start, value) ||
    /^(?:…|\.{3})/.test(text.slice(start + value.length, start + value.length + 3))
  )
    return undefined;
  const end = start + value.length;
  // In the next line, it is all of it.
  const isLine = /[\n\r]/.test(text.slice(name.end, start));
  if (isLine && !/^[^\S\n]{0,3}(?:\r?\n|$)/.test(text.slice(end, end + 6))) return undefined;
  const sure = !isLine && (told || isNominal(text, name.start, start, end));
  const isOne =
    kind === 'password'
      ? isPassword(value, sure) || (!isLine && isPasswordBeside(text, name.start, start, end, sure))
      : isToken(value, kind === 'secret' || kind === 'token') || (sure && kind === 'secret' && isShortSecret(value));
  return isOne ? { name, start, end, kind, told: sure } : undefined;
}

/** Whether the value is a user and a password, behind "login/password". */
const isPair = (text: string, name: number, value: string): boolean =>
  value.includes('/') && /\w ?\/ ?$/.test(text.slice(Math.max(0, name - 3), name));

const isShortSecret = (value: string): boolean =>
  value.length >= 10 && OF_ALL_KINDS.test(value) && isPassword(value, false) && wordinessOf(value) < 0.35;

/** Whether what stands around a value of another form says that it is a password. */
function isPasswordBeside(text: string, name: number, start: number, end: number, sure: boolean): boolean {
  const value = text.slice(start, end);
  const ends = ENDS_CLAUSE.test(text.slice(end, end + 4));
  if (
    (isChosen(value) && isIntroduced(text, name, start)) ||
    (value.length <= LONGEST_RANDOM && isToken(value, false)) ||
    (isWordWithNumber(value) && isGiven(text, name, end)) ||
    (isJoined(value) && OWNED.test(text.slice(Math.max(0, name - 12), name)))
  )
    return true;
  if (ends && /^\d{6,24}$/.test(value))
    return !isExample(value) && (sure || (value.length >= 8 && NETWORK.test(text.slice(name, name + 12))));
  if (!/\d/.test(value) || !isPassword(value, true)) return false;
  return (
    isBracketed(text, name, end) ||
    isStatement(text, name, start, end) ||
    (ends && (isShortNamed(text, name) || isScattered(value) || isOfUser(text, name)))
  );
}

/** Whether the name and the value are a line of the configuration of a program, such as `set wireless passwd …`. */
const isStatement = (text: string, name: number, start: number, end: number): boolean =>
  /^\w+ ["']?$/.test(text.slice(name, start)) &&
  /^["']?;?[ \t]{0,3}(?:\r?\n|$)/.test(text.slice(end, end + 6)) &&
  /(?:^|\n)[ \t]{0,16}(?:[a-z][\w.-]{0,24} ){0,4}$/.test(text.slice(Math.max(0, name - 120), name)) &&
  /^(?=.*[a-z])(?=.*[A-Z!@#$%^&*+=?])(?=.*\d).{7,64}$/.test(text.slice(start, end));

/** Whether the name is short, and one of passwords alone: "pw …". */
const isShortNamed = (text: string, name: number): boolean =>
  /^(?:pwd?|mdp)\W/i.test(text.slice(name, name + 4)) && /(?:^|[\s,;(])$/.test(text.slice(Math.max(0, name - 1), name));

/** Small letters and digits at random, in eight characters and more. */
const isScattered = (value: string): boolean =>
  /^(?=.*\d[a-z]+\d)[a-z\d]{8,24}$/.test(value) && !isExample(value) && wordinessOf(value) < 0.3;
/** Keys of networks, which may be digits alone. */
const NETWORK = /^(?:wi-?fi|wlan|wpa|network|netz)/i;

/** Longer ones beside the name of a password are encrypted, as often as not. */
const LONGEST_RANDOM = 64;

/** A clause ends: what follows is none of the value's. */
const ENDS_CLAUSE = /^(?:["'`]?[.,;!?)]|["'`]?\s*$|["'`]?\s*\n)/;

/** Whether the value is in quotes of prose, or its name is of a language that needs no verb between the two. */
function isNominal(text: string, name: number, start: number, end: number): boolean {
  if (/[«“「『]\s?$/.test(text.slice(start - 2, start))) return true;
  if (/^,? hai\b/.test(text.slice(end, end + 6))) return true;
  const first = text.charCodeAt(name) | 32;
  const needsNone = first >= 0x370 || /^(?:[sş]ifre|salasana|jelsz)/i.test(text.slice(name, name + 8));
  return needsNone && /^(?:[.,;!?)]|\s*$|\s*\n| [^\0-\x7f])/.test(text.slice(end, end + 4));
}
