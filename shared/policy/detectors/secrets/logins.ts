/** A user and the password beside each other, behind a word that says what they are: "creds are root:…", "log in with admin / …". */
import { inCases, place } from './places.js';
import { wordinessOf } from './randomness.js';
import type { PlaceRule } from './rule.js';

/** Of what is said so, half are addresses, versions and words: a password has letters, and two digits or a symbol. */
const isPassword = (secret: string): boolean =>
  secret.length >= 8 &&
  /[A-Za-z]/.test(secret) &&
  (/[!@#$%^&*+=~?]/.test(secret) || (/[A-Z]/.test(secret) && /\d.*\d/.test(secret)) || wordinessOf(secret) < 0.5) &&
  /\d|[A-Z].*[a-z]|[a-z].*[A-Z]/.test(secret) &&
  !/^[x*]?:|^\/|:\/\/|^\d{2,5}\/|^[\w.+-]+@[\w-]+\.[a-z.]{2,}$|^\w+[=(]|^\d[\d.:/-]*$/i.test(secret);

/** Words of a phrase that restores a wallet: 12 to 24, of three to eight small letters, none of which every sentence has. */
const PHRASE =
  /((?:(?!(?:the|and|for|are|was|with|have|your|not|but)\b)[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})(?![ ,]{0,2}[a-z])/
    .source;

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
      'acceso:',
      'accès:',
    ]),
    pattern:
      /(?<![\w/@.-])(?:[Cc]re(?:ds|dentials)|CRE(?:DS|DENTIALS)|[Ll]og(?:ged)? ?in|LOG ?IN|[Gg]et in(?= with)|[Ss]ign in|[Zz]ugangsdaten|[Ii]dentifiants|[Cc]reden(?:ciales|ciais|ziali)|[Aa]ccount(?= \()|[Zz]ugang(?=:)|[Aa]cceso(?=:)|[Aa]cc[eè]s(?=o?:))(?: (?:for|to|on|at|in|from|für|pour|para|per) [^\s:]{1,40}(?: [\w-]{2,20}){0,3})?(?: ?=| are| is| with| as| using| sind| sont| son| são| sono)?(?: now)?(?: {1,2}|:\s{1,3})["'`(]?[\w.+@\\-]{2,60}["'`]?(?: ?[/:|,] ?| and )["'`]?([^\s"'`,;)]{8,64})/y,
    check: isPassword,
  }),
  place({
    name: 'recovery-phrase',
    what: 'the words that restore a wallet, behind "seed phrase", "recovery phrase" or "mnemonic"',
    score: 0.7,
    literals: inCases(['seed phrase', 'recovery phrase', 'backup phrase', 'secret phrase', 'seed words', 'mnemonic']),
    pattern: new RegExp(
      `(?:[A-Za-z]{4,8} (?:phrase|words|PHRASE)|[Mm]nemonic|MNEMONIC)["'\`*]{0,2}(?: (?:is|are))?\\s{0,3}[:=]?\\s{0,3}["'\`]?${PHRASE}`,
      'y',
    ),
  }),
];
