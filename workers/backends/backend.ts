/** One backend: asks it about a text, in one call for all questions, with one retry. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { BackendConfiguration } from '../../shared/configuration/backend.js';
import type { Logger } from '../../shared/log.js';
import type { BackendAnswer } from '../../shared/policy/types.js';
import { createSlots } from '../../shared/slots.js';
import { apiKeyOf } from './api-key.js';
import { createBreaker } from './breaker.js';
import type { Budgets } from './budget.js';
import { type AnswerCache, cacheKey } from './cache.js';
import type { BackendMetrics, BackendOutcome } from './meters.js';
import { type BackendResponse, connectionsTo } from './post.js';
import { answersIn, MAX_CONTENT, type NamedQuestion, promptOf, tokensIn } from './prompt.js';

/** When a text must be judged. */
export interface JudgeLimits {
  /** ms of the steady clock */
  until: number;
  /** aborted when nobody waits any more */
  signal: AbortSignal;
  /** answers are not kept for others who ask the same */
  unkept?: true | undefined;
}

export interface Backend {
  /** The answers, in the order of the questions, or why there are none. */
  ask(text: string, questions: readonly NamedQuestion[], limits: JudgeLimits): Promise<BackendJudgement>;
  isOpen(): boolean;
  counts(): { taken: number; waiting: number };
  close(): void;
}

export interface BackendTools {
  /** absent: answers are not kept */
  cache?: AnswerCache | undefined;
  /** absent: nothing is counted */
  budgets?: Budgets | undefined;
  metrics: BackendMetrics;
  logger: Logger;
}

type BackendFailure = Exclude<BackendOutcome, 'answered' | 'cached'>;
export type BackendJudgement =
  | { outcome: 'answered' | 'cached'; answers: BackendAnswer[] }
  | { outcome: BackendFailure };

/** A call that failed so may go better the next time. */
const PASSING: readonly BackendOutcome[] = ['unreachable', 'server_error', 'rate_limited'];
/** A call that was not made. */
const NOT_MADE: readonly BackendOutcome[] = ['breaker_open', 'no_time', 'over_budget'];
/** A second call starts after a time from half of this to all of it. */
const PAUSE_MS = 200;
/** A call that had less time than this, or than its time-out, says nothing of the backend. */
const FAIR_MS = 1000;

