import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildDirectory } from '#weir/ingress/admission/directory';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { SHA } from '../golden.ts';

const load = (key: string, teams = '[{id: t}]') =>
  loadConfiguration(
    `version: 1\nteams: ${teams}\ndeployments: [{id: d, team: t, name: D}]\nkeys:\n- {id: k, sha256: ${SHA}, ${key}}\n`,
    'f.yaml',
  );

describe('a key with the scope operate', () => {
  it('belongs to no team, also where there is only one, and stays so when it is stored [operate.key]', () => {
    for (const teams of ['[{id: t}]', '[{id: t}, {id: u}]', '[{id: t}, {id: u}]']) {
      const loaded = load('scopes: [operate]', teams);
      assert.ok(loaded.ok, JSON.stringify(loaded));
      assert.equal(loaded.configuration.keys[0]!.team, null);
      const again = loadConfiguration(JSON.stringify(loaded.configuration));
      assert.deepEqual(again.ok && again.configuration, loaded.configuration);
      const key = buildDirectory(loaded.configuration, { version: 1, id: 'x' }).key(SHA)!;
      assert.deepEqual(
        [key.team, [...key.scopes], key.deployments.size, key.environments.size],
        ['', ['operate'], 0, 0],
      );
    }
  });

  it('has nothing of a team, and no scope that shows what teams have checked [operate.key]', () => {
    const none = 'expected nothing here: a key with the scope operate belongs to no team';
    for (const [key, path, message] of [
      ['team: t, scopes: [operate]', 'keys[0].team', none],
      ['deployments: [d], scopes: [operate]', 'keys[0].deployments', none],
      ['environments: [e], scopes: [operate]', 'keys[0].environments', none],
      ['default_deployment: d, scopes: [operate]', 'keys[0].default_deployment', none],
      ['without_key_from: [10.0.0.0/8], scopes: [operate]', 'keys[0].without_key_from', none],
      [
        'scopes: [operate, read]',
        'keys[0].scopes',
        'expected operate alone: a key with the scope operate belongs to no team, so it may see nothing that teams have checked',
      ],
    ] as const) {
      const loaded = load(key);
      assert.equal(loaded.ok, false, key);
      const problems = loaded.ok ? [] : loaded.problems;
      assert.ok(
        problems.some((problem) => problem.path === path && problem.message === message),
        `${key}: ${JSON.stringify(problems)}`,
      );
    }
  });

  it('is the only one without a team', () => {
    assert.equal(load('scopes: [read]', '[{id: t}, {id: u}]').ok, false);
    const stored = `{"version":1,"teams":[{"id":"t"}],"keys":[{"id":"k","team":null,"sha256":"${SHA}","scopes":["read"]}]}`;
    assert.equal(loadConfiguration(stored).ok, false);
  });
});
