/** Passwords of several words: phrases that restore a wallet, passphrases, and passwords of apps in groups of four letters. */
import { place } from './places.js';
import { wordinessOf } from './randomness.js';
import type { PlaceRule } from './rule.js';

/** Words of a phrase, three to eight small letters each, none of which every sentence has. */
const WORD =
  '(?!(?:the|and|for|are|was|with|have|your|not|but|this|that|from|will|they|been|were|than|then|their|there|which|would|could|into|has|had|his|her|our|its|also)\\b)[a-z]{3,8}';
/** A phrase that restores a wallet: 12 to 24 words in a row, or each behind its number. */
const NUMBER = '\\d{1,2}[.):]?[ \\t]{0,2}';
const PHRASE = `((?:${WORD}[ ,]{1,2}){11,23}${WORD}|(?:${NUMBER}${WORD}[\\s,;|]{1,3}){11,23}${NUMBER}${WORD})(?![ ,]{0,2}[a-z])`;
/** "Wallet" and "seed" are words of other things, too: then something stands between them and the phrase. */
const LABEL =
  '(?:[A-Za-z]{4,8}[ -](?:phrase|words|PHRASE|WORDS|Phrase)|[Mm]nemonic|MNEMONIC|(?:[Ww]allet|[Ss]eed|SEED|[Ff]rase|[Pp]hrase|[Сс]ид|助记词|シードフレーズ|니모닉)[\\p{L} _-]{0,24}?(?=["\'`*)]{0,2}\\s{0,3}[:=：\\n]))';

/** What messages and rules say of a passphrase. */
const IS_SAID =
  /\b(?:must|can|cannot|may|should|enter|please|use[ds]?|too|short|long|set|least|pass\w*|phrase|any|required|wrong|invalid|empty|missing)\b/;
const TELLS = `["'\`*)]{0,3}(?: (?:for|of|to|on) [^\\n:="']{1,40}?)?(?:\\s?(?:[:=]|=>|->)\\s{0,3}|\\s(?:is|was|ist|lautet|est|es|è)(?: now)?:? {1,2})`;

export const PHRASES: readonly PlaceRule[] = [
  place({
    name: 'recovery-phrase',
    what: 'the words that restore a wallet, in a row or numbered, behind "seed phrase", "recovery phrase", "wallet" or "mnemonic"',
    score: 0.7,
    anyCase: true,
    literals: [
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
    ],
    pattern: new RegExp(`${LABEL}["'\`*)]{0,2}(?: (?:is|are))?\\s{0,3}[:=：]?\\s{0,3}["'\`]?${PHRASE}`, 'uy'),
  }),
  place({
    name: 'chosen-phrase',
    what: 'passphrases of words in quotes, and passwords of words and a number: `passphrase: "…"`',
    score: 0.6,
    anyCase: true,
    literals: ['passphrase', 'password'],
    pattern: new RegExp(
      `(?:[Pp]assphrase|PASSPHRASE|(?:[Pp]assword|PASSWORD)(?=[^"\`“\\n]{0,60}["\`“][a-z ]{0,60}\\d))${TELLS}["\`“*]{1,2}((?:${WORD}[ -]){2,9}(?:${WORD}\\d{0,4}|\\d{1,6}))["\`”*]`,
      'y',
    ),
    check: (secret) => !IS_SAID.test(secret) && !/correct.horse/.test(secret),
  }),
  place({
    name: 'variable-phrase',
    what: 'words that a variable of the environment has for a password or a secret: `SESSION_SECRET=… … …`',
    score: 0.5,
    literals: ['PASSWORD=', 'PASSPHRASE=', 'SECRET='],
    pattern: new RegExp(
      `(?<=(?:^|\\n)(?:export )?[A-Z\\d_]{0,40})(?:PASSWORD|PASSPHRASE|SECRET)=["']?((?:${WORD} ){2,7}${WORD}(?: \\d{1,4})?)["']?(?=\\s*\\n|\\s*$)`,
      'y',
    ),
    check: (secret) => !IS_SAID.test(secret) && !/^[a-z]{4}(?: [a-z]{4}){3}$/.test(secret),
  }),
  place({
    name: 'app-password',
    what: 'passwords of apps in four groups of four letters: `MAIL_PASSWORD="… … … …"`',
    score: 0.7,
    anyCase: true,
    literals: ['password', 'passwd', 'passwort', 'mail_pass', 'smtp_pass', 'contraseña', 'mot de passe', 'senha'],
    pattern: new RegExp(
      `(?:[Pp]ass(?:word|wd|wort)|PASS(?:WORD|WD|WORT)|[A-Za-z]{4}_(?:pass|PASS)|[Cc]ontraseña|[Mm]ot de passe|[Ss]enha)${TELLS}["'\`*]{0,3}([a-z]{4}(?: [a-z]{4}){3})(?=["'\`*.,;)]{0,3}(?:\\s*\\n|\\s*$|[.,;)]))`,
      'y',
    ),
    check: (secret) => wordinessOf(secret.replaceAll(' ', '')) < 0.6,
  }),
];
