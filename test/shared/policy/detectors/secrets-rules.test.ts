import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { judge } from '#weir/shared/policy/detectors/secrets/generic';
import { kindOfName, mayTell } from '#weir/shared/policy/detectors/secrets/names';
import { isDescription, isExample, isReference } from '#weir/shared/policy/detectors/secrets/placeholders';
import { isRepetition, isSequence, wordinessOf } from '#weir/shared/policy/detectors/secrets/randomness';
import { SECRET_RULES } from '#weir/shared/policy/detectors/secrets/rules';
import { nameBefore, operandValue, quotedValue } from '#weir/shared/policy/detectors/secrets/values';
import { evidenceOf, pieces } from '../support.ts';

const RANDOM = 'q7Zp3XkT9vB2mNc8RdW5sYh4LgJ6fAe1KuViOoPnxC';
const namesOf = (text: string, detect: object = {}): string[] =>
  evidenceOf({ secrets: detect }, text).map(({ detector }) => detector.replace('secrets:', ''));

describe('rules of secrets', () => {
  it('are at least 200, of more than a hundred providers', () => {
    assert.ok(SECRET_RULES.length >= 200);
    assert.ok(new Set(SECRET_RULES.map(({ provider }) => provider)).size > 100);
  });

  it('have patterns that compile, and literals that are not empty', () => {
    for (const rule of SECRET_RULES) {
      if (rule.kind === 'token' || rule.kind === 'named') assert.ok(new RegExp(rule.pattern), rule.name);
      if (rule.kind === 'token' || rule.kind === 'place')
        assert.ok(
          rule.literals.every((each) => each !== ''),
          rule.name,
        );
      if (rule.kind === 'named') for (const word of rule.words) assert.match(word, /^[a-z0-9]{2,}$/, rule.name);
    }
  });

  it('know what a name says of its value', () => {
    const kinds = {
      password: ['password', 'DB_PASS', 'userPwd', 'spring.datasource.password', 'contraseña'],
      secret: ['client_secret', 'API_KEY', 'X-Api-Key', 'privateKey', 'credentials', 'secret_id'],
      token: ['token', 'GITHUB_TOKEN', 'accessToken'],
      key: ['key', 'auth'],
      public: ['public_key', 'password_hash', 'tokenUrl', 'primary_key', 'csrf_token', 'secretName', 'key_id'],
      other: ['montage', 'author', 'compass', 'name2go'],
    };
    for (const [kind, names] of Object.entries(kinds))
      for (const name of names) assert.equal(kindOfName(name), kind, name);
  });

  it('know cheaply which names may tell something', () => {
    const telling =
      'password passwd pass_phrase passwort KENNWORT contraseña senha motDePasse wachtwoord parola hasło haslo lösenord losenord adgangskode ' +
      'salasana şifre пароль 密码 密碼 パスワード 비밀번호 passcode pwd pw psw pswd pword userpass db_pass s-e-c-r-e-t credential api_key access-key ' +
      'authKey license_key sas_key secret_id creds cred requirepass masterauth authtoken token key auth authorization authentication api ' +
      'apikey access sas sig salt pat psk bearer pin jwt pepper dsn seed';
    for (const name of telling.split(' ')) {
      assert.ok(!['public', 'other'].includes(kindOfName(name)), name);
      assert.ok(mayTell(name), name);
    }
    for (const name of ['montage', 'name2go', 'count', 'x', 'der']) assert.ok(!mayTell(name), name);
  });

  it('know examples, sequences and repetitions', () => {
    for (const text of ['AKIAIOSFODNN7EXAMPLE', 'your_key', 'xxxxXXXX', 'ab...', '0123456789abcdef', 'aaaaaaaa']) {
      assert.ok(isExample(text), text);
    }
    assert.ok(!isExample(RANDOM));
    assert.ok(isSequence('abcdef123456') && !isSequence(RANDOM));
    assert.ok(isRepetition('deadbeefdeadbeef') && !isRepetition('deadbeefdeadbeee'));
  });

  it('know references to values, and values that describe themselves', () => {
    for (const text of [
      '${TOKEN}',
      '{{ .Values.x }}',
      '<your key>',
      '$(cat x)',
      '%PASS%',
      'process.env.X',
      'arn:aws:x',
      '/run/secrets/x',
    ]) {
      assert.ok(isReference(text), text);
    }
    for (const text of ['hunter2secret', 'a{b}c$d', '$ecret9!']) assert.ok(!isReference(text), text);
    for (const text of ['null', 'user_password', 'db-credentials', 'mySecretPassword'])
      assert.ok(isDescription(text), text);
    for (const text of ['hunter2secret', 'swordfish', 'supersecret']) assert.ok(!isDescription(text), text);
  });

  it('tell English from random letters', () => {
    assert.ok(wordinessOf('production-database-connection') > 0.7);
    assert.ok(wordinessOf(RANDOM) < 0.4);
    assert.equal(wordinessOf('test_de4db3ef0cafe1abed2faded3beefac4dedc'), 0, 'hexadecimal digits are no words');
  });

  it('judge passwords also by their name alone, and keys only where they are random', () => {
    const candidate = { value: 'swordfish', joint: 'assign', quoted: true, configured: false } as const;
    assert.equal(judge({ ...candidate, kind: 'password' })?.rule, 'assigned-password');
    assert.equal(judge({ ...candidate, kind: 'key' }), undefined);
    assert.equal(judge({ ...candidate, kind: 'public', value: RANDOM }), undefined);
    assert.equal(judge({ ...candidate, kind: 'key', value: RANDOM })?.rule, 'assigned-key');
  });
});

