/** What sampled answers must hold: a verdict for every item that was sent (2.4, 2.8, 4.6, 4.7). */
import type {
  ArtifactResult,
  EventResult,
  EventsResponse,
  ModerationsResponse,
  PerspectiveResponse,
  SessionResult,
} from '../../shared/api/types.js';
import type { Workload } from '../workloads/workload.js';
import type { Inspection } from './types.js';

export type LoadRoute = Workload['route'] | '/api/artifact';

/** Reads parsed answers of a route. It throws when an answer has another shape, which then counts as incomplete. */
export function inspectorOf(route: LoadRoute): (body: unknown) => Inspection {
  if (route === '/api/event') return (body) => eventAnswer(body as EventResult);
  if (route === '/api/events') return (body) => eventsAnswer(body as EventsResponse);
  if (route === '/api/artifact') return (body) => artifactAnswer(body as ArtifactResult);
  if (route === '/v1/moderations') return (body) => moderationsAnswer(body as ModerationsResponse);
  if (route === '/v1alpha1/comments:analyze') return (body) => perspectiveAnswer(body as PerspectiveResponse);
  return (body) => sessionAnswer(body as SessionResult);
}

function eventAnswer(answer: EventResult): Inspection {
  return { items: 1, completed: answer.event.status === 'completed' ? 1 : 0, flagged: answer.flagged ? 1 : 0 };
}

const DONE = ['completed', 'referenced'];

/** An entry of `order` counts as completed only if its result stands in the bucket of its type. */
function eventsAnswer(answer: EventsResponse): Inspection {
  let completed = 0;
  let flagged = 0;
  for (const entry of answer.order) {
    const result = entry.result ?? answer.results[entry.type][entry.event_id];
    if (DONE.includes(entry.status) && result?.event.status === entry.status) completed++;
    if (entry.flagged && result?.flagged) flagged++;
  }
  return { items: answer.order.length, completed, flagged };
}

function artifactAnswer({ status, flagged }: ArtifactResult): Inspection {
  return { items: 1, completed: status === 'completed' ? 1 : 0, flagged: flagged === true ? 1 : 0 };
}

function sessionAnswer(answer: SessionResult): Inspection {
  const checked = typeof answer.flagged === 'boolean' && typeof answer.internal_session_id === 'string';
  return { items: 1, completed: checked ? 1 : 0, flagged: answer.flagged ? 1 : 0 };
}

function moderationsAnswer({ results }: ModerationsResponse): Inspection {
  const flagged = results.filter((one) => one.flagged).length;
  return {
    items: results.length,
    completed: results.filter((one) => typeof one.flagged === 'boolean').length,
    flagged,
  };
}

/** It has scores, not verdicts. */
function perspectiveAnswer({ attributeScores }: PerspectiveResponse): Inspection {
  const score = attributeScores?.TOXICITY?.summaryScore.value;
  return { items: 1, completed: score === undefined ? 0 : 1, flagged: 0 };
}
