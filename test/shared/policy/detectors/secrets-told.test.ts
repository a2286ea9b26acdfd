// Credentials that are told by what stands around them, between ⟦ and ⟧, and what looks like them.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { pieces } from '../support.ts';

const SECRETS = { secrets: {} };

/** Texts by what tells; the brackets are taken out. */
const TOLD: Record<string, readonly string[]> = {
  'options and arguments with letters alone': [
    "sshpass -p '⟦Otter.Lake.Way⟧' ssh root@198.51.100.9",
    'mongosh --username app --password ⟦riverBank⟧ db',
    'mosquitto_pub -h mq -u probe -P ⟦lime-Green⟧ -t a -m 1',
    'gcloud sql users set-password root --password=⟦Cedar-Twig⟧',
    'mvn deploy -DrepoPassword=⟦Cedar-Twig⟧',
    'openssl rsa -in k.pem -passin pass:⟦Clover-Leaf⟧',
    'rabbitmqctl add_user app ⟦Turnip-Red⟧',
    'wpa_passphrase Attic ⟦Cellar-77⟧',
    'nmcli dev wifi connect Attic password ⟦Cellar-77⟧',
    'expdp system/⟦Celery_9x⟧ full=y',
    'snyk auth ⟦dee74c9a-498b-44f6-a32b-edc792e1d1b4⟧',
  ],
  'variables of the environment': [
    'ADMIN_PASSWORD=⟦tulip-garden⟧',
    'DB_PASSWORD=⟦BravoTango⟧',
    'JWT_SECRET=⟦three-small-otters⟧',
    'APP_SECRET=⟦Fog!77x⟧',
    'SECRET_KEY=⟦k3x(^&$#92lq7w!)x%pa⟧\nDEBUG=1',
    'BASIC_AUTH=⟦editor:Harbour!77⟧',
    'LDAP_BINDPW=⟦Harbour!77⟧',
    'HASH_SALT=⟦q7Zp3XkT9vB2mNc8RdW5⟧',
    'RELEASE_COOKIE=⟦q7Zp3XkT9vB2mNc8RdW5⟧',
    'SESSION_SECRET=⟦harbour lantern violin⟧\nPORT=1',
    'MAIL_PASSWORD="⟦qzvw xkcd bnhr wtpl⟧"\nPORT=1',
  ],
  'elements and calls': [
    '<Setting Name="SqlPwd"><Value>⟦Harbour.7x⟧</Value></Setting>',
    '<dt>Password</dt><dd><code>⟦dock-Side-44⟧</code></dd>',
    "jwt.sign({ id }, '⟦not-for-you-9⟧', { expiresIn: '1h' })",
    '.password(passwordEncoder().encode("⟦dock-Side7⟧"))',
    "headers: { Authorization: 'Basic ' + btoa('admin:⟦dock-Side-4⟧') }",
    'DBI->connect("dbi:mysql:x", "root", "⟦dock-Side7⟧")',
    '#define PASS "⟦Harbour99⟧"',
  ],
  'forms and protocols': [
    'Content-Disposition: form-data; name="password"\r\n\r\n⟦dock-Side1⟧\r\n--x--',
    '> AUTH ⟦redis-Dock1⟧\n+OK',
    'a001 LOGIN kim@mail.test ⟦dock-Side-1⟧',
    'open ftp.site.test\nuser upload ⟦Sub3-Dock⟧\nput x.zip',
    'https://site.azurewebsites.net/api/Export?code=⟦vxY80CIwPkiPV9QX_d-flVDZPdrX_gkfBwdV46_ZYSmlV23TR_TBha==⟧',
    'postgres://app:⟦H@rbour77⟧@db.internal:5432/app',
  ],
  sentences: [
    'I reset it to ⟦Harbour2025!⟧ please change your password after that',
    'the api key you asked for: ⟦7F3JiLGL8SUenmYUHIxZvQCoiDxF6EF4⟧',
    '⟦Granite#44⟧ (the admin password)',
    'ssh kim@10.0.0.1 (pw ⟦granite44⟧)',
    'the pass is ⟦granite44⟧',
    'new pass ⟦granite-wall8⟧ as of today',
    'user kim and password ⟦qwt93!⟧',
    'pwd->⟦granite-Wall-2⟧',
    'it is kim@mail.test / ⟦Monk!Bars9⟧',
    'kim@mail.test:⟦Granit7⟧',
    'creds: kim / ⟦granite44⟧',
    'admin / ⟦Zebra-Walk1⟧ on the router page',
    'the passphrase is "⟦correct pony battery shoe⟧"',
    'the password is "⟦seven lamps 42⟧"',
    'mi contraseña nueva es ⟦lunaclara9⟧, gracias',
    "parola d'ordine: ⟦Girasole5⟧",
    'parola sunucu için: ⟦Simit!Cay3⟧',
    'mera password ⟦chai-Cup7⟧ hai',
    'parola mea este ⟦granit44x⟧',
    'la clave es ⟦granito44⟧',
    'contrasenya: ⟦granit44x⟧',
    'Login mit kim / ⟦Granit!44⟧',
    'THE PASSWORD IS ⟦GRANITE99⟧ AND NO OTHER',
    'a jelszavam ⟦Korte!99⟧',
  ],
  'lines of their own': [
    'Username\nkim.lee\nPassword\n⟦lavender19⟧\n',
    'argocd admin initial-password -n argocd\n⟦eWwq2eICblMxpjkM⟧\n',
    'cat /var/lib/jenkins/secrets/initialAdminPassword\n⟦eb05d20783b918bc2a45e3d4a15ff108⟧\n',
    'openssl rand -base64 24\n⟦C/FrPwNIWh2PDiaK+uTLhTDhPKtDZc33⟧\n',
    'Key              Value\n---              -----\npassword         ⟦Clouds!burst9⟧\n',
    'set wireless passwd ⟦Laurel!77x⟧\n',
  ],
  codes: [
    'the code for the front door is ⟦4471⟧',
    'the combination is ⟦24-8-36⟧',
    'Gate code ⟦4490⟧',
    'sim pin ⟦2580⟧',
    'PUK1 ⟦88120456⟧',
    'le code de la porte est ⟦45B92⟧',
    'код от домофона ⟦38K2291⟧',
    'пін-код картки ⟦4402⟧',
    'Your Parcel code: ⟦731-549⟧',
    '⟦731549⟧ is your Parcel code',
    'votre code est ⟦731549⟧',
    'use code ⟦553207⟧ to sign in',
    '2FA key for a new phone: ⟦IHL6 IBW7 7GMV QUVP⟧',
    'BitLocker recovery key ⟦841697-779467-507046-082167-555863-521959-246927-115444⟧',
    'scratch codes ⟦88030934 88576844⟧',
    'the API key is ⟦A7C41E88B02D94F3561C7D0EAA93B4C2F0186D5E⟧',
  ],
};

