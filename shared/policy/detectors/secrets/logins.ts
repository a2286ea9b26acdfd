/** A user and the password beside each other, behind a word that says what they are: "creds are root:…", "log in with admin / …". */
import { inCases, isRandom, place } from './places.js';
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

/**
 * Words of a phrase that restores a wallet: 12 to 24, of three to eight small letters, none of which every sentence has. They stand in a row,
 * or each behind its number.
 */
const WORD =
  '(?!(?:the|and|for|are|was|with|have|your|not|but|this|that|from|will|they|been|were|than|then|their|there|which|would|could|into|has|had|his|her|our|its|also)\\b)[a-z]{3,8}';
const NUMBER = '\\d{1,2}[.):]?[ \\t]{0,2}';
const PHRASE = `((?:${WORD}[ ,]{1,2}){11,23}${WORD}|(?:${NUMBER}${WORD}[\\s,;|]{1,3}){11,23}${NUMBER}${WORD})(?![ ,]{0,2}[a-z])`;
/** "Wallet" and "seed" are words of other things, too: then something stands between them and the phrase. */
const LABEL =
  '(?:[A-Za-z]{4,8}[ -](?:phrase|words|PHRASE|WORDS|Phrase)|[Mm]nemonic|MNEMONIC|(?:[Ww]allet|[Ss]eed|SEED|[Ff]rase|[Pp]hrase|[Сс]ид|助记词|シードフレーズ|니모닉)[\\p{L} _-]{0,24}?(?=["\'`*)]{0,2}\\s{0,3}[:=：\\n]))';

export const LOGINS: readonly PlaceRule[] = [
  place({
    name: 'login-pair',
    what: 'a password beside its user: "credentials: admin / …", "creds are root:…", "log in with admin / …"',
    score: 0.6,
    literals: inCases([
      'creds',
      'credentials',
      'log in',
      'login',
      'logged in',
      'sign in',
      'zugangsdaten',
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
    ]),
    pattern:
      /(?:(?<![\w/@.-])(?:[Cc]re(?:ds|dentials)|CRE(?:DS|DENTIALS)|[Ll]og(?:ged)? ?in|LOG ?IN|[Gg]et in(?= with)|[Cc]onnect(?= with)|[Ww]i-?[Ff]i(?=:)|[Zz]aloguj(?: się)?|ログイン(?=:)|[Вв]ход(?=:)|[Ss]ign in|[Zz]ugangsdaten|[Ii]dentifiants|[Cc]reden(?:ciales|ciais|ziali)|[Aa]ccount(?= \()|[Zz]ugang(?=:)|[Aa]cceso(?=:)|[Aa]cc[eè]s(?=o?:))|(?<=\w ?)\/ ?(?:[Pp]ass(?:word|wort)?|pwd?|PW)(?= ?[:=]))(?: (?:for|to|on|at|in|from|für|pour|para|per) [^\s:]{1,40}(?: [\w-]{2,20}){0,3})?(?: ?=| ?(?:→|->|=>)| are| is| with| as| using| sind| sont| son| são| sono)?(?: now)?(?: {1,2}| ?[:：]\s{0,3})["'`(]?[\w.+@\\-]{2,60}["'`]?(?: ?[/:|,] ?| and | with (?:the )?(?:pass\w{0,5} )?)["'`]?([^\s"'`,;)]{7,63}[^\s"'`,;).])/y,
    check: isPassword,
  }),
  place({
    name: 'account-password',
    what: 'passwords behind an address of mail: `name@host:password`, as in lists of accounts',
    score: 0.6,
    literals: ['@'],
    pattern: /@(?=[A-Za-z])[\w.-]{1,60}\.[a-z]{2,12}[:|;]([^\s:|;"'`<>/\\,]{6,64})(?=\s|["'`]|$)/y,
    check: (secret, text, start) =>
      (isSpoken(secret, false) || isChosen(secret) || isWordWithNumber(secret) || isJoined(secret)) &&
      /(?:^|[\s"'`])[\w.+-]{1,64}@[\w.-]{3,80}[:|;]$/.test(text.slice(Math.max(0, start - 150), start)) &&
      !/(?:\b(?:scp|rsync|ssh|sftp|git|hg|clone|remote)\b|\]:\d{2,3}\s)[^\n]*$/.test(
        text.slice(Math.max(0, start - 200), start),
      ),
  }),
  place({
    name: 'login-token',
    what: 'tokens behind `login` and `auth` in commands: `wandb login …`',
    score: 0.6,
    literals: [' login ', ' auth '],
    pattern: / (?:login|auth) ["']?([A-Za-z0-9_-]{32,200})(?![\w./])/y,
    check: isRandom,
  }),
  place({
    name: 'recovery-phrase',
    what: 'the words that restore a wallet, in a row or numbered, behind "seed phrase", "recovery phrase", "wallet" or "mnemonic"',
    score: 0.7,
    literals: inCases([
      ...[
        'recovery phrase',
        'backup phrase',
        'secret phrase',
        'recovery words',
        'backup words',
        'mnemonic',
        'wallet',
        'seed',
      ],
      ...['frase semilla', 'frase de recup', 'phrase de récup', 'сид-фраза', '助记词', 'シードフレーズ', '니모닉'],
    ]),
    pattern: new RegExp(`${LABEL}["'\`*)]{0,2}(?: (?:is|are))?\\s{0,3}[:=：]?\\s{0,3}["'\`]?${PHRASE}`, 'uy'),
  }),
];
