/** Detectors of images: what they ask to be measured of an image, and what they find in what was measured. */

import { UNKNOWN, YES } from './detect-expression.js';
import type { MeasuredImage } from './detectors/detector.js';
import type { Finds } from './engine/scan.js';
import type { ImageDetector, Selection, TeamPlan } from './plan.js';
import type { ImageContent, ImageWants } from './types.js';

/** What the detectors of `selection` find in `image`; undefined when none fires and none failed. */
export function imageFinds(team: TeamPlan, selection: Selection, image: ImageContent): Finds | undefined {
  const finds: Finds = { evidence: new Map(), failed: new Set() };
  const detectors = detectorsIn(team, selection);
  const distanceTo = nearestKnown(detectors, image);
  for (const [number, detector] of detectors) {
    const { truth, evidence, foreign } = detector.look(image, { distanceTo, judge: detector.judge });
    if (truth === YES) finds.evidence.set(number, evidence);
    if (truth !== UNKNOWN) continue;
    finds.failed.add(number);
    if (foreign !== undefined) finds.foreign = (finds.foreign ?? new Map()).set(number, foreign);
    // What was not measured of an image may be another time.
    else finds.passing = (finds.passing ?? new Set()).add(number);
  }
  return finds.evidence.size > 0 || finds.failed.size > 0 ? finds : undefined;
}

/** What must be measured of an image for the detectors of `selection`. */
export function imageWants(team: TeamPlan, selection: Selection): ImageWants {
  const detectors = detectorsIn(team, selection).map(([, detector]) => detector);
  return {
    lists: [...new Set(detectors.flatMap(({ list }) => list?.name ?? []))],
    text: detectors.some(({ text }) => text !== undefined),
    models: [...new Set(detectors.flatMap(({ model }) => model ?? []))],
  };
}

function detectorsIn(team: TeamPlan, { detectors: all }: Selection): [number, ImageDetector][] {
  const detectors: [number, ImageDetector][] = [];
  for (const number of all) {
    const detector = team.images.get(number);
    if (detector) detectors.push([number, detector]);
  }
  return detectors;
}

/** Searches each list once, as far as those detectors together ask of it that take an image of this quality. */
function nearestKnown(
  detectors: readonly [number, ImageDetector][],
  { quality, lists }: ImageContent,
): MeasuredImage['distanceTo'] {
  const asked = new Map<string, number>();
  for (const [, { list }] of detectors) {
    if (!list || quality === null || quality < list.minQuality) continue;
    asked.set(list.name, Math.max(list.maxDistance, asked.get(list.name) ?? 0));
  }
  const distances = new Map<string, number>();
  for (const [list, maxDistance] of asked) {
    const distance = lists.get(list)?.(maxDistance) ?? null;
    if (distance !== null) distances.set(list, distance);
  }
  return (list) => distances.get(list) ?? Infinity;
}
