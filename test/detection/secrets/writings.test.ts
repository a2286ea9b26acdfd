// Ways to write a credential, one by one, each with the credential that the evidence spans; and what is written alike and holds none.
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { evidenceOf } from '../../shared/policy/support.ts';

/** Passwords as programs make them and as people do: of letters and digits at random, and a word with a year. */
const PASSWORDS = ['Qz7rkPw2Lbx', 'Maple2020!', 'gardenMarble65'] as const;

/** `$` is the password. */
const FOUND: Readonly<Record<string, readonly string[]>> = {
  'elements and what names them': [
    '<password>$</password>',
    '<Password>\n  $\n</Password>',
    '<key>Password</key><string>$</string>',
    '<dict>\n\t<key>DbPassword</key>\n\t<string>$</string>\n</dict>',
    '<bean><property name="password"><value>$</value></property></bean>',
    '<AdministratorPassword><Value>$</Value><PlainText>true</PlainText></AdministratorPassword>',
    '<db-password><![CDATA[$]]></db-password>',
    '<tr><th>Password</th><td>$</td></tr>',
    '<dt>Password</dt><dd>$</dd>',
    '<li><b>Password:</b> $</li>',
    '<p>Password: <code>$</code></p>',
    '<b>Password</b>: $',
  ],
  'members of an object': [
    '{"admin_password":{"sensitive":true,"type":"string","value":"$"}}',
    'adminPassword:\n  value: "$"',
    'environment:\n  - name: ADMIN_PASS\n    value: $',
    'DB_PASSWORD: !!str $',
    'browser_type {"element":"Password field","ref":"e12","text":"$"}',
    'browser_type {"ref":"password-input","text":"$"}',
    'fill(selector="#pwd", value="$")',
    '{"selector":"input#password","text":"$"}',
  ],
  'columns of other tables': [
    'User      Password\n--------  ------------\nbob       $',
    'USERNAME    PASSWORD    ROLE\nkim         $    admin',
    '<table><thead><tr><th>User</th><th>Password</th></tr></thead><tbody><tr><td>kim</td><td>$</td></tr></tbody></table>',
    'Login .......... kim\nPassword ....... $',
  ],
  commands: [
    'keytool -genkey -keystore a.jks -storepass $ -alias a',
    'influx -username admin -password $',
    'openssl pkcs12 -in a.pfx -passin pass:$ -nodes',
    'xfreerdp /u:admin /p:$ /v:10.0.0.4',
    'cmdkey /add:srv /user:bob /pass:$',
    'zip -P $ -r out.zip dir',
    '7z a -p$ out.7z dir',
    'plink -ssh bob@srv -pw $',
    'echo $ | sudo -S apt update',
    'expect "Password:"; send "$\\r"',
    'ConvertTo-SecureString "$" -AsPlainText -Force',
    "ConvertTo-SecureString -String '$' -AsPlainText -Force",
    'd-i passwd/user-password password $',
    'chpasswd:\n  list: |\n    root:$',
    'USER bob\nPASS $',
    'lftp -u kim,$ ftp.acme.test',
    'net user kim $ /add',
    "ldapwhoami -x -D cn=a -w '$'",
    'auth_pass $',
    'pre-shared-key $',
    "printf '%s' '$' | docker login --password-stdin -u o",
    "openssl enc -aes-256-cbc -k '$' -in a",
    'rabbitmqctl change_password o $',
    'keytool -importkeystore -srcstorepass $',
    'schtasks /create /ru kim /rp $',
    'net use \\\\h\\s $ /user:kim',
    'export SSHPASS=$',
    "smbmap -u o -p '$' -H h",
    'set system root-authentication plain-text-password-value $',
  ],
  'calls and statements': [
    'DriverManager.getConnection(url, "app", "$");',
    'mysqli_connect("db1", "app", "$", "shop");',
    "new PDO(dsn, 'app', '$');",
    "await login('kim', '$')",
    'smtp.Authenticate("kim", "$");',
    'session.auth = ("o", "$")',
    'db.auth("kim", "$")',
    'MySQLdb.connect("h", "kim", "$", "db")',
    "[System.Net.NetworkCredential]::new('kim', '$')",
    'ldap.bind("cn=o", "$")',
    'fill_in "Password", with: "$"',
    "client.connect('h', 22, 'kim', '$')",
    "User.objects.create_user('kim', 'k@acme.test', '$')",
    'sql.Open("mysql", "app:$@tcp(db1:3306)/shop")',
    'password.setText("$");',
    'Dim password As String = "$"',
    'password <- "$"',
    "UPDATE wp_users SET user_pass = MD5('$') WHERE ID = 1;",
    "CREATE USER 'app'@'%' IDENTIFIED WITH mysql_native_password BY '$';",
    'requests.get(url, auth=("bob", "$"))',
    'new NetworkCredential("bob", "$")',
    'smtp.PlainAuth("", "bob@acme.test", "$", "smtp.acme.test")',
    'WiFi.begin("office", "$");',
    "cy.get('#password').type('$')",
    'driver.find_element(By.ID, "password").send_keys("$")',
    "INSERT INTO users (name, password) VALUES ('bob', '$');",
    "insert into users (id, password, n) values (1, 'x', 2), (2, '$', 3)",
  ],
  sentences: [
    'login bob (password $)',
    "You'll need the admin password, which is $",
    'Log in as root with password $.',
    'the db password should be $',
    'the password was changed to $',
    'temp password - $',
    'enter $ as the password',
    'Please type $ when asked for the password',
    'please use $ for the admin password',
    'pass is $ btw',
    'login for the demo: demo@acme.test, pass $',
    '**Password:** $',
    'I forgot, is the password $ or did someone change it?',
    'pw $',
    'A temporary password is generated for root@localhost: $',
    'Use the following password to proceed:\n\n$\n\nIt is valid once.',
    'palavra-passe: $',
    'Wi-Fiのパスワードは「$」です',
    'Пароль от сервера $',
    'hasło do serwera to $',
  ],
  'users with their password': [
    'You can log in with admin / $',
    'creds are root:$',
    'Credentials: admin@acme.test / $',
    'Zugangsdaten: admin / $',
    'Credentials for the demo tenant: demo@acme.test / $',
    'you can get in with jdoe:$',
    'I found these credentials in the wiki: kim / $',
    'Zugang: kim / $',
    'The admin account (admin, $) still works',
  ],
};

