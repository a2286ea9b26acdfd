/** A compiled configuration: what is evaluated, by team, and what is remembered of it while it is in use. */
import type { Condition } from './conditions.js';
import type { Engine, Wanted } from './engine/engine.js';
import type { DetectorParameters, Expression } from './expression.js';
import type { Direction, Severity, Source, Verdict } from './types.js';

/** How a policy looks at the items of one source: `detect`, as far as its detectors can look at them. */
export interface Look {
  expression: Expression;
  detectors: readonly number[];
}

export interface CompiledPolicy {
  id: string;
  name: string;
  severity: Severity;
  direction: Direction;
  /** null: it does not look at items of this source, and is in none of their maps */
  looks: Readonly<Record<Source, Look | null>>;
  /** `type` and `type.field` that it is for; null: all */
  events: ReadonlySet<string> | null;
}

export interface CompiledCondition {
  id: string;
  name: string;
  /** matches whatever the event */
  always: boolean;
  condition: Condition;
  policies: readonly CompiledPolicy[];
}

/** Selections by what they depend on; see `selection.ts`. */
export type SelectionCache = Map<string, Selection>;

export interface EnvironmentPlan {
  /** by metadata object, kind of event, and field: what is selected; null: no condition matches */
  selected: WeakMap<object, Map<string, Map<string, Selection | null>>>;
  /** active ones, in order */
  conditions: readonly CompiledCondition[];
  /** some condition looks at the event's name */
  named: boolean;
  selections: SelectionCache;
}

export interface DeploymentPlan {
  policies: readonly CompiledPolicy[];
  selections: SelectionCache;
}

/** Policy maps, by outcome of a selection; selections with the same entries share a number, and so their maps. */
export interface Kept {
  /** policies in all selections */
  selected: number;
  characters: number;
  maps: Map<string, string>;
  numbers: Map<string, number>;
  next: number;
}

/** A detector of images: its parameters, or what `image_text` looks for in the text of an image. */
export type ImageDetector =
  | {
      parameters: Extract<
        DetectorParameters,
        { image_hash: unknown } | { image_properties: unknown } | { onnx: unknown }
      >;
    }
  | { parameters: Extract<DetectorParameters, { image_text: unknown }>; inner: Expression; wanted: Wanted };

export interface TeamPlan {
  failClosed: boolean;
  engine: Engine;
  /** detectors that look at images */
  images: ReadonlyMap<number, ImageDetector>;
  /** by detector: earlier texts it looks at */
  contexts: readonly number[];
  /** by detector: how many characters a find of it can span, infinite where nothing bounds it */
  reaches: readonly number[];
  /** by detector: earlier texts before a text may hide what it looks for */
  anchored: readonly boolean[];
  policies: readonly CompiledPolicy[];
  environments: ReadonlyMap<string, EnvironmentPlan>;
  deployments: ReadonlyMap<string, DeploymentPlan>;
  /** characters of policy maps that are kept; see `selection.ts` */
  kept: Kept;
  selections: SelectionCache;
}

export interface Plan {
  /** configuration version */
  readonly version: number;
  readonly teams: ReadonlyMap<string, TeamPlan>;
}

/** One policy in a selection. */
export interface Selected {
  policy: CompiledPolicy;
  /** how it looks at items of the selection's source */
  look: Look;
  /** whether a condition selects it could not be told */
  undecided: boolean;
  /** entries of the policies map, key included */
  clean: string;
  flagged: string;
}

export interface ContextGroup {
  /** earlier texts */
  context: number;
  /** characters that a find can span; infinite: the whole text is looked at again, with the earlier ones before it */
  reach: number;
  wanted: Wanted;
}

export interface Selection {
  /** of the items it is for; policies that do not look at it are not selected */
  source: Source;
  /** the same for selections with the same entries */
  number: number;
  selected: readonly Selected[];
  /** all detectors, for items without context */
  wanted: Wanted;
  /**
   * detectors that look at the text by itself: all but those whose finds may span earlier texts without a bound, and that find
   * behind those whatever they find without
   */
  alone: Wanted;
  /** detectors that look at earlier texts too, by how many of them and by whether their finds have a bound */
  groups: readonly ContextGroup[];
  /** by detector: places in `selected` of the policies that use it */
  users: ReadonlyMap<number, readonly number[]>;
  /** places in `selected` of policies that are flagged when no detector fires: what `not` does */
  base: readonly number[];
  /** places in `selected` of policies of which it could not be told whether they are */
  undecided: readonly number[];
  /** the verdict when no detector fires and none is undecided; where no policy is selected, its note says so */
  quiet: Verdict;
}
