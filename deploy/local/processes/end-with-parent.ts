/**
 * Loaded into every child. The process that started a child stops it. When that process is gone, the child stops itself.
 */
import { isMainThread } from 'node:worker_threads';
import { leaveTerminalToParent } from '../../../shared/process/shutdown.js';

if (isMainThread && process.channel) {
  leaveTerminalToParent();
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // The listener must not keep the process alive after its work has ended.
  process.channel.unref();
}
