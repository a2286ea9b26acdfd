/**
 * Makes every key in Redis. The part in braces is the Cluster hash tag: keys with the same tag share a Redis Cluster slot, so that one script
 * may touch them together. `p` is a partition, as its tag (`partition-tags.ts`).
 *
 * | key | type | written by | bound | lives |
 * |---|---|---|---|---|
 * | `checks:{p}` | stream | ingress | admission (memory, age) | an entry until its commit |
 * | `checks:{p}:slow` | stream | ingress | as above | as above |
 * | `segments:{p}:<random>` | hash | ingress, before an entry of more than 256 KiB; evaluator, before such rows are logged | as their entries | until their entry leaves its stream; 5 min where no entry names them |
 * | `segments:{p}` | sorted set | commit, archiver, followers | 1 per entry of the log with segments | until they are deleted |
 * | `results:{p}` | stream | commit | admission (memory) | an entry until it is archived, and read for metrics and webhooks where these are in use |
 * | `result:{p}:<request>` | string | commit | 1 per request | until archived, then `hot seconds`; while its rows are in `refused:{p}`, as long as these |
 * | `staged:{p}:<number>` | string | commit | 1 per check of a commit | within its transaction |
 * | `pressure:{p}` | string | the ingress that measures | 1 | 2 s after the last write |
 * | `await:{p}:<request>` | string | ingress, before a 504; of an artifact, and of a session with an external id, when it is accepted | 1 per 504, artifact or session | 1 h; of an artifact that is answered in time: its deadline and 1 min; of a session: until 1 min after its commit |
 * | `dead:{p}` | stream | evaluator | 10,000 entries, 64 MiB | until removed, replayed, pushed out (oldest first) or `content_days` old |
 * | `dead-bytes:{p}` | string | evaluator, replay | 1 | for ever: the bytes in `dead:{p}` |
 * | `refused:{p}` | stream | archiver, command line | 10,000 entries; a share of 128 MiB, or one entry. Without room the partition waits | rows ClickHouse refuses, until replayed, dropped or `content_days` old (a day at least) |
 * | `refused-bytes:{p}` | string | archiver, command line | 1 | for ever: the bytes in `refused:{p}` |
 * | `forgotten:{weir}` | string | archiver | 1 | `WEIR_REWRITE_SECONDS`. While it exists no archiver purges dead letters or rewrites the append-only file |
 * | `position:{p}` | hash | archiver | 1; while it stays, a field for each entry of a block that was set aside | for ever |
 * | `metrics:{p}` | hash | metrics role, archiver | 1 | while a configuration with metrics is in use |
 * | `hooks:{p}` | hash | hooks role, archiver | 1 | while a configuration with webhooks is in use |
 * | `hooks:{p}:waiting` | sorted set | hooks role, command line | 1 per webhook | until its deliveries have ended |
 * | `hook:{p}:<team>/<webhook>` | hash | hooks role, command line | `WEIR_HOOK_BACKLOG_BYTES` of a team, over all partitions | 30 days after the last write |
 * | `hook:{p}:<team>/<webhook>:due` | sorted set | hooks role, command line | as above | as above |
 * | `run:{team,environment,run}` | sorted set | evaluator | 10,000 members | until archived, then `hot seconds` |
 * | `ext:{team,deployment,external id}` | sorted set | evaluator | 10,000 members | as above |
 * | `art:{team,deployment,artifact id}` | sorted set | evaluator | 10,000 members | as above |
 * | `arts:{team,deployment,internal or external,session}` | sorted set | evaluator | 10,000 members | as above |
 * | `accepted:{team,deployment,artifact, internal or external,id}` | sorted set | ingress, when it accepts an artifact | 100 members | 1 h after the last write |
 * | `accepted:{team,deployment,late,external id}` | sorted set | ingress, when it accepts a session check | 100 members | as above |
 * | `accepted:{team,environment,event,run}` | sorted set | ingress, before the 504 of events | 1,000 members | as above |
 * | `user:{team,id or email,user}` | sorted set | evaluator | 10,000 members | as above |
 * | `run:{…}:unarchived`, `ext:…`, `art:…`, `arts:…`, `user:…` | sorted set | evaluator, archiver | as its index | until empty |
 * | `ctx:{team,scope,conversation}` | sorted set | evaluator | 100 members, 256 KiB | 1 h after the last write; 10 min where a check without a name began it |
 * | `idem:{team,key}:<hash>` | hash | ingress, before a check with an Idempotency-Key is added | as the next line | 1 h |
 * | `idem:{team,key}` | sorted set | with the line above | 100,000 members | 1 h after the last write |
 * | `entry:{p}:<request>` | string | ingress, with the entry of such a check or of an artifact | 1 per member of the line above; 1 per artifact | 1 h; of an artifact without a key its deadline and 1 min |
 * | `appeal:{p}:<item>:<policy>` | string | ingress, while it stores an appeal | 1 per appeal | until it is stored, at most 30 s |
 * | `stream:{team,kind,scope,stream}` | hash | ingress | 1 per stream | 1 day after its last piece; 10 min after its end |
 * | `stream:{…}:text` | string | ingress | 1 MiB, of an environment 256 KiB | until the end of the stream |
 * | `places:{team,key}` | sorted set | ingress | 1,000 members | 11 min after the last write |
 * | `streams:{number}` | sorted set | ingress, when a stream begins, and each minute while it lives | 1 per open stream, in 8 sets | until its end |
 * | `rate:{team,key}` | hash | ingress, for keys with a rate | 1 per API key | until the bucket is full, at most 61 s |
 * | `budget:{team,backend}:minute`, `budget:{team,backend}:day` | hash | evaluator, for backends with a budget | 2 per backend | until the bucket is full, at most 11 minutes or days |
 * | `answers:<hash>` | string | evaluator, after a backend has answered | 1 per text and backend | `cache_seconds` of the backend |
 * | `config:{weir}:…` | string, hash, sorted set | command line, workers, ingress | 20 versions, live processes | for ever |
 * | `config:{weir}:models`, `config:{weir}:model-uses` | hash | command line | 8 models of 4 MiB a version | as long as a version names them |
 * | `erasures:{weir}` | hash | ingress, command line, eraser | 10,000 erasures | 7 days after it is complete |
 * | `erasures:{weir}:open` | sorted set | as above | 1,000 members | until complete |
 * | `erasures:{weir}:changed`, `erasures:{weir}:salt` | string | as above | 1 each | for ever |
 * | `erasures:{weir}:lease` | string | eraser | 1 | 10 s after the last write |
 * | `audit:{weir}` | stream | ingress, command line | 50,000 entries; without room what is audited is refused | until it is in ClickHouse |
 * | `audit:{weir}:teams` | hash: team → its entries there | as above | 1 field per team | as above |
 * | `login:{weir}:<hash>` | string | ingress, when a person signs in | 1 per login, 10,000 | `WEIR_LOGIN_IDLE_MINUTES` after its last use, at most `WEIR_LOGIN_HOURS` |
 * | `logins:{weir}` | sorted set | ingress, as above | 10,000 members | until the last of them has to end |
 * | `replicas:{p}:<process>` | string | ingress, where `WEIR_REDIS_REPLICAS` is set | 1 per process | 1 min after the last write |
 * | `partitions:{weir}` | string: number, layout and region | first start | 1 | for ever |
 */
