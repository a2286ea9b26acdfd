/**
 * The run graph (4.12), protect (4.10) and user risk (4.11), hot, archived and both mixed, between two teams and two
 * installations.
 */
import { after, before, describe } from 'node:test';
import { configuration, POLICY } from './configuration.ts';
import { causes } from './reads/causes.ts';
import { graph } from './reads/graph.ts';
import { history } from './reads/history.ts';
import { indistinguishable } from './reads/indistinguishable.ts';
import { noContent } from './reads/no-content.ts';
import { outage } from './reads/outage.ts';
import { protect } from './reads/protect.ts';
import { risk } from './reads/risk.ts';
import { said } from './reads/said.ts';
import { type System, startSystem } from './system.ts';

/** One policy more for sessions, of low severity. */
const text = configuration().replace(
  `name: Chat, policies: [${POLICY.card}`,
  `name: Chat, policies: [${POLICY.cheap}, ${POLICY.card}`,
);

describe('reads', () => {
  let started: System;
  before(async () => {
    started = await startSystem({ configuration: { text, file: 'test.yaml' } });
  });
  after(() => started?.close());
  const system = (): System => started;
  // Counts rows that are read: it comes before the others write many.
  indistinguishable(system);
  noContent(system);
  graph(system);
  causes(system);
  protect(system);
  risk(system);
  history(system);
  said(system);
  outage(system);
});
