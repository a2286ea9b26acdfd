import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadConfiguration, problemText } from '#weir/shared/configuration/configuration';
import { conditionProblem, expressionProblem } from '#weir/shared/policy/strict-conditions';
import { NO_FILES } from '../configuration/files.ts';

/** Each is what somebody sees who wrote this condition. */
const WRONG: [condition: string, problem: string][] = [
  [
    'event.type',
    'at character 1 (event.type): it is a string, and not true or false; use == to compare it, such as event.type == "message"',
  ],
  ['"message"', 'at character 1 ("message"): it is a string, and not true or false; use == to compare it'],
  [
    'size(metadata.tags)',
    'at character 1 (size(metadata.tags)): it is an int, and not true or false; use == to compare it',
  ],
  ['event', 'at character 1 (event): it is the event, and not true or false; use event.type, event.role or event.name'],
  [
    'metadata.vip && event.role',
    'at character 17 (event.role): it is a string, and not true or false; use == to compare it, such as event.role == "user"',
  ],
  [
    'event.type == "tool" || 5',
    'at character 25 (5): it is an int, and not true or false; use == to compare it, such as 5 == …',
  ],
  [
    '!event.name',
    'at character 2 (event.name): it is a string, and not true or false; use == to compare it, such as event.name == "search"',
  ],
  [
    'metadata.a ? event.type : event.role',
    'at character 1 (metadata.a ? event.type : event.role): it is a string, and not true or false; use == to compare it',
  ],
  [
    'event.tpye == "tool"',
    'at character 1 (event.tpye): event has no "tpye"; did you mean "type"?; it has type, role, name',
  ],
  ['has(event.kind)', 'at character 5 (event.kind): event has no "kind"; it has type, role, name'],
  [
    'event["naem"] == "x"',
    'at character 1 (event["naem"]): event has no "naem"; did you mean "name"?; it has type, role, name',
  ],
  [
    'evnt.type == "x"',
    'at character 1 (evnt): there is no such variable; did you mean "event"?; there are metadata and event',
  ],
  ['event.type == 1', 'at character 1 (event.type == 1): a string is never equal to an int'],
  ['event.type = "message"', 'at character 12: found =; use == to compare'],
  ['metadata.a and metadata.b', 'at character 12: found and; use &&'],
  ['metadata.a or metadata.b', 'at character 12: found or; use ||'],
  ['not metadata.a', 'at character 1: found not; use !'],
  ['metadata.tier ==', 'at character 17: it ends too early: Unexpected token: EOF'],
  ['metadata.tier in ["free"', 'at character 25: it ends too early: Expected RBRACKET, got EOF'],
  ['metadata.name.matches("a")', 'matches() is not offered; use startsWith, endsWith, contains or a list'],
  ['metadata.a.exists(x, x in metadata.b.filter(y, y))', 'comprehensions cannot be nested'],
];

const RIGHT = [
  'true',
  'metadata.vip',
  'metadata.user.tier in ["free", "trial"] && event.type == "message"',
  '!has(metadata.user) || !has(metadata.user.tier)',
  'has(event.name) && event["name"].startsWith("x")',
  'metadata.roles.exists(r, r == event.role)',
  'metadata.a ? metadata.b : event.type == "tool"',
  'event[metadata.field] == "x"',
  'metadata.anything.event.tpye == "x"',
  'metadata.count > 5 && int(metadata.count) % 2 == 0',
];

describe('a condition of a file', () => {
  for (const [condition, problem] of WRONG) {
    it(`that is wrong is told where, and what to do: ${condition} [config.boolean]`, () => {
      assert.equal(conditionProblem(condition), problem);
    });
  }

  it('may be what gives true or false, or what only metadata can tell', () => {
    for (const condition of RIGHT) assert.equal(conditionProblem(condition), undefined, condition);
  });

  it('quotes at most a part of a long expression', () => {
    assert.ok(conditionProblem(`"${'x'.repeat(4000)}"`)!.length < 200);
  });
});

describe('conditions in a configuration', () => {
  const text = (when: string): string =>
    JSON.stringify({
      version: 1,
      teams: [{ id: 't' }],
      environments: [{ id: 'e', team: 't', conditions: [{ id: 'c', name: 'C', when }] }],
    });

  it('are held to it in a file, and not in a version that is stored [config.boolean]', () => {
    for (const when of ['event.type', 'event.tpye == "x"', 'metadata.a && event.role', 'event.type == 1']) {
      const file = loadConfiguration(text(when), 'f.yaml', NO_FILES);
      assert.ok(!file.ok);
      assert.match(
        problemText(file.problems[0]!),
        /^f\.yaml:1:\d+: environments\[0\]\.conditions\[0\]\.when: expected a CEL expression over metadata and event that is true or false: at character /,
      );
      assert.equal(loadConfiguration(text(when), 'version 1').ok, true, when);
    }
  });

  it('and expiries, which are of days that there are, too', () => {
    const expiring = (at: string): string =>
      JSON.stringify({
        version: 1,
        teams: [{ id: 't' }],
        keys: [{ id: 'k', team: 't', sha256: 'a'.repeat(64), expires_at: at }],
      });
    const [good, none] = [expiring('2028-02-29T00:00:00Z'), expiring('2027-02-30T00:00:00Z')];
    assert.equal(loadConfiguration(good, 'f.yaml', NO_FILES).ok, true);
    const file = loadConfiguration(none, 'f.yaml', NO_FILES);
    assert.ok(!file.ok);
    assert.match(problemText(file.problems[0]!), /keys\[0\]\.expires_at: expected a time such as /);
    assert.equal(loadConfiguration(none, 'version 1').ok, true);
  });

  it('of packs are told where the pack is named', () => {
    const packs = {
      names: () => ['p'],
      read: () => 'version: 1\ntitle: P\npolicies: [{key: k, name: N, detect: {secrets: {}}}]',
    };
    const made = loadConfiguration('version: 1\npacks: [{name: p, when: event.type}]', 'f.yaml', NO_FILES, packs);
    assert.ok(!made.ok);
    assert.match(
      problemText(made.problems[0]!),
      /^f\.yaml:2:\d+: packs\[0\]\.when: .*it is a string, and not true or false/,
    );
  });

  it('have metrics beside them, of which only the fields of event are known', () => {
    const metric = (value: string) =>
      loadConfiguration(`version: 1\nmetrics: [{name: M, kind: expression, value: '${value}'}]`, 'f.yaml', NO_FILES);
    assert.equal(metric('event.type').ok, true);
    assert.equal(metric('event.tpye').ok, false);
    assert.equal(expressionProblem('event.name'), undefined);
  });
});
