/** The scripts of a stream against Redis: what is bounded, and what is sticky. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { appendPiece, type StreamName, settlePiece } from '#weir/ingress/streams/state';
import type { StreamPiece } from '#weir/shared/api/validate/issues';
import { sharedRedis } from '../../support/stores/redis.ts';

const { redis } = await sharedRedis();

const name: StreamName = { team: 'acme', kind: 'deployment', scope: 'chat', id: 's' };
const piece: StreamPiece = {
  id: 's',
  sequence: 0,
  delta: 'Good morning.',
  final: false,
  kind: 'deployment',
  role: 'assistant',
  run: '',
  session: '',
  metadata: '',
};
const options = { key: 'key', room: 65_536, most: 100 };
const nothing = { units: 0, points: 0, bytes: 0 };
const settled = { sequence: 0, safe: nothing, window: nothing, looked: 0, seen: 13, noted: 0, delayed: '[]' };

describe('a stream', () => {
  it('closes where a look at its newest piece is flagged, though an earlier look at that was not', async () => {
    const first = await appendPiece(redis, name, piece, options);
    assert.ok(first.status === 'go');
    const { id } = first.state;
    await settlePiece(redis, name, id, { ...settled, closes: false });
    const again = await appendPiece(redis, name, piece, options);
    assert.equal(again.status === 'go' && again.state.status, 'open');
    await settlePiece(redis, name, id, { ...settled, closes: true });
    const after = await appendPiece(redis, name, piece, options);
    assert.equal(after.status === 'go' && after.state.status, 'closing');
    await settlePiece(redis, name, id, { ...settled, closes: false });
    const last = await appendPiece(redis, name, piece, options);
    assert.equal(last.status === 'go' && last.state.status, 'closing');
  });

  it('holds no more bytes than the caller of the script says', async () => {
    await appendPiece(redis, name, piece, options);
    const long = { ...piece, sequence: 1, delta: 'x'.repeat(88) };
    assert.equal((await appendPiece(redis, name, long, options)).status, 'long');
    assert.equal((await appendPiece(redis, name, { ...long, delta: 'x'.repeat(87) }, options)).status, 'go');
  });
});
