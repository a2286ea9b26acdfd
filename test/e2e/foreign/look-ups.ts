/** Pairs of look-ups: of what is another team's, and of what is nobody's. */
import type { EndpointName } from '#weir/shared/api/endpoints';
import { KEY } from '../configuration.ts';
import { newRun, type System } from '../system.ts';

/** Ids of one batch of events and one session check of team acme, all with much metadata. */
export interface Theirs {
  event: string;
  run: string;
  session: string;
  external: string;
  user: string;
}

/** What both teams call by the same names; the other team has neither the run nor the session. */
const IN = { environment: 'environment_id=prod', deployment: 'deployment_id=chat' };

/** By endpoint: what the other team asks for. */
export const LOOKUPS = {
  getEvent: ({ event }: Theirs) => `/api/event/${event}?${IN.environment}`,
  findEvent: ({ run }: Theirs) => `/api/event?${IN.environment}&run_id=${run}&event_id=e0`,
  getSession: ({ session }: Theirs) => `/api/session/${session}?${IN.deployment}`,
  findSession: ({ external }: Theirs) => `/api/session?external_session_id=${external}&${IN.deployment}`,
  getRunGraph: ({ run }: Theirs) => `/api/run/graph?${IN.environment}&run_id=${run}`,
  getRisk: ({ user }: Theirs) => `/api/radar/risk?id=${user}`,
  getProtect: ({ session }: Theirs) => `/api/protect/get_by_id?${IN.deployment}&internal_id=${session}`,
} satisfies Partial<Record<EndpointName, (theirs: Theirs) => string>>;

const EVENTS = 50;

/** Has acme check `EVENTS` events and a session; each event carries `metadataBytes`. */
export async function theirs(system: System, metadataBytes: number): Promise<Theirs> {
  const [run, external, user] = [newRun(), newRun('session'), newRun('user')];
  const events = Array.from({ length: EVENTS }, (_, i) => ({
    type: 'message',
    role: 'user',
    event_id: `e${i}`,
    content: 'open sesame',
    metadata: { filler: `${i}${'x'.repeat(metadataBytes)}` },
  }));
  const checked = await system.events(events, { run_id: run });
  const messages = [{ role: 'user', content: 'open sesame', metadata: { user: { id: user } } }];
  const session = await system.session({ external_session_id: external, messages });
  return {
    event: checked.json.order[0].internal_event_id,
    run,
    session: session.json.internal_session_id,
    external,
    user,
  };
}

/** Ids of the same form, of the same time and partition, that name nothing. */
export function nobodys(ids: Theirs): Theirs {
  // The last digit of the third group and the second of the fourth are random in a UUIDv7 of ours.
  const other = (id: string): string => {
    const at = id.length - 6;
    return id.slice(0, at) + ((Number.parseInt(id[at]!, 16) + 1) % 16).toString(16) + id.slice(at + 1);
  };
  const name = (text: string): string => text.slice(0, -4) + (text.endsWith('0000') ? '1111' : '0000');
  return {
    event: other(ids.event),
    session: other(ids.session),
    run: name(ids.run),
    external: name(ids.external),
    user: name(ids.user),
  };
}

/** The team that asks. */
export const ASKING = { key: KEY.globex };
