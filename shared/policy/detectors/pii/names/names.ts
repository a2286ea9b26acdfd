/** Names of persons, places and organisations, and postal addresses, as a probe. The model is read when the first policy asks for one. */
import { readModelFile } from '../../../../model-file.js';
import type { SweepProbe } from '../../../engine/probes/probe.js';
import { findOf, type PiiFind } from '../find.js';
import { readNames } from './file.js';
import { NAME_ENTITIES, type NameModel, probabilityOf, tag } from './tagger.js';
import { newTokens, readTokens } from './tokens.js';

let loaded: NameModel | undefined;
const tokens = newTokens();

/** Calls `take` for each name in the text, until that is false. Takes time linear in the text. */
export function findNames(text: string, model: NameModel, take: (find: PiiFind) => boolean): void {
  for (let at = 0; at < text.length; ) {
    at = readTokens(text, at, tokens);
    for (const span of tag(tokens, model)) {
      const place = { start: tokens.start[span.first]!, end: tokens.end[span.last]! };
      if (!take(findOf(NAME_ENTITIES[span.entity]!, place, Math.round(probabilityOf(span, model) * 100) / 100))) return;
    }
  }
}

export const nameProbe = (): SweepProbe => ({
  kind: 'sweep',
  label: 'pii:names',
  views: ['nfkc'],
  lookFor: () => {
    loaded ??= readNames(readModelFile('names')).model;
    const model = loaded;
    return (text, take) => findNames(text, model, take);
  },
});
