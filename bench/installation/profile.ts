/**
 * Preloaded into ingress and worker by `npm run bench -- --profile`: samples the CPU of this thread and writes a
 * `.cpuprofile` to the folder in WEIR_BENCH_PROFILE, every 20 s and at exit. A thread that is terminated runs no exit
 * handler, so one profile at the end would be lost.
 */
import { writeFileSync } from 'node:fs';
import { Session } from 'node:inspector';
import { basename, join } from 'node:path';
import { threadId } from 'node:worker_threads';

const PART_MS = 20_000;

function profileTo(folder: string): void {
  const session = new Session();
  session.connect();
  const started = Date.now();
  const name = `${basename(process.argv[1] ?? 'node', '.js')}-${process.pid}-${threadId}`;
  let part = 0;
  const start = (): void => {
    session.post('Profiler.enable');
    session.post('Profiler.start');
  };
  // The session of the same thread answers before `post` returns, so this also works in an exit handler.
  const write = (): void =>
    session.post('Profiler.stop', (error, result) => {
      if (error !== null) return;
      const second = Math.round((Date.now() - started) / 1000);
      const file = join(folder, `${name}-${String(part++).padStart(3, '0')}-${second}s.cpuprofile`);
      writeFileSync(file, JSON.stringify(result.profile));
    });
  start();
  setInterval(() => {
    write();
    start();
  }, PART_MS).unref();
  process.on('exit', write);
}

if (process.env.WEIR_BENCH_PROFILE) profileTo(process.env.WEIR_BENCH_PROFILE);
