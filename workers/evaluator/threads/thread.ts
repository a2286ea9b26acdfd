/**
 * The tasks of an evaluation thread: `extract` finds the images of an entry, `evaluate` evaluates a chunk of entries, and `goOn` goes on with
 * one for which a slice was not enough. Between slices the thread has other tasks, and keeps what it has of those that are paused. The
 * bodies of a chunk come in one buffer, and its outcomes return in it where they may (`task.ts`), else copied. A thread keeps the two plans it
 * used last. For any other plan it answers `unknown_plan`, and is sent the task again with the configuration.
 */
import { workerData } from 'node:worker_threads';
import { loadConfiguration } from '../../../shared/configuration/configuration.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import { type OwnModel, type OwnModels, prepareModel } from '../../../shared/policy/models/own.js';
import type { Plan } from '../../../shared/policy/plan.js';
import { yieldToThreads } from '../../../shared/process/priority.js';
import { moved } from '../../../shared/process/threads.js';
import { type CasesPage, type StoredPage, type TryAnswer, tryAnswerBytes } from '../../../shared/streams/tries.js';
import type { WorkHeader } from '../../../shared/streams/work.js';
import type { SharedList } from '../../images/known-lists/known-lists.js';
import type { SharedModel } from '../../text-models.js';
import { backtested } from '../backtest/page.js';
import type { Entry, Gathered } from '../draft.js';
import { type Indexes, indexesOf } from '../images/content.js';
import { type Extracted, extractImages } from '../images/find.js';
import { type Begun, begin, type EntryOutcome, finish, goOn, lookOutcome } from '../outcome.js';
import { isOver, newSlice, type Slice } from '../slice.js';
import { compileTry, type TryPlan, type TryReference } from './try-plan.js';

/** What a thread is started with. */
export interface EvaluationThreadData {
  /** it has a lower priority than the other threads of the process */
  yields: boolean;
}

if ((workerData as EvaluationThreadData | null)?.yields) yieldToThreads();

/** The plan that a task is evaluated with. */
export interface PlanReference {
  version: number;
  /** identity of the configuration: version numbers are used again after Redis was emptied or restored */
  plan: string;
  /** JSON text of the configuration; sent only to a thread that does not know the plan */
  configuration?: string;
  /** models of texts that it names, sent with it; a policy whose model is not among them could not run */
  models?: SharedModel[];
  /** of a try: the plan is made of a part of the configuration */
  tried?: TryReference;
}

export interface ChunkTask extends PlanReference {
  entries: { id: string; header: WorkHeader; gathered: Gathered; late: boolean; at: number; length: number }[];
  bodies: Uint8Array;
  /** the bodies were copied for this task: their memory moves to the thread. They return if the task is not done */
  moves: boolean;
  /** lists of known hashes that its images are compared with */
  lists?: SharedList[];
}

/** The task of {@link extract}: one entry. */
export interface ExtractTask extends PlanReference {
  header: WorkHeader;
  body: Uint8Array;
  /** as that of a {@link ChunkTask} */
  moves: boolean;
}

/** Where bytes lie in the buffer of a chunk. */
type ByteRange = readonly [at: number, length: number];
export type PackedOutcome = EntryOutcome<ByteRange>;

export type TaskResult =
  | { status: 'done'; outcomes: PackedOutcome[]; bytes: Uint8Array; microseconds: number }
  /** its slice is over: the thread goes on with it when it is told to. `microseconds`: of the slice */
  | { status: 'paused'; number: number; microseconds: number }
  | { status: 'unknown_plan'; bodies: Uint8Array };

export type ExtractResult = ({ status: 'done' } & Extracted) | { status: 'unknown_plan'; body: Uint8Array };

/** Stored items, or cases, that are tried: as many of them as there is time for. Its body is copied to the thread. */
export interface ManyTask extends PlanReference {
  header: WorkHeader;
  /** JSON of a page */
  body: Uint8Array;
  moves: false;
  what: 'backtest' | 'cases';
  /** how long it may take */
  ms: number;
}

/** `bytes`: of a `TryAnswer` */
export type ManyResult = { status: 'done'; bytes: Uint8Array; microseconds: number } | { status: 'unknown_plan' };

export interface PrepareResult {
  status: 'done' | 'unknown_plan';
}