import { partitionTag } from './partition-tags.js';

/** Two streams of work, so that long work never delays short work: images and large bodies use the slow lane. */
export type Lane = 'fast' | 'slow';
export const LANES: readonly Lane[] = ['fast', 'slow'];

/** Where a work entry is. */
export interface WorkStream {
  partition: number;
  lane: Lane;
}

/** Sets of open streams of callers. In a Cluster a node that is away has some of them. */
export const OPEN_STREAM_SETS = 8;

/** The consumer group of every `checks` stream. */
export const GROUP = 'evaluators';

const tag = (...parts: string[]): string =>
  `{${parts.map((part) => part.replaceAll(/[{},\\]/g, escapePart)).join(',')}}`;

// Callers choose run and session ids. Their braces and commas must not change where the tag ends or what it means.
function escapePart(character: string): string {
  return `\\${character.charCodeAt(0).toString(16)}`;
}

/** Roles that read the log beside the archiver, each at its own place. */
export const FOLLOWERS = ['metrics', 'hooks'] as const;
export type Follower = (typeof FOLLOWERS)[number];

/** Kinds of process; an evaluating worker is called worker. */
export type MemberKind = 'worker' | 'archiver' | 'ingress' | Follower;

export const MEMBER_KINDS: readonly MemberKind[] = ['ingress', 'worker', 'archiver', ...FOLLOWERS];

