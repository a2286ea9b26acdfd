/**
 * Loaded into every child: it is stopped by the process that started it. When that is gone, nobody is left to do so, and it stops
 * itself.
 */
import { isMainThread } from 'node:worker_threads';
import { leaveTerminalToParent } from '../../../shared/shutdown.js';

if (isMainThread && process.channel) {
  leaveTerminalToParent();
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // Listening alone must not keep a process alive that has ended its work.
  process.channel.unref();
}
