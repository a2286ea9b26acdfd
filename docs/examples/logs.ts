// Checks a log of chats: JSON lines with `user`, `role` and `text` on standard input, 50 a request. Where Weir is away for a moment, the client
// tries again.
//
// Run:
//   npx tsx docs/examples/logs.ts < docs/examples/logs.jsonl
//
// Prints:
//   line 2: Payment data
//   line 4: Contact data in answers
//   5 lines checked, 2 flagged, 0 without a verdict
import { createInterface } from 'node:readline';
import { createClient, type EventInput, unwrap } from '@weir/client';

const BATCH = 50;
const weir = createClient({ url: process.env.WEIR ?? 'http://127.0.0.1:8080', apiKey: process.env.KEY ?? '' });
// By this name the results are found later, by SQL and by look-ups.
const run = process.env.RUN ?? `log-${new Date().toISOString().slice(0, 10)}`;

let lines = 0;
let flagged = 0;
let failed = 0;
let batch: EventInput[] = [];

async function check(): Promise<void> {
  if (batch.length === 0) return;
  const request = { environment_id: 'prod', run_id: run, events: batch };
  batch = [];
  // Throws after some tries, or where a line is refused. Nothing of this batch is stored then.
  const answer = unwrap(await weir.checkEvents(request, { policies: 'flagged' }));
  failed += answer.failed;
  for (const { event_id } of answer.order.filter((entry) => entry.flagged)) {
    flagged++;
    const { policies } = answer.results.message[event_id]!;
    const names = Object.values(policies).map(({ name }) => name);
    console.log(`line ${event_id.slice('line-'.length)}: ${names.join(', ')}`);
  }
}

for await (const line of createInterface({ input: process.stdin })) {
  lines++;
  const { user, role, text } = JSON.parse(line) as { user: string; role: 'user' | 'assistant'; text: string };
  batch.push({ type: 'message', role, content: text, event_id: `line-${lines}`, metadata: { user: { id: user } } });
  if (batch.length === BATCH) await check();
}
await check();
console.log(`${lines} lines checked, ${flagged} flagged, ${failed} without a verdict`);