const MEMBERS: Record<MemberKind, string> = {
  worker: 'config:{weir}:workers',
  archiver: 'config:{weir}:archivers',
  metrics: 'config:{weir}:metrics',
  hooks: 'config:{weir}:hooks',
  ingress: 'config:{weir}:ingresses',
};

/** What the keys of a partition share. */
const own = (p: number): string => `{${partitionTag(p)}}`;

export const keys = {
  checks: (p: number, lane: Lane = 'fast'): string => (lane === 'fast' ? `checks:${own(p)}` : `checks:${own(p)}:slow`),
  /** A large value in segments: number → bytes. */
  segments: (p: number, name: string): string => `segments:${own(p)}:${name}`,
  /** References to segments of entries of the log → Unix ms of the entry. */
  logSegments: (p: number): string => `segments:${own(p)}`,
  results: (p: number): string => `results:${own(p)}`,
  result: (p: number, requestId: string): string => `result:${own(p)}:${requestId}`,
  /** A record on its way into a result, by its place in the commit. */
  staged: (p: number, place: number): string => `staged:${own(p)}:${place}`,
  /** What one ingress has measured of the work streams, for all: of partition `p` and those that share its Redis. */
  pressure: (p: number): string => `pressure:${own(p)}`,
  await: (p: number, requestId: string): string => `await:${own(p)}:${requestId}`,
  dead: (p: number): string => `dead:${own(p)}`,
  deadBytes: (p: number): string => `dead-bytes:${own(p)}`,
  refused: (p: number): string => `refused:${own(p)}`,
  refusedBytes: (p: number): string => `refused-bytes:${own(p)}`,
  position: (p: number): string => `position:${own(p)}`,
  /**
   * How far a follower has read the log: `next` id to read; `read_bytes`, `read_entries` and the same of what is archived, each since
   * the hash was made; entries that were `dropped` unread.
   */
  place: (follower: Follower, p: number): string => `${follower}:${own(p)}`,
  /** Webhooks of a partition, by names `team/id` → Unix ms, by Redis's clock, at which the first delivery is due. */
  hooksWaiting: (p: number): string => `hooks:${own(p)}:waiting`,
  /** Deliveries of a webhook: id → attempts, time, outcome and body. `bytes` of them, and how many were `dropped` for want of room. */
  hookDeliveries: (p: number, hook: string): string => `hook:${own(p)}:${hook}`,
  /** Ids of these deliveries → Unix ms at which they are due; `inf`: given up. */
  hookDue: (p: number, hook: string): string => `hook:${own(p)}:${hook}:due`,
  /** Sharded Pub/Sub channel for the replies of partition `p` to one ingress process. */
  reply: (p: number, ingress: string): string => `reply:${own(p)}:${ingress}`,
  run: (team: string, environment: string, run: string): string => `run:${tag(team, environment, run)}`,
  ext: (team: string, deployment: string, external: string): string => `ext:${tag(team, deployment, external)}`,
  user: (team: string, kind: 'id' | 'email', user: string): string => `user:${tag(team, kind, user)}`,
  /** Artifacts by the caller's id. */
  artifact: (team: string, deployment: string, external: string): string => `art:${tag(team, deployment, external)}`,
  /** Artifacts that are linked to a session, by our id of it or the caller's; with those of its own messages. */
  sessionArtifacts: (team: string, deployment: string, kind: 'internal' | 'external', session: string): string =>
    `arts:${tag(team, deployment, kind, session)}`,
  /**
   * Request ids of what was accepted recently, by time of creation: artifacts by their own id or an id of their session,
   * session checks by the caller's id, and late events by their run.
   */
  accepted: (
    team: string,
    deployment: string,
    kind: 'artifact' | 'internal' | 'external' | 'late' | 'event',
    id: string,
  ): string => `accepted:${tag(team, deployment, kind, id)}`,
  /** Request ids of an index (`run`, `ext`, `art`, `arts`, `user`) that are not archived yet. */
  unarchived: (index: string): string => `${index}:unarchived`,
  context: (team: string, scope: string, conversation: string): string => `ctx:${tag(team, scope, conversation)}`,
  /** The claim of one Idempotency-Key, by the hash of the key. */
  claim: (team: string, key: string, hash: string): string => `idem:${tag(team, key)}:${hash}`,
  /** The live claims of an API key: hash → Unix ms at which the claim ends. */
  claims: (team: string, key: string): string => `idem:${tag(team, key)}`,
  /** Id of the work entry of a check with an Idempotency-Key; of an artifact without one `added`; or `barred`. */
  entry: (p: number, requestId: string): string => `entry:${own(p)}:${requestId}`,
  /** The request that makes an appeal. */
  appeal: (p: number, item: string, policy: string): string => `appeal:${own(p)}:${item}:${policy}`,
  /** Of a stream of text: what is known of it, and its text. `kind`: of its scope. */
  stream: (team: string, kind: string, scope: string, stream: string): string =>
    `stream:${tag(team, kind, scope, stream)}`,
  streamText: (stream: string): string => `${stream}:text`,
  /** What the open streams of an API key take: place → Unix ms, by Redis's clock, at which it is free again. */
  streamPlaces: (team: string, key: string): string => `places:${tag(team, key)}`,
  /** Open streams, in some sets: stream → Unix ms, by Redis's clock, at which it may have to be ended. */
  openStreams: (number: number): string => `streams:{${number}}`,
  /** The token bucket of an API key. */
  rate: (team: string, key: string): string => `rate:${tag(team, key)}`,
  /** The token bucket of a backend: its calls a minute, or its tokens a day. */
  budget: (team: string, backend: string, window: 'minute' | 'day'): string => `budget:${tag(team, backend)}:${window}`,
  /** What a backend has said of a text, by the hash of all that it was sent. */
  answers: (hash: string): string => `answers:${hash}`,
  /** An archiver has recently had the append-only file rewritten. */
  forgotten: (): string => 'forgotten:{weir}',
  /** Written before replicas are waited for, at the primary that has partition `p`. */
  replicas: (p: number, name: string): string => `replicas:${own(p)}:${name}`,
  partitions: (): string => 'partitions:{weir}',
  /** Hash: id of an erasure → JSON. */
  erasures: (): string => 'erasures:{weir}',
  /** Sorted set: `team/id` of an erasure that is not complete → Unix ms, by Redis's clock. */
  erasuresOpen: (): string => 'erasures:{weir}:open',
  /** Counts changes of erasures. */
  erasuresChanged: (): string => 'erasures:{weir}:changed',
  erasureSalt: (): string => 'erasures:{weir}:salt',
  /** The process that erases. */
  erasureLease: (): string => 'erasures:{weir}:lease',
  /** Entries of the audit log that are not in ClickHouse yet. */
  audit: (): string => 'audit:{weir}',
  /** Team → how many of these it has. */
  auditTeams: (): string => 'audit:{weir}:teams',
  /** A person who has signed in, by the hash of what their browser has. */
  login: (hash: string): string => `login:{weir}:${hash}`,
  /** Hashes of logins → Unix ms at which they end in any case. */
  logins: (): string => 'logins:{weir}',
  /** Number of the active configuration version. */
  configActive: (): string => 'config:{weir}:active',
  /** Counter of configuration versions. */
  configNext: (): string => 'config:{weir}:next',
  /** Hash: version → configuration as JSON text. */
  configVersions: (): string => 'config:{weir}:versions',
  /** Random id of the installation, made with its first configuration. */
  configInstallation: (): string => 'config:{weir}:installation',
  /** Hash: version → Unix ms, by Redis's clock, a space, and who applied it as JSON. */
  configApplied: (): string => 'config:{weir}:applied',
  /** Hash: version → hash of its text. */
  configContents: (): string => 'config:{weir}:contents',
  /** Hash: SHA-256 of a model of texts → its file, packed. */
  configModels: (): string => 'config:{weir}:models',
  /** Hash: version → SHA-256s of the models that it names, parted by spaces; absent: none. */
  configModelUses: (): string => 'config:{weir}:model-uses',
  /** Sorted set: process → Unix ms, by Redis's clock, of its last heartbeat. */
  configMembers: (kind: MemberKind): string => MEMBERS[kind],
  /** Hash: process → id of the configuration it works by. */
  configInForce: (): string => 'config:{weir}:in-force',
  /** Hash: process → newest format that it reads (`formats.ts`); absent: the first. */
  configFormats: (): string => 'config:{weir}:formats',
  /** Hash: worker id → `ok`, or why it could not compile `version`. */
  configReports: (version: number): string => `config:{weir}:reports:${version}`,
};
