/** OpenAI's moderations (decisions, Adapters): a session check of each input. Errors are as everywhere: its clients read the same members. */
import { MODERATIONS_CATEGORIES } from '../../shared/api/dialects/moderations.js';
import { ApiError } from '../../shared/api/errors.js';
import type { ResultRecord } from '../../shared/api/results/record.js';
import { storedItem } from '../../shared/api/results/render.js';
import type { ModerationsResponse, ModerationsResult, PolicyResult } from '../../shared/api/types.js';
import { askedBy } from '../../shared/api/validate/asked.js';
import { itemId } from '../../shared/ids.js';
import type { KnownDeployment } from '../admission/directory.js';
import type { Meanings } from '../admission/meanings.js';
import type { RouteHandlers } from '../http/exchange.js';
import { type CheckRoute, checking } from '../routes/check.js';
import { sessionCheck } from '../routes/sessions.js';
import { defaultDeployment, scoreOf, scoresIn } from './deployment.js';

const moderations: CheckRoute<KnownDeployment> = {
  ...sessionCheck,
  body: () => 'moderations',
  permit: defaultDeployment,
  view: { explain: true, flaggedOnly: false },
  scores: (deployment) => ({
    labels: [...new Set([...deployment.meanings().values()].flatMap(({ labels }) => labels))],
  }),
  renderAll(records, { asked }, deployment) {
    const { model, texts } = askedBy(asked, 'moderations');
    const response: ModerationsResponse = {
      id: `modr-${itemId(records[0]!.id, 1)}`,
      model: model === '' ? 'weir' : model,
      results: records.map((record) => resultOf(record, texts, deployment.meanings())),
    };
    return JSON.stringify(response);
  },
  reword({ code, message, details }) {
    const { param } = details;
    const named = param === undefined ? {} : { param: asSent(param) };
    return new ApiError(code, asSent(message), { ...details, ...named });
  },
};

/** Paths of images in the check as paths of the input, whose parts are those of the only message. */
const asSent = (text: string): string =>
  text.replaceAll(/messages\[0\]\.content\[(\d+)\](?:\.content)?/g, 'input[$1].image_url');

/** What is said of a category. */
interface CategoryVerdict {
  flagged: boolean;
  score: number;
  /** what was looked at */
  types: Set<string>;
}

function resultOf(record: ResultRecord, texts: boolean, meanings: Meanings): ModerationsResult {
  const stored = storedItem(record, record.items[0]!);
  const [{ of: scores }] = scoresIn(record);
  const sent = [...(texts ? ['text'] : []), ...(record.items.length > 1 ? ['image'] : [])];
  const all = new Map<string, CategoryVerdict>();
  const verdictOn = (category: string): CategoryVerdict => {
    const verdict = all.get(category) ?? { flagged: false, score: 0, types: new Set() };
    all.set(category, verdict);
    return verdict;
  };
  // Those that nothing was evaluated for are there, too: their clients have a member for each.
  for (const category of MODERATIONS_CATEGORIES) verdictOn(category);
  for (const { categories } of meanings.values()) for (const category of categories) verdictOn(category);
  for (const [id, result] of Object.entries(JSON.parse(stored.policies) as Record<string, PolicyResult>)) {
    // The configuration may be another one by now.
    const { categories, labels, sources } = meanings.get(id) ?? {
      categories: [result.name],
      labels: [],
      sources: sent,
    };
    const score = scoreOf(result, labels, scores);
    for (const category of categories) {
      const verdict = verdictOn(category);
      verdict.flagged ||= result.flagged;
      verdict.score = Math.max(verdict.score, score);
      for (const source of sources) if (sent.includes(source)) verdict.types.add(source);
    }
  }
  const by = <T>(of: (verdict: CategoryVerdict) => T): Record<string, T> =>
    Object.fromEntries([...all].map(([category, verdict]) => [category, of(verdict)]));
  return {
    flagged: stored.flagged === true,
    categories: by(({ flagged }) => flagged),
    category_scores: by(({ score }) => score),
    category_applied_input_types: by(({ types }) => [...types]),
    internal_session_id: stored.id,
    ...(stored.note === '' ? {} : { note: stored.note }),
  };
}

export const moderationsRoutes = { createModeration: checking(moderations) } satisfies RouteHandlers;
