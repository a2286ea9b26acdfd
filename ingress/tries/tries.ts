/**
 * Has an evaluator try what a caller sends. Teams take turns: one try of each at a time, and few of all, so that tries hold up no checks.
 *
 *     waiting for the turn of its team ──> under way ──> answered
 *       └── too many wait: 503                └── two seconds are over: 504
 */
import { ApiError, validationError } from '../../shared/api/errors.js';
import { LIMITS } from '../../shared/api/limits.js';
import { LOOK_FORMAT } from '../../shared/formats.js';
import { createSlots, type Slots } from '../../shared/slots.js';
import { NO_STREAM } from '../../shared/streams/looks.js';
import { type TryAnswer, tryAnswerOf } from '../../shared/streams/tries.js';
import { type CheckCaller, type LookSubject, lookRequest } from '../dispatch/check-request.js';
import type { Edge } from '../http/exchange.js';
import type { PolicyTries, ScopedPage, ScopedTry } from './types.js';

const AT_ONCE = 4;
const WAITING = 64;

/** `writes`: the format that this process writes. Tries are looks, which are of a later release than the first. */
export function createTries(writes: () => number, edge: () => Edge): PolicyTries {
  const slots = createSlots({ total: AT_ONCE, perHost: 1, waiting: WAITING, spare: true });
  async function inTurn<T>(caller: CheckCaller, work: () => Promise<T>): Promise<T> {
    if (writes() < LOOK_FORMAT) throw notYet();
    const leave = await turnOf(slots, caller);
    try {
      return await work();
    } finally {
      leave();
    }
  }
  return {
    run: (caller, of) =>
      inTurn(caller, async () => {
        const answer = await answerTo(edge(), caller, subjectOf(of));
        if ('verdict' in answer) return answer;
        throw refusalOf(answer);
      }),
    backtest: (caller, of, page) =>
      inTurn(caller, async () => {
        const body = JSON.stringify(await page());
        // To read them takes time of history, which has limits of its own.
        const now = { ...caller, received: Date.now() };
        const answer = await answerTo(edge(), now, subjectOfMany(of, 'backtest', body));
        if ('backtest' in answer) return answer.backtest;
        throw refusalOf(answer);
      }),
    test: (caller, of, page) =>
      inTurn(caller, async () => {
        const answer = await answerTo(edge(), caller, subjectOfMany(of, 'cases', JSON.stringify(page)));
        if ('cases' in answer) return answer.cases;
        throw refusalOf(answer);
      }),
  };
}

type TriedSubject = Omit<LookSubject, 'lane'>;

function subjectOf({ tried: { kind, item, edits }, scope, images, messageBytes }: ScopedTry): TriedSubject {
  const of = messageBytes === undefined ? {} : { messageBytes };
  return { kind, scope, images, ...of, ...parted(item, edits) };
}

function subjectOfMany({ kind, scope, edits }: ScopedPage, many: 'backtest' | 'cases', page: string): TriedSubject {
  const { body, look } = parted(page, edits);
  return { kind: kind === 'environment' ? 'event' : 'session', scope, images: 0, body, look: { ...look, many } };
}

/** What is tried, and behind it what is edited. */
function parted(tried: string, edits: string): Pick<LookSubject, 'body' | 'look'> {
  const checked = Buffer.from(tried);
  return { body: Buffer.concat([checked, Buffer.from(edits)]), look: { ...NO_STREAM, tried: checked.length } };
}

const notYet = (): ApiError =>
  new ApiError('unavailable', 'Nothing is tried before all processes have this release. Try again.');

const timeout = (): ApiError =>
  new ApiError(
    'evaluation_timeout',
    `It took longer than the ${LIMITS.tryMs / 1000} seconds that a try may take. Try less text, or fewer or simpler policies, or again.`,
  );

/** One slot a team: a host of slots is a team here. */
async function turnOf(slots: Slots, { key, received }: CheckCaller): Promise<() => void> {
  const late = AbortSignal.timeout(Math.max(1, LIMITS.tryMs - (Date.now() - received)));
  const leave = await slots.take(key.team, late, key.team).catch(() => {
    throw timeout();
  });
  if (leave) return leave;
  throw new ApiError('overloaded', 'Too much is tried at once. Try again, one after the other.');
}

async function answerTo(edge: Edge, caller: CheckCaller, subject: TriedSubject): Promise<TryAnswer> {
  // It holds no slot of a lane.
  const request = lookRequest(edge, { ...caller, wait: 0 }, { ...subject, lane: 'fast' });
  const deadlineMs = Math.min(LIMITS.tryMs, request.deadlineMs);
  const outcome = await edge.dispatcher.check({ ...request, deadlineMs });
  if (outcome.status === 'timeout' || !outcome.stored) throw timeout();
  return tryAnswerOf(outcome.stored);
}

function refusalOf(answer: TryAnswer): ApiError {
  if ('refused' in answer) return validationError(answer.refused);
  if ('late' in answer) return timeout();
  if ('over' in answer) return new ApiError('not_evaluable', answer.over);
  if ('busy' in answer) return new ApiError('overloaded', 'Too many images wait to be looked at. Try again.');
  // An evaluator of the release before takes it for a look at a stream, which leaves nothing behind either.
  if (!('failed' in answer)) return notYet();
  return new ApiError('internal_error', 'It could not be tried.');
}
