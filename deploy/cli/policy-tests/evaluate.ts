/** Evaluates cases in this process, by what a worker evaluates requests with. */
import { conversationOf } from '../../../shared/api/conversation.js';
import type { Severity } from '../../../shared/api/types.js';
import type { Configuration } from '../../../shared/configuration/configuration.js';
import { newRequestId } from '../../../shared/ids.js';
import { createLogger } from '../../../shared/log.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import type { OwnModels } from '../../../shared/policy/models/own.js';
import type { Evidence } from '../../../shared/policy/types.js';
import { loadSettings } from '../../../shared/settings.js';
import type { WorkHeader } from '../../../shared/streams/work.js';
import { Registry } from '../../../shared/telemetry.js';
import type { Draft, Entry, Gathered } from '../../../workers/evaluator/draft.js';
import { indexesOf } from '../../../workers/evaluator/images/content.js';
import { extractImages } from '../../../workers/evaluator/images/find.js';
import { artifactOutcome } from '../../../workers/evaluator/kinds/artifact.js';
import { readBody } from '../../../workers/evaluator/kinds/body.js';
import { readContent } from '../../../workers/evaluator/kinds/events/content.js';
import { eventsOutcome } from '../../../workers/evaluator/kinds/events/events.js';
import { sessionOutcome } from '../../../workers/evaluator/kinds/sessions/session.js';
import { asksIn } from '../../../workers/evaluator/outcome.js';
import type { ImageMedia } from '../../../workers/images/start.js';
import { type AskingCommand, askingOfCommand } from '../asking.js';
import type { Case } from './cases.js';

/** What the service would answer to a case. */
export interface CaseAnswer {
  /** null: it could not be evaluated */
  flagged: boolean | null;
  /** policies that looked at it, by id: whether they are flagged */
  policies: ReadonlyMap<string, boolean>;
  /** the same of policies in the shadow, which are in no answer */
  shadow: Pick<CaseAnswer, 'policies' | 'notEvaluated'>;
  /** by id of a policy that is flagged, also in the shadow */
  violations: ReadonlyMap<string, { severity: Severity; evidence: readonly Evidence[] }>;
  /** policies that could not be evaluated, and so are not in `policies` */
  notEvaluated: number;
  note: string;
  /** the text that evidence has offsets in; absent: of an image */
  text?: string;
}

export interface CaseEvaluator {
  evaluate(of: Case): Promise<CaseAnswer>;
  /** Ends the processes that looked at images and texts. */
  close(): Promise<void>;
}

/** Limits for looking at the images of a case, in ms: until one is read, and until all of it is done. */
const READ_MS = 50_000;
const IMAGE_MS = 60_000;

export function createEvaluator(configuration: Configuration, models: OwnModels): CaseEvaluator {
  const plan = compilePlan(configuration, 0, { models });
  let media: Promise<ImageMedia> | undefined;
  let asking: AskingCommand | undefined;

  async function gather(
    header: WorkHeader,
    body: Uint8Array,
  ): Promise<Pick<Entry, 'indexes'> & Pick<Gathered, 'images'>> {
    const { images, lists } = extractImages(plan, header, body);
    if (images.length === 0) return { indexes: new Map() };
    media ??= startImages();
    const means = await media;
    const now = performance.now();
    const time = { fetchedBy: now, placedBy: now + READ_MS, decodedBy: now + IMAGE_MS };
    const gathered = await means.gather(header.team, images, time, new AbortController().signal);
    return { images: gathered, indexes: indexesOf(await means.lists.get(lists)) };
  }

  return {
    async evaluate(of) {
      const body = new TextEncoder().encode(JSON.stringify(of.body));
      const header = headerOf(of);
      const { images, indexes } = await gather(header, body);
      const gathered: Gathered = { references: {}, context: contextOf(of), ...(images ? { images } : {}) };
      const now = Date.now();
      const entry: Entry = { id: `${now}-0`, header, body, gathered, indexes, late: false, completed: now };
      const draft = draftOf(of.kind, plan, entry);
      const asks = asksIn(draft);
      if (asks.length === 0) return foundIn(of, draft);
      asking ??= askingOfCommand();
      const { answers, failures } = await asking.ask(asks, header.team);
      const answered = { ...entry, gathered: { ...gathered, answers } };
      const found = foundIn(of, draftOf(of.kind, plan, answered));
      return { ...found, note: [found.note, ...failures].filter((each) => each !== '').join('; ') };
    },
    async close() {
      await asking?.close();
      await (await media)?.close();
    },
  };
}

/** Starts what decodes and reads images, as a worker does, in the folders that its settings name. */
async function startImages(): Promise<ImageMedia> {
  const { MEDIA_SETTINGS, startMedia } = await import('../../../workers/images/start.js');
  const settings = loadSettings(process.env, MEDIA_SETTINGS);
  // One case is evaluated at a time.
  const few = { ...settings, decoders: 1, readers: 1 };
  return await startMedia(few, { logger: createLogger('weir-test', 'silent'), registry: new Registry() });
}

function headerOf({ kind, scope, context }: Case): WorkHeader {
  const now = Date.now();
  return {
    id: newRequestId(0, now),
    kind,
    team: scope.team,
    scope: scope.id,
    config: 0,
    key: '',
    received: now,
    deadline: now + IMAGE_MS,
    reply: '',
    ...(context.length > 0 ? { conversations: [], contextDepth: context.length } : {}),
  };
}

/** The earlier texts of an event, as those of its conversation. */
function contextOf({ kind, body, context }: Case): Gathered['context'] {
  if (kind !== 'events' || context.length === 0) return {};
  const { run_id: run, events } = body as { run_id: string; events: [{ external_session_id?: string | null }] };
  return { [conversationOf(events[0].external_session_id ?? '', run)]: [...context] };
}

function draftOf(kind: Case['kind'], plan: ReturnType<typeof compilePlan>, entry: Entry): Draft {
  if (kind === 'events') return eventsOutcome(plan, entry);
  const body = readBody(entry.body);
  if (kind === 'session') return sessionOutcome(plan, entry, body as Parameters<typeof sessionOutcome>[2]);
  return artifactOutcome(plan, entry, body as Parameters<typeof artifactOutcome>[2]);
}

/** The item itself is the first one; the others are images of a session, whose policies are in its map. */
function foundIn(of: Case, { rows, error }: Draft): CaseAnswer {
  const [{ verdict, flagged, status, note }] = rows as [Draft['rows'][number]];
  const map = JSON.parse(verdict.policies) as Record<string, { flagged: boolean }>;
  const { evaluated, violations, notEvaluated } = verdict.shadow ?? { evaluated: [], violations: [], notEvaluated: 0 };
  const hidden = new Set(violations.map(({ id }) => id));
  return {
    flagged: status === 'failed' && flagged !== true ? null : flagged,
    policies: new Map(Object.entries(map).map(([id, policy]) => [id, policy.flagged])),
    shadow: { policies: new Map(evaluated.map((id) => [id, hidden.has(id)])), notEvaluated },
    violations: new Map(
      [...verdict.violations, ...violations].map(({ id, severity, evidence }) => [id, { severity, evidence }]),
    ),
    notEvaluated: verdict.notEvaluated,
    note: error?.message ?? note,
    ...textIn(of, rows[0]!),
  };
}

function textIn({ kind, body }: Case, { type, field, content }: Draft['rows'][number]): Pick<CaseAnswer, 'text'> {
  if (type === 'artifact') return {};
  if (kind === 'session') return { text: content };
  const [event] = (body as { events: [Record<string, unknown>] }).events;
  return { text: readContent(content, typeof event[field] === 'string').text };
}
