/** Reads what people said of the verdicts of items. */
import type { RecordOwner } from '../../api/results/record.js';
import { timestamp } from '../../api/results/render.js';
import type { ItemLabel, LabelKind, LabelStatement } from '../../api/types.js';
import { partsOf } from '../../ids.js';
import type { Ask } from './ask.js';
import { AT_PLACES, placeOf, placesOf } from './items.js';

export interface LabelQueries {
  /** By id of the item, the newest first; without items that have none. */
  labels(owner: RecordOwner, ids: readonly string[]): Promise<Map<string, ItemLabel[]>>;
  /** When a reviewer spoke last of the verdict of each policy on an item, also to take a label back. */
  stated(owner: RecordOwner, id: string, reviewer: string): Promise<LastStatement[]>;
}

/** What a reviewer said last of the verdict of a policy on an item. */
export interface LastStatement {
  policy_id: string;
  policy_name: string;
  label: LabelStatement;
  /** Unix ms */
  at: number;
}

/** Of an item. */
const MOST_LABELS = 100;
/** That a reviewer has spoken of on an item. */
const MOST_POLICIES = 1000;

interface StoredLabel {
  item: string;
  policy_id: string;
  policy_name: string;
  label: LabelKind;
  reviewer: string;
  note: string | null;
  ms: string | number;
}

/** Of a row that is read with FINAL: its reviewer has not taken it back. */
export const GIVEN = "label != 'withdrawn'";

const LABELS = `SELECT toString(id) AS item, toString(policy_id) AS policy_id, policy_name, label, reviewer, note,
    toUnixTimestamp64Milli(at) AS ms
  FROM labels FINAL ${AT_PLACES} WHERE ${GIVEN} ORDER BY at DESC, policy_id, reviewer LIMIT ${MOST_LABELS} BY id`;

const STATED = `SELECT toString(labels.policy_id) AS policy_id, argMax(labels.policy_name, at) AS policy_name,
    toString(argMax(labels.label, at)) AS label, toUnixTimestamp64Milli(max(at)) AS ms
  FROM labels ${AT_PLACES} WHERE reviewer = {reviewer:String} GROUP BY labels.policy_id ORDER BY ms DESC LIMIT ${MOST_POLICIES}`;

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
    async stated({ team, scope }, id, reviewer) {
      if (partsOf(id) === undefined) return [];
      const parameters = { team, scope, reviewer, places: placesOf([placeOf(id)]) };
      const rows = await bounded(team, (signal) =>
        select<Omit<LastStatement, 'at'> & { ms: string | number }>(STATED, parameters, signal),
      );
      return rows.map(({ ms, ...rest }) => ({ ...rest, at: Number(ms) }));
    },
  };
}
