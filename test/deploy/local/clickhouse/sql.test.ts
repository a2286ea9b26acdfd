import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import fc from 'fast-check';
import { ClickHouseError, fromEngine, statusOf } from '#weir/deploy/local/clickhouse/errors';
import { createGate } from '#weir/deploy/local/clickhouse/gate';
import { readStatement, refusalOfReader, tokens } from '#weir/deploy/local/clickhouse/sql';
import { pluck } from '../../../support/pluck.ts';

const texts = (sql: string): string[] => [...tokens(sql)].map((token) => token.text);

describe('tokens', () => {
  it('drop comments and blanks, and read quotes as ClickHouse does', () => {
    assert.deepEqual(texts("a -- b\n/* c ' */ 'd''e\\'f' `g``h` \"i\" 1.5e3 $x$ j' $x$ #! k\n;"), [
      'a',
      "d'e'f",
      'g`h',
      'i',
      '1.5e3',
      " j' ",
      ';',
    ]);
    assert.deepEqual(texts("'never closed"), ['never closed']);
    assert.deepEqual(texts(''), []);
  });

  it('mark bytes beyond ASCII outside quotes', () => {
    assert.deepEqual(pluck([...tokens("a \u00a0 '\u00e9' \0")], 'kind'), ['word', 'foreign', 'string', 'foreign']);
  });

  it('mark names with coded letters, and no others', () => {
    assert.deepEqual(pluck([...tokens('`a\\`b` "a\\\\" `f\\x69le` "\\0"')], 'kind'), [
      'quoted',
      'quoted',
      'foreign',
      'foreign',
    ]);
  });

  it('search the end of a heredoc once, for any number of open ones', () => {
    const open = Array.from({ length: 1000 }, (_, n) => `$t${n}$`).join(' ');
    assert.deepEqual(pluck([...tokens(`a ${open}`)], 'kind', 'end'), [
      ['word', 1],
      ['foreign', open.length + 2],
    ]);
  });

  it('cover any text in order, and end', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary-ascii', maxLength: 60 }), (sql) => {
        let at = 0;
        for (const token of tokens(sql)) {
          assert.ok(token.start >= at && token.end > token.start && token.end <= sql.length);
          at = token.end;
        }
      }),
    );
  });
});

describe('readStatement', () => {
  it('sees a second statement, the format of a query, and an empty text', () => {
    assert.equal(readStatement('SELECT 1; SELECT 2').several, true);
    assert.equal(readStatement('SELECT 1;; -- done').several, false);
    assert.equal(readStatement("INSERT INTO t VALUES (';'); DROP TABLE t").several, true);
    assert.equal(readStatement('SELECT 1 FORMAT JSON').format, 'JSON');
    assert.equal(readStatement('SELECT format FROM t').format, undefined);
    assert.equal(readStatement(' /* nothing */ ').tokens.length, 0);
  });
});

describe('refusalOfReader', () => {
  const refused = (sql: string): string | undefined => refusalOfReader(readStatement(sql));

  it('lets queries through, whatever their strings hold', () => {
    for (const sql of [
      'SELECT url, outfiles, profile FROM t WHERE url = 1',
      "SELECT 'file(', `url`, lower('INTO OUTFILE')",
      '-- a comment\nwith 1 AS x select x',
      '((SELECT 1))',
      'explain select 1',
    ]) {
      assert.equal(refused(sql), undefined, sql);
    }
  });

  it('says what it refuses, and what may be sent', () => {
    assert.match(refused('KILL QUERY WHERE 1') ?? '', /begin with SELECT/);
    assert.match(refused('`SELECT` 1') ?? '', /./);
    assert.match(refused("SELECT 1 INTO OUTFILE 'x'") ?? '', /INTO OUTFILE/);
    assert.match(refused('SELECT * APPLY(file)') ?? '', /the name file/);
    assert.match(refused('SELECT "f\\x69le"(1)') ?? '', /position 8/);
  });
});

describe('errors of the engine', () => {
  it('lose their nesting, their version and the path of our file', () => {
    const raw =
      'Code: 27. DB::Exception: Code: 27. DB::Exception: Cannot parse input: (at row 2)\n: (in file/uri /data/http/1): While executing File: data for INSERT was parsed from file. (CANNOT_PARSE_INPUT_ASSERTION_FAILED) (version 26.7.2.1). (CANNOT_PARSE_INPUT_ASSERTION_FAILED)';
    const error = fromEngine(new Error(raw));
    assert.equal(error.code, 27);
    assert.equal(error.status, 400);
    assert.equal(
      error.render('1.2'),
      'Code: 27. DB::Exception: Cannot parse input: (at row 2): While executing File. (CANNOT_PARSE_INPUT_ASSERTION_FAILED) (version 1.2)\n',
    );
    assert.equal(fromEngine('something else').code, 1002);
    assert.deepEqual([62, 60, 497, 202, 241].map(statusOf), [400, 404, 403, 503, 500]);
  });
});

describe('the gate', () => {
  it('limits what runs and what waits, and drains', async () => {
    const gate = createGate(1, 1);
    const { signal } = new AbortController();
    let finish: () => void = () => {};
    const first = gate.run(() => new Promise<void>((resolve) => (finish = resolve)), signal);
    const second = gate.run(async () => 2, signal);
    await assert.rejects(
      gate.run(async () => 3, signal),
      (error: unknown) => {
        assert.ok(error instanceof ClickHouseError);
        return error.code === 202;
      },
    );
    const drained = gate.drain();
    await assert.rejects(
      gate.run(async () => 4, signal),
      /shutting down/,
    );
    finish();
    await first;
    assert.equal(await second, 2);
    await drained;
  });
});
