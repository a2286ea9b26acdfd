import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { entropyOf } from '#weir/shared/policy/detectors/secrets/randomness';
import { SECRET_RULE_NAMES } from '#weir/shared/policy/detectors/secrets/rules';
import { evidenceOf, pieces } from '../support.ts';

const ALNUM = 'q7Zp3XkT9vB2mNc8RdW5sYh4LgJ6fAe1KuViOoPnxCzEtGwHbDrSyQlMj0aUF';
const HEX = '3f9a1c7e5b2d8046e9c1a7f35d0b8264af13c5e7';
/** `n` characters without a pattern to them; made here, so that no credential stands in the sources. */
const some = (n: number, of = ALNUM): string => of.repeat(Math.ceil(n / of.length)).slice(0, n);
const hex = (n: number): string => some(n, HEX);
const b64 = (value: unknown): string => Buffer.from(JSON.stringify(value)).toString('base64url');
const jwt = `${b64({ alg: 'HS256', typ: 'JWT' })}.${b64({ sub: '1234567890' })}.${some(43)}`;
const BASE32 = 'QYLPMN5HHFPZAM2R';

const SECRETS: Record<string, string[]> = {
  'aws-access-key-id': [`AKIA${BASE32}`, `ASIA${BASE32}`],
  'github-token': [`ghp_${some(36)}`, `gho_${some(36)}`],
  'github-fine-grained-token': [`github_pat_${some(22)}_${some(59)}`],
  'gitlab-token': [`glpat-${some(20)}`],
  'slack-token': [`xoxb-123456789012-123456789012-${some(24)}`],
  'slack-webhook': [`hooks.slack.com/services/T0AB12CD3/B0EF45GH6/${some(24)}`],
  'stripe-key': [`sk_live_${some(24)}`, `rk_test_${some(24)}`, `whsec_${some(32)}`],
  'google-api-key': [`AIza${some(35)}`],
  'openai-key': [`sk-proj-${some(48)}`, `sk-${some(20)}T3BlbkFJ${some(20)}`],
  'anthropic-key': [`sk-ant-api03-${some(93)}`],
  'twilio-key': [`SK${hex(32)}`],
  'sendgrid-key': [`SG.${some(22)}.${some(43)}`],
  'npm-token': [`npm_${some(36)}`],
  'pypi-token': [`pypi-AgEIcHlwaS5vcmc${some(60)}`],
  'hugging-face-token': [`hf_${some(34, 'qZpXkTvBmNcRdWsYhLgJfAeKuViOoPnxCz')}`],
  'digitalocean-token': [`dop_v1_${hex(64)}`],
  'shopify-token': [`shpat_${hex(32)}`],
  'mailgun-key': [`key-${hex(32)}`],
  'square-token': [`sq0atp-${some(22)}`, `EAAAE${some(59)}`],
  'telegram-bot-token': [`123456789:AA${some(33)}`],
  'discord-webhook': [`discord.com/api/webhooks/123456789012345678/${some(68)}`],
  jwt: [jwt],
};

