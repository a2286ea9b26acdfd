/** What webhooks are told of an entry of the log, and how it is signed. */
import assert from 'node:assert/strict';
import { test } from 'node:test';
import { hookSecrets } from '#weir/shared/configuration/notify';
import type { HookConfiguration } from '#weir/shared/configuration/types';
import { itemId } from '#weir/shared/ids';
import { deliveriesOf } from '#weir/workers/hooks/deliveries';
import { signedHeaders } from '#weir/workers/hooks/signature';
import { rowFormatOf } from '#weir/workers/rows/pack-rows';
import type { RowItem, RowRequest } from '#weir/workers/rows/row-types';
import { encodeRows } from '../../support/stores/encoded.ts';
import { POLICY, rowImage, rowItem, rowRequest, violating } from '../../support/stores/history.ts';

const HOOK: HookConfiguration = {
  id: 'alerts',
  team: 'acme',
  url: 'https://example.com/',
  on: ['flagged'],
  policies: null,
  secret_env: 'SECRET',
};
const hooksNamed = (...hooks: Partial<HookConfiguration>[]): Map<string, HookConfiguration> =>
  new Map(hooks.map((hook) => [`${hook.team ?? 'acme'}/${hook.id ?? 'alerts'}`, { ...HOOK, ...hook }]));
const flagged = { verdict: violating, flagged: true };

function told(request: RowRequest, items: RowItem[], hooks = hooksNamed({})) {
  const found = deliveriesOf(hooks, rowFormatOf(items), encodeRows(request, items));
  return found.map(([hook, { id, body }]) => ({ hook, id, body, payload: JSON.parse(body) }));
}

test('what asks for appeals alone is told of no check', () => {
  const items = [rowItem(1, flagged)];
  assert.deepEqual(told(rowRequest(), items, hooksNamed({ on: ['appeal'] })), []);
  assert.equal(told(rowRequest(), items, hooksNamed({ on: ['appeal', 'flagged'] })).length, 1);
});

test('an event that is flagged is told with its ids and policies, and without content', () => {
  const request = rowRequest({ config: 12 });
  const items = [
    rowItem(1),
    rowItem(2, {
      ...flagged,
      externalSessionId: 's-1',
      content: 'SECRET CONTENT',
      metadata: '{"a":"SECRET METADATA"}',
    }),
  ];
  const [one, ...others] = told(request, items);
  assert.deepEqual(others, []);
  const id = itemId(request.id, 2);
  assert.deepEqual(one!.payload, {
    type: 'check.flagged',
    timestamp: new Date(request.completed).toISOString(),
    data: {
      kind: 'event',
      team: 'acme',
      environment_id: 'prod',
      internal_event_id: id,
      event_id: 'event-2',
      run_id: 'run-1',
      external_session_id: 's-1',
      policies: [{ id: POLICY, name: 'No card data', severity: 'high' }],
      policies_not_evaluated: 2,
      configuration: 12,
      result_url: `/api/event/${id}?environment_id=prod`,
    },
  });
  assert.doesNotMatch(one!.body, /SECRET/);
});

test('a session is told once, with what its images violate, and a single image by itself', () => {
  const session = rowRequest({ kind: 'session', scope: 'chat bot' });
  const image = { type: 'artifact', image: rowImage(), ...flagged };
  const [one, ...others] = told(session, [rowItem(1, { ...flagged, eventId: '', runId: '' }), rowItem(2, image)]);
  assert.deepEqual(others, []);
  assert.equal(one!.payload.data.result_url, `/api/session/${itemId(session.id, 1)}?deployment_id=chat%20bot`);
  assert.deepEqual([one!.payload.data.kind, one!.payload.data.deployment_id], ['session', 'chat bot']);
  const artifact = rowRequest({ kind: 'artifact', scope: 'chat' });
  const [alone] = told(artifact, [rowItem(1, { ...image, eventId: '', runId: '', externalArtifactId: 'a-1' })]);
  const id = itemId(artifact.id, 1);
  assert.deepEqual(
    [
      alone!.payload.data.internal_artifact_id,
      alone!.payload.data.external_artifact_id,
      alone!.payload.data.result_url,
    ],
    [id, 'a-1', `/api/artifact/get_by_id?internal_artifact_id=${id}&deployment_id=chat`],
  );
});

