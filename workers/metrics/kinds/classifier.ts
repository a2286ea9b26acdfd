/** The score that the models of Weir give a text for a label. */
import { probeOf } from '../../../shared/policy/models/shipped.js';
import type { Compute } from './kind.js';

export function classifier(label: string): Compute {
  const { look } = probeOf(label, label);
  return ({ text }) => {
    const find = look(text);
    if (!find) return { note: 'the text is empty' };
    if (find.foreign !== undefined) return { note: `the models of ${label} do not know ${find.foreign}` };
    return { value: Math.round(find.score * 10_000) / 10_000, label };
  };
}
