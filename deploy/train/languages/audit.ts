/** Sentences that were written apart from the phrases, which only measure (`corpus/languages/audit/`). */
import { join } from 'node:path';
import { readTextAtMost } from '../../../shared/files.js';
import { packageRoot } from '../../../shared/paths.js';
import type { LanguageLabel } from '../../../shared/policy/models/languages/format.js';

export interface AuditSentence {
  kind: string;
  text: string;
}

const MOST_BYTES = 1024 * 1024;
const KINDS = new Set(['hate', 'abuse', 'profane', 'innocent', 'attack', 'request']);

/** Throws an `Error` with file, line and what was expected. */
export function readAudit(code: string): AuditSentence[] {
  const path = join(packageRoot, 'deploy/train/corpus/languages/audit', `${code}.txt`);
  return readTextAtMost(path, MOST_BYTES)
    .split('\n')
    .flatMap((line, i) => {
      if (line === '' || line.startsWith('#')) return [];
      const [kind = '', text = ''] = line.split('\t');
      if (!KINDS.has(kind) || text === '')
        throw new Error(`${path}:${i + 1}: expected ${[...KINDS].join(', ')}, a tab, and a sentence`);
      return [{ kind, text }];
    });
}

/** By label: kinds that are to be found, and those that are not. What is in neither may be either. */
export const SIDES: Readonly<Record<LanguageLabel, readonly [found: readonly string[], quiet: readonly string[]]>> = {
  toxicity: [
    ['hate', 'abuse'],
    ['innocent', 'request'],
  ],
  hate: [['hate'], ['abuse', 'profane', 'innocent', 'request']],
  injection: [['attack'], ['innocent', 'request']],
};
