/** Text that people do not see, and directions that make them see another text. What it says is left to the other detectors. */
import { type Cursor, isAbsent } from '../../configuration/read/fields.js';
import type { Interest } from '../engine/probes/probe.js';
import { hiddenIn } from '../engine/views/hidden.js';
import type { Detector } from './detector.js';
import { CONTEXT_HELP, parametersAt, readContext } from './parameters.js';

export interface InvisibleTextParameters {
  context: number;
}

export const invisibleText: Detector<InvisibleTextParameters> = {
  help: 'Unicode tags, bytes in variation selectors, runs of zero-width characters, and directions that are overridden',
  parameters: { context: CONTEXT_HELP },
  read,
  text: { interests },
};

function read(cursor: Cursor): InvisibleTextParameters | undefined {
  const fields = parametersAt(isAbsent(cursor) ? { ...cursor, value: {} } : cursor, invisibleText);
  return fields && { context: readContext(fields) };
}

function interests(): Interest[] {
  return [
    {
      key: 'invisible_text',
      probe: () => ({
        kind: 'sweep',
        label: 'invisible_text',
        views: ['raw'],
        undivided: true,
        lookFor: () => (text, take) => {
          for (const { carrier, start, end } of hiddenIn(text)) {
            if (!take({ start, end, score: 1, label: `invisible_text:${carrier}` })) return;
          }
        },
      }),
    },
  ];
}
