/** Scores of texts under the labels of a model, window by window. */
import type { Window } from '../../shared/policy/types.js';
import type { CallTimes } from './call.js';
import type { TextsOutcome } from './child.js';
import type { TextDescription } from './file.js';
import { createModelProcess, type ModelOptions, type ModelProcess, type NoTurn } from './model.js';
import { type ModelPath, TEXT_BYTES, TEXTS_AT_ONCE } from './types.js';

/** Why a text has no scores. */
export type TextFailureReason = Exclude<NoTurn, 'busy'> | 'timeout' | 'failed' | 'too_long';

/** Windows by label, each with its score for it. */
export type TextResult =
  | { ok: true; windows: ReadonlyMap<string, readonly Window[]> }
  | { ok: false; reason: TextFailureReason };

export interface TextsEvent extends CallTimes {
  windows: number;
}

export interface ScoringLimits {
  /** ms of the steady clock */
  until: number;
  /** aborted when nobody waits any more */
  signal: AbortSignal;
  /** whose turn is taken */
  team: string;
  /** answers of backends are not kept for others who ask the same */
  unkept?: true | undefined;
}

export interface TextModel extends Omit<ModelProcess, 'call'> {
  labels: readonly string[];
  /** Scores texts for those of its labels, in the order of the texts. Never rejects. */
  score(texts: readonly string[], labels: readonly string[], limits: ScoringLimits): Promise<TextResult[]>;
}

/** About how long a request may take: other teams have their turns between. A single text may take longer. */
const TURN_MS = 250;

export function createTextModel(
  files: { model: ModelPath; tokenizer: ModelPath },
  { text, output }: TextDescription,
  options: ModelOptions & { observe: ((event: TextsEvent) => void) | undefined },
): TextModel {
  const { labels: all, ...rest } = output;
  const { memoryBytes, limitMs } = options;
  const load = {
    file: files.model,
    tokenizer: files.tokenizer,
    memoryBytes,
    text,
    output: { ...rest, labels: all.length },
  };
  const process = createModelProcess(load, options);
  /** what a byte has lately taken; 0: not known yet */
  let msPerByte = 0;

  /** One request: what its texts have, or why none of them has any. */
  async function scorePart(
    texts: readonly string[],
    labels: readonly string[],
    limits: ScoringLimits,
  ): Promise<TextResult[]> {
    const numbers = labels.map((label) => all.indexOf(label));
    const { outcome, times } = await process.call(
      (worker) => {
        const left = Math.max(0, limits.until - performance.now());
        const request = { lengths: texts.map(({ length }) => length), labels: numbers, limitMs: Math.ceil(left) };
        return worker.runTexts(request, Buffer.from(texts.join(''), 'utf16le'), limitMs);
      },
      limits.signal,
      limits.team,
    );
    const results = resultsOf(outcome, texts.length, labels);
    const windows = results.reduce((sum, each) => sum + (each.ok ? windowsIn(each, labels) : 0), 0);
    options.observe?.({ windows, ...times });
    // 0: its turn has not come. One that was given up has taken as long at least.
    const took = times.ms - times.waitedMs;
    const bytes = texts.reduce((sum, each) => sum + 2 * each.length, 0);
    if (took > 0 && bytes > 0) msPerByte = msPerByte === 0 ? took / bytes : (msPerByte + took / bytes) / 2;
    return results;
  }

  return {
    ...process,
    labels: all,
    async score(texts, labels, { until, signal, team }) {
      const time = AbortSignal.timeout(Math.max(0, Math.ceil(until - performance.now())));
      const limits = { until, team, signal: AbortSignal.any([signal, time]) };
      const results: TextResult[] = [];
      while (results.length < texts.length) {
        const part = textsAtOnce(texts.slice(results.length), TURN_MS / msPerByte);
        results.push(...(await scorePart(part, labels, limits)));
      }
      return results;
    },
  };
}

/** The first of `texts`, as many as a request may have: one at least, and further ones up to `mostBytes`. */
export function textsAtOnce(texts: readonly string[], mostBytes: number): string[] {
  const most = Math.min(TEXT_BYTES, mostBytes);
  let bytes = 0;
  const over = texts.findIndex((text, i) => {
    bytes += 2 * text.length;
    return i > 0 && (i === TEXTS_AT_ONCE || bytes > most);
  });
  return over < 0 ? [...texts] : texts.slice(0, over);
}

const windowsIn = ({ windows }: TextResult & { ok: true }, [label]: readonly string[]): number =>
  windows.get(label!)?.length ?? 0;

function resultsOf(outcome: TextsOutcome | NoTurn, texts: number, labels: readonly string[]): TextResult[] {
  if (typeof outcome === 'string' || !outcome.ok) {
    const reason = typeof outcome === 'string' ? outcome : outcome.reason;
    // Who waits is bounded by the room of entries, so there is always a place to wait.
    return Array.from({ length: texts }, () => ({ ok: false, reason: reason === 'busy' ? 'cancelled' : reason }));
  }
  const { counts, numbers } = outcome;
  const wide = labels.length + 2;
  let row = 0;
  return Array.from({ length: texts }, (_, i): TextResult => {
    const count = counts[i] ?? 0;
    const first = row;
    row += count;
    if (count === 0 || row * wide > numbers.length) return { ok: false, reason: count === 0 ? 'too_long' : 'crashed' };
    const windowsOf = (column: number): Window[] =>
      Array.from({ length: count }, (_window, at) => {
        const place = (first + at) * wide;
        return { start: numbers[place]!, end: numbers[place + 1]!, score: numbers[place + 2 + column]! };
      });
    return { ok: true, windows: new Map(labels.map((label, column) => [label, windowsOf(column)])) };
  });
}
