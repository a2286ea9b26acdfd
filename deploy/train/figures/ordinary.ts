/** False alarms on ordinary texts that nothing was learned from, by kind and by class of length. */
import { type ClassifierModel, scoreText } from '../../../shared/policy/models/model.js';
import type { OrdinaryText } from '../ordinary/ordinary.js';

export interface OrdinaryRow {
  kind: string;
  /** UTF-16 units at most; 0: of any length */
  length: number;
  texts: number;
  /** by label: texts that reach its threshold */
  flagged: Record<string, number>;
}

/** A row for each kind, for each class of length, and for each class of a kind, in this order. */
export function ordinaryRows(model: ClassifierModel, texts: readonly OrdinaryText[]): OrdinaryRow[] {
  const rows = new Map<string, OrdinaryRow>();
  const count = (kind: string, length: number, flagged: readonly string[]): void => {
    const key = `${kind} ${length}`;
    let row = rows.get(key);
    if (!row) {
      row = { kind, length, texts: 0, flagged: Object.fromEntries(model.labels.map(({ name }) => [name, 0])) };
      rows.set(key, row);
    }
    row.texts++;
    for (const name of flagged) row.flagged[name]!++;
  };
  for (const { text, kind, length } of texts) {
    const scores = scoreText(model, text);
    const flagged = model.labels.filter(({ threshold }, lane) => scores[lane]! >= threshold).map(({ name }) => name);
    const name = kind.startsWith('language ') && kind !== 'language English' ? 'other languages' : kind;
    count(name, 0, flagged);
    count('all', length, flagged);
    count(name, length, flagged);
  }
  const order = ({ kind, length }: OrdinaryRow): number => (length === 0 ? 0 : kind === 'all' ? 1 : 2);
  return [...rows.values()].sort(
    (a, b) => order(a) - order(b) || (a.kind < b.kind ? -1 : a.kind > b.kind ? 1 : a.length - b.length),
  );
}
