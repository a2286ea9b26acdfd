/** Starts an ingress process. */
import { start } from '../shared/process/start.js';

start('ingress', () => import('./run.js'));
