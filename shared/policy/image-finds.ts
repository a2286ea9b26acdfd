/** Detectors of images: what was measured of an image, held against what a policy asks. */
import type { ImagePropertiesParameters } from '../configuration/types.js';
import type { Finds } from './engine/engine.js';
import { evaluateExpression, NO, type Truth, UNKNOWN, YES } from './expression.js';
import type { ImageDetector, Selection, TeamPlan } from './plan.js';
import type { Evidence, ImageContent, ImageWants } from './types.js';

/** What the image detectors of `selection` find in `image`; undefined when none fires and none failed. */
export function imageFinds(team: TeamPlan, selection: Selection, image: ImageContent): Finds | undefined {
  const finds: Finds = { evidence: new Map(), failed: new Set() };
  const distances = nearestKnown(team, selection, image);
  for (const number of selection.users.keys()) {
    const detector = team.images.get(number);
    if (!detector) continue;
    const { truth, evidence } = look(team, detector, image, distances);
    if (truth === YES) finds.evidence.set(number, evidence);
    if (truth === UNKNOWN) finds.failed.add(number);
  }
  return finds.evidence.size > 0 || finds.failed.size > 0 ? finds : undefined;
}

/** What the image detectors of `selection` look at. */
export function imageWants(team: TeamPlan, selection: Selection): ImageWants {
  const lists = new Set<string>();
  const models = new Set<string>();
  let text = false;
  for (const number of selection.users.keys()) {
    const parameters = team.images.get(number)?.parameters;
    if (!parameters) continue;
    if ('image_text' in parameters) text = true;
    if ('image_hash' in parameters) lists.add(parameters.image_hash.list);
    if ('onnx' in parameters) models.add(parameters.onnx.model);
  }
  return { lists: [...lists], text, models: [...models] };
}

/** By list: how near its nearest hash is, absent where none is as near as a detector asks. */
type Distances = ReadonlyMap<string, number>;

/** Searches each list once, as far as the detectors together ask of it that take an image of this quality. */
function nearestKnown(team: TeamPlan, selection: Selection, { quality, lists }: ImageContent): Distances {
  const asked = new Map<string, number>();
  for (const number of selection.users.keys()) {
    const parameters = team.images.get(number)?.parameters;
    if (!parameters || !('image_hash' in parameters)) continue;
    const { list, max_distance, min_quality } = parameters.image_hash;
    if (quality !== null && quality >= min_quality) asked.set(list, Math.max(max_distance, asked.get(list) ?? 0));
  }
  const distances = new Map<string, number>();
  for (const [list, maxDistance] of asked) {
    const distance = lists.get(list)?.(maxDistance) ?? null;
    if (distance !== null) distances.set(list, distance);
  }
  return distances;
}

interface Look {
  truth: Truth;
  evidence: Evidence[];
}

const NOT: Look = { truth: NO, evidence: [] };
const UNABLE: Look = { truth: UNKNOWN, evidence: [] };

function look(team: TeamPlan, detector: ImageDetector, image: ImageContent, distances: Distances): Look {
  const { parameters } = detector;
  if ('inner' in detector) return lookAtText(team, detector, image);
  if ('image_hash' in parameters) {
    const { list, max_distance, min_quality } = parameters.image_hash;
    if (image.quality === null || !image.lists.has(list)) return UNABLE;
    const near = image.quality >= min_quality && (distances.get(list) ?? Infinity) <= max_distance;
    return near ? fired(`image_hash:${list}`, 'pdq') : NOT;
  }
  if ('image_properties' in parameters) {
    return holds(parameters.image_properties, image) ? fired('image_properties', 'properties') : NOT;
  }
  if (!('onnx' in parameters)) return NOT;
  const { model, label, threshold } = parameters.onnx;
  const scores = Object.hasOwn(image.scores, model) ? image.scores[model]! : {};
  if (!Object.hasOwn(scores, label)) return UNABLE;
  return scores[label]! >= threshold ? fired(`onnx:${model}:${label}`, 'pixels') : NOT;
}

// An image has no offsets: what fired is the evidence.
function fired(detector: string, view: string): Look {
  return { truth: YES, evidence: [{ detector, view, source: 'image', start: 0, end: 0 }] };
}

function holds(asked: ImagePropertiesParameters, image: ImageContent): boolean {
  const within = (value: number, min: number | null, max: number | null): boolean =>
    (min === null || value >= min) && (max === null || value <= max);
  return (
    (asked.kinds === null || asked.kinds.includes(image.kind)) &&
    within(image.width, asked.min_width, asked.max_width) &&
    within(image.height, asked.min_height, asked.max_height) &&
    within(image.bytes, asked.min_bytes, asked.max_bytes) &&
    (asked.animated === null || asked.animated === image.animated) &&
    (asked.has_gps === null || asked.has_gps === image.hasGps)
  );
}

/** Text detectors on the text that was read; offsets of their evidence are into that text. */
function lookAtText(
  team: TeamPlan,
  { inner, wanted }: Extract<ImageDetector, { inner: unknown }>,
  { text }: ImageContent,
): Look {
  if (text === null) return UNABLE;
  const finds = team.engine.scan(text, wanted, 0);
  const truth = evaluateExpression(inner, (number) => {
    if (finds?.evidence.has(number)) return YES;
    return finds?.failed.has(number) ? UNKNOWN : NO;
  });
  if (truth !== YES) return { truth, evidence: [] };
  const evidence = [...(finds?.evidence.values() ?? [])].flat().map((each) => ({
    ...each,
    detector: `image_text:${each.detector}`,
    source: 'image' as const,
  }));
  return { truth, evidence };
}
