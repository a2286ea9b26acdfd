/** Evaluates the stored items of a slice, and compares each with the verdict that it had. */
import { conversationOf } from '../../../shared/api/conversation.js';
import type { HistoryClient } from '../../../shared/history/client.js';
import { partsOf } from '../../../shared/ids.js';
import type { Plan } from '../../../shared/policy/plan.js';
import { compareItem, type EarlierContext, type JudgedItem } from '../../../workers/evaluator/backtest/compare-item.js';
import { hasScope, type ItemAsStored, readingsOf } from '../../../workers/evaluator/backtest/judge.js';
import { addLabelled, type ItemTruths } from '../../../workers/evaluator/backtest/labelled.js';
import { createPairs } from '../../../workers/evaluator/backtest/pairs.js';
import { createEarlierTexts, type EarlierTexts, inOrder } from './conversations.js';
import { AnswerTooLarge } from './read/ask.js';
import { createPast } from './read/past.js';
import { type BacktestSlice, halves } from './read/question.js';
import { type AppliedConfiguration, type BacktestItem, readContents, readItems, readMaps } from './read/stored.js';
import { addResult, type BacktestExample, type BacktestResult, emptyResult, MOST_TEXTS } from './result.js';

/** What all slices are evaluated with. */
export interface BacktestEvaluation {
  client: HistoryClient;
  plan: Plan;
  /** policies that look at earlier texts */
  contextual: ReadonlySet<string>;
  /** those that were applied, by time */
  configurations: readonly AppliedConfiguration[];
  /** of a million items, so many are evaluated */
  perMillion: number;
  /** no sessions and artifacts */
  eventsOnly: boolean;
  /** what people said of items; absent: all items are evaluated, whatever was said of them */
  truths?: ItemTruths | undefined;
  /** examples of each policy and change */
  examples: number;
}

/** A slice as a thread is given it. */
export interface SliceTask {
  slice: BacktestSlice;
  /** absent: no policy of the scope looks at earlier texts of events */
  conversations?: {
    /** the share of this thread */
    part: number;
    parts: number;
    depth: number;
    /** the first slice of the scope: what is known of conversations is of another one */
    first: boolean;
    /** Unix ms: items before and after are only earlier texts */
    since: number;
    until: number;
  };
}

/** Longest part of a text that an example shows, and that policies are measured by, in characters. */
const SHOWN = 160;
const MEASURED = 4000;
/** Evidence of an example. */
const MOST_EVIDENCE = 3;
/** Events may get their place in the order of their run somewhat later than their id. */
const DISORDER_MS = 5000;

interface StoredContent {
  content: string;
  metadata: string;
}

type WholeSliceTask = Required<SliceTask> | (Omit<SliceTask, 'conversations'> & { conversations?: undefined });

