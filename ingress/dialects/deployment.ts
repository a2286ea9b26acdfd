/** What checks of other services' interfaces have in common: they run in the default deployment of their key, some ask for scores, and some count code points. */
import { ApiError } from '../../shared/api/errors.js';
import type { LabelScores, ResultRecord, TextScores } from '../../shared/api/results/record.js';
import type { PolicyResult } from '../../shared/api/types.js';
import type { KnownDeployment } from '../admission/directory.js';
import { writableScope } from '../http/auth.js';
import type { Edge, Exchange } from '../http/exchange.js';

/** Throws 400 where the key has none. */
export function defaultDeployment(edge: Edge, exchange: Exchange): KnownDeployment {
  const { team, defaultDeployment: id } = exchange.key;
  if (id !== '') {
    writableScope(edge, exchange.key, 'deployment', id);
    return edge.directory().deployment(team, id)!;
  }
  const message = 'This endpoint checks against the default deployment of the API key, and this key has none.';
  throw new ApiError('validation_failed', `${message} Set default_deployment of the key in the configuration.`);
}

/** The scores that a check was asked for. Throws 503 where its result is kept without them, as it is for a late retry. */
export function scoresIn(record: ResultRecord): [whole: TextScores, ...sentences: TextScores[]] {
  const [whole, ...sentences] = record.items[0]!.scores ?? [];
  if (whole) return [whole, ...sentences];
  throw new ApiError(
    'unavailable',
    'The scores of this check are not there. Send it again, without its Idempotency-Key.',
  );
}

/** How sure it is that a policy is violated, 0 to 1. `labels`: those that it goes by. */
export function scoreOf(
  { flagged, evidence = [] }: PolicyResult,
  labels: readonly string[],
  scores: LabelScores,
): number {
  const own = flagged ? evidence.map(({ score }) => score ?? 1) : labels.map((label) => numberIn(scores[label]));
  return own.length === 0 ? Number(flagged) : Math.max(...own);
}

const numberIn = (found: LabelScores[string] | undefined): number => (found && 'score' in found ? found.score : 0);

/** Code points up to an offset, for offsets that ascend. */
export function pointsIn(text: string): (offset: number) => number {
  let [known, points] = [0, 0];
  return (offset) => {
    if (offset < known) [known, points] = [0, 0];
    for (; known < offset; known++) {
      const isSecond = (text.charCodeAt(known) & 0xfc00) === 0xdc00 && (text.charCodeAt(known - 1) & 0xfc00) === 0xd800;
      if (!isSecond) points++;
    }
    return points;
  };
}
