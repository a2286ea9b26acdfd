/** All backends that are asked. Each is made when it is first needed, and goes when others have been asked since. */
import type { BackendConfiguration } from '../../shared/configuration/backend.js';
import { type Answers, type BackendAnswer, TOO_LONG } from '../../shared/policy/types.js';
import { type Backend, type BackendTools, createBackend, type JudgeLimits } from './backend.js';
import type { BackendOutcome } from './meters.js';
import { type BackendAsk, namedQuestions } from './prompt.js';

export interface Backends {
  /** Asks about a text: one call for each backend. Never rejects; questions that were not answered are missing. */
  ask(asks: BackendAsks, limits: JudgeLimits): Promise<Answered>;
  /** Counts what is not asked after all. */
  leave(asks: BackendAsks, outcome: 'no_room' | 'no_time'): void;
  close(): void;
}

/** What to ask about one text. */
export interface BackendAsks {
  text: string;
  of: readonly BackendAsk[];
}

export interface Answered {
  answers: Answers;
  /** by id of a backend that gave no answers: why */
  failures: ReadonlyMap<string, BackendOutcome>;
}

/** Backends at hand. Those of an earlier configuration go first. */
const KEPT = 256;

export function createBackends(tools: BackendTools): Backends {
  const known = new Map<string, Backend>();
  tools.metrics.watch(() => {
    let [open, waiting, calls] = [0, 0, 0];
    for (const backend of known.values()) {
      if (backend.isOpen()) open++;
      waiting += backend.counts().waiting;
      calls += backend.counts().taken;
    }
    return { open, waiting, calls };
  });

  /** A backend whose configuration has changed is another one. */
  function backendOf(configuration: BackendConfiguration): Backend {
    const key = JSON.stringify(configuration);
    const backend = known.get(key) ?? createBackend(configuration, tools);
    known.delete(key);
    known.set(key, backend);
    if (known.size > KEPT) {
      const [oldest, gone] = known.entries().next().value!;
      known.delete(oldest);
      // What is under way ends by itself.
      if (gone.counts().taken === 0) gone.close();
    }
    return backend;
  }

  return {
    async ask({ text, of }, limits) {
      const answers = new Map<number, BackendAnswer | typeof TOO_LONG>();
      const failures = new Map<string, BackendOutcome>();
      const calls = [...byBackend(of)].map(async ([id, asked]) => {
        const questions = namedQuestions(asked);
        const judged = await backendOf(asked[0]!.backend).ask(text, questions, limits);
        if (!('answers' in judged)) failures.set(id, judged.outcome);
        for (const [i, { detector }] of questions.entries()) {
          if ('answers' in judged) answers.set(detector, judged.answers[i]!);
          else if (judged.outcome === 'too_long') answers.set(detector, TOO_LONG);
        }
      });
      await Promise.all(calls);
      return { answers, failures };
    },
    leave({ of }, outcome) {
      for (const _ of byBackend(of)) tools.metrics.question(outcome);
    },
    close() {
      for (const backend of known.values()) backend.close();
      known.clear();
    },
  };
}

function byBackend(of: readonly BackendAsk[]): Map<string, BackendAsk[]> {
  const groups = new Map<string, BackendAsk[]>();
  for (const asked of of) groups.set(asked.backend.id, [...(groups.get(asked.backend.id) ?? []), asked]);
  return groups;
}