/** What has the words of a credential, and none. */
const HARMLESS: readonly string[] = [
  'PASSWORD=read-only',
  'SECRET=set this before you start\n',
  'password: "@Microsoft.KeyVault(SecretUri=https://site.vault.azure.net/secrets/db/)"',
  'AUTH LOGIN',
  'Password: case-sensitive',
  'grant_type = "urn:ietf:params:oauth:grant-type:device_code"',
  'HTTP_AUTH=none:none',
  '"-auth=anonymous:$FROM_EMAIL"',
  'curl -u "bob:$(cat secrets.txt)" https://api.site.test',
  "btoa(`bob:${make('x1')}`)",
  'mysql -u root -p ShopDatabase',
  'the code for the alarm is in alarm.c, line 4471',
  'code for the building 2024',
  'the code is 7315 lines long',
  'error code: 73154',
  'your order code is 24',
  'promo code SAVE2025',
  'pin: 13',
  'password\nremember me',
  'chapter 24 of the\nuser manual |usr_24.txt|.',
  '"passphrase": "too short for this policy"',
  'the passphrase is "must be at least eight"',
  'password: must have been sent',
  'new pass 2024 season',
  'admin / developer',
  'combination of 12-34',
  'reset it to default, then enter your password',
  'I set it to 2024-01-01 and the password worked',
  'type: password\nlength: 12',
  '#include <pwd.h>\n#include <signal.h>\n',
  'void add(LoopPass Pass = passes::LoopPass2);',
  'uint64_t key_seed = 0x8f51a7d3ed5b2c1dULL;',
  'The new signing key A7C41E88B02D94F3561C7D0EAA93B4C2F0186D5E is in the ring.',
  'GnuPG key: 0x8BD4F6A91C27E035',
  'PASS: archive1\nPASS: archive2 with links\n',
  'the crash was identified by "marit_k4"',
  'git show --stat password.ts\n4f3a9d1c0b2e8f7a6d5c4b3a29180706f5e4d3c2\n',
];

describe('secrets that are told', () => {
  for (const [by, texts] of Object.entries(TOLD)) {
    it(`are found by ${by}`, () => {
      for (const marked of texts) {
        const expected = /⟦([\s\S]*?)⟧/.exec(marked)![1]!;
        const text = marked.replace(/[⟦⟧]/g, '');
        assert.deepEqual(pieces(SECRETS, text), [expected], text);
      }
    });
  }

  it('are not what has their words alone', () => {
    for (const text of HARMLESS) assert.deepEqual(pieces(SECRETS, text), [], text);
  });
});
