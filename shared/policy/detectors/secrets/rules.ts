/**
 * Forms of credentials from the documentation of their providers, one rule for each kind. Every such credential has one of the
 * literals of its rule, so clean text costs nothing. The pattern is tried where the literal is; it is anchored, and its repetitions
 * have a bound.
 */

export interface SecretRule {
  name: string;
  /** in their exact case; the credential starts with one of them, or has it up to `before` characters from its start */
  literals: readonly string[];
  /** sticky; group 1, where there is one, is the credential */
  pattern: RegExp;
  /** the pattern may start up to this many characters of `[A-Za-z0-9_-]` before the literal */
  before?: number;
  /** a hyphen may be part of the credential, so it does not start after one */
  dashed?: boolean;
  /** the literal may be part of a longer word, in any case */
  keyword?: boolean;
  /** least entropy, bits a character; placeholders such as xxxx have none */
  entropy?: number;
  /** what else must hold of the credential */
  check?(secret: string): boolean;
}

const HEX_STARTS = [...'0123456789abcdef'];
/** A separator between a name and its value: `=`, `:`, `=>`, quotes, spaces. */
const ASSIGN = String.raw`["'\x60]?\s{0,3}(?:=>|:=|=|:)\s{0,3}["'\x60]?`;

const rule = (
  name: string,
  literals: readonly string[],
  pattern: string,
  more: Partial<SecretRule> = {},
): SecretRule => ({
  name,
  literals,
  pattern: new RegExp(`${pattern}(?![A-Za-z0-9_-])`, 'y'),
  entropy: 2.5,
  ...more,
});

