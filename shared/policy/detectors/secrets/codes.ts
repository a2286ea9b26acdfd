/** Codes that people are given: PINs and one-time codes that are told, and lists of codes that restore an account. */
import type { Find } from '../../engine/probes/probe.js';
import { isExample } from './placeholders.js';
import { inCases, place } from './places.js';
import { wordinessOf } from './randomness.js';
import type { PlaceRule } from './rule.js';

const KINDS = 'verification confirmation authentication security login one-time alarm door gate unlock access'.split(
  ' ',
);
const NAMES = inCases([
  ...KINDS.map((kind) => `${kind} code`),
  ...(
    'bestätigungscode,sicherheitscode,zugangscode,geheimzahl,verificatiecode,doğrulama kodu,kod weryfikacyjny,code de vérification,' +
    "code de sécurité,code d'accès,codice di verifica,código de verificación,código de verificação,código de acceso,código de seguridad," +
    'код подтверждения,код доступа,验证码,驗證碼,認証コード,確認コード,暗証番号,인증번호,رمز التحقق,one-time passcode,otp,puk,pin ,pin:'
  ).split(','),
]);

const CODE = String.raw`((?:[A-Z]-)?(?:\d{4,8}|\d{3}[ -]\d{3,4}|\d{2}(?: \d{2}){1,3}))`;
/** What the code is for, what says that it is one, and the code. */
const LEADS = new RegExp(
  `(?: ?(?:code|nummer|number))?(?: ?(?:for|to|of|on|für|zum|zur|pour|para|de|del|da|voor|для|от) [^\\n.:;=?!\\d]{1,40}?)?(?: ?(?:is|was|ist|lautet|est|es|é|è|jest)(?: (?:now|jetzt))?:?\\s{1,3}|\\s?[:：]\\s{0,3}|\\s?(?:是|为|は|이|은|는|—)\\s?)["'\`*]{0,2}${CODE}(?![\\p{L}\\d%]|[.,:/-]\\d|\\s\\p{L}{0,3}\\d)`,
  'uy',
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
  const name = NAMES.find((each) => text.startsWith(each, at))!;
  LEADS.lastIndex = at + name.replace(':', '').length;
  const behind = LEADS.exec(text);
  const from = Math.max(0, at - LONGEST_AHEAD);
  const ahead = behind ? undefined : AHEAD.exec(text.slice(from, at));
  const code = (behind ?? ahead)?.[1];
  if (code === undefined || isExample(code.replace(/\D/g, ''))) return undefined;
  if (behind && isOther(text, at, behind[0], code)) return undefined;
  const start = behind ? LEADS.lastIndex - code.length : from + ahead!.index;
  return { start, end: start + code.length, score: 0.6, label: 'secrets:told-code' };
}

const ONE = String.raw`(?:\d{1,2}[.)] )?(?=[A-Za-z-]{0,24}\d)[A-Za-z\d]{4,10}(?:-[A-Za-z\d]{4,10}){0,3}`;

export const CODES: readonly PlaceRule[] = [
  {
    kind: 'place',
    name: 'told-code',
    provider: '–',
    what: 'PINs and one-time codes that are told: "the PIN is …", "verification code: …"',
    group: 'places',
    score: 0.6,
    literals: NAMES,
    look: findCode,
  },
  place({
    name: 'recovery-codes',
    what: 'codes that restore an account: "backup codes: …"',
    score: 0.6,
    literals: inCases([
      'recovery code',
      'backup code',
      'scratch code',
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
    ]),
    pattern: new RegExp(
      `[^\\n\\d:：=]{4,60}(?:[:：=]|\\n| are )[\\s"'\`[(*•-]{0,8}(${ONE}(?:[\\s,;"'\`*•-]{1,6}${ONE}){0,15})(?![\\w-])`,
      'y',
    ),
    check: (secret) => secret.length >= 9 && /\d\D*\d\D*\d/.test(secret) && wordinessOf(secret) < 0.5,
  }),
];
