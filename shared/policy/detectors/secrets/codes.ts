/** Codes that people are given: PINs and one-time codes that are told, and lists of codes that restore an account. */
import type { Find } from '../../engine/probes/probe.js';
import { isExample } from './placeholders.js';
import { place } from './places.js';
import { wordinessOf } from './randomness.js';
import type { PlaceRule } from './rule.js';

const KINDS =
  'verification confirmation authentication security login one-time alarm door gate unlock access lockbox safe garage keypad entry'.split(
    ' ',
  );
const NAMES = [
  ...KINDS.map((kind) => `${kind} code`),
  ...(
    'bestätigungscode,sicherheitscode,zugangscode,geheimzahl,verificatiecode,doğrulama kodu,kod weryfikacyjny,code de vérification,' +
    "code de sécurité,code d'accès,codice di verifica,código de verificación,código de verificação,código de acceso,código de seguridad," +
    'код подтверждения,код доступа,пин-код,пін-код,пинкод,pincode,pin-code,pin code,passcode,türcode,torcode,tresorcode,2fa code,mfa code,tan:,authenticator code,mtan,tan lautet,tan ist,doğrulama kodunuz,الرقم السري,验证码,驗證碼,認証コード,確認コード,暗証番号,인증번호,رمز التحقق,one-time passcode,otp,puk1,puk2,puk,pin1,pin ,pin:'
  ).split(','),
];
const LONGEST_NAME = Math.max(...NAMES.map(({ length }) => length));

const CODE = String.raw`((?:[A-Z]-)?(?:\d{4,8}|\d{3}[ -]\d{3,4}|\d{2}(?: \d{2}){1,3}|[#*]\d{4,8}))`;
/** Languages of Cyrillic letters, Hebrew and Arabic need no verb between the two. */
const CYRILLIC = '(?<=[\\u0400-\\u06ff])';
/** Codes that are of nothing else. */
const TELLS_ALONE = `(?<=(?:${KINDS.filter((kind) => kind !== 'authentication').join('|')}) code|(?:2fa|mfa|authenticator) code|passcode|\\botp|\\bpuk\\d?|\\bmtan|tan (?:lautet|ist)|(?:atm|card|sim|bank|conference|phone|voicemail) pin)`;
/** What the code is for, what says that it is one, and the code. */
const LEADS = new RegExp(
  `(?: ?(?:code|nummer|number))?(?: ?(?:for|to|of|on|für|zum|zur|pour|para|de|del|da|voor|til|till|do|для|от) [^\\n.:;=?!\\d]{1,40}?|${CYRILLIC} [\\u0400-\\u04ff]{3,14})?(?: ?(?:is|was|ist|lautet|est|es|é|è|jest|är|er|je|este|(?<=\\bdo \\p{L}{2,20} )to)(?: (?:now|jetzt))?:?\\s{1,3}|\\s?[:：=]\\s{0,3}|\\s?(?:是|为|は|이|은|는|—)\\s?|(?:${CYRILLIC}|${TELLS_ALONE}) (?!(?:19|20)\\d\\d(?!\\d)))["'\`*]{0,2}${CODE}(?![A-Za-z\\u00c0-\\u06ff\\d%位秒分元年]|[.,:/-]\\d|\\s\\p{L}{0,3}\\d)`,
  'iuy',
);
const AHEAD = new RegExp(`(?<![\\w.,:/$€£-])${CODE}["'\`]? is (?:your|my|the) (?:[A-Za-z-]{2,16} ){0,2}$`);
const LONGEST_AHEAD = 60;

/** A PIN of six digits behind a colon is a postal code as often as not, and other pins are of boards. */
const isOther = (text: string, at: number, between: string, code: string): boolean =>
  /^pin/i.test(text.slice(at, at + 3)) &&
  ((code.length === 6 && between.includes(':')) ||
    /gpio|board|header|connector|jumper/i.test(text.slice(Math.max(0, at - 24), at)));

function findCode(text: string, at: number): Find | undefined {
  if (/[\p{L}\d_]/u.test(text[at - 1] ?? ' ') && text.charCodeAt(at) < 0x250) return undefined;
  const written = text.slice(at, at + LONGEST_NAME).toLowerCase();
  const name = NAMES.find((each) => written.startsWith(each));
  if (name === undefined) return undefined;
  LEADS.lastIndex = at + name.replace(/[ :]$/, '').length;
  const behind = LEADS.exec(text);
  const from = Math.max(0, at - LONGEST_AHEAD);
  const ahead = behind ? undefined : AHEAD.exec(text.slice(from, at));
  const code = (behind ?? ahead)?.[1];
  if (code === undefined || isExample(code.replace(/\D/g, ''))) return undefined;
  if (behind && isOther(text, at, behind[0], code)) return undefined;
  const start = behind ? LEADS.lastIndex - code.length : from + ahead!.index;
  return { start, end: start + code.length, score: 0.6, label: 'secrets:told-code' };
}

