/** The contract of the interface, through the whole system. The same for every number of partitions. */
import { after, before, describe } from 'node:test';
import type { StackOptions } from '#weir/deploy/local/stack';
import { type System, startSystem } from '../../e2e/system.ts';
import { changes } from './changes.ts';
import { aBatch } from './events/batch.ts';
import { events } from './events/events.ts';
import { references } from './events/references.ts';
import { selection } from './events/selection.ts';
import { types } from './events/types.ts';
import { written } from './events/written.ts';
import { lookups } from './lookups.ts';
import { metrics } from './metrics.ts';
import { outage } from './outage.ts';
import { rejudged } from './rejudged.ts';
import { context } from './sessions/context.ts';
import { guardrail } from './sessions/guardrail.ts';
import { sessions } from './sessions/sessions.ts';

export function contract(options: Partial<StackOptions>): void {
  describe(`with ${options.partitions} partition(s)`, () => {
    let started: System;
    before(async () => {
      started = await startSystem(options);
    });
    after(() => started?.close());
    const system = (): System => started;
    aBatch(system);
    events(system);
    types(system);
    written(system);
    selection(system);
    sessions(system);
    guardrail(system);
    context(system);
    lookups(system);
    references(system);
    metrics(system);
    rejudged(system);
    changes(system);
    outage(system);
  });
}
