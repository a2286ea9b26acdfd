import assert from 'node:assert/strict';
import { it } from 'node:test';
import { fuzz } from './run.ts';

it('answers what is generated and broken at random as documented, and keeps nothing it does not know', async () => {
  const seed = Math.floor(Math.random() * 2 ** 31);
  const report = await fuzz({ requests: 400, seed });
  assert.ok(report.sent >= 400);
  assert.ok((report.statuses['200'] ?? 0) > 160, JSON.stringify(report.statuses));
  assert.ok((report.statuses['400'] ?? 0) > 65, JSON.stringify(report.statuses));
});
