import assert from 'node:assert/strict';
import { it } from 'node:test';
import { meaningsOf } from '#weir/ingress/admission/meanings';
import { loadConfiguration } from '#weir/shared/configuration/configuration';
import { id } from '../../shared/policy/support.ts';

/** What a policy with these members means in a deployment. */
function meaningOf(policy: object, deployment: object = {}) {
  const loaded = loadConfiguration(
    JSON.stringify({
      version: 1,
      teams: [{ id: 't' }],
      policies: [{ id: id(1), team: 't', name: 'P', ...policy }],
      deployments: [{ id: 'd', team: 't', name: 'D', policies: [id(1)], ...deployment }],
    }),
  );
  assert.ok(loaded.ok, JSON.stringify(loaded));
  const { deployments, policies } = loaded.configuration;
  return meaningsOf(deployments[0]!, new Map(policies.map((one) => [one.id, one]))).get(id(1));
}

const classified = (label: string) => ({ classifier: { label } });

it('takes the categories of a policy from the deployment, its name or its labels, in this order [adapter.moderations-categories]', () => {
  const hate = { detect: classified('hate') };
  assert.deepEqual(meaningOf(hate, { moderations: { violence: [id(1)], harassment: [id(1)] } })?.categories, [
    'harassment',
    'violence',
  ]);
  assert.deepEqual(meaningOf(hate, { moderations: { violence: [] } })?.categories, ['P'], 'a map says it all');
  assert.deepEqual(meaningOf({ ...hate, name: 'Self_Harm' })?.categories, ['self-harm']);
  assert.deepEqual(meaningOf({ ...hate, name: 'sexual/minors' })?.categories, ['sexual/minors']);
  assert.deepEqual(meaningOf(hate)?.categories, ['hate']);
  assert.deepEqual(
    meaningOf({ detect: { any: [classified('sexism'), { not: classified('self_harm') }] } })?.categories,
    ['harassment', 'self-harm'],
  );
  assert.deepEqual(meaningOf({ detect: { injection: {} } })?.categories, ['P']);
});

it('knows whose scores a policy goes by, and what it looks at', () => {
  const mixed = meaningOf({
    detect: { any: [{ injection: {} }, classified('hate'), { image_properties: { kinds: ['png'] } }] },
  });
  assert.deepEqual(
    [mixed?.labels, mixed?.sources],
    [
      ['injection', 'hate'],
      ['text', 'image'],
    ],
  );
  const text = meaningOf({
    sources: ['text'],
    detect: { any: [{ secrets: {} }, { image_properties: { kinds: ['png'] } }] },
  });
  assert.deepEqual([text?.labels, text?.sources], [[], ['text']]);
  assert.deepEqual(meaningOf({ sources: ['text', 'image'], detect: { secrets: {} } })?.sources, ['text']);
});

it('leaves out a policy in the shadow, which is in no answer', () => {
  assert.equal(meaningOf({ mode: 'shadow', detect: classified('hate') }), undefined);
});
