import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseCondition } from '#weir/shared/policy/conditions';

function matches(when: string, metadata: unknown, event = { type: 'tool', role: '', name: 'search' }): boolean | null {
  const parsed = parseCondition(when);
  assert.ok(parsed.ok, when);
  return parsed.condition.matches(metadata as Record<string, unknown>, event);
}

describe('a condition', () => {
  const user = { user: { tier: 'free', age: 20, tags: ['a', 'b'] } };
  const rows: [string, unknown, boolean][] = [
    ['true', {}, true],
    ['metadata.user.tier in ["free", "trial"]', user, true],
    ['metadata.user.tier in ["paid"]', user, false],
    ['metadata.user.age >= 18', user, true],
    ['metadata.user.age > 19.5', user, true],
    ['metadata.user.age == 20', user, true],
    ['"b" in metadata.user.tags', user, true],
    ['metadata.user.tags.exists(tag, tag == "b")', user, true],
    ['has(metadata.user.tier)', user, true],
    ['has(metadata.user.nope)', user, false],
    ['metadata["user"].tier.startsWith("fr")', user, true],
    ['event.type == "tool" && event.name == "search"', {}, true],
    ['event.role == "user"', {}, false],
    // a missing key is no match
    ['metadata.user.tier == "free"', {}, false],
    ['metadata.user.tier != "free"', {}, false],
    ['!(metadata.user.tier == "free")', {}, false],
    // unless the rest decides without it
    ['metadata.nope == 1 || event.type == "tool"', {}, true],
    ['!(has(metadata.nope) && metadata.nope == 1)', {}, true],
    ['!(event.type == "message" && metadata.nope == 1)', {}, true],
    ['event.type == "tool" ? true : metadata.nope', {}, true],
    ['!has(metadata.nope)', {}, true],
    ['[1, 2].exists(metadata, metadata == 2)', {}, true],
    ['event.type == "tool" && metadata.user.tier == "free"', user, true],
    ['event.type == "tool" && metadata.user.tier == "free"', { user: null }, false],
    ['event.type == "tool" && metadata.user.tier == "free"', { user: 'free' }, false],
    // what is not exactly true is no match
    ['metadata.user', user, false],
    ['metadata.user.tier', user, false],
    ['metadata.flag', { flag: 'true' }, false],
    ['metadata.flag', { flag: true }, true],
    // wrong types are no match
    ['metadata.user.tier > 3', user, false],
    ['metadata.user.tier.startsWith(metadata.user.age)', user, false],
    // keys that every object has
    ['metadata.constructor != ""', {}, false],
    ['has(metadata.toString)', {}, false],
    ['metadata.__proto__.x == 1', JSON.parse('{"__proto__":{"x":1}}'), true],
    ['metadata.__proto__.x == 1', {}, false],
    // and keys by which the evaluator tells types
    ['metadata.user.tier == "free"', { constructor: 1, user: { tier: 'free' } }, true],
    ['metadata.user.tier == "free"', { user: { tier: 'free', constructor: {} } }, true],
    ['metadata.constructor == "x"', { constructor: 'x' }, true],
    ['has(metadata.a.constructor.b)', { a: { constructor: { b: 1 } } }, true],
    ['metadata.a.exists(x, x.role == "admin")', { a: [{}, { constructor: 1, role: 'admin' }] }, true],
    ['metadata.a.exists(x, x.role == "admin")', { a: [{ constructor: 1, role: 'guest' }] }, false],
    ['metadata.a == metadata.b', { a: { constructor: 1, b: [2] }, b: { b: [2], constructor: 1 } }, true],
    ['size(metadata) == 1 && "constructor" in metadata', { constructor: null }, true],
  ];
  for (const [when, metadata, expected] of rows) {
    it(`${when} ${expected ? 'matches' : 'does not match'} ${JSON.stringify(metadata)} [config.when]`, () => {
      assert.equal(matches(when, metadata), expected);
    });
  }

  it('says what its outcome depends on', () => {
    const depends = (when: string) => {
      const parsed = parseCondition(when);
      return parsed.ok ? parsed.condition.depends : undefined;
    };
    assert.deepEqual(depends('event.type == "tool" && event.role == ""'), { metadata: false, name: false });
    assert.deepEqual(depends('event.name == "x"'), { metadata: false, name: true });
    assert.deepEqual(depends('event["name"] == "x"'), { metadata: false, name: true });
    assert.deepEqual(depends('[1].exists(i, metadata.n == i)'), { metadata: true, name: false });
  });

  const refused: [string, RegExp][] = [
    ['metadata.', /./],
    ['user.id == 1', /Unknown variable: user/],
    ['nope(metadata)', /nope/],
    ['metadata.id.matches("(a+)+$")', /matches\(\) is not offered/],
    ['metadata.a.exists(x, metadata.b.exists(y, x == y))', /cannot be nested/],
    [`${'!('.repeat(200)}true${')'.repeat(200)}`, /./],
  ];
  for (const [when, message] of refused) {
    it(`is refused: ${when.slice(0, 40)}`, () => {
      const parsed = parseCondition(when);
      assert.ok(!parsed.ok);
      assert.match(parsed.message, message);
      assert.doesNotMatch(parsed.message, /\n/);
    });
  }
});
