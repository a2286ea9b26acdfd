/** What stands where a credential would stand, and is none: examples, placeholders, templates, references. */
import { isRepetition, isSequence } from './randomness.js';

/** Words that nobody has in a credential. Random letters hold one of them less than once in ten thousand. */
const EXAMPLE_WORDS =
  /example|sample|placeholder|change.?me|changeit|dummy|redacted|your[_-]?[a-z]|insert[_-]|replace|fake|xxxx|foobar|masked|removed|hidden|not.?real|to.?be.?set|to.?do\b|fill.?in|abc[_-]?123(?!\d)|abc-?def1234|my[_-]?(?:api|access|secret|token|key|super)/i;
/** Characters that stand for others. */
const MASK = /\*{3}|\.{3}|[xX]{4}|#{4}|[•…●]/;

let counted = false;

/** What `look` finds where examples count as credentials do: to show people what is left out as one. */
export function countingExamples<T>(look: () => T): T {
  counted = true;
  try {
    return look();
  } finally {
    counted = false;
  }
}

/** Whether `text`, the random part of a credential, was written by hand to show its form. */
export function isExample(text: string): boolean {
  return isPlaceholder(text) || (!counted && isSequence(text));
}

/** The same of what people choose, which may be a sequence. */
export const isPlaceholder = (text: string): boolean =>
  !counted && (MASK.test(text) || EXAMPLE_WORDS.test(text) || isRepetition(text));

