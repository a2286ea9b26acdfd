/** The contract of the interface, through the whole system. The same for every number of partitions. */
import { after, before, describe } from 'node:test';
import type { StackOptions } from '#weir/deploy/local/stack';
import { aBatch } from './contract/batch.ts';
import { changes } from './contract/changes.ts';
import { context } from './contract/context.ts';
import { events } from './contract/events.ts';
import { guardrail } from './contract/guardrail.ts';
import { lookups } from './contract/lookups.ts';
import { outage } from './contract/outage.ts';
import { references } from './contract/references.ts';
import { selection } from './contract/selection.ts';
import { sessions } from './contract/sessions.ts';
import { type System, startSystem } from './system.ts';

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
    selection(system);
    sessions(system);
    guardrail(system);
    context(system);
    lookups(system);
    references(system);
    changes(system);
    outage(system);
  });
}
