import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stripVTControlCharacters } from 'node:util';
import { createLogger } from '#weir/shared/log';
import { hasColours, logForm, prettyLine } from '#weir/shared/log-lines';
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

describe('the form of the log', () => {
  it('has names of levels', () => {
    const { logger, lines } = logged();
    logger.level = 'trace';
    const levels = ['trace', 'debug', 'info', 'warn', 'error', 'fatal'] as const;
    for (const level of levels) logger[level]('said');
    assert.deepEqual(
      lines.map((line) => JSON.parse(line).level),
      levels,
    );
  });

  it('is for people on a terminal, else for programs, unless it is set', () => {
    const forms = (isTTY: boolean | undefined): string[] =>
      ['auto', 'json', 'pretty'].map((setting) => logForm(setting, isTTY === undefined ? {} : { isTTY }));
    assert.deepEqual(forms(true), ['pretty', 'json', 'pretty']);
    assert.deepEqual(forms(undefined), ['json', 'json', 'pretty']);
  });

  it('has colours on a terminal alone, and not where NO_COLOR or a dumb terminal says so', () => {
    assert.equal(hasColours({ isTTY: true }, {}), true);
    assert.equal(hasColours({ isTTY: true }, { NO_COLOR: '' }), true);
    assert.equal(hasColours({ isTTY: true }, { NO_COLOR: '1' }), false);
    assert.equal(hasColours({ isTTY: true }, { TERM: 'dumb' }), false);
    assert.equal(hasColours({}, {}), false);
  });

  const line = (fields: Record<string, unknown>): string =>
    `${JSON.stringify({ level: 'warn', time: '2026-11-28T14:19:03.775Z', pid: 7, name: 'worker', ...fields })}\n`;

  it('for people is a line with time, level, process, message and fields', () => {
    const said = line({ kind: 'metrics', attempt: 1, error: 'two words', entries: ['1-0'], msg: 'metrics wait' });
    assert.equal(
      prettyLine(said, false),
      '14:19:03.775 WARN  worker[7] metrics wait kind=metrics attempt=1 error="two words" entries=["1-0"]\n',
    );
    const coloured = prettyLine(line({ msg: 'away' }), true);
    assert.ok(coloured.includes('\u001b[33mWARN \u001b[0m'), coloured);
    assert.equal(stripVTControlCharacters(coloured), '14:19:03.775 WARN  worker[7] away\n');
  });

  it('for people has the stack of an error, and what to do next, below', () => {
    const error = new Error('it broke');
    const { logger, lines } = logged();
    logger.error({ err: error }, 'failed');
    const shown = prettyLine(lines[0]!, false);
    assert.match(shown, /ERROR test\[\d+\] failed: it broke\n {4}at .*log\.test/);
    assert.equal(shown.split('it broke').length, 2, 'once');
    assert.match(prettyLine(line({ next: 'Start it again.', msg: 'over' }), false), / over\n {4}Start it again\.\n$/);
  });

  it('for people cannot be made to act on a terminal or to fake a line', () => {
    const hostile = 'x\n14:00:00.000 INFO  worker[7] all is well\u001b[2J\u202e\r';
    const err = { type: 'Error', message: hostile, stack: `Error: ${hostile}\n    at a\u001b[1m (file:1:1)` };
    const shown = prettyLine(
      line({ name: hostile, reason: hostile, [hostile]: 1, err, next: hostile, msg: hostile }),
      false,
    );
    // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what must not be there
    assert.doesNotMatch(shown, /[\u0000-\u0009\u000b-\u001f\u202e]/);
    assert.equal(shown.match(/^14:00/gm), null);
    assert.equal(prettyLine('no JSON \u001b[2J\n', false), 'no JSON \\u001b[2J\n');
  });
});