export function createSliceEvaluator(of: BacktestEvaluation): (task: SliceTask) => Promise<BacktestResult> {
  const { client, plan, contextual } = of;
  const pairs = createPairs();
  const past = createPast(of.configurations);
  let texts: EarlierTexts | undefined;
  /** events after the slice that were evaluated with it */
  const early = new Set<string>();

  async function evaluate(task: SliceTask): Promise<BacktestResult> {
    try {
      return await evaluateWhole(task as WholeSliceTask);
    } catch (error) {
      if (!(error instanceof AnswerTooLarge)) throw error;
      const parts = halves(task.slice);
      if (!parts) throw new Error(`the items of one millisecond are too large to be read: ${error.message}`);
      const { conversations } = task;
      const result = await evaluate({ ...task, slice: parts[0] });
      const rest = { slice: parts[1], ...(conversations && { conversations: { ...conversations, first: false } }) };
      addResult(result, await evaluate(rest), of.examples);
      return result;
    }
  }

  async function evaluateWhole({ slice, conversations }: WholeSliceTask): Promise<BacktestResult> {
    // What comes a little later may belong before an event of the slice.
    const read = conversations ? { ...slice, to: slice.to + DISORDER_MS } : slice;
    const reading = {
      perMillion: of.perMillion,
      eventsOnly: of.eventsOnly,
      labelledOnly: of.truths !== undefined,
      ...(conversations && { share: conversations }),
    };
    const items = await readItems(client, read, reading);
    const contents = await readContents(client, read, { ...reading, items });
    const unknown = pairs.unknown(new Set([...items.values()].map(({ map }) => map)));
    if (unknown.length > 0) for (const [map, json] of await readMaps(client, read, unknown)) pairs.learn(map, json);
    if (conversations?.first || (conversations && !texts)) {
      texts = createEarlierTexts(conversations.depth);
      early.clear();
    }
    const began = performance.now();
    const result = emptyResult();
    const withImages = requestsWithImages(items.values());
    const all = [...items.values()].map((item): SeenItem => {
      const { time, requestId } = partsOf(item.id)!;
      const image = item.type === 'artifact' || (item.kind === 'session' && withImages.has(requestId));
      const conversation = conversationOf(item.externalSessionId, item.runId);
      return {
        item,
        id: item.id,
        sequence: item.sequence,
        conversation,
        slice,
        time,
        image,
        content: contents.get(item.id),
      };
    });
    for (const seen of conversations ? inOrder(all, slice.to, early) : all) {
      const { item, time, image } = seen;
      const here = item.chosen && (!conversations || (time >= conversations.since && time < conversations.until));
      if (here && image) count(result, item, 'images');
      else if (conversations && !image && item.kind !== 'session') addEvent(result, seen, here);
      else if (here) addItem(result, seen, { context: [], known: !hasContext(item) });
    }
    if (conversations) texts!.drop(slice.to);
    result.tallies = [...pairs.take()];
    result.microseconds = (performance.now() - began) * 1000;
    return result;
  }

  /** Earlier messages of a session are not stored. */
  const hasContext = ({ kind }: BacktestItem): boolean => kind === 'session' && contextual.size > 0;

  /** An event in an environment whose policies look at earlier texts. */
  function addEvent(result: BacktestResult, seen: SeenItem, evaluated: boolean): void {
    const { item, time, content, conversation } = seen;
    const context = evaluated ? texts!.before(conversation, item.sequence, time) : [];
    if (evaluated) addItem(result, seen, { context: context ?? [], known: context !== undefined });
    const stored = content && isKept(item, time, content) ? content : undefined;
    texts!.add(conversation, item, time, stored ? readingsOf({ kind: item.kind, ...stored })[0].text : null);
  }

  /** Whether the content is what was checked. Content that is not kept is stored as an empty one. */
  const isKept = ({ config }: BacktestItem, time: number, { content }: StoredContent): boolean =>
    content !== '' || past.keptContent(config, time) === true;

  function addItem(result: BacktestResult, { item, slice, time, content }: SeenItem, earlier: EarlierContext): void {
    const then = pairs.mapOf(item.map);
    if (!content || !isKept(item, time, content) || (item.failed && then.size === 0)) {
      count(result, item, item.failed && then.size === 0 ? 'failed' : content ? 'not_kept' : 'expired');
      return;
    }
    // Field by field: copying all of an item took as long as judging a short text.
    const { kind, type, field, role, name } = item;
    const { team, scope } = slice;
    const stored: ItemAsStored = { kind, type, field, role, name, team, scope, ...content };
    if (!hasScope(plan, stored)) {
      count(result, item, 'no_scope');
      return;
    }
    const restrict = kind === 'session' && item.notEvaluated === 0 ? namedBy(stored, item, time) : undefined;
    const { map, notEvaluated } = item;
    const judged = compareItem({ plan, pairs, contextual }, { stored, map, notEvaluated }, { ...earlier, restrict });
    if (judged.twoReadings) result.counts.two_readings++;
    count(result, item, 'evaluated');
    if (of.truths) {
      result.labelled ??= [];
      addLabelled(result.labelled, of.truths.get(item.id) ?? [], judged.pair.outcomes);
    }
    if (result.texts.length < MOST_TEXTS) result.texts.push(content.content.slice(0, MEASURED));
    if (judged.pair.changes.length === 0) return;
    result.counts.changed++;
    addExamples(result, { stored, id: item.id, time, ...judged });
  }

  /** Policies that the caller of a session named, of those that its deployment has; undefined: none was named. */
  function namedBy(
    { team, scope, role }: ItemAsStored,
    { config, map }: BacktestItem,
    time: number,
  ): string[] | undefined {
    const named = past.named({ team, deployment: scope, role, config, time }, pairs.mapOf(map));
    const there = plan.teams.get(team)!.deployments.get(scope)!.policies;
    return named && there.map(({ id }) => id).filter((id) => named.includes(id));
  }

  function addExamples(result: BacktestResult, { stored, id, time, verdict, pair }: Changed): void {
    const { team, scope, type, content } = stored;
    const shared = { id, team, scope, time: new Date(time).toISOString(), type, text: content.slice(0, SHOWN) };
    for (const [policy, change] of pair.changes) {
      const before = result.examples.filter((each) => each.policy === policy && each.change === change);
      if (before.length >= of.examples) continue;
      const example: BacktestExample = { policy, change, ...shared };
      const evidence = verdict.violations.find((violation) => violation.id === policy)?.evidence;
      if (evidence) {
        example.evidence = evidence
          .slice(0, MOST_EVIDENCE)
          .map(({ detector, view, start, end }) => ({ detector, view, start, end }));
      }
      result.examples.push(example);
    }
  }

  return evaluate;
}

/** An item with what is stored of it. */
interface SeenItem {
  item: BacktestItem;
  id: string;
  sequence: number;
  conversation: string;
  /** it is an image, or a session with some */
  image: boolean;
  slice: BacktestSlice;
  /** Unix ms */
  time: number;
  /** absent: it has expired */
  content: StoredContent | undefined;
}

interface Changed extends JudgedItem {
  stored: ItemAsStored;
  id: string;
  time: number;
}

function count(
  result: BacktestResult,
  { config }: BacktestItem,
  what: Exclude<keyof BacktestResult['counts'], 'items'>,
): void {
  result.counts.items++;
  result.counts[what]++;
  result.versions[config] = (result.versions[config] ?? 0) + 1;
}

function requestsWithImages(items: Iterable<BacktestItem>): ReadonlySet<string> {
  const requests = new Set<string>();
  for (const { kind, type, id } of items) {
    if (kind === 'session' && type === 'artifact') requests.add(partsOf(id)!.requestId);
  }
  return requests;
}
