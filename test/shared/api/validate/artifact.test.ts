import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { LIMITS } from '#weir/shared/api/limits';
import { validateArtifact } from '#weir/shared/api/validate/validate';
import { type Json, judgeOf } from './support.ts';

const UUID = '01890000-0000-7000-8000-000000000001';
const content = (change: Json = {}): Json => ({ kind: 'image', url: 'https://example.org/a.png', ...change });
const body = (change: Json = {}): Json => ({ content: content(), ...change });
const inline = (data: unknown): Json => body({ content: { kind: 'image', data } });

const { good, bad } = judgeOf(validateArtifact);

describe('artifacts', () => {
  it('need only a url or inline data', () => {
    const input = good(body());
    assert.deepEqual([input.images, input.scope, input.eventIds, input.referred], [1, '', [''], []]);
    assert.deepEqual(input.artifact, { external: '', internalSession: '', externalSession: '' });
    good(inline('AAAA'));
    good(body({ content: content({ data: null, name: 'a.png', mime_type: 'image/png' }) }));
  });

  it('are images, from exactly one source [2.6.kind] [2.6.url] [2.6.data]', () => {
    bad(body({ content: { kind: 'image' } }), 'content source');
    bad(body({ content: content({ data: 'AAAA' }) }), 'content source');
    bad(body({ content: content({ kind: 'video' }) }), 'content.kind type');
    bad({}, 'content required');
    bad(body({ content: 'x' }), 'content type');
    bad(inline(5), 'content.data type');
  });

  it('need a valid http or https address', () => {
    for (const url of [
      'ftp://example.org/a',
      'example.org/a.png',
      'data:image/png;base64,AAAA',
      'file:///etc/passwd',
      '',
    ]) {
      bad(body({ content: content({ url }) }), 'content.url url');
    }
    const long = `https://example.org/${'a'.repeat(LIMITS.urlCharacters)}`;
    bad(body({ content: content({ url: long }) }), 'content.url too_long');
  });

  it('have base64 of at most 10 MiB, which is not decoded yet', () => {
    good(inline('A'.repeat(LIMITS.imageDataCharacters)));
    bad(inline('A'.repeat(LIMITS.imageDataCharacters + 1)), 'content.data content_too_large');
    assert.ok(LIMITS.imageDataCharacters > (LIMITS.imageBytes * 4) / 3);
    good(inline('no base64 at all'));
    good(inline(''));
  });

  it('are linked to a session by one of its ids', () => {
    assert.equal(good(body({ internal_session_id: UUID.toUpperCase() })).artifact?.internalSession, UUID);
    const external = good(body({ external_session_id: 'chat', external_artifact_id: 'pic' }));
    assert.deepEqual(external.artifact, { external: 'pic', internalSession: '', externalSession: 'chat' });
    assert.equal(external.affinity, 'chat');
    assert.equal(good(body({ external_artifact_id: 'pic' })).affinity, 'pic');
    bad(body({ internal_session_id: UUID, external_session_id: 'chat' }), 'external_session_id conflict');
    bad(body({ internal_session_id: 'chat' }), 'internal_session_id uuid');
  });

  it('have a role (2.3), policies and metadata like a session', () => {
    for (const role of ['user', 'assistant-2', 'system']) good(body({ role }));
    bad(body({ role: 'robot' }), 'role role');
    assert.deepEqual(good(body({ policies: [UUID] })).policies, [UUID]);
    assert.equal(good(body({ policy_ids: [UUID] })).policiesField, 'policy_ids');
    bad(body({ policies: [] }), 'policies too_few');
    bad(body({ metadata: { a: 'x'.repeat(LIMITS.metadataBytes) } }), 'metadata too_large');
    bad(body({ deployment_id: '' }), 'deployment_id too_short');
  });

  it('have ids and names of at most 256 characters', () => {
    const long = 'x'.repeat(257);
    bad(body({ external_artifact_id: long }), 'external_artifact_id too_long');
    bad(body({ external_session_id: long }), 'external_session_id too_long');
    bad(body({ content: content({ name: long }) }), 'content.name too_long');
    bad(body({ content: content({ mime_type: long }) }), 'content.mime_type too_long');
  });
});
