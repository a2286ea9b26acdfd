import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { loadSettings, SettingsError } from '#weir/shared/settings';
import { unknownVariables } from '#weir/shared/unknown-variables';

describe('WEIR_REDIS_MAXMEMORY', () => {
  const load = (size: string): string =>
    loadSettings({ WEIR_REDIS_MAXMEMORY: size }, ['redisMaxMemory']).redisMaxMemory;

  it('takes the sizes that redis-server takes', () => {
    for (const size of ['4gb', '512MB', '100000000', '64m', '1000b']) assert.equal(load(size), size);
  });

  it('refuses other texts, and 0, which would mean no limit', () => {
    for (const size of ['lots', '0', '0gb', '-1', '4 gb', '1gb\nsave 60 1', '50%']) {
      assert.throws(() => load(size), SettingsError, size);
    }
  });
});

describe('WEIR_CLICKHOUSE_URL', () => {
  const load = (url: string): string => loadSettings({ WEIR_CLICKHOUSE_URL: url }, ['clickhouseUrl']).clickhouseUrl;

  it('is an address over HTTP, and is named without what it holds where it is none', () => {
    assert.equal(load('https://u:p@[::1]:8443/'), 'https://u:p@[::1]:8443/');
    for (const url of ['user:secret@host:8123', 'secret', 'clickhouse://user:secret@host', 'http://'])
      assert.throws(() => load(url), { message: /^WEIR_CLICKHOUSE_URL must be an address such as (?!.*secret)/ }, url);
  });
});

describe('variables that are no settings', () => {
  it('are an error within two letters of one that is, and are named otherwise', () => {
    assert.equal(unknownVariables({ WEIR_PORT: '1', PATH: '/bin', WEIR_TEST_SECRET: 'x' }), undefined);
    for (const [wrong, meant] of [
      ['WEIR_REDISURL', 'WEIR_REDIS_URL'],
      ['WEIR_THREAD', 'WEIR_THREADS'],
      ['WEIR_DEADLINE_SM', 'WEIR_DEADLINE_MS'],
    ] as const) {
      assert.throws(() => unknownVariables({ [wrong]: 'secret' }), {
        message: `${wrong} is no setting. Is ${meant} meant? If not, name it otherwise.`,
      });
    }
    assert.match(unknownVariables({ WEIR_SLACK_SECRET: 'x' }) ?? '', /^No setting of Weir: WEIR_SLACK_SECRET\./);
  });

  it('of a Service that is named weir are left out, and explained where one takes the place of a setting', () => {
    const link = { WEIR_SERVICE_HOST: '10.0.0.1', WEIR_SERVICE_PORT_HTTP: '80', WEIR_PORT_80_TCP_ADDR: '10.0.0.1' };
    assert.equal(unknownVariables(link), undefined);
    assert.throws(() => loadSettings({ WEIR_PORT: 'tcp://10.0.0.1:80' }, ['port']), /enableServiceLinks/);
  });
});
