/** False positives by group: neutral sentences about people of many groups (`corpus/audit.txt`). */
import { type ClassifierModel, scoreText } from '../../../shared/policy/models/model.js';
import type { PhraseFile } from '../phrases.js';

export interface AuditRow {
  group: string;
  sentences: number;
  /** by label: sentences that reach its threshold */
  flagged: Record<string, number>;
}

export function auditIdentities(model: ClassifierModel, { lists, sections }: PhraseFile): AuditRow[] {
  const sentences = sections.flatMap(({ phrases }) => phrases);
  return [...lists].map(([group, { words }]) => {
    const [adjective = '', one = '', many = ''] = words;
    const flagged: Record<string, number> = Object.fromEntries(model.labels.map(({ name }) => [name, 0]));
    for (const sentence of sentences) {
      const text = sentence.replace('{adj}', adjective).replace('{one}', one).replace('{many}', many);
      const scores = scoreText(model, text);
      model.labels.forEach(({ name, threshold }, lane) => {
        if (scores[lane]! >= threshold) flagged[name]!++;
      });
    }
    return { group, sentences: sentences.length, flagged };
  });
}
