/** Look-ups after a load: what was answered is found in every way there is, with the verdict that was answered. */
import { sleep } from '../wait.js';
import { type Answer, type Client, createClient } from './load.js';
import { type Kind, storedVerdict, type Verdict } from './requests.js';

/** A verdict whose rows are stored. */
export interface Found extends Verdict {
  kind: Kind;
}

export interface LookUpOptions {
  url: string;
  key: string;
  verdicts: readonly Found[];
  /** how many of them */
  lookUps: number;
}

/** Expects a 200 with such a body. */
type Expect = <T>(path: string, found: (body: T) => boolean) => Promise<void>;

const AT_ONCE = 4;
const LIMIT_MS = 60_000;

/** Paths that lead to the one item, by any of its ids; the first by its own. */
export function pathsTo({ id, item, kind }: Pick<Found, 'id' | 'item' | 'kind'>): string[] {
  const [name, event] = item.split(' ');
  if (kind === 'session') return [`/api/session/${id}`, `/api/session?external_session_id=${name}`];
  const artifact = '/api/artifact/get_by_id?';
  if (kind === 'artifact')
    return [`${artifact}internal_artifact_id=${id}`, `${artifact}external_artifact_id=${name}&deployment_id=chat`];
  return [`/api/event/${id}?environment_id=prod`, `/api/event?environment_id=prod&run_id=${name}&event_id=${event}`];
}

export async function checkLookUps(options: LookUpOptions): Promise<{ count: number; problems: string[] }> {
  const { verdicts, lookUps } = options;
  const client = createClient(options.url, options.key);
  const problems: string[] = [];
  let count = 0;
  const step = Math.max(1, verdicts.length / lookUps);
  const wanted = Array.from({ length: Math.min(lookUps, verdicts.length) }, (_, i) => verdicts[Math.floor(i * step)]!);
  const expect: Expect = async (path, found) => {
    count++;
    const { status, body, failure } = await lookUp(client, path);
    if (status !== 200 || !found(body as never))
      problems.push(`GET ${path}: ${status} ${JSON.stringify(body)?.slice(0, 500)} ${failure}`.trim());
  };
  const look = async (): Promise<void> => {
    for (let verdict = wanted.pop(); verdict; verdict = wanted.pop()) {
      const { id, flagged, policies } = verdict;
      for (const path of pathsTo(verdict)) {
        await expect(path, (body) => {
          const one = storedVerdict(body);
          return one.id === id && one.flagged === flagged && one.policies === policies;
        });
      }
      await expectViews(verdict, expect);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, look));
  } finally {
    client.close();
  }
  return { count, problems };
}

/** The run graph, the violations of a session and the risk of its user. */
async function expectViews({ id, item, flagged, kind }: Found, expect: Expect): Promise<void> {
  const [name] = item.split(' ');
  if (kind === 'event' || kind === 'events') {
    const path = `/api/run/graph?environment_id=prod&run_id=${name}`;
    await expect(path, ({ nodes }: { nodes: { internal_event_id: string; flagged: boolean }[] }) => {
      const own = nodes.filter((node) => node.internal_event_id === id);
      return own.length === 1 && own[0]!.flagged === (flagged ?? false);
    });
  }
  if (kind !== 'session') return;
  const path = `/api/protect/get_by_id?deployment_id=chat&external_id=${name}`;
  await expect(path, ({ list }: { list: { internal_id: string; violation: boolean }[] }) => {
    return list.length === 1 && list[0]!.internal_id === id && list[0]!.violation === flagged;
  });
  for (const user of [`id=user-${name}`, `email=${name}@example.org`]) {
    // A card weighs more than what is elevated.
    await expect(`/api/radar/risk?${user}`, ({ risk_level }: { risk_level: string }) => {
      return risk_level === (flagged ? 'elevated' : 'normal');
    });
  }
}

/** ClickHouse may be slow for a moment, and then nobody can say (503); that something is not there may never be said. */
async function lookUp(client: Client, path: string): Promise<Answer> {
  const limit = Date.now() + LIMIT_MS;
  for (;;) {
    const answer = await client.request('GET', path);
    if (answer.status !== 503 || Date.now() > limit) return answer;
    await sleep(200);
  }
}