describe('values of secrets', () => {
  it('are read in quotes and behind operators, and not from expressions', () => {
    const quoted = (text: string): string | undefined => {
      const value = quotedValue(text, text.search(/["']/));
      return value && text.slice(value.start, value.end);
    };
    assert.equal(quoted('x = "abcdef"'), 'abcdef');
    assert.equal(quoted('x = \\"abcdef\\"'), 'abcdef');
    assert.equal(quoted("don't stop"), undefined);
    assert.equal(quoted('"two words"'), undefined);
    const operand = (text: string): string | undefined => {
      const value = operandValue(text, text.search(/[=:]/));
      return value && text.slice(value.start, value.end);
    };
    assert.equal(operand('x = abcdef; y'), 'abcdef');
    assert.equal(operand('x: abcd==\n'), 'abcd==');
    assert.equal(operand('x = call(y)'), undefined);
    assert.equal(operand('http://x.test/y'), undefined);
    assert.equal(operand('x: |\n  abcdef\ny: z'), 'abcdef');
    assert.equal(operand('x: >-\n    abcdef'), 'abcdef');
    assert.equal(operand('x: |\nabcdef'), undefined);
    assert.equal(operand('x=a1b2c3d4=e5\n'), 'a1b2c3d4=e5');
    assert.equal(operand('x=name=value\n'), undefined);
    assert.equal(operand('x = abcdef...'), undefined);
    assert.equal(operand('x = a{b]c)d\n'), 'a{b]c)d');
    assert.equal(operand('x = f(a[0)'), undefined);
  });

  it('have the name before them, whatever the language', () => {
    for (const text of [
      'name = ~"v"',
      '"name": ~"v"',
      "['name'] => ~'v'",
      'name[] = ~"v"',
      'name: &str = ~"v"',
      'var name string = ~"v"',
      "define('name', ~'v')",
      '\\"name\\": ~\\"v\\"',
      '{"key": "name", "value": ~"v"}',
    ]) {
      const at = text.indexOf('~');
      const plain = text.replace('~', '');
      const name = nameBefore(plain, at);
      assert.equal(name && plain.slice(name.start, name.end), 'name', text);
    }
  });

  it('are the evidence, exactly', () => {
    assert.deepEqual(pieces({ secrets: {} }, `db_password: "hunter2secret"`), ['hunter2secret']);
    assert.deepEqual(pieces({ secrets: {} }, `https://bob:hunter2secret@x.test/`), ['hunter2secret']);
    assert.deepEqual(pieces({ secrets: {} }, `Authorization: Bearer ${RANDOM}`), [RANDOM]);
    assert.deepEqual(pieces({ secrets: {} }, `<apiToken>\n  ${RANDOM}\n</apiToken>`), [RANDOM]);
    assert.deepEqual(pieces({ secrets: {} }, `api_token: |\n  ${RANDOM}\n`), [RANDOM]);
    assert.deepEqual(pieces({ secrets: {} }, `//npm.test/:_authToken=${RANDOM}`), [RANDOM]);
  });
});

describe('a credential that several rules find', () => {
  it('is reported once, by the rule that knows most of it', () => {
    const github = `ghp_${RANDOM.slice(0, 36)}`;
    assert.deepEqual(namesOf(`token = "${github}"`), ['github-token']);
    assert.deepEqual(namesOf(`https://x:${github}@git.test/a.git`), ['github-token']);
    assert.deepEqual(namesOf(`Authorization: Bearer ${github}`), ['github-token']);
    assert.deepEqual(namesOf(`datadog_api_key: ${'3f9a1c7e5b2d8046e9c1a7f35d0b8264'}`), ['datadog-key']);
  });

  it('is reported by the general rule where the policy asks for that alone', () => {
    assert.deepEqual(namesOf(`token = "ghp_${RANDOM.slice(0, 36)}"`, { rules: ['generic'] }), ['assigned-token']);
  });

  it('counts from the threshold of the policy on', () => {
    assert.deepEqual(namesOf('password = "swordfish"'), ['assigned-password']);
    assert.deepEqual(namesOf('password = "swordfish"', { threshold: 0.6 }), []);
  });
});

describe('looks of secrets at hostile texts', () => {
  it('read a bounded stretch for each character', () => {
    // The work is counted in characters that are read, by calls. Sixty for each is far below any square.
    const counted = (text: string): number => {
      let read = 0;
      const original = String.prototype.charCodeAt;
      String.prototype.charCodeAt = function (this: string, i: number) {
        read++;
        return original.call(this, i);
      };
      try {
        for (let i = 0; i < text.length; i++) {
          if ('=:>'.includes(text[i]!)) operandValue(text, i);
          else if ('"\'`'.includes(text[i]!)) quotedValue(text, i);
        }
      } finally {
        String.prototype.charCodeAt = original;
      }
      return read / text.length;
    };
    for (const piece of ['key=', 'password:', '"', '"a', ':a', '=', "'=", 'a=b:', '{"k":"v",', ':|\n ', 'k=a(']) {
      assert.ok(counted(piece.repeat(20_000 / piece.length)) < 60, piece);
    }
  });

  it('read all values of a Kubernetes Secret', () => {
    const data = Array.from({ length: 20 }, (_, n) => `  user${n}: ZXhhbXBsZS11c2Vy\n`).join('');
    const secret = Buffer.from(RANDOM).toString('base64');
    const manifest = `kind: Secret\ndata:\n${data}  password: ${secret}\n`;
    assert.deepEqual(namesOf(manifest, { rules: ['places'] }), ['kubernetes-secret']);
  });

  it('find nothing, and end, in a megabyte of what leads to them', () => {
    for (const piece of [
      'key=',
      'password:',
      'k=a1b2c3d4',
      'key=a(',
      'key: |\n  ',
      '<key>\n',
      '==',
      '-----BEGIN ',
      'kind: Secret\n',
      'sk-proj-',
      'eyJ.',
      '://',
      ' -u',
      'AZDO',
      '"kty"',
      'Bearer ',
      'ghp_',
      'password ',
    ]) {
      assert.deepEqual(pieces({ secrets: {} }, piece.repeat(1_000_000 / piece.length)), [], piece);
    }
  });
});
