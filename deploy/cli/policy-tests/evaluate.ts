/** Evaluates cases in this process, by what a worker evaluates requests with. */
import type { Configuration } from '../../../shared/configuration/configuration.js';
import { createLogger } from '../../../shared/log.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import type { OwnModels } from '../../../shared/policy/models/own.js';
import { loadSettings } from '../../../shared/settings.js';
import type { WorkHeader } from '../../../shared/streams/work.js';
import { Registry } from '../../../shared/telemetry.js';
import type { Case } from '../../../workers/evaluator/cases/cases.js';
import { type CaseAnswer, contextOf, draftOf, foundIn, headerOf } from '../../../workers/evaluator/cases/evaluate.js';
import type { Entry, Gathered } from '../../../workers/evaluator/draft.js';
import { indexesOf } from '../../../workers/evaluator/images/content.js';
import { extractImages } from '../../../workers/evaluator/images/find.js';
import { asksIn } from '../../../workers/evaluator/outcome.js';
import type { ImageMedia } from '../../../workers/images/start.js';
import { type AskingCommand, askingOfCommand } from '../asking.js';

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
