/** Processes of two releases beside each other, on the stores of one installation. */
import { join } from 'node:path';
import { freePort } from '#weir/deploy/local/ports';
import { createPart, type InstallationPart, startProcess } from '#weir/deploy/local/processes/part';
import type { Backend, Balancer } from '../../support/installation/balancer.ts';
import { until } from '../../support/wait.ts';

/** A release that is built, and what it is called here. */
export interface Release {
  name: string;
  root: string;
}

/** The place of a process in the fleet: one release after the other has it. */
export interface Place {
  name: string;
  /** the process that has it now; '' before the first */
  release: string;
  /** Has it run by this release. A process of a kind that has others is ended first, or last, by `before`. */
  replace(release: Release, first: 'start' | 'stop'): Promise<void>;
  end(): Promise<void>;
}

export interface FleetOptions {
  env: Record<string, string>;
  balancer: Balancer;
}

/** In an order in which each is ready at its first start: an ingress is where a worker lives. */
export const PLACES = [
  ['evaluator A', 'evaluator'],
  ['evaluator B', 'evaluator'],
  ['archiver', 'archiver'],
  ['metrics', 'metrics,hooks'],
  ['ingress A', ''],
  ['ingress B', ''],
] as const;

/** How long a process may take to stop: more than its delay and draining. */
const STOP_MS = 60_000;

export function createPlace(name: string, roles: string, { env, balancer }: FleetOptions): Place {
  let now: { part: InstallationPart; backend: Backend | undefined } | undefined;

  async function start({ root, name: release }: Release): Promise<NonNullable<typeof now>> {
    const program = join(root, 'dist/programs', `${roles === '' ? 'ingress' : 'worker'}.js`);
    const port = roles === '' ? await freePort() : 0;
    const own = {
      ...env,
      WEIR_METRICS_PORT: '0',
      ...(roles === '' ? { WEIR_PORT: `${port}` } : { WEIR_ROLES: roles }),
    };
    const part = await createPart(`${name} of ${release}`, () =>
      startProcess({ name: `${name} of ${release}`, program, env: own }),
    );
    const backend = roles === '' ? balancer.add(() => port) : undefined;
    if (backend) await until(`${part.name} is ready`, () => backend.up);
    return { part, backend };
  }

  async function stop(old: typeof now): Promise<void> {
    if (!old) return;
    if (!old.part.running) throw new Error(`${old.part.name} has ended by itself`);
    await old.part.close(STOP_MS);
    if (old.backend) balancer.remove(old.backend);
  }

  const place: Place = {
    name,
    release: '',
    async replace(release, first) {
      const old = now;
      if (first === 'stop') {
        await stop(old);
        now = await start(release);
      } else {
        now = await start(release);
        await stop(old);
      }
      place.release = release.name;
    },
    async end() {
      await stop(now);
      now = undefined;
    },
  };
  return place;
}
