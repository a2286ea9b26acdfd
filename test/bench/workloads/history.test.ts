import assert from 'node:assert/strict';
import { it } from 'node:test';
import { BenchUsageError, parseOptions } from '#weir/bench/options';
import { renderHistory } from '#weir/bench/workloads/history';
import { rowOf } from '#weir/bench/workloads/history/fill';
import { partsOf } from '#weir/shared/ids';

it('the benchmark of history takes a number of rows alone', () => {
  assert.equal(parseOptions(['history', '--rows', '5000'], {}).rows, 5000);
  assert.throws(() => parseOptions(['history', '--duration', '4'], {}), /history has no stack.* --rows alone/);
  assert.throws(() => parseOptions(['events-50', '--rows', '5000'], {}), BenchUsageError);
  assert.throws(() => parseOptions(['history', '--rows', '1'], {}), /--rows must be a number from 1000/);
});

it('its rows have ids of ours, of their time', () => {
  const filled = { rows: 1000, start: 1_700_000_000_000 };
  const { id, session } = rowOf(filled, 999);
  assert.deepEqual(partsOf(id), {
    requestId: id.replace(/1$/, '0'),
    partition: 0,
    item: 1,
    time: filled.start + Math.floor((999 * 30 * 86_400_000) / 1000),
  });
  assert.equal(session, false);
  assert.equal(rowOf(filled, 10).session, true);
});

it('its figures are tables that say what they were measured on', () => {
  const environment = { commit: 'abc', dirty: false, cores: 2, cpu: 'CPU', node: 'v20' } as Parameters<
    typeof renderHistory
  >[1];
  const lookUps = [{ name: 'an item by its id', p50: 1.24, p99: 12.4, first: 20.4, cpu: 4.5 }];
  const questions = [
    { question: 'What?', ms: 123.4 },
    { question: 'Which?', refused: 'refused: MEMORY_LIMIT_EXCEEDED' },
  ];
  const views = [{ view: 'figures by user', ms: 301.4, first: 402.6, cpu: 299.6 }];
  const disk = [{ table: 'items', bytes: 45_600_000 }];
  const text = renderHistory({ rows: 1_000_000, filled: 12.3, disk, lookUps, questions, views }, environment);
  assert.match(
    text,
    /1,000,000 rows[\s\S]* 12 s and take 46 MB\.\nBytes a row: items 45\.6\.[\s\S]*\| an item by its id \| +1\.2 \| +12 \| +20 \| +4\.5 \|[\s\S]*\| What\? +\| +123 \|\n\| Which\? +\| refused: MEMORY_LIMIT_EXCEEDED \|[\s\S]*\| figures by user \| +301 \| +403 \| +300 \|[\s\S]*2 × CPU/,
  );
});