export function createBackend(configuration: BackendConfiguration, tools: BackendTools): Backend {
  const { cache, budgets, metrics, logger } = tools;
  const { id, team, url, model, timeout_ms: timeoutMs, concurrency, cache_seconds: cacheSeconds } = configuration;
  const connections = connectionsTo(`${url}/chat/completions`);
  const breaker = createBreaker();
  const budget = budgets?.(configuration);
  // Who waits is bounded by the room of entries.
  const slots = createSlots({ total: concurrency, perHost: concurrency, waiting: Number.POSITIVE_INFINITY });

  /** One call, in a slot. */
  async function call(
    prompt: string,
    names: readonly string[],
    key: string | undefined,
    limits: JudgeLimits,
  ): Promise<BackendJudgement> {
    if (breaker.refuses()) return { outcome: 'breaker_open' };
    if (budget?.isSpent()) return { outcome: 'over_budget' };
    const waiting = ending(limits);
    const free = await slots.take('', waiting.signal).catch(() => undefined);
    waiting.clear();
    if (!free) return { outcome: 'no_time' };
    try {
      if (!breaker.admits()) return { outcome: 'breaker_open' };
      const wasOpen = breaker.isOpen();
      if (budget && !(await budget.take())) {
        breaker.ended(undefined);
        return { outcome: 'over_budget' };
      }
      const began = performance.now();
      const judged = await answerTo(prompt, names, key, limits);
      const took = performance.now() - began;
      metrics.call(took / 1000);
      breaker.ended(limits.signal.aborted ? undefined : saysOf(judged.outcome, took));
      const { outcome } = judged;
      if (!wasOpen && breaker.isOpen())
        logger.warn({ backend: id, team, outcome }, 'a backend fails; it is not called for 10 s');
      if (wasOpen && !breaker.isOpen()) logger.info({ backend: id, team }, 'a backend answers again');
      return judged;
    } finally {
      free();
    }
  }

  /** What a call says of the backend: whether it works; undefined: nothing. */
  function saysOf(outcome: BackendOutcome, tookMs: number): boolean | undefined {
    if (outcome === 'timeout') return tookMs >= Math.min(FAIR_MS, timeoutMs) ? false : undefined;
    return !PASSING.includes(outcome);
  }

  async function answerTo(
    prompt: string,
    names: readonly string[],
    key: string | undefined,
    limits: JudgeLimits,
  ): Promise<BackendJudgement> {
    const end = ending({ ...limits, until: Math.min(limits.until, performance.now() + timeoutMs) });
    try {
      const response = await connections.post(prompt, key, end.signal);
      if (response.status === 200) budget?.used(tokensIn(response.body) ?? estimated(prompt));
      return judgedBy(response, names);
    } catch {
      if (!end.signal.aborted) return { outcome: 'unreachable' };
      // The server may have worked on it all the same.
      budget?.used(estimated(prompt));
      return { outcome: 'timeout' };
    } finally {
      end.clear();
    }
  }

  async function callTwice(prompt: string, names: readonly string[], limits: JudgeLimits): Promise<BackendJudgement> {
    const key = apiKeyOf(configuration);
    if (key === null) return { outcome: 'no_key' };
    const first = await call(prompt, names, key, limits);
    const pause = (PAUSE_MS / 2) * (1 + Math.random());
    if (!PASSING.includes(first.outcome) || performance.now() + pause >= limits.until) return first;
    await sleep(pause, undefined, { signal: limits.signal }).catch(() => undefined);
    metrics.retry();
    const second = await call(prompt, names, key, limits);
    // That no second call was made is no news.
    return NOT_MADE.includes(second.outcome) ? first : second;
  }

  async function judge(
    text: string,
    questions: readonly NamedQuestion[],
    limits: JudgeLimits,
  ): Promise<BackendJudgement> {
    if (text.length > MAX_CONTENT) return { outcome: 'too_long' };
    const prompt = promptOf(model, { text }, questions);
    const kept = cacheSeconds > 0 ? cache : undefined;
    const key = cacheKey(configuration, prompt);
    const known = await kept?.read(key);
    if (known?.length === questions.length) return { outcome: 'cached', answers: known };
    const judged = await callTwice(
      prompt,
      questions.map(({ name }) => name),
      limits,
    );
    if (judged.outcome === 'answered' && !limits.unkept) kept?.write(key, judged.answers, cacheSeconds);
    return judged;
  }

  return {
    async ask(text, questions, limits) {
      const judged = await judge(text, questions, limits);
      metrics.question(judged.outcome);
      if (!('answers' in judged)) {
        logger.debug({ backend: id, team, outcome: judged.outcome }, 'a backend has not judged a text');
      }
      return judged;
    },
    isOpen: breaker.isOpen,
    counts: slots.counts,
    close: connections.close,
  };
}

function judgedBy({ status, body }: BackendResponse, names: readonly string[]): BackendJudgement {
  if (status >= 500) return { outcome: 'server_error' };
  if (status === 429) return { outcome: 'rate_limited' };
  if (status !== 200) return { outcome: 'refused' };
  if (body === undefined) return { outcome: 'too_large' };
  const answers = answersIn(body, names);
  return answers ? { outcome: 'answered', answers } : { outcome: 'malformed' };
}

/** Tokens of what was sent, where the server does not say how many there were: one for 4 bytes. */
const estimated = (prompt: string): number => Math.ceil(Buffer.byteLength(prompt) / 4);

/** A signal that ends with `limits`; clear its timer. */
function ending({ until, signal }: JudgeLimits): { signal: AbortSignal; clear(): void } {
  const end = new AbortController();
  const abort = (): void => end.abort();
  const timer = setTimeout(abort, Math.max(0, until - performance.now()));
  signal.addEventListener('abort', abort, { once: true });
  if (signal.aborted) abort();
  return {
    signal: end.signal,
    clear() {
      clearTimeout(timer);
      signal.removeEventListener('abort', abort);
    },
  };
}
