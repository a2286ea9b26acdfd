import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { buildDirectory } from '#weir/ingress/admission/directory';
import { NO_REGION, useRegion } from '#weir/shared/region';
import { id, load, sketch } from '../../shared/policy/support.ts';

const SHA = 'cd'.repeat(32);
const terms = (context: number) => ({ terms: { list: ['x'], context } });
const configuration = load({
  version: 1,
  teams: [{ id: 't', fail_closed: true }, { id: 'u' }],
  keys: [
    {
      id: 'k',
      team: 't',
      sha256: SHA,
      deployments: ['d'],
      default_deployment: 'd',
      environments: ['e'],
      scopes: ['read'],
      expires_at: '2027-01-01T00:00:00Z',
      rate: { requests_per_minute: 5 },
    },
    { id: 'l', team: 'u', sha256: 'ef'.repeat(32) },
  ],
  policies: [
    { id: id(1), team: 't', name: 'A', detect: { not: { any: [terms(3), terms(1)] } } },
    { id: id(2), team: 't', name: 'B', detect: { all: [terms(7)] } },
    { id: id(3), team: 't', name: 'C', mode: 'shadow', detect: { all: [terms(2)] } },
  ],
  deployments: [
    { id: 'd', team: 't', name: 'D', policies: [id(1)] },
    { id: 'd', team: 'u', name: 'D' },
  ],
  environments: [
    {
      id: 'e',
      team: 't',
      conditions: [
        { id: 'a', name: 'A', when: 'true', policies: [id(1)] },
        { id: 'b', name: 'B', when: 'true', active: false, policies: [id(2)] },
      ],
    },
  ],
});

describe('the directory', () => {
  const directory = buildDirectory(configuration, { version: 42, id: '42-a@b' });
  it('knows keys by their digest [config.key-lookup]', () => {
    assert.deepEqual(directory.key(SHA), {
      id: 'k',
      team: 't',
      deployments: new Set(['d']),
      defaultDeployment: 'd',
      environments: new Set(['e']),
      scopes: new Set(['read']),
      expiresAt: Date.UTC(2027, 0, 1),
      requestsPerMinute: 5,
    });
    const other = directory.key('ef'.repeat(32));
    assert.deepEqual([other?.defaultDeployment, other?.expiresAt, other?.requestsPerMinute], ['', null, null]);
    assert.equal(directory.key('__proto__'), undefined);
    assert.equal(directory.version, 42);
  });
  it('knows deployments and environments of each team, with what may be named there and how far back it looks', () => {
    const known = (team: string) => {
      const { meanings, ...deployment } = directory.deployment(team, 'd')!;
      return { ...deployment, of: [...meanings().keys()] };
    };
    assert.deepEqual(known('t'), {
      id: 'd',
      team: 't',
      policies: new Set([id(1)]),
      contextDepth: 3,
      redacts: false,
      of: [id(1)],
    });
    const nothing = { policies: new Set(), contextDepth: 0, redacts: false };
    assert.deepEqual(known('u'), { id: 'd', team: 'u', ...nothing, of: [] });
    assert.deepEqual(directory.environment('t', 'e'), {
      id: 'e',
      team: 't',
      policies: new Set([id(1)]),
      contextDepth: 3,
      redacts: false,
    });
    assert.equal(directory.environment('u', 'e'), undefined);
    assert.equal(directory.deployment('t', 'x'), undefined);
  });
  it('knows the severity of live policies: one in the shadow is in no risk [config.shadow]', () => {
    const severities = [1, 2, 3].map((n) => directory.severity('t', id(n)));
    assert.deepEqual([...severities, directory.severity('u', id(1))], ['medium', 'medium', undefined, undefined]);
  });
  it('knows where a policy redacts', () => {
    const policies = [{ detect: { secrets: {} } }, { action: 'redact', detect: { pii: { entities: 'all' } } }];
    const redacting = buildDirectory(sketch({ policies }), { version: 1, id: '' });
    assert.deepEqual([redacting.deployment('t', 'd')?.redacts, redacting.environment('t', 'e')?.redacts], [true, true]);
  });
  it('knows which teams fail closed', () => {
    const closed = [directory.failClosed('t'), directory.failClosed('u'), directory.failClosed('x')];
    assert.deepEqual(closed, [true, false, false]);
  });

  it('knows a key that names regions in these alone, also where it hears of its own one later [regions.keys]', () => {
    const [known, everywhere] = ['ab'.repeat(32), 'ac'.repeat(32)];
    const { key, keyOf, regions } = buildDirectory(
      load({
        version: 1,
        teams: [{ id: 't' }],
        regions: { 1: 'eu', 2: 'us' },
        keys: [
          { id: 'k', team: 't', sha256: known, regions: ['eu'], without_key_from: ['10.0.0.0/8'] },
          { id: 'l', team: 't', sha256: everywhere },
        ],
      }),
      { version: 1, id: '1-a@b' },
    );
    const ofAddress = (): string | undefined => keyOf('10.1.2.3')?.key.id;
    assert.deepEqual(
      [...regions],
      [
        [1, 'eu'],
        [2, 'us'],
      ],
    );
    try {
      for (const [number, name, ids] of [
        [0, '', [undefined, 'l', undefined]],
        [2, 'us', [undefined, 'l', undefined]],
        [1, 'eu', ['k', 'l', 'k']],
      ] as const) {
        useRegion({ number, name });
        assert.deepEqual([key(known)?.id, key(everywhere)?.id, ofAddress()], ids, name);
      }
    } finally {
      useRegion(NO_REGION);
    }
  });
});
