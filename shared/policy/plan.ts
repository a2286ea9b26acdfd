/** A compiled configuration: by team, what is evaluated, and what is remembered while the plan is in use. */

import type { Severity } from '../api/types.js';
import type { Condition } from './conditions.js';
import type { Expression } from './detect-expression.js';
import type { ImageLook, MeasuredImage, TextQuestion } from './detectors/detector.js';
import type { Engine } from './engine/engine.js';
import type { OpenFrom } from './engine/open.js';
import type { WantedDetectors } from './engine/scan.js';
import type { Action, AskedBackend, AskedModel, Direction, ShadowVerdict, Source, Verdict } from './types.js';

/** How a policy looks at the items of one source: the part of `detect` whose detectors can look at them. */
export interface SourceLook {
  expression: Expression;
  detectors: readonly number[];
}

export interface CompiledPolicy {
  id: string;
  name: string;
  severity: Severity;
  action: Action;
  direction: Direction;
  /** null: it does not look at items of this source, and is not in their maps */
  looks: Readonly<Record<Source, SourceLook | null>>;
  /** `type` and `type.field` of the events that it is for; null: all */
  events: ReadonlySet<string> | null;
  /** its verdict is in {@link ShadowVerdict} alone */
  shadow: boolean;
  /** a text in a language that its detectors do not know could not be evaluated; else the policy is left out */
  failsForeign: boolean;
}

export interface CompiledCondition {
  id: string;
  name: string;
  /** matches every event */
  always: boolean;
  condition: Condition;
  policies: readonly CompiledPolicy[];
}

/** Selections by what they depend on; see `selection.ts`. */
export type SelectionCache = Map<string, Selection>;

export interface EnvironmentPlan {
  /** selections by metadata object */
  selected: WeakMap<object, SelectedPlace[]>;
  /** active ones, in order */
  conditions: readonly CompiledCondition[];
  /** some condition reads the event's name */
  named: boolean;
  selections: SelectionCache;
}

/** What is selected for events of a kind, of which one field is checked. */
export interface SelectedPlace {
  type: string;
  field: string;
  role: string;
  /** '' where no condition reads it */
  name: string;
  /** undefined: no condition matches */
  selection: Selection | undefined;
}

export interface DeploymentPlan {
  policies: readonly CompiledPolicy[];
  /** ids of those in the shadow */
  shadows: readonly string[];
  selections: SelectionCache;
}

/** Policy maps by outcome of a selection. Selections with the same entries have the same number, and so share their maps. */
export interface KeptMaps {
  /** policies in all selections */
  selected: number;
  characters: number;
  maps: Map<string, string>;
  numbers: Map<string, number>;
  next: number;
}

/** A detector of images, with the verdict of the expression that it judges the text of an image by. */
export type ImageDetector = ImageLook & Pick<MeasuredImage, 'judge'>;

/** What a detector asks, and whom. */
export interface PlannedQuestion extends Pick<TextQuestion, 'evidence'> {
  about: AskedBackend | AskedModel;
}

/** Where metadata have a value that history keeps as long as results. */
export interface TagPath {
  /** as the configuration has it, such as `user.tier` */
  path: string;
  names: readonly string[];
}

export interface TeamPlan {
  failClosed: boolean;
  tags: readonly TagPath[];
  engine: Engine;
  /** detectors that look at images */
  images: ReadonlyMap<number, ImageDetector>;
  /** detectors that backends or models are asked for */
  questions: ReadonlyMap<number, PlannedQuestion>;
  /** by detector: earlier texts it looks at */
  contexts: readonly number[];
  /** by detector: how many characters its finds can span; infinite: no bound */
  reaches: readonly number[];
  /** by detector: where a text that goes on is open; undefined: it may be open from its beginning */
  opens: readonly (OpenFrom | undefined)[];
  /** by detector: whether a find in a text may vanish behind earlier texts */
  anchored: readonly boolean[];
  /** by detector: the word for its finds where they are taken out of a text, by what the evidence calls them; undefined: they cannot */
  marks: readonly (((label: string) => string) | undefined)[];
  policies: readonly CompiledPolicy[];
  environments: ReadonlyMap<string, EnvironmentPlan>;
  deployments: ReadonlyMap<string, DeploymentPlan>;
  /** characters of policy maps that are kept; see `selection.ts` */
  kept: KeptMaps;
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
  look: SourceLook;
  /** whether it is selected could not be told: its condition could not be evaluated */
  undecided: boolean;
  /** entries of the policies map, key included */
  clean: string;
  flagged: string;
}

export interface ContextGroup {
  /** earlier texts */
  context: number;
  /** characters that a find can span; infinite: the whole text is scanned again, behind the earlier ones */
  reach: number;
  wanted: WantedDetectors;
}

/** Policies that are judged together by what was found in an item. */
export interface Panel {
  selected: readonly Selected[];
  /** by detector: places in `selected` of the policies that use it */
  users: ReadonlyMap<number, readonly number[]>;
  /** places in `selected` of policies that are flagged when no detector fires, as with `not` */
  base: readonly number[];
  /** places in `selected` of those that are undecided */
  undecided: readonly number[];
}

/** The policies of a selection that are in the shadow. */
export interface Shadow extends Panel {
  /** the verdict when no detector fires */
  quiet: ShadowVerdict;
}

/** What is selected for an item. Live policies and those in the shadow are looked for in one scan, and judged apart. */
export interface Selection extends Panel {
  /** of the items that it is for; only policies that look at it are selected */
  source: Source;
  /** the same for selections with the same entries */
  number: number;
  /** of the policies, live or in the shadow */
  detectors: readonly number[];
  /** absent: all policies are live */
  shadow?: Shadow;
  /** all detectors, for items without context */
  wanted: WantedDetectors;
  /**
   * detectors that look at the text by itself, where there are earlier texts. Those are left out whose look at all texts together
   * finds the same and more: their finds have no bound, and none can vanish behind earlier texts
   */
  alone: WantedDetectors;
  /** detectors that look at earlier texts too, by number of texts, and by whether their finds have a bound */
  groups: readonly ContextGroup[];
  /** detectors that have an answer of a backend or a model, or could not run */
  asked: readonly number[];
  /** the verdict when no detector fires and no policy is undecided; its note says so where no policy is selected */
  quiet: Verdict;
}
