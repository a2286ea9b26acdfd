/** Asks backends and models about what is open in a check. */
import type {
  Answers,
  AskedBackend,
  AskedModel,
  DetectorQuestion,
  TextAnswer,
  TOO_LONG,
} from '../shared/policy/types.js';
import type { BackendAsks, Backends } from './backends/backends.js';
import type { ItemAsks } from './evaluator/outcome.js';
import type { ModelAsks, TextModelAsking } from './onnx/ask.js';
import type { ScoringLimits } from './onnx/text-model.js';

export interface Asking {
  /** Never rejects; questions that were not answered are missing. */
  ask(asks: readonly ItemAsks[], limits: ScoringLimits): Promise<AskReplies>;
  /** Counts what is not asked after all. */
  leave(asks: readonly ItemAsks[], outcome: 'no_room' | 'no_time'): void;
}

export interface AskReplies {
  /** by item */
  answers: ReadonlyMap<number, Answers>;
  /** by item: what its note says of answers that are missing */
  notes: ReadonlyMap<number, string>;
  /** why there are no answers, such as `backend guard: timeout`, each once */
  failures: readonly string[];
}

export function createAsking(backends: Backends, models: TextModelAsking): Asking {
  return {
    async ask(asks, limits) {
      const failures = new Set<string>();
      const fail = (whom: string, all: ReadonlyMap<string, string>): void => {
        for (const [id, outcome] of all) failures.add(`${whom} ${id}: ${outcome}`);
      };
      const { toBackends, toModels } = sorted(asks);
      const notes = new Map<number, string>();
      const answers = new Map<number, Map<number, TextAnswer | typeof TOO_LONG>>(
        asks.map(({ item }) => [item, new Map()]),
      );
      const add = (item: number, said: Answers): void => {
        for (const [detector, each] of said) answers.get(item)!.set(detector, each);
      };
      await Promise.all([
        ...toBackends.map(async (each) => {
          const judged = await backends.ask(each, limits);
          add(each.item, judged.answers);
          fail('backend', judged.failures);
          const spent = [...judged.failures].flatMap(([id, outcome]) => (outcome === 'over_budget' ? id : []));
          if (spent.length > 0)
            notes.set(each.item, spent.map((id) => `the budget of backend ${id} is spent`).join('; '));
        }),
        models.ask(toModels, limits).then((scored) => {
          for (const [item, said] of scored.answers) add(item, said);
          fail('model', scored.failures);
        }),
      ]);
      return { answers, notes, failures: [...failures] };
    },
    leave(asks, outcome) {
      const { toBackends, toModels } = sorted(asks);
      for (const each of toBackends) backends.leave(each, outcome);
      models.leave(toModels, outcome);
    },
  };
}

function sorted(asks: readonly ItemAsks[]): { toBackends: (BackendAsks & { item: number })[]; toModels: ModelAsks[] } {
  const ofBackend = (asked: DetectorQuestion): DetectorQuestion<AskedBackend>[] => ('backend' in asked ? [asked] : []);
  const ofModel = (asked: DetectorQuestion): DetectorQuestion<AskedModel>[] => ('model' in asked ? [asked] : []);
  const some = ({ of }: { of: readonly object[] }): boolean => of.length > 0;
  return {
    toBackends: asks.map(({ of, ...each }) => ({ ...each, of: of.flatMap(ofBackend) })).filter(some),
    toModels: asks.map(({ of, ...each }) => ({ ...each, of: of.flatMap(ofModel) })).filter(some),
  };
}
