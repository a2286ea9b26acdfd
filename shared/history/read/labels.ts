/** Reads what people said of the verdicts of items. */
import type { RecordOwner } from '../../api/results/record.js';
import { timestamp } from '../../api/results/render.js';
import type { ItemLabel, LabelKind } from '../../api/types.js';
import { partsOf } from '../../ids.js';
import type { Ask } from './ask.js';
import { AT_PLACES, placeOf, placesOf } from './items.js';

export interface LabelQueries {
  /** By id of the item, the newest first; without items that have none. */
  labels(owner: RecordOwner, ids: readonly string[]): Promise<Map<string, ItemLabel[]>>;
}

/** Of an item. */
const MOST_LABELS = 100;

interface StoredLabel {
  item: string;
  policy_id: string;
  policy_name: string;
  label: LabelKind;
  reviewer: string;
  note: string | null;
  ms: string | number;
}

const LABELS = `SELECT toString(id) AS item, toString(policy_id) AS policy_id, policy_name, label, reviewer, note,
    toUnixTimestamp64Milli(at) AS ms
  FROM labels FINAL ${AT_PLACES} ORDER BY at DESC, policy_id, reviewer LIMIT ${MOST_LABELS} BY id`;

export function labelQueries({ bounded, select }: Ask): LabelQueries {
  return {
    async labels({ team, scope }, ids) {
      const places = ids.filter((id) => partsOf(id) !== undefined).map(placeOf);
      const found = new Map<string, ItemLabel[]>();
      if (places.length === 0) return found;
      const parameters = { team, scope, places: placesOf(places) };
      const rows = await bounded(team, (signal) => select<StoredLabel>(LABELS, parameters, signal));
      for (const { item, ms, note, ...label } of rows) {
        const all = found.get(item) ?? [];
        found.set(item, all);
        all.push({ ...label, ...(note === null ? {} : { note }), at: timestamp(Number(ms)) });
      }
      return found;
    },
  };
}
