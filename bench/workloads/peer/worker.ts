/**
 * The worker of the other service: evaluates jobs by Weir's engine, returns the verdicts, and inserts their rows into ClickHouse once a
 * second. Rows that have not been inserted are lost with the process, as they usually are in such a service.
 */
import { loadConfiguration } from '../../../shared/configuration/configuration.js';
import { createHistoryClient } from '../../../shared/history/client.js';
import { compilePlan } from '../../../shared/policy/compile.js';
import { evaluateEntry } from '../../../workers/evaluator/outcome.js';
import { insertOf, type RowFormat } from '../../../workers/rows/columns.js';
import { sendRows } from '../../../workers/rows/send-rows.js';
import { unpackRows } from '../../../workers/rows/unpack-rows.js';
import { reply, serveParent } from '../../child.js';
import { loadLibraries, QUEUE } from './libraries.js';

export const WORKER_URL = import.meta.url;

export interface WorkerStart {
  libraries: string;
  redisUrl: string;
  clickhouseUrl: string;
  database: string;
  configuration: string;
  team: string;
  environment: string;
}

const CONCURRENCY = 16;
const INSERT_EVERY_MS = 1000;

async function work(start: WorkerStart): Promise<void> {
  const { Worker, connect } = loadLibraries(start.libraries);
  const loaded = loadConfiguration(start.configuration);
  if (!loaded.ok) throw new Error(`the configuration does not load: ${loaded.problems[0]?.message}`);
  const plan = compilePlan(loaded.configuration, 1);
  const client = createHistoryClient({ url: start.clickhouseUrl, database: start.database });
  let rows = new Map<string, Buffer[]>();
  let sequence = 0;
  const evaluate = ({
    data: { id, received, text },
  }: {
    data: { id: string; received: number; text: string };
  }): string => {
    const times = { received, deadline: received + 8000, reply: '' };
    const header = {
      id,
      kind: 'events',
      team: start.team,
      scope: start.environment,
      config: 1,
      key: 'bench',
      ...times,
    } as const;
    const {
      record,
      rows: packed,
      format,
    } = evaluateEntry(plan, {
      id: `${received}-${sequence++}`,
      header,
      body: Buffer.from(text),
      gathered: { references: {}, context: {} },
      indexes: new Map(),
      late: false,
      completed: Date.now(),
    });
    const some = rows.get(format);
    if (some) some.push(unpackRows(format, packed).bytes);
    else rows.set(format, [unpackRows(format, packed).bytes]);
    return record.toString('base64');
  };
  const worker = new Worker(QUEUE, async (job) => evaluate(job), {
    connection: connect(start.redisUrl),
    concurrency: CONCURRENCY,
  });
  worker.on('error', (error) => process.stderr.write(`The worker of the other service: ${error.message}\n`));
  await worker.waitUntilReady();
  const insert = async (): Promise<void> => {
    const taken = rows;
    rows = new Map();
    for (const [format, bytes] of taken) {
      await sendRows(client, insertOf(format as RowFormat), bytes, new AbortController().signal);
    }
    setTimeout(() => void insert(), INSERT_EVERY_MS);
  };
  void insert();
}

serveParent<WorkerStart>(WORKER_URL, (start) => {
  work(start).then(
    () => reply({ ready: true }),
    (error: unknown) => reply({ error: String(error) }),
  );
});