export const SECRET_RULES: readonly SecretRule[] = [
  rule('aws-access-key-id', ['AKIA', 'ASIA'], '(?:AKIA|ASIA)[A-Z2-7]{16}'),
  rule(
    'aws-secret-access-key',
    ['secret_access_key', 'secretaccesskey', 'aws_secret_key', 'secret-access-key'],
    `[A-Za-z_-]{10,20}${ASSIGN}([A-Za-z0-9/+]{40})(?![/+=])`,
    { keyword: true, entropy: 3.5 },
  ),
  rule('github-token', ['ghp_', 'gho_', 'ghu_', 'ghs_', 'ghr_'], 'gh[pousr]_[A-Za-z0-9]{36,255}'),
  rule('github-fine-grained-token', ['github_pat_'], 'github_pat_[A-Za-z0-9]{22}_[A-Za-z0-9]{59}'),
  rule('gitlab-token', ['glpat-', 'gldt-', 'glrt-', 'glptt-'], 'gl(?:pat|dt|rt|ptt)-[A-Za-z0-9_-]{20,60}'),
  rule(
    'slack-token',
    ['xoxb-', 'xoxp-', 'xoxa-', 'xoxr-', 'xoxs-', 'xapp-'],
    'x(?:ox[bpars]|app)-(?:[A-Za-z0-9]{1,14}-){1,4}[A-Za-z0-9]{24,80}',
  ),
  rule(
    'slack-webhook',
    ['hooks.slack.com/'],
    'hooks\\.slack\\.com/(?:services|workflows|triggers)/[A-Z0-9]{8,14}/[A-Za-z0-9]{8,20}/[A-Za-z0-9]{20,50}',
  ),
  rule(
    'stripe-key',
    ['sk_live_', 'rk_live_', 'sk_test_', 'rk_test_', 'whsec_'],
    '(?:[sr]k_(?:live|test)_[A-Za-z0-9]{20,250}|whsec_[A-Za-z0-9+/]{32,64}={0,2})',
  ),
  rule('google-api-key', ['AIza'], 'AIza[A-Za-z0-9_-]{35}'),
  rule(
    'openai-key',
    ['sk-proj-', 'sk-svcacct-', 'sk-admin-', 'T3BlbkFJ'],
    'sk-(?:(?:proj|svcacct|admin)-[A-Za-z0-9_-]{40,250}|[A-Za-z0-9]{20}T3BlbkFJ[A-Za-z0-9]{20})',
    { before: 23 },
  ),
  rule('anthropic-key', ['sk-ant-'], 'sk-ant-[a-z0-9]{3,10}-[A-Za-z0-9_-]{60,200}'),
  rule(
    'twilio-key',
    HEX_STARTS.map((digit) => `SK${digit}`),
    'SK[0-9a-f]{32}',
  ),
  rule('sendgrid-key', ['SG.'], 'SG\\.[A-Za-z0-9_-]{22}\\.[A-Za-z0-9_-]{43}'),
  rule('npm-token', ['npm_'], 'npm_[A-Za-z0-9]{36}'),
  rule('pypi-token', ['pypi-AgE'], 'pypi-AgE[A-Za-z0-9_-]{50,1000}'),
  rule('hugging-face-token', ['hf_', 'api_org_'], '(?:hf|api_org)_[A-Za-z]{34}'),
  rule('azure-storage-key', ['AccountKey='], 'AccountKey=([A-Za-z0-9+/]{86}==)', { entropy: 3.5 }),
  rule('digitalocean-token', ['dop_v1_', 'doo_v1_', 'dor_v1_'], 'do[por]_v1_[0-9a-f]{64}'),
  rule('shopify-token', ['shpat_', 'shpca_', 'shppa_', 'shpss_'], 'shp(?:at|ca|pa|ss)_[0-9a-fA-F]{32}'),
  rule('mailgun-key', ['key-'], 'key-[0-9a-f]{32}'),
  rule(
    'square-token',
    ['sq0atp-', 'sq0csp-', 'EAAAE'],
    '(?:sq0atp-[A-Za-z0-9_-]{22}|sq0csp-[A-Za-z0-9_-]{43}|EAAAE[A-Za-z0-9_-]{59})',
  ),
  rule('telegram-bot-token', [':AA'], '(?:bot)?([0-9]{8,10}:AA[A-Za-z0-9_-]{33})', { before: 13 }),
  rule(
    'discord-webhook',
    ['discord.com/api/webhooks/', 'discordapp.com/api/webhooks/'],
    'discord(?:app)?\\.com/api/webhooks/[0-9]{17,20}/[A-Za-z0-9_-]{60,80}',
  ),
  rule(
    'discord-bot-token',
    ['discord', 'bot_token', 'bot-token', 'authorization: bot '],
    '[a-zA-Z_:-]{3,24}[^A-Za-z0-9]{0,8}(?:(?:bot|token)[^A-Za-z0-9]{1,8})?([MNO][A-Za-z0-9_-]{23,27}\\.[A-Za-z0-9_-]{6}\\.[A-Za-z0-9_-]{27,40})',
    { keyword: true, entropy: 3.5 },
  ),
  {
    name: 'private-key',
    literals: ['-----BEGIN '],
    // In JSON, an escaped line break separates the lines of a key.
    pattern:
      /-----BEGIN (?:[A-Z0-9]{2,10} ){0,2}PRIVATE KEY(?: BLOCK)?-----(?:\s|\\[nr]){1,8}(?:[A-Za-z-]{4,20}: [^\n\\]{0,100}(?:\s|\\[nr]){1,8}){0,4}[A-Za-z0-9+/=]{16}/y,
  },
  {
    name: 'jwt',
    literals: ['eyJ'],
    dashed: true,
    pattern: /eyJ[A-Za-z0-9_-]{10,1000}\.[A-Za-z0-9_-]{4,8000}\.[A-Za-z0-9_-]{0,1500}(?![A-Za-z0-9_-])/y,
    check: isJwt,
  },
];

/** Whether the first part decodes to a JSON object that names its algorithm (RFC 7519). */
function isJwt(token: string): boolean {
  try {
    const header = JSON.parse(Buffer.from(token.slice(0, token.indexOf('.')), 'base64url').toString('utf8')) as unknown;
    return typeof header === 'object' && header !== null && Object.hasOwn(header, 'alg');
  } catch {
    return false;
  }
}

export const SECRET_RULE_NAMES: readonly string[] = SECRET_RULES.map((each) => each.name);
