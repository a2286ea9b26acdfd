/** Seals open for the API key that they were made for, and else not. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createSealer, openSeal } from '#weir/ingress/seals/seal';
import { LIMITS } from '#weir/shared/api/limits';

const OWNER = { token: 'wk_secret', team: 'acme', key: 'app' };
const VALUES = new Map([
  ['CREDIT_CARD_1', '4111 1111 1111 1111'],
  ['TERM_1', 'é 😀 "\\ \ud800'],
]);

describe('a seal', () => {
  it('gives its values back to its owner, is one word, and shows none of them', () => {
    const sealed = createSealer(OWNER)(VALUES)!;
    assert.match(sealed, /^[A-Za-z0-9_-]+$/);
    assert.deepEqual(openSeal(OWNER, sealed), [...VALUES]);
    const bytes = Buffer.from(sealed, 'base64url');
    for (const told of ['4111', 'CREDIT', 'acme', 'wk_']) assert.equal(bytes.includes(told), false, told);
  });

  it('is another one each time, within a request and between two', () => {
    const seal = createSealer(OWNER);
    const made = [seal(VALUES)!, seal(VALUES)!, createSealer(OWNER)(VALUES)!];
    assert.equal(new Set(made).size, 3);
    const nonces = made.map((sealed) => Buffer.from(sealed, 'base64url').subarray(1, 29).toString('hex'));
    assert.equal(new Set(nonces).size, 3);
    for (const sealed of made) assert.deepEqual(openSeal(OWNER, sealed), [...VALUES]);
  });

  it('does not open with another API key, for another team or for another id', () => {
    const sealed = createSealer(OWNER)(VALUES)!;
    for (const change of [{ token: 'wk_other' }, { team: 'globex' }, { key: 'other' }, { token: '' }]) {
      assert.equal(openSeal({ ...OWNER, ...change }, sealed), undefined, JSON.stringify(change));
    }
    // Team and id are apart: one cannot borrow from the other.
    assert.equal(openSeal({ ...OWNER, team: 'acmea', key: 'pp' }, sealed), undefined);
  });

  it('does not open once any bit of it was changed, or a piece is missing or added', () => {
    const sealed = createSealer(OWNER)(new Map([['TERM_1', 'x']]))!;
    const bytes = Buffer.from(sealed, 'base64url');
    for (let bit = 0; bit < bytes.length * 8; bit++) {
      const changed = Buffer.from(bytes);
      changed[bit >> 3]! ^= 1 << (bit & 7);
      assert.equal(openSeal(OWNER, changed.toString('base64url')), undefined, String(bit));
    }
    for (let length = 0; length < bytes.length; length++) {
      assert.equal(openSeal(OWNER, bytes.subarray(0, length).toString('base64url')), undefined, String(length));
    }
    for (const wrong of ['', ' ', `${sealed}AAAA`, `${sealed}=`, ` ${sealed}`, sealed.toUpperCase(), '😀']) {
      assert.equal(openSeal(OWNER, wrong), undefined, wrong);
    }
  });

  it('is not made where it would be too large', () => {
    const of = (length: number): string | undefined => createSealer(OWNER)(new Map([['TERM_1', 'x'.repeat(length)]]));
    const most = Math.floor((LIMITS.sealBytes * 3) / 4) - 64;
    assert.ok(of(most)!.length <= LIMITS.sealBytes);
    assert.equal(of(most + 64), undefined);
  });
});