/** What stands between "your … code" and the code, the longest first. */
const SENT =
  ' code is , code is: , code: , code ist , code lautet , code est , código es , código é , codice è , kod to , код , код: , kod är , kode er , código: , codice: , kod: , kode: '
    .split(',')
    .sort((one, other) => other.length - one.length);
const YOURS =
  /(?<!\p{L})(?:your|dein|ihr|votre|ton|tu|su|seu|tuo|suo|je|uw|twój|ваш|твой|din)(?: [\p{L}\d.-]{2,20}){0,2}$/iu;
const SENT_CODE = /["'`*]{0,2}((?:[A-Z]-)?(?:\d{4,8}|\d{3}[ -]\d{3}))(?![\w%]|[.,:/-]\d)/y;
const SENT_AHEAD = /(?<![\w.,:/$€£-])(\d{4,8}|\d{3}[ -]\d{3})$/;
const NAMES_CODE = / is your (?:[\w.-]{2,20} ){0,3}(?:code|otp|pin|passcode)\b/iy;

/** The code of a message, behind what ends with the literal at `at`, or before it. */
function findSent(text: string, at: number): Find | undefined {
  NAMES_CODE.lastIndex = at;
  const ahead = NAMES_CODE.test(text) ? SENT_AHEAD.exec(text.slice(Math.max(0, at - 12), at))?.[1] : undefined;
  const isYours = ahead === undefined && YOURS.test(text.slice(Math.max(0, at - 48), at));
  const written = text.slice(at, at + LONGEST_NAME).toLowerCase();
  SENT_CODE.lastIndex = at + (SENT.find((each) => written.startsWith(each))?.length ?? 0);
  const code = isYours ? SENT_CODE.exec(text)?.[1] : ahead;
  if (code === undefined || isExample(code.replace(/\D/g, ''))) return undefined;
  const start = isYours ? SENT_CODE.lastIndex - code.length : at - code.length;
  return { start, end: start + code.length, score: 0.6, label: 'secrets:sent-code' };
}

/** Where a code opens something. */
const OPENED =
  '(?:(?:front|back|side|main|rear|garden|office|building|house|pool) )?(?:doors?|gate|safe|alarm(?: panel| system)?|lock(?:box|er)?|garage|building|house|office|lobby|shed|entrance|keypad|(?:my |your |his |her )?(?:phone|card)|carte(?: bleue| bancaire)?|téléphone|tarjeta|cartão|móvil|telefono|Handy|Karte|porte(?:n)?|portail|portillon|coffre|immeuble|entrée|alarme|digicode|(?:Haus)?Tür|Tor|Tresor|Alarmanlage|Garage|Schließfach|Haustüre?|puerta|portal|alarma|caja fuerte|garaje|porta|portão|alarme|cofre|portone|cancello|allarme|cassaforte|deur|poort|kluis|dörren|døren|porten|drzwi|bramy|domofonu|sejfu|двери|домофона|сейфа|подъезда|ворот)';
const DOOR_CODE = String.raw`((?=[A-Z]*\d[A-Z]*\d)[A-Z\d]{4,8}|\d{1,2}(?:-\d{1,2}){2}|[#*]?\d{4,8}[#*]?)`;
const OPENS = new RegExp(
  `(?:(?:code|combination|codes?|código|codice|kod|koden|код) (?:to|for|of|de|du|von|vom|zum|zur|für|del|della?|do|da|van|till|til|от) ?(?:the |our |my |la |le |l['’]|de |der |die |das |den |het |d['’])?${OPENED}|(?:safe |lock )?combination|zahlenkombination)(?: (?:is|was|ist|lautet|est|es|é|è|jest|är|er|to)(?: (?:now|jetzt))?:? {1,2}| ?[:：—–-] {0,2}|${CYRILLIC} )["'\`*]{0,2}${DOOR_CODE}["'\`]?(?=\\s*$|[.,;!?)]|\\s*\\n| (?:and|or|but|then|press|und|et|y|e|i|и) )`,
  'iuy',
);

/** The seed of one-time passwords, as services show it: in groups of four letters and digits of Base32. */
const SEED =
  /(?:2fa|mfa|totp|authenticator|two-factor|setup key)\b[^\n:=]{0,60}[:=]\s{0,3}["'`]?((?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{4}|(?:[a-z2-7]{4} ){3,15}[a-z2-7]{4}|[A-Z2-7]{16,64})(?![\w=])/iy;

const ONE = String.raw`(?:\d{1,2}[.)] )?(?=[A-Za-z-]{0,24}\d)[A-Za-z\d]{4,10}(?:-[A-Za-z\d]{4,10}){0,3}`;

export const CODES: readonly PlaceRule[] = [
  {
    kind: 'place',
    name: 'told-code',
    provider: '–',
    what: 'PINs and one-time codes that are told: "the PIN is …", "verification code: …"',
    group: 'places',
    score: 0.6,
    anyCase: true,
    literals: NAMES,
    look: findCode,
  },
  place({
    name: 'door-code',
    what: 'codes of doors, gates, alarms and safes: "the code for the front door is …"',
    score: 0.6,
    anyCase: true,
    literals: [
      ...[
        'code to',
        'code for',
        'code of',
        'combination',
        'zahlenkombination',
        'koden t',
        'code de ',
        'code du ',
        'code vo',
      ],
      ...['code zu', 'code für', 'código d', 'codice d', 'code van ', 'kod do ', 'код от '],
    ],
    pattern: OPENS,
  }),
  place({
    name: 'one-time-seed',
    what: 'seeds of one-time passwords in groups, as services show them: "2FA key: … … … …"',
    score: 0.7,
    anyCase: true,
    literals: ['2fa', 'mfa', 'totp', 'authenticator', 'two-factor', 'setup key'],
    pattern: SEED,
    check: (secret) =>
      /[2-7]/.test(secret) &&
      (secret === secret.toUpperCase() || secret === secret.toLowerCase()) &&
      wordinessOf(secret) < 0.6,
  }),
  place({
    name: 'asked-code',
    what: 'codes that somebody is told to enter: "use code … to sign in"',
    score: 0.6,
    anyCase: true,
    literals: ['use code ', 'enter code ', 'use the code ', 'enter the code ', 'with code '],
    pattern:
      /(?:[Uu]se|USE|[Ee]nter|ENTER|[Ww]ith|WITH) (?:[Tt]he |THE )?(?:code|CODE) ["'`*]{0,2}(\d{4,8}|\d{3}[ -]\d{3})["'`*]{0,2} to (?:sign|log|verify|confirm|complete|reset|access|unlock|authenticate|activate|pair)\b/y,
  }),
  {
    kind: 'place',
    name: 'sent-code',
    provider: '–',
    what: 'codes of messages that services send: "your … code is …", "… is your … code"; in ten languages',
    group: 'places',
    score: 0.6,
    anyCase: true,
    literals: [...SENT, ' is your '],
    look: findSent,
  },
  place({
    name: 'disk-recovery-key',
    what: 'keys that unlock a disk: eight groups of six digits of BitLocker',
    score: 0.8,
    anyCase: true,
    literals: ['recovery key', 'recovery password', 'bitlocker', 'wiederherstellungsschlüssel'],
    pattern: /[A-Za-zü -]{4,60}(?:\([^()\n]{1,40}\))?["']?\s?[:=]?\s{0,8}["']?(\d{6}(?:-\d{6}){7})(?![\d-])/y,
  }),
  place({
    name: 'recovery-codes',
    what: 'codes that restore an account: "backup codes: …"',
    score: 0.6,
    anyCase: true,
    literals: [
      'recovery code',
      'backup code',
      'scratch code',
      'emergency code',
      'notfallcode',
      'save these codes',
      'wiederherstellungscode',
      'codes de récup',
      'codes de secours',
      'códigos de recup',
      'códigos de respaldo',
      'codici di recup',
      'коды восстановления',
      'резервные коды',
      '恢复代码',
      'バックアップコード',
    ],
    pattern: new RegExp(
      `[^\\n\\d:：=]{4,60}?(?:[:：=]|\\n| are | is |(?<=codes?) )[\\s"'\`[(*•-]{0,8}(${ONE}(?:[\\s,;"'\`*•-]{1,6}${ONE}){0,15})(?![\\w-])`,
      'y',
    ),
    check: (secret) => secret.length >= 9 && /\d\D*\d\D*\d/.test(secret) && wordinessOf(secret) < 0.5,
  }),
];
