/** A user and the password beside each other, behind a word that says what they are: "creds are root:…", "log in with admin / …". */
import { isGiven, isRandom, place } from './places.js';
import { wordinessOf } from './randomness.js';
import type { PlaceRule } from './rule.js';
import { isChosen, isJoined, isPassword as isSpoken, isWordWithNumber } from './spoken-values.js';

/** Of what is said so, half are addresses, versions and words: a password has letters, and two digits or a symbol. */
const isPassword = (secret: string): boolean =>
  secret.length >= 8 &&
  /[A-Za-z]/.test(secret) &&
  (/[!@#$%^&*+=~?]/.test(secret) || (/[A-Z]/.test(secret) && /\d.*\d/.test(secret)) || wordinessOf(secret) < 0.5) &&
  /\d|[A-Z].*[a-z]|[a-z].*[A-Z]/.test(secret) &&
  !/[<>]|^[x*]?:|^\/|:\/\/|^\d{2,5}\/|^[\w.+-]+@[\w-]+\.[a-z.]{2,}$|^\w+[=(]|^\d[\d.:/-]*$/i.test(secret);

/** What says that a password follows; people log in with other things, too. */
const SURE_LABEL =
  /(?:\bcred\w{1,8}|zugang\w{0,5}|daten|identifiants|wi-?fi|inlog\w{0,9}|acces[os]\w{0,2}|logowania|входа)\b[^\n]{0,60}$/i;

/** A letter, a digit and a sign, in six characters and more. */
const isMixedWithSign = (secret: string): boolean =>
  /^(?=.*[A-Za-z])(?=.*\d)(?=.*[!@#$%^&*+=?])[^\s<>()/:]{6,64}$/.test(secret) &&
  !/^\w+=|^[\w.+-]+@[\w-]+\.|^\$/.test(secret);

const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;
/** A password as people choose it, for which something else than its name must tell. */
const isChosenOne = (secret: string): boolean =>
  isSpoken(secret, false) || isChosen(secret) || isWordWithNumber(secret) || isJoined(secret);

/** Whether a line has an address and the password alone, or the two end a clause behind a slash. */
const isListed = (text: string, start: number, secret: string): boolean =>
  /\d/.test(secret) &&
  /(?:(?:^|\n)[\w.+-]{1,64}@[\w.-]{3,80}[:|;\t]|@[\w.-]{3,80} [/|] )$/.test(
    text.slice(Math.max(0, start - 150), start),
  ) &&
  /^(?:\r?\n|$|[.,!)])/.test(text.slice(start + secret.length, start + secret.length + 2));

export const LOGINS: readonly PlaceRule[] = [
  place({
    name: 'login-pair',
    what: 'a password beside its user: "credentials: admin / …", "creds are root:…", "log in with admin / …"',
    score: 0.6,
    anyCase: true,
    literals: [
      'creds',
      'credentials',
      'log in',
      'login',
      'logged in',
      'sign in',
      'zugangsdaten',
      'anmeldedaten',
      'logindaten',
      'login-daten',
      'inloggegevens',
      'inlog:',
      'datos de acceso',
      'dados de acesso',
      'dati di accesso',
      'dane logowania',
      'данные для входа',
      'identifiants',
      'credenciales',
      'credenciais',
      'credenziali',
      'account (',
      'get in with',
      'zugang:',
      'connect with',
      'wi-fi:',
      'wifi:',
      'zaloguj',
      'ログイン:',
      'вход:',
      '/ pass',
      '/pass',
      '/ Pass',
      '/Pass',
      '/ pw',
      '/pw',
      'acceso:',
      'accès:',
    ],
    pattern:
      /(?:(?<![\w/@.-])(?:[Cc]re(?:ds|dentials)|CRE(?:DS|DENTIALS)|[Ll]og(?:ged)? ?in|LOG ?IN|[Gg]et in(?= with)|[Cc]onnect(?= with)|[Ww]i-?[Ff]i(?=:)|[Zz]aloguj(?: się)?|ログイン(?=:)|[Вв]ход(?=:)|[Ss]ign in|[Zz]ugangsdaten|[Aa]nmeldedaten|[Ll]ogin-?daten|[Ii]nloggegevens|[Ii]nlog(?=:)|[Dd]a(?:tos de acceso|dos de acesso|ti di accesso|ne logowania)|[Дд]анные для входа|[Ii]dentifiants|[Cc]reden(?:ciales|ciais|ziali)|[Aa]ccount(?= \()|[Zz]ugang(?=:)|[Aa]cceso(?=:)|[Aa]cc[eè]s(?=o?:))|(?<=\w ?)\/ ?(?:[Pp]ass(?:word|wort)?|pwd?|PW)(?= ?[:=]))(?: (?:for|to|on|at|in|from|für|pour|para|per) [^\s:]{1,40}(?: [\w-]{2,20}){0,3})?(?: ?=| ?(?:→|->|=>)| are| is| with| as| using| mit| als| avec| con| com| met| sind| sont| son| são| sono)?(?: now)?(?: {1,2}| ?[:：]\s{0,3}|\*{0,2} {0,8}\| {0,3})["'`(]?[\w.+@\\-]{2,60}["'`]?(?: ?[/:|,] ?| and | with (?:the )?(?:pass\w{0,5} )?)["'`]?([^\s"'`,;)]{5,63}[^\s"'`,;).])/y,
    check: (secret, text, start) =>
      isPassword(secret) ||
      isMixedWithSign(secret) ||
      ((isSpoken(secret, true) || isWordWithNumber(secret)) &&
        /\d/.test(secret) &&
        (SURE_LABEL.test(text.slice(Math.max(0, start - 90), start)) ||
          (text.startsWith(' / ', start - 3) &&
            /^(?:[.,!)]|\s*$|\s*\n)/.test(text.slice(start + secret.length, start + secret.length + 4))))),
  }),
  place({
    name: 'account-password',
    what: 'passwords behind an address of mail: `name@host:password`, `name@host / password`, as in lists of accounts',
    score: 0.6,
    literals: ['@'],
    pattern:
      /@(?:(?=[A-Za-z])[\w.-]{1,60}\.[a-z]{2,12}|\d{1,3}(?:\.\d{1,3}){3}(?= ))(?:[:|;]|\t| (?:[|/] )?)([^\s:|;"'`<>/\\,]{5,63}[^\s:|;"'`<>/\\,.])(?=[\s"'`)]|[.,](?:\s|$)|$)/y,
    check: (secret, text, start) =>
      (isChosenOne(secret) || (isSpoken(secret, true) && isListed(text, start, secret))) &&
      /(?:^|[\s"'`])[\w.+-]{1,64}@[\w.-]{3,80}(?:[:|;]|\t| [|/] |(?<=(?:account|log ?in|creds|credentials|sign in)\b[^\n]{0,120})(?<! LOGIN \S{3,120}) )$/i.test(
        text.slice(Math.max(0, start - 150), start),
      ) &&
      !/(?:\b(?:scp|rsync|ssh|sftp|git|hg|clone|remote)\b|\]:\d{2,3}\s)[^\n]*(?<! [|/] )$/.test(
        text.slice(Math.max(0, start - 200), start),
      ),
  }),
  place({
    name: 'administrator-password',
    what: 'passwords behind the administrator of a system: `admin / …`, `root / …`',
    score: 0.6,
    literals: ['admin', 'Admin', 'root'].map((user) => `${user} / `),
    pattern: /(?:[Aa]dmin|root) \/ ["'`]?([^\s"'`|;<>/\\,]{7,63}[^\s"'`|;<>/\\,.)])(?=[\s"'`)]|[.,](?:\s|$)|$)/y,
    check: (secret, text, start) =>
      isChosenOne(secret) && !/[\w.@/-](?:[Aa]dmin|root) \/ ["'`]?$/.test(text.slice(Math.max(0, start - 12), start)),
  }),
  place({
    name: 'key-pair',
    what: 'secrets behind their key: "key/secret: … / …"',
    score: 0.6,
    anyCase: true,
    literals: ['/secret', '/ secret'],
    pattern:
      /\/ ?[Ss](?:ecret|ECRET)(?:[ _-]?[Kk](?:ey|EY))?\s?[:=]\s{0,3}["'`]?[\w+.-]{8,128}["'`]?(?: ?[/:,|] ?| {1,3})["'`]?([\w+/=.-]{16,128})/y,
    check: isRandom,
  }),
  place({
    name: 'encoded-login',
    what: 'users and passwords that a program encodes: `btoa("user:…")`, `b64encode(b"user:…")`',
    score: 0.6,
    literals: [
      'btoa(',
      'b64encode(',
      'Buffer.from(',
      'base64_encode(',
      'StdEncoding.EncodeToString(',
      'encodeToString(',
    ],
    pattern:
      /(?:btoa|b64encode|Buffer\.from|base64_encode|[eE]ncodeToString)\(\s{0,8}(?:\(|\[\]byte\(|b)?["'`][\w.@+-]{2,64}:([^\s"'`:]{6,128})["'`]/y,
    check: (secret) => isGiven(secret) && !/^\/\/|\$\{/.test(secret),
  }),
  place({
    name: 'login-token',
    what: 'tokens behind `login` and `auth` in commands: `wandb login …`',
    score: 0.6,
    literals: [' login ', ' auth '],
    pattern: / (?:login|auth) ["']?([A-Za-z0-9_-]{32,200})(?![\w./])/y,
    check: (secret) => UUID.test(secret) || isRandom(secret),
  }),
];
