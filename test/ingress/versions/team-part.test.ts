import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { teamChanges, teamPolicies } from '#weir/ingress/versions/team-part';
import { LIMITS } from '#weir/shared/api/limits';
import { type Configuration, loadConfiguration } from '#weir/shared/configuration/configuration';
import { id } from '../../shared/policy/support.ts';

const HASH = 'a'.repeat(64);

/** As it is stored, with two teams. */
function stored(change: (configuration: Configuration) => void = () => undefined): string {
  const policy = (n: number, team: string) => ({
    id: id(n),
    team,
    name: `P${n}`,
    detect: { terms: { list: ['one'] } },
  });
  const loaded = loadConfiguration(
    JSON.stringify({
      version: 1,
      teams: [{ id: 'acme' }, { id: 'globex' }],
      keys: [
        { id: 'ours', team: 'acme', sha256: HASH },
        { id: 'theirs', team: 'globex', sha256: 'b'.repeat(64) },
      ],
      backends: [{ id: 'judge', team: 'acme', url: 'http://host-1/v1', model: 'm', api_key_env: 'TOKEN_1' }],
      policies: [policy(1, 'acme'), policy(2, 'globex'), policy(3, 'acme')],
    }),
  );
  assert.ok(loaded.ok, JSON.stringify(loaded));
  change(loaded.configuration);
  return JSON.stringify(loaded.configuration);
}

describe('what a team is shown of versions', () => {
  it('is nothing where another team has changed', () => {
    const after = stored((configuration) => {
      configuration.policies[1]!.name = 'Other';
      configuration.keys.pop();
    });
    const told = { count: 0, summary: '', changes: [], left_out: 0 };
    assert.deepEqual(teamChanges({ team: 'acme', before: stored(), after }), told);
  });

  it('tells of the logins of the team', () => {
    const login = (group: string, team: string | null, role: 'viewer' | 'editor' | 'operator') => ({
      ...{ group, team, role },
      ...{ environments: [], deployments: [] },
    });
    const before = stored((configuration) => {
      configuration.logins = [login('desk', 'acme', 'viewer'), login('theirs', 'globex', 'viewer')];
    });
    const after = stored((configuration) => {
      configuration.logins = [
        login('desk', 'acme', 'editor'),
        login('new', 'acme', 'viewer'),
        login('ops', null, 'operator'),
      ];
    });
    assert.deepEqual(teamChanges({ team: 'acme', before, after }).changes, [
      { section: 'logins', what: 'changed', title: 'desk', fields: ['role: "viewer" → "editor"'] },
      { section: 'logins', what: 'added', title: 'new', fields: [] },
    ]);
  });

  it('tells that a secret or an address has changed, and no value', () => {
    const after = stored(({ keys, backends, risk }) => {
      keys[0]!.sha256 = 'c'.repeat(64);
      keys[0]!.without_key_from = ['10.9.9.0/24'];
      Object.assign(backends[0]!, { url: 'http://host-2/v1', api_key_env: 'TOKEN_2', model: 'n' });
      risk.severe = 11;
    });
    const told = teamChanges({ team: 'acme', before: stored(), after });
    assert.deepEqual(
      told.changes.map(({ section, fields }) => [section, fields]),
      [
        ['keys', ['sha256: another value', 'without_key_from: another value']],
        ['backends', ['url: another value', 'model: "m" → "n"', 'api_key_env: another value']],
        ['risk', ['severe: 10 → 11']],
      ],
    );
    assert.doesNotMatch(JSON.stringify(told), /host-|TOKEN_|ccc|10\.9/);
  });

  it('is all that the team has, compared with nothing', () => {
    const { count, summary } = teamChanges({ team: 'acme', before: undefined, after: stored() });
    assert.deepEqual([count, summary], [5, 'teams: 1 added; keys: 1 added; backends: 1 added; policies: 2 added']);
  });

  it('has so many lines and no more, and counts the others', () => {
    const many = 2 * LIMITS.configurationChangeLines;
    const before = stored();
    const after = stored(({ policies }) => {
      for (let n = 0; n < many; n++) policies.push({ ...policies[0]!, id: id(100 + n), name: 'x'.repeat(2000) });
    });
    const { count, changes, left_out } = teamChanges({ team: 'acme', before, after });
    assert.equal(count, many);
    assert.deepEqual([changes.length, left_out], [LIMITS.configurationChangeLines, many - changes.length]);
    assert.ok(changes.every(({ title }) => title.length < 700));
  });

  it('compares long lists in no time to speak of', () => {
    const words = (prefix: string): string[] => Array.from({ length: 100_000 }, (_, n) => `${prefix}${n}`);
    const withWords = (list: string[]): string =>
      stored(({ policies }) => {
        policies[0]!.detect = { terms: { ...(policies[0]!.detect as { terms: object }).terms, list } } as never;
      });
    // Each against each would take minutes.
    const { changes } = teamChanges({ team: 'acme', before: withWords(words('a')), after: withWords(words('b')) });
    assert.match(changes[0]!.fields[0]!, /added "b0".* and 99992 more; removed "a0"/);
  });

  it('pages policies of the team, and cuts what is long in them', () => {
    const text = stored(({ policies }) => {
      policies[0]!.detect = { regex: { patterns: ['x'.repeat(5000), 'y'], list: words } } as never;
    });
    const first = teamPolicies({ team: 'acme', text, after: '', limit: 1 })!;
    assert.deepEqual([first.policies.map((one) => one.policy_id), first.next], [[id(1)], id(1)]);
    const [{ detect, cut }] = first.policies as [(typeof first.policies)[number]];
    assert.equal(cut, true);
    const size = JSON.stringify(detect).length;
    assert.ok(size > LIMITS.shownDetectCharacters / 2 && size < 2 * LIMITS.shownDetectCharacters, `${size}`);
    assert.match(JSON.stringify(detect), /… and \d+ more"\]/);
    const rest = teamPolicies({ team: 'acme', text, after: id(1), limit: 5 })!;
    assert.deepEqual([rest.policies.map((one) => [one.policy_id, one.cut]), rest.next], [[[id(3), false]], undefined]);
    assert.equal(teamPolicies({ team: 'acme', text, after: id(2), limit: 5 }), undefined, "another team's");
  });
});

const words = Array.from({ length: 10_000 }, (_, n) => `word ${n}`);
