/** Probes (decisions, General). */
import { endpoints } from './endpoint.js';

export const healthEndpoints = endpoints({
  healthz: {
    method: 'GET',
    path: '/healthz',
    versions: [],
    scope: null,
    tag: 'Service',
    summary: 'Check that the process works',
    description: 'For a supervisor. Restart a process that does not answer 200 for a long time.',
    answer: { description: 'The process works.', schema: 'Probe', examples: { ok: { value: { status: 'ok' } } } },
    errors: ['unavailable'],
  },
  readyz: {
    method: 'GET',
    path: '/readyz',
    versions: [],
    scope: null,
    tag: 'Service',
    summary: 'Check that the process is ready for requests',
    description:
      'For a load balancer. A process is ready if it can reach its stores, has a configuration, and is not stopping.',
    answer: { description: 'The process is ready.', schema: 'Probe', examples: { ok: { value: { status: 'ok' } } } },
    errors: ['unavailable', 'shutting_down'],
  },
});
