/** Starts a worker process. */
import { start } from '../shared/process/start.js';

start(() => import('./run.js'));