/** Other credentials; the evidence spans what is behind the bar. */
const OTHERS: readonly string[] = [
  'deploy --openweather-key |50b3d59e8f2f2ecb8cfe9b903611813b',
  'We set the secret to |Nld6-OZjuzXB',
  'using |da2-tc4d27pm1usbnedqtlmhtv409u',
  'seed phrase: |river maple copper sunset garden tiger marble ocean falcon castle winter pepper',
  'DB_PASS=|CP6KUGa2Cg6GD',
  'Log in as root with password |chelsea7272',
  'It is protected with the password |dolphin2015!',
  'Password (case sensitive): |Bfl8%aELKG6',
  'gebruikersnaam kim, wachtwoord |yellow4252',
  'VPN access: user jdoe, password |ijymxnechizm7k',
  'the new password |blue-Horse-72-staple',
  'Please use the following password:\n\n|c45773dc536547ba40bd165439218015\n',
];

const QUIET: readonly string[] = [
  "password: '{{resolve:secretsmanager:prod/db:SecretString:password}}'",
  'Sec-WebSocket-Key: i5qfTwQlyqqPp2nExfzQrg==',
  'encrypted_password = "{cipher}ebc402de16d18ead45f873febe0763fea42609f5acba3ebe3548c6fab0f62c71"',
  'db_password: kms:AQICAHCNdBv793lZDHX73/nE+ke8enxL7J4afVe0ZKfmIiV550JL5YCg2HgtbsyHbHxpveW6g8RuTgI7jLRt5bRu',
  `kind: SealedSecret\nspec:\n  encryptedData:\n    password: AgB/doGQ273v${'UzArQm78iypQdepjdWlczw3SlQVjU7YtV7qFX2YvBos4OdfyMGvHLOQD'.repeat(3)}`,
  '"hashed_secret": "0e1a5f467ca3e38008656503e477c993706291f7"',
  'password: Passwort',
  '"secret": "Geheimnis"',
  'password: !!binary',
  'password: AQICAHhLxA2PlpZ5cSJ2zto6GC0bOgZxo3uLy9bLMk15oXCwXzFabwJ/jWsz',
  'passwordKey: redis-password2',
  'captcha_sitekey=6Lr35bKn17Qhr9MBpxSMxIJmfvwZgymzaTTNUAX2',
  'stripe publishable key pk_test_7S1pN1IbrDyti5lgHo0Qsiu1',
  'gpg: key 5F9E2B3DF7FBA1CB imported',
  'next_page_token: lWOqwUlIv4QKiqJUgspV2DeI3jjh8PqrUo5ypoeg',
  '"etag": "W/\\"1b782ba293a0ef784b8a5bf26c2e0f55\\""',
  '<a id="password2">Level2Guide</a>',
  'unzip -p archive2024.zip file',
  'use Keycloak24 for password login',
  'expect "Password:" { send "$env(PW2)\\r" }',
  'did:key:z6Mkhhd8SLGECXGKXmVSSLMLfk713VjfNcB1sLG3235i2Adu',
  'dc11e1082be0fe0d5a3e6ab4f3c56b25  share/base-passwd\n1dff50cb3d181984380e80258c24f36b  usr/share/man/de/man8/update-passwd.8.gz',
  "'scale_io': 'V1ScaleIOVolumeSource',\n'secret': 'V1SecretVolumeSource',",
  '"arn:aws:secretsmanager:[a-z0-9-]{1,20}:secret:[a-zA-Z0-9!/_+=.@-]{1,512}"',
  '#define GPCT_SINGLE_PW\t\t0x0100',
  'USER user@fwuser@remote.site\nPASS pass@fwpass',
  "page.getByRole('textbox', { name: 'Password' }).fill('password123');",
  '<tr><th>Name</th><th>Password</th></tr><tr><td>kim2</td><td>at least 8 characters</td></tr>',
  'NAME        SECRETS   AGE\ndefault2     x1z2y3w4         12d\n',
  'mysql -uroot -p shop2024',
  'POSTGRES_PASSWORD=${POSTGRES_PASSWORD:?required}',
  'password: !secret mqtt_password2',
  'pass_through=Mode2b',
  '<tr><th>Test</th><th>Pass</th></tr><tr><td>login2</td><td>yes2go</td></tr>',
  'Dim password As String = txtPw2.Text',
  'Culture=neutral, PublicKeyToken=e141b90ac286666c',
  '"verifyKey":"rAJIRx8lbSMsDtOx2doskzXw/UNed6syFl73tLBb/7+="',
  'openssl enc -aes-256-cbc -k $KEY2 -in a',
  'curl -u $USER:$PASS https://x2.acme.test/y',
  'Hasło: wymagane',
  'Contraseña: obligatoria',
  'password_reset_timeout=259200',
  'check_password_attempts="aspnetcore.identity.sign_in.check_password_attempts"',
  '<string name="password">Passwort</string>',
  '<key>Password</key><string>$(PASSWORD)</string>',
  '<tr><td>password</td><td>varchar2</td></tr>',
  '<td>password</td><td>SHA-256</td>',
  'list:x:38:38:Mailing List Manager:/var/list:/usr/sbin/nologin\npostgres:x:101:104:PostgreSQL administrator',
  'login (password optional)',
  'pass the `Uint8Array` to the method, pass HTTP2Server as well',
  'int f(const char *pass,\n    int passlen, OSSL_LIB_CTX *ctx,\n    const char *propq);',
  "0x33ba:'pw', 0x33bb:'nw', 0x33bc:'w2',\n0x33bd:'mw', 0x33be:'kw', 0x33bf:'mw',\n",
  '| Name | Password |\n|---|---|\n| guest | at least 8 characters |',
  'Password policy: Level2Strong',
  'ConvertTo-SecureString $env:PW2 -AsPlainText -Force',
  'connect("signalName1", "slotHandler2")',
  "INSERT INTO users (name, password) VALUES ('bob', ?), (:name, :password2)",
  'We use PBKDF2 for password hashing and argon2id as the password hash.',
  'recovery phrase: the twelve words that you wrote down when you made the wallet and put away',
  'sign in with SAML2/OAuth2Provider',
  'deploy --sort-key created_at_2024 --key value1',
];

const found = (text: string): string[] => [
  ...new Set(evidenceOf({ secrets: {} }, text).map(({ start, end }) => text.slice(start, end))),
];

describe('ways to write a credential', () => {
  for (const [group, forms] of Object.entries(FOUND))
    it(`are known: ${group}`, () => {
      for (const form of forms)
        for (const password of PASSWORDS) {
          const text = form.replace('$', () => password);
          assert.deepEqual(found(text), [password], text);
        }
    });

  it('are known of keys, and of passwords of a certain form', () => {
    for (const form of OTHERS) {
      const text = form.replace('|', '');
      assert.deepEqual(found(text), [/\|(\S+(?: [a-z]+)*)/.exec(form)?.[1]], text);
    }
  });

  it('are none where there is no credential', () => {
    for (const text of QUIET) assert.deepEqual(found(text), [], text);
  });
});
