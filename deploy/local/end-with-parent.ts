/** Loaded into every child: when the process that started it is gone, nobody is left to stop it, so it stops itself. */
import { isMainThread } from 'node:worker_threads';

if (isMainThread && process.channel) {
  process.once('disconnect', () => process.kill(process.pid, 'SIGTERM'));
  // Listening alone must not keep a process alive that has ended its work.
  process.channel.unref();
}
