/** The graph of a run (4.12). */
import { DEFAULT_NODES, LIMITS } from '../limits.js';
import type { Schema } from '../openapi/forms.js';
import { EVENT_VERSIONS } from '../versions.js';
import { type AnswerExamples, ENVIRONMENT, endpoints, optional, RUN, STORED, TEXT } from './endpoint.js';
import { CREATED, SAMPLE } from './samples.js';

const PAGE: Schema = { type: 'integer', minimum: 1, maximum: LIMITS.graphNodes, default: DEFAULT_NODES };

const RUN_GRAPH: AnswerExamples = {
  page: {
    value: {
      run_id: SAMPLE.run,
      environment_id: SAMPLE.environment,
      nodes: [
        {
          internal_event_id: SAMPLE.internalEvent,
          event_id: SAMPLE.event,
          type: 'tool',
          status: 'completed',
          flagged: true,
          created_at: CREATED,
        },
      ],
      edges: [
        {
          kind: 'link',
          source: '01a1fdb6-e276-7f4f-81ed-501a7cec0001',
          target: SAMPLE.internalEvent,
          relation: 'caused_by',
          resolved: true,
        },
      ],
      next_cursor: null,
    },
  },
};

export const graphEndpoints = endpoints({
  getRunGraph: {
    method: 'GET',
    path: '/api/run/graph',
    versions: EVENT_VERSIONS,
    scope: 'read',
    tag: 'Events',
    summary: 'Get the graph of a run',
    description: `Returns the events of a run with their parents and links, as they resolve now. The graph shows how the events follow from each other. ${STORED}`,
    parameters: [
      ENVIRONMENT,
      RUN,
      optional('limit', 'The most events that a page may have.', PAGE, 100),
      optional('cursor', 'The `next_cursor` of the page before.', TEXT),
    ],
    answer: { description: 'A page of the graph.', schema: 'RunGraph', examples: RUN_GRAPH },
  },
});
