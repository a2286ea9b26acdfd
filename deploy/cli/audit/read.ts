/** Reads the audit log from history. */

import { createHistoryClient, type HistoryAddress } from '../../../shared/history/client.js';
import { type AuditedEntry, type AuditQuestion, auditLog } from '../../../shared/history/read/audit.js';
import { ask } from '../backtest/read/ask.js';

const QUERY_MS = 120_000;

/** Rejects with a sentence where ClickHouse cannot be asked. */
export async function readAuditLog(
  address: HistoryAddress,
  question: AuditQuestion,
): Promise<{ entries: AuditedEntry[]; next: string | undefined }> {
  const client = createHistoryClient({ ...address, timeoutMs: QUERY_MS });
  try {
    return await auditLog((query, parameters) => ask(client, query, parameters), question);
  } finally {
    await client.close();
  }
}
