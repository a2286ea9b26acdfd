/** Labelled items as labelled texts, for `weir eval --labels` and `weir train --labels`. */
import { createHash } from 'node:crypto';
import { createHistoryClient } from '../../../shared/history/client.js';
import { verdictsOf } from '../../../shared/history/read/label-verdicts.js';
import type { LabelledRow } from '../../train/json-lines.js';
import { type Arguments, CommandUsageError } from '../command.js';
import { historyAddress } from '../installation.js';
import { textOption } from '../options.js';
import { sinceOf } from '../since.js';
import { type LabelQuestion, onePolicy, readLabelledTexts, readLabels } from './read.js';

export interface LabelledTexts {
  /** 1: true alarms and missed ones; 0: false alarms */
  rows: LabelledRow[];
  /** items of which as many reviewers say one thing as the other */
  disputed: number;
  /** items whose content is not stored any more, and images */
  gone: number;
  /** SHA-256 of the texts with their labels, in hexadecimal */
  sha256: string;
}

const QUERY_MS = 120_000;

/** What is asked for: `--policy`, `--since` and `--team` of a command. */
export function labelQuestionOf(given: Arguments): LabelQuestion & { policy: string } {
  const policy = textOption(given, 'policy');
  if (policy === undefined) throw new CommandUsageError('--labels: expected --policy, whose labels are meant');
  const since = sinceOf(textOption(given, 'since') ?? '365d', Date.now());
  return { policy, since, team: textOption(given, 'team') };
}

/** The texts with the label `label`. Rejects with a sentence where there are none, or ClickHouse cannot be asked. */
export async function labelledTexts(
  question: LabelQuestion & { policy: string },
  label: string,
): Promise<LabelledTexts> {
  const address = historyAddress('reader');
  if (!address) throw new Error('expected WEIR_CLICKHOUSE_URL beside WEIR_REDIS_URL: labels are read from ClickHouse');
  const client = createHistoryClient({ ...address, timeoutMs: QUERY_MS });
  try {
    const labels = await readLabels(client, question);
    onePolicy(labels, question.policy);
    const verdicts = verdictsOf(labels);
    const decided = verdicts.filter(({ truth }) => truth !== undefined);
    const contents = await readLabelledTexts(
      client,
      question.since,
      decided.map(({ id }) => id),
    );
    const rows = decided.flatMap(({ id, truth }): LabelledRow[] => {
      const text = contents.get(id);
      return text === undefined ? [] : [{ text, at: id, labels: { [label]: truth ? 1 : 0 } }];
    });
    if (rows.length === 0)
      throw new Error(`no content is stored of the ${decided.length} items that have labels of "${question.policy}"`);
    const sha256 = createHash('sha256');
    for (const { text, labels: said } of rows) sha256.update(JSON.stringify([text, said]));
    return {
      rows,
      disputed: verdicts.length - decided.length,
      gone: decided.length - rows.length,
      sha256: sha256.digest('hex'),
    };
  } finally {
    await client.close();
  }
}

/** What was left out, in words; '' where nothing was. */
export function leftOut({ disputed, gone }: Pick<LabelledTexts, 'disputed' | 'gone'>): string {
  return [
    ...(disputed > 0 ? [`${disputed} disputed`] : []),
    ...(gone > 0 ? [`${gone} whose content is not stored`] : []),
  ].join(', ');
}
