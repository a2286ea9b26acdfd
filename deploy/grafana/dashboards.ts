/** All dashboards, by their files in `deploy/grafana/dashboards`. */
import { backends } from './backends.js';
import type { Dashboard } from './dashboard.js';
import { policies } from './policies.js';
import { service } from './service.js';

export const DASHBOARDS: Readonly<Record<string, () => Dashboard>> = {
  'service.json': service,
  'policies.json': policies,
  'backends.json': backends,
};
