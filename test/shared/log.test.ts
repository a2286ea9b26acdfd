import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createLogger } from '#weir/shared/log';
import { connectCommands } from '#weir/shared/streams/client';
import { withRedis } from '../support/stores/redis.js';

/** The lines that a logger wrote. */
function logged(): { logger: ReturnType<typeof createLogger>; lines: string[] } {
  const lines: string[] = [];
  return { logger: createLogger('test', 'info', { write: (line) => void lines.push(line) }), lines };
}

describe('the log', () => {
  it('has type, message, stack and code of an error, and no other properties', async () => {
    const { logger, lines } = logged();
    await withRedis(async (server) => {
      const redis = connectCommands({ redisUrl: server.url }, 'test');
      await redis.connect();
      try {
        await redis.set('text', 'x');
        await redis.zadd('text', 1, 'jane.doe@example.com');
        assert.fail('it must be refused');
      } catch (error) {
        assert.match(JSON.stringify(error), /jane\.doe/, 'what the client hangs on it');
        logger.error({ err: error }, 'failed');
        logger.error(error);
      } finally {
        redis.disconnect();
      }
    });
    assert.doesNotMatch(lines.join(''), /jane\.doe/);
    for (const line of lines) {
      const { err } = JSON.parse(line);
      assert.deepEqual(Object.keys(err).sort(), ['message', 'stack', 'type']);
      assert.deepEqual([err.type, err.message.slice(0, 9)], ['ReplyError', 'WRONGTYPE']);
      assert.match(err.stack, /WRONGTYPE/);
    }
    const away = Object.assign(new Error('no'), { code: 'ECONNREFUSED', address: '10.0.0.7', cause: new Error('x') });
    logger.error({ err: away });
    const { err } = JSON.parse(lines.at(-1)!);
    assert.deepEqual([err.code, Object.keys(err).length], ['ECONNREFUSED', 4]);
  });

  it('has nothing of a thrown value that is not an error', () => {
    const { logger, lines } = logged();
    for (const thrown of ['jane.doe', { email: 'jane.doe' }, null]) logger.error({ err: thrown }, 'failed');
    assert.doesNotMatch(lines.join(''), /jane\.doe/);
    assert.equal(JSON.parse(lines[1]!).err.type, 'object');
  });
});
