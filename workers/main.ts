/** Starts a worker process. */
import { start } from '../shared/start.js';

start(() => import('./run.js'));