const CHUNK_BYTES = 1 << 20;
/** A larger buffer is dropped after the chunk that needed it. */
const KEPT_BYTES = 8 << 20;

const PLANS_KEPT = 2;
interface Compiled {
  plan: Plan;
  /** of a try */
  tried?: TryPlan;
  /** that it was compiled with */
  models: OwnModels;
}
/** by identity, the one used last at the end */
const plans = new Map<string, Compiled>();

function planOf(task: PlanReference): Compiled | undefined {
  const known = plans.get(task.plan);
  if (known) {
    plans.delete(task.plan);
    plans.set(task.plan, known);
    return known;
  }
  if (task.configuration === undefined) return undefined;
  const compiled = compile(task, task.configuration);
  for (const id of plans.keys()) {
    if (plans.size < PLANS_KEPT) break;
    plans.delete(id);
  }
  plans.set(task.plan, compiled);
  return compiled;
}

function compile({ version, tried, models: shared = [] }: PlanReference, configuration: string): Compiled {
  const models = modelsOf(shared);
  if (tried) {
    const made = compileTry(configuration, version, tried, models);
    return { plan: made.plan, models, tried: made };
  }
  const loaded = loadConfiguration(configuration);
  if (!loaded.ok) throw new Error(`configuration ${version} does not load: ${loaded.problems[0]?.message ?? ''}`);
  return { plan: compilePlan(loaded.configuration, version, { models }), models };
}

/** Models that a plan has already are not prepared again. */
function modelsOf(shared: readonly SharedModel[]): OwnModels {
  const known = new Map([...plans.values()].flatMap(({ models }) => [...models]));
  return new Map(
    shared.map(({ sha256, bytes }): [string, OwnModel] => [
      sha256,
      known.get(sha256) ?? prepareModel(new Uint8Array(bytes)),
    ]),
  );
}

export type ThreadTask =
  | { name: 'evaluate'; task: ChunkTask }
  | { name: 'goOn'; task: number }
  | { name: 'extract'; task: ExtractTask }
  | { name: 'many'; task: ManyTask }
  | { name: 'prepare'; task: PlanReference };

export const run = ({ name, task }: ThreadTask): unknown =>
  name === 'evaluate'
    ? evaluate(task)
    : name === 'goOn'
      ? goOnWith(task)
      : name === 'extract'
        ? extract(task)
        : name === 'many'
          ? tryMany(task)
          : prepare(task);

/** A chunk that is evaluated in slices. */
interface ChunkProgress {
  task: ChunkTask;
  compiled: Compiled;
  indexes: Indexes;
  completed: number;
  outcomes: PackedOutcome[];
  /** bytes of these outcomes, while it is paused */
  bytes: Buffer;
  /** the entry that is being evaluated */
  begun: Begun | undefined;
}

/** Paused ones, by number. The caller bounds how many there are. */
const paused = new Map<number, ChunkProgress>();
let lastNumber = 0;

/** Throws when the configuration or a body cannot be read, although both were validated before. */
function evaluate(task: ChunkTask): TaskResult {
  const compiled = planOf(task);
  if (!compiled) return { status: 'unknown_plan', bodies: task.bodies };
  const indexes = indexesOf(task.lists ?? []);
  return oneSlice({ task, compiled, indexes, completed: Date.now(), outcomes: [], bytes: EMPTY, begun: undefined });
}

function goOnWith(number: number): TaskResult {
  const work = paused.get(number);
  if (!work) throw new Error('the thread has no such task');
  paused.delete(number);
  return oneSlice(work);
}

function oneSlice(work: ChunkProgress): TaskResult {
  const started = performance.now();
  const slice = newSlice();
  used = 0;
  if (work.bytes.length > 0) keep(work.bytes);
  const isDone = evaluateSome(work, slice);
  const since = (): number => Math.round((performance.now() - started) * 1000);
  if (!isDone) {
    work.bytes = Buffer.from(chunk.subarray(0, used));
    paused.set(++lastNumber, work);
    return { status: 'paused', number: lastNumber, microseconds: since() };
  }
  // What is not in shared memory is copied: that costs less than what follows once memory has moved away from a thread (`task.ts`).
  const bytes = keptBytes(work.task);
  return { status: 'done', outcomes: work.outcomes, bytes, microseconds: since() };
}

