/** The models of texts that policies name by a file of their own. */

import { leavesOf } from '../policy/detect-expression.js';
import { type DetectorParameters, detectorOf } from '../policy/detectors/registry.js';
import { MAX_MODELS } from '../policy/models/own.js';
import type { FindingsReport } from './read/fields.js';
import type { Configuration, Detect } from './types.js';

/** By SHA-256: the name of the file, in the order of the policies. */
export function modelsOf({ policies }: Pick<Configuration, 'policies'>): Map<string, string> {
  return new Map(policies.flatMap(({ detect }) => modelsIn(detect)));
}

/** Each model takes memory in Redis and in every worker, and its share of the time of every text. */
export function checkModels({ policies }: Configuration, report: FindingsReport): void {
  const models = new Set<string>();
  for (const [i, { detect }] of policies.entries()) {
    for (const [sha256] of modelsIn(detect)) models.add(sha256);
    if (models.size <= MAX_MODELS) continue;
    report.add(['policies', i, 'detect'], `expected at most ${MAX_MODELS} files of models in all policies together`);
    return;
  }
}

function modelsIn(detect: Detect): [sha256: string, file: string][] {
  return leavesOf<DetectorParameters>(detect).leaves.flatMap((leaf) => {
    if ('classifier' in leaf) {
      const { file, sha256 } = leaf.classifier;
      return file === undefined || sha256 === undefined ? [] : [[sha256, file]];
    }
    // The text of an image is judged by an expression of its own.
    const { detect: inner } = detectorOf(leaf).parameters as { detect?: Detect };
    return inner ? modelsIn(inner) : [];
  });
}