test('each webhook of the team is told under an id of its own, which is the same every time', () => {
  const request = rowRequest();
  const hooks = hooksNamed({}, { id: 'audit' }, { id: 'alerts', team: 'other' });
  const first = told(request, [rowItem(1, flagged)], hooks);
  assert.deepEqual(
    first.map(({ hook }) => hook),
    ['acme/alerts', 'acme/audit'],
  );
  assert.notEqual(first[0]!.id, first[1]!.id);
  assert.deepEqual(told(request, [rowItem(1, flagged)], hooks), first);
  for (const { id } of first) assert.match(id, /^msg_[0-9a-f]{48}$/);
  assert.deepEqual(told(rowRequest({ team: 'third' }), [rowItem(1, flagged)], hooks), []);
});

test('a webhook with policies is told of these alone, and none of what is in the shadow', () => {
  const other = '6f1c0f0e-1111-4222-8333-444444444441';
  const violation = violating.violations[0]!;
  const two = { ...violating, violations: [{ ...violation, id: other, severity: 'low' as const }, violation] };
  const item = rowItem(1, { verdict: two, flagged: true });
  const ids = (hook: Partial<HookConfiguration>): string[][] =>
    told(rowRequest(), [item], hooksNamed(hook)).map(({ payload }) =>
      payload.data.policies.map(({ id }: { id: string }) => id),
    );
  assert.deepEqual(ids({}), [[POLICY, other]], 'the most severe first');
  assert.deepEqual(ids({ policies: [other] }), [[other]]);
  assert.deepEqual(ids({ policies: ['6f1c0f0e-1111-4222-8333-444444444449'] }), []);
  const shadow = { evaluated: [POLICY], violations: violating.violations, notEvaluated: 0 };
  const hidden = rowItem(1, { verdict: { ...rowItem(1).verdict, shadow } });
  assert.deepEqual(told(rowRequest(), [hidden]), []);
});

test('a delivery stays below 20 KB however many policies an item violates', () => {
  const violation = violating.violations[0]!;
  const many = Array.from({ length: 300 }, () => ({ ...violation, name: 'n'.repeat(256), evidence: [] }));
  const item = rowItem(1, { verdict: { ...violating, violations: many }, flagged: true });
  const [one] = told(rowRequest(), [item]);
  assert.ok(one!.body.length < 20_000, String(one!.body.length));
  assert.deepEqual([one!.payload.data.policies.length, one!.payload.data.policies_omitted], [50, 250]);
});

test('a signature is that of Standard Webhooks, one for each secret', () => {
  const secret = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3';
  const delivery = { id: 'msg_1', body: '{"a":1}' };
  // printf 'msg_1.1700000000.{"a":1}' | openssl dgst -sha256 -mac HMAC -macopt key:0123456789abcdef01234567 -binary | base64
  const signature = 'v1,WUgAXU8H0NQ1/7M+TtMwKma2b74a3/TCgekiM3YUdN8=';
  const signed = signedHeaders(delivery, hookSecrets(secret)!, 1_700_000_000_999);
  assert.deepEqual(signed, {
    'webhook-id': 'msg_1',
    'webhook-timestamp': '1700000000',
    'webhook-signature': signature,
  });
  const other = `whsec_${Buffer.alloc(64, 7).toString('base64')}`;
  const both = signedHeaders(delivery, hookSecrets(` ${other}  ${secret} `)!, 1_700_000_000_000)['webhook-signature']!;
  assert.deepEqual([both.split(' ').length, both.split(' ')[1]], [2, signature]);
});

test('a secret of another form is none', () => {
  const of = (bytes: number): string => `whsec_${Buffer.alloc(bytes, 1).toString('base64')}`;
  const wrong = [
    undefined,
    '',
    ' ',
    'whsec_',
    of(23),
    of(65),
    of(24).slice(6),
    'whsec_????????????????????????????????',
  ];
  for (const value of [...wrong, `${of(24)} plain`, Array(5).fill(of(24)).join(' ')]) {
    assert.equal(hookSecrets(value), undefined, value);
  }
  assert.equal(hookSecrets(of(24))![0]!.length, 24);
});