/** Returns whether all entries are evaluated. */
function evaluateSome(work: ChunkProgress, slice: Slice): boolean {
  const { entries } = work.task;
  while (work.outcomes.length < entries.length) {
    const { plan, tried } = work.compiled;
    if (tried?.refused) {
      work.outcomes.push(lookOutcome(tryAnswerBytes({ refused: tried.refused }), keep));
      continue;
    }
    work.begun ??= begin(plan, entryAt(work, work.outcomes.length));
    if (!goOn(work.begun, slice)) return false;
    work.outcomes.push(finish(work.begun, keep, tried));
    work.begun = undefined;
    if (isOver(slice, 0) && work.outcomes.length < entries.length) return false;
  }
  return true;
}

function entryAt({ task, indexes, completed }: ChunkProgress, place: number): Entry {
  const { id, header, gathered, late, at, length } = task.entries[place]!;
  return { id, header, gathered, late, indexes, body: task.bodies.subarray(at, at + length), completed };
}

const EMPTY = Buffer.alloc(0);

/**
 * Makes an {@link ExtractResult}, whose memory moves: images are large, and are found on slow threads. Throws as {@link evaluate}
 * does.
 */
function extract(task: ExtractTask): unknown {
  const compiled = planOf(task);
  const unknown = (body: Uint8Array): ExtractResult => ({ status: 'unknown_plan', body });
  if (!compiled) return moved(unknown(task.body), [task.body.buffer]);
  const result: ExtractResult = { status: 'done', ...extractImages(compiled.plan, task.header, task.body) };
  const memory = result.images.flatMap((image) => ('data' in image ? [image.data.buffer] : []));
  if (result.body) memory.push(result.body.buffer);
  return moved(result, memory);
}

/** What reads cases is loaded by the first ones. Throws as {@link evaluate} does. */
async function tryMany(task: ManyTask): Promise<ManyResult> {
  const started = performance.now();
  const compiled = planOf(task);
  if (!compiled) return { status: 'unknown_plan' };
  const { tried } = compiled;
  const { what, header, body } = task;
  const { team, scope } = header;
  const isOver = (): boolean => performance.now() - started > task.ms;
  const done = (answer: TryAnswer): ManyResult => {
    return {
      status: 'done',
      bytes: tryAnswerBytes(answer),
      microseconds: Math.round((performance.now() - started) * 1000),
    };
  };
  if (!tried) throw new Error('many are tried by the plan of a try alone');
  if (tried.refused) return done({ refused: tried.refused });
  const page = JSON.parse(Buffer.from(body).toString()) as unknown;
  if (what === 'backtest') return done({ backtest: backtested(tried, { team, scope }, page as StoredPage, isOver) });
  const { testedCases } = await import('../cases/run.js');
  const where = { team, kind: task.tried!.kind, id: scope };
  return done(testedCases(tried, where, page as CasesPage, isOver));
}

/** Compiles a plan, so that what it needs is at hand for others. Throws as {@link evaluate} does. */
const prepare = (task: PlanReference): PrepareResult => ({ status: planOf(task) ? 'done' : 'unknown_plan' });

/** The bytes of the outcomes of a chunk, one after the other, in a buffer that every chunk reuses. */
let chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
let used = 0;

function keep(bytes: Buffer): ByteRange {
  const at = used;
  used += bytes.length;
  if (used > chunk.length) {
    const larger = Buffer.allocUnsafeSlow(Math.max(chunk.length * 2, used));
    chunk.copy(larger, 0, 0, at);
    chunk = larger;
  }
  chunk.set(bytes, at);
  return [at, bytes.length];
}

/** The outcomes replace the bodies in shared memory, where they fit into it. */
function keptBytes({ bodies: { buffer } }: ChunkTask): Buffer {
  const shared = buffer instanceof SharedArrayBuffer && used <= buffer.byteLength;
  const bytes = shared ? Buffer.from(buffer, 0, used) : Buffer.allocUnsafeSlow(used);
  chunk.copy(bytes, 0, 0, used);
  if (chunk.length > KEPT_BYTES) chunk = Buffer.allocUnsafeSlow(CHUNK_BYTES);
  return bytes;
}
