/**
 * A batch as agents send it: runs in which each event names its parent, links to what it follows from, texts as parts, JSON in strings,
 * objects, references to earlier events, and fields that Weir does not know. All that is named is in the batch itself, so the stores are
 * asked for nothing.
 */
import type { WorkloadRandom } from '../random.js';
import { flaggedCount } from '../workload.js';
import {
  type AgentEvent,
  type AgentRun,
  type BatchPlan,
  contentEvent,
  nextPart,
  openRun,
  referenceIn,
  rootEvent,
} from './run.js';

export interface AgentBatch {
  events: AgentEvent[];
  /** events that refer to others */
  references: number;
  /** events that hold something a policy should find, and references to them */
  flagged: number;
}

export function agentBatch(plan: BatchPlan): AgentBatch {
  const { workload, random, ids } = plan;
  const { items, agents } = workload;
  const starts = Array.from({ length: workload.runs }, (_, run) => Math.floor((run * items) / workload.runs));
  const places = Array.from({ length: items }, (_, index) => index).filter((index) => !starts.includes(index));
  const references = take(places, agents.references, random);
  const flagged = take(places, flaggedCount(workload, items, random), random);
  const batch: AgentBatch = { events: [], references: references.size, flagged: flagged.size };
  let run: AgentRun | undefined;
  for (let index = 0; index < items; index++) {
    const id = ids.event(index);
    if (starts.includes(index)) {
      run = openRun(plan, ids.run(starts.indexOf(index)), run);
      batch.events.push(rootEvent(run, id));
      continue;
    }
    if (references.has(index)) {
      const { event, holds } = referenceIn(run!);
      batch.events.push(event);
      if (holds) batch.flagged++;
      continue;
    }
    const found = flagged.has(index) ? plan.sensitive() : undefined;
    batch.events.push(contentEvent(run!, id, { part: found?.part ?? nextPart(run!), sentence: found?.sentence ?? '' }));
  }
  return batch;
}

/** Draws `count` of `places`, and takes them out. */
function take(places: number[], count: number, random: WorkloadRandom): Set<number> {
  const taken = new Set<number>();
  while (taken.size < count) taken.add(places.splice(random.between(0, places.length - 1), 1)[0]!);
  return taken;
}
