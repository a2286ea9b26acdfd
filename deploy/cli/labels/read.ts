/** Reads labels from history. */
import type { LabelKind } from '../../../shared/api/types.js';
import type { HistoryClient } from '../../../shared/history/client.js';
import { GIVEN } from '../../../shared/history/read/labels.js';
import { ask, askRows } from '../backtest/read/ask.js';

export interface LabelQuestion {
  /** Unix ms: of items that came since */
  since: number;
  /** absent: all teams */
  team?: string | undefined;
  /** id or name; absent: all policies */
  policy?: string | undefined;
}

/** A label with what identifies its item. */
export interface ReadLabel {
  id: string;
  team: string;
  scope: string;
  /** Unix ms, of the item */
  time: number;
  policy: string;
  name: string;
  flagged: boolean;
  label: LabelKind;
  reviewer: string;
}

/** Labels that are held in memory. */
const MOST_LABELS = 500_000;
/** Bytes of contents that are held in memory. */
const MOST_BYTES = 512 * 1024 * 1024;
/** Ids in one bound parameter, which may have 128 KiB. */
const IDS = 2500;

/** Labels or appeals that are asked for. */
export const OF_QUESTION = `ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC') AND ({team:String} = '' OR team = {team:String})
  AND ({policy:String} = '' OR toString(policy_id) = lower({policy:String}) OR policy_name = {policy:String})`;

/** Of `labels FINAL`. */
export const LABELLED = `${GIVEN} AND ${OF_QUESTION}`;

export const parametersOf = ({ since, team = '', policy = '' }: LabelQuestion): Record<string, unknown> => ({
  since: Math.floor(since),
  team,
  policy,
});

/** The labels of items, the newest items first. Throws where there are more than can be looked at. */
export async function readLabels(client: HistoryClient, question: LabelQuestion): Promise<ReadLabel[]> {
  const rows = await ask<Omit<ReadLabel, 'time'> & { time: string }>(
    client,
    `SELECT toString(id) AS id, team, scope, toString(toUnixTimestamp64Milli(ts)) AS time, toString(policy_id) AS policy, policy_name AS name,
       flagged, label, reviewer
     FROM labels FINAL WHERE ${LABELLED} ORDER BY ts DESC, id, policy_id, reviewer LIMIT ${MOST_LABELS + 1}`,
    parametersOf(question),
  );
  if (rows.length > MOST_LABELS)
    throw new Error(`there are more than ${MOST_LABELS} labels: name a team, a policy or a later time`);
  return rows.map((row) => ({ ...row, time: Number(row.time) }));
}

/** The policy that labels are of. Throws where there is none, or several have the name. */
export function onePolicy(labels: readonly ReadLabel[], asked: string): { id: string; name: string } {
  const ids = new Map(labels.map(({ policy, name }) => [policy, name]));
  const [first, ...more] = ids;
  if (!first) throw new Error(`there are no labels of a policy "${asked.slice(0, 100)}" in that time`);
  if (more.length > 0) throw new Error(`labels of several policies called "${asked.slice(0, 100)}": expected an id`);
  return { id: first[0], name: first[1] };
}

/** Contents that are stored, by id of the item. Throws where they are too large for memory. */
export async function readLabelledTexts(
  client: HistoryClient,
  since: number,
  ids: readonly string[],
): Promise<Map<string, string>> {
  const contents = new Map<string, string>();
  let bytes = 0;
  for (let at = 0; at < ids.length; at += IDS) {
    const some = new Map<string, string>();
    await askRows(
      client,
      `SELECT toString(id), content FROM contents FINAL WHERE ts >= fromUnixTimestamp64Milli({since:Int64}, 'UTC')
         AND id IN {ids:Array(UUID)} AND content != ''`,
      { since: Math.floor(since), ids: ids.slice(at, at + IDS) },
      {
        begin: () => some.clear(),
        take([id, content]) {
          some.set(id as string, content as string);
        },
      },
    );
    for (const [id, content] of some) {
      bytes += content.length;
      if (bytes > MOST_BYTES)
        throw new Error(`the labelled texts have more than ${MOST_BYTES} characters: name a later time`);
      contents.set(id, content);
    }
  }
  return contents;
}