/** Values that a program fills in. An odd bracket in a password is none. */
const TEMPLATE =
  /\$\{[\w.:/|\-?=+, ]{1,80}(?:\}|$)|\{\{[-\w.\s|"'()$:/,@]{0,120}\}\}|\$\([\w ./-]{1,80}\)|\$\{\{|#\{[\w.@[\]:'" ()]{1,80}\}|<%|%\([\w.]{1,40}\)s|\$\[\w|@@\w+@@/;
const WRAPPED =
  /^(?:\{[A-Za-z_][\w.]*![rsa]\}?|\$[A-Za-z_][\w:]*->?.*|[A-Za-z_]\w*\[["'].*|<[^>]*>?|\[[^\]]*\]|\{[^}]*\}|%[\w-]*%|%[sdvq]|@[\w.]+@|__\w+__|\$\{?[A-Za-z_][\w:.]*\}?|[&$]?[A-Za-z_]+\(.*|\$\(.*|\((?:[A-Za-z_].*)?|\*+|-+|_+|\.+|!(?:Ref|Sub|GetAtt|vault|env|env_var|secret|include)\b.*|!!\w+)$/;
/** References to secrets that are kept elsewhere. */
const REFERENCE =
  /^(?:arn:|op:\/\/|@Microsoft\.KeyVault\(|(?:aws-?|gcp-?)?kms:|\{cipher\}|vault:|secretref:|secret:\/\/|file:|env[:.(]|ssm:|sm:\/\/|ref\+|keyvault:|projects\/|secrets?\.|process\.env|os\.(?:environ|getenv)|system\.getenv|ENV\[|getenv|config\.|var\.|local\.|data\.|module\.|self\.|this\.|settings\.|params\.|request\.|props\.|options\.|args\.|input\.|context\.|app\.|\/run\/secrets|\.{0,2}\/)/i;

/** What a program has there: a directive of C, a name with its scope, a number with the length of it. */
const SOURCE =
  /^(?:#(?:include|define|undef|if|ifdef|ifndef|else|elif|endif|pragma)|[A-Za-z_]\w*(?:::[A-Za-z_]\w*)+|0[xX][\dA-Fa-f]+[uU]?[lL]{1,2}[uU]?)$/;

/** Whether `value` stands for a value: a template, a reference to a variable or to a store of secrets, a part of a program. */
export function isReference(value: string): boolean {
  return WRAPPED.test(value) || TEMPLATE.test(value) || REFERENCE.test(value) || SOURCE.test(value);
}

/** Fingerprints and ids of keys of OpenPGP, as programs write them. */
export const isOpenPgp = (value: string): boolean => /^(?:0x)?[\dA-F]{40}$|^0x[\dA-F]{16}$/.test(value);

const NO_VALUES = new Set(
  (
    'null nil none true false undefined empty blank unset unknown required optional default string str text number int integer boolean bool ' +
    'bytes binary object array any void never value values var variable password passwd pass passphrase secret secrets token tokens key keys apikey ' +
    'credential credentials auth basic bearer digest oauth oauth2 jwt test tests testing admin root user username login enabled disabled on off yes no ' +
    'here this that self prompt ask input stdin env file vault generate generated random auto automatic inherit reset forgot public private plain ' +
    'plaintext hashed encrypted hex base64 utf8 utf-8 varchar char uuid hidden invalid incorrect wrong missing expired valid correct strong weak ' +
    'confirm change changed update required. optional. qwerty letmein abc123 anonymous guest demo foo bar baz foobar master main current new old first ' +
    'application/json undefined; true; false; null; nullable notnull ' +
    'erforderlich pflichtfeld ungültig falsch vergessen obligatorio obligatoria requerido requerida opcional incorrecto incorrecta inválido inválida olvidada obligatoire requis facultatif ' +
    'incorrect oublié obrigatório obrigatória obbligatorio obbligatoria facoltativo facoltativa errata wymagane wymagany opcjonalne nieprawidłowe verplicht optioneel ongeldig vereist krävs ' +
    'обязательно обязательный необязательно неверный неверно required 必须 必須 必填 可选 任意 必要 필수 선택'
  ).split(' '),
);

/** A part of a value that describes one rather than is one. */
const DESCRIPTIVE =
  /^(?:pass(?:word|wd|phrase|code)?s?|pwd|secrets?|tokens?|keys?|api|credentials?|creds?|auth(?:entication|orization)?|user|name|login|account|database|db|admin|root|my|the|your|our|new|old|current|confirm(?:ation)?|repeat|enter|client|server|access|refresh|private|public|default|test(?:ing)?|value|field|input|type|id|here|some|string|text|is|for|of|a|an|to|in|and|or|not|required|invalid|wrong|missing|hash(?:ed)?|encrypt(?:ed|ion)?|json|csrf|bearer|jwt|oauth|session|app|service|config|env|file|path|url|header|cookie|param(?:eter)?|reset|forgot|change|update|create|get|set|store|manager|provider|prod(?:uction)?|dev(?:elopment)?|staging|tls|ssl|cert(?:ificate)?|ca|aws|gcp|azure|github|docker|registry|pull|image|kube|label|hint|form|error|message|str)+$/;
/** Longer parts are not looked at, which bounds the ways to take them apart. */
const MAX_PART = 32;

/** What passwords, secrets and tokens are called in other languages: a translation of the name. */
const TRANSLATION =
  /^(?:passwor[dt]|kennwort|contrase[nñ]a|senha|mot ?de ?passe|wachtwoord|parola|has[lł]o|l[öo]senord|adgangskode|passord|salasana|heslo|jelszó|lozinka|parolă|şifre|пароль|密码|密碼|パスワード|비밀번호|geheim(?:nis)?|secreto|segreto|segredo|sekret|секрет|токен|jeton|schlüssel|トークン|令牌|密钥)$/iu;

/** Whether `value` is a word such as `none`, or says what it is, as `user_password` and `db-credentials` do. */
export function isDescription(value: string): boolean {
  if (NO_VALUES.has(value.toLowerCase()) || TRANSLATION.test(value)) return true;
  if (/\d{2}|\d\D|[^\w\s.:/-]/.test(value)) return false;
  const parts = value.match(/[A-Z]+(?![a-z])|[A-Z]?[a-z]+/g);
  return parts?.every((part) => part.length <= MAX_PART && DESCRIPTIVE.test(part.toLowerCase())) ?? false;
}

/** Names of methods and kinds of encoding, which have digits. */
const METHODS =
  /^(?:(?:hmac[-_]?)?sha-?\d+|scram-sha-\d+.*|md[45]\w*|base-?\d+\w*|utf-?\d+|latin-?\d|iso-?\d.*|argon2\w*|pbkdf2\w*|bcrypt\w*|scrypt\w*|oauth\d?|jwt|x\.?509|aes-?\d+\w*|rsa-?\d+\w*|ed25519|ipv[46]|http\/?\d|tls\S*|ssl\S*|totp|2fa|mfa|fido2|ntlm\w*|rfc-?\d+|cve-\S*|h\d|es\d+|[hr]s\d+|(?:win(?:dows)?|office|ubuntu|excel|outlook)\d+|(?:android|iphone|debian|centos|python|php|mysql|node|java)\d{1,3}|(?:n?var)?char\d|u?int\d+|float\d+)$/i;

export const isMethod = (value: string): boolean => METHODS.test(value);

/** Starts of what is encrypted, and of certificates, public keys, images, archives, fonts and documents in Base64. */
const CONTENT =
  /^(?:MII[A-Z]|AQICAH|gAAAAAB|z6Mk|U2FsdGVkX1|hQ[EI]M|AAAAB3NzaC1|AAAAC3NzaC1|LS0tLS1CRUdJTi|iVBORw0KGgo|\/9j\/|R0lGOD|JVBERi0|UEsDB|H4sI|d09G|AGFzbQ|PHN2Zy|PD94bWw|Qk0|UklGR|AAABAA|T2dnUw|SUkq)/;

export const isContent = (value: string): boolean => CONTENT.test(value);