describe('secrets', () => {
  for (const [rule, secrets] of Object.entries(SECRETS)) {
    for (const secret of secrets) {
      it(`finds a ${rule} that starts ${secret.slice(0, 4)}`, () => {
        const detect = { secrets: { rules: [rule] } };
        assert.deepEqual(pieces(detect, `use "${secret}" here`), [secret]);
        assert.deepEqual(pieces(detect, `${secret}\n`), [secret], 'at the start');
        assert.deepEqual(pieces(detect, `é=${secret.slice(0, 6)}\u200b${secret.slice(6)}`).length, 1, 'zero-width');
      });
      it(`does not find a ${rule} that is cut short, or inside a word (${secret.slice(0, 4)})`, () => {
        const detect = { secrets: { rules: [rule] } };
        const cut = rule === 'jwt' ? secret.replaceAll('.', '_') : secret.slice(0, secret.length >> 1);
        assert.deepEqual(pieces(detect, `use ${cut} here`), []);
        if (rule !== 'telegram-bot-token') assert.deepEqual(pieces(detect, `useZ${secret} here`), []);
      });
    }
  }

  it('finds credentials next to their names', () => {
    const aws = some(40, 'q7Zp3XkT9vB2mNc8RdW5sYh4LgJ6/fAe1KuViOoPn+xCz');
    assert.deepEqual(pieces({ secrets: { rules: ['aws-secret-access-key'] } }, `aws_secret_access_key = "${aws}"`), [
      aws,
    ]);
    assert.deepEqual(pieces({ secrets: { rules: ['aws-secret-access-key'] } }, `the hash ${aws}`), []);
    const azure = `${some(86)}==`;
    assert.deepEqual(pieces({ secrets: { rules: ['azure-storage-key'] } }, `AccountKey=${azure};End`), [azure]);
    const discord = `M${some(25)}.${some(6)}.${some(30)}`;
    assert.deepEqual(pieces({ secrets: { rules: ['discord-bot-token'] } }, `discord_token = "${discord}"`), [discord]);
    assert.deepEqual(pieces({ secrets: { rules: ['discord-bot-token'] } }, `module ${discord}`), []);
  });

  it('finds private keys with a body, escaped line breaks or not, and not the header alone', () => {
    const detect = { secrets: { rules: ['private-key'] } };
    for (const kind of ['', 'RSA ', 'EC ', 'OPENSSH ', 'ENCRYPTED ']) {
      const head = `-----BEGIN ${kind}PRIVATE KEY-----`;
      assert.equal(pieces(detect, `${head}\n${some(64)}\n`).length, 1, kind);
      assert.equal(pieces(detect, `"${head}\\n${some(64)}\\n"`).length, 1, kind);
      assert.deepEqual(pieces(detect, `a line with ${head} starts it`), [], kind);
    }
    assert.equal(pieces(detect, `-----BEGIN RSA PRIVATE KEY-----\nProc-Type: 4,ENCRYPTED\n\n${some(64)}`).length, 1);
    assert.equal(pieces(detect, `-----BEGIN PGP PRIVATE KEY BLOCK-----\n\n${some(64)}`).length, 1);
    assert.deepEqual(pieces(detect, `-----BEGIN PUBLIC KEY-----\n${some(64)}`), []);
    assert.deepEqual(pieces(detect, `-----BEGIN CERTIFICATE-----\n${some(64)}`), []);
  });

  it('takes only JWTs whose header names an algorithm', () => {
    const detect = { secrets: { rules: ['jwt'] } };
    assert.deepEqual(pieces(detect, `${b64({ typ: 'JWT', k: 'vvvv' })}.${b64({ sub: 1 })}.${some(43)}`), []);
    assert.deepEqual(pieces(detect, `eyJ${some(40)}.${some(30)}.${some(43)}`), []);
    assert.equal(pieces(detect, `Bearer ${jwt}`).length, 1);
  });

  it('leaves placeholders alone', () => {
    const detect = { secrets: {} };
    for (const text of [
      `sk_live_${'x'.repeat(24)}`,
      `ghp_${'0'.repeat(36)}`,
      `AIza${'A'.repeat(35)}`,
      `key-${'a1'.repeat(16)}`,
      `AKIA${BASE32.slice(0, 9)}EXAMPLE`,
    ]) {
      assert.deepEqual(pieces(detect, text), [], text.slice(0, 8));
    }
  });

  it('heeds the case of what starts a credential', () => {
    assert.deepEqual(pieces({ secrets: {} }, `akia${BASE32} GHP_${some(36)}`), []);
  });

  it('leaves out what the policy allows', () => {
    const text = `AKIA${BASE32} and AKIA${BASE32.slice(0, 9)}TESTBED`;
    assert.equal(pieces({ secrets: { rules: ['aws-access-key-id'] } }, text).length, 2);
    assert.deepEqual(pieces({ secrets: { rules: ['aws-access-key-id'], allow: ['TESTBED$'] } }, text), [
      `AKIA${BASE32}`,
    ]);
  });

  it('looks only for the rules it names, and for all by default', () => {
    const text = `npm_${some(36)}`;
    assert.deepEqual(pieces({ secrets: { rules: ['jwt'] } }, text), []);
    assert.equal(evidenceOf({ secrets: {} }, text)[0]?.detector, 'secrets:npm-token');
    assert.equal(evidenceOf({ secrets: { rules: ['all'] } }, text).length, 1);
  });

  it('has rules of distinct names', () => {
    assert.equal(new Set(SECRET_RULE_NAMES).size, SECRET_RULE_NAMES.length);
    for (const name of Object.keys(SECRETS)) assert.ok(SECRET_RULE_NAMES.includes(name), name);
  });

  it('measures entropy in bits a character', () => {
    assert.equal(entropyOf('aaaa'), 0);
    assert.equal(entropyOf('abab'), 1);
    assert.equal(entropyOf('abcd'), 2);
  });
});
