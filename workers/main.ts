/** Starts a worker process. */
import { start } from '../shared/process/start.js';

start('worker', () => import('./run.js'));
