// Receives webhooks of flagged checks (docs/webhooks.md), and takes only those that Weir has signed, each once. With a number it ends after so
// many.
//
// Weir needs an entry `notify` in its configuration with the address http://127.0.0.1:9000/ and `secret_env: ALERTS_SECRET`, and in the
// environment of its workers that secret and WEIR_FETCH_ALLOW=127.0.0.1:9000, since this address is private.
//
// Run:
//   ALERTS_SECRET=whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3 npx tsx docs/examples/webhook-receiver.ts 1
//
// Prints, once something is flagged:
//   Waiting at http://127.0.0.1:9000/
//   message of prod violates Payment data (high)
import { createHmac, timingSafeEqual } from 'node:crypto';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

const KEY = Buffer.from((process.env.ALERTS_SECRET ?? '').replace('whsec_', ''), 'base64');
if (KEY.length < 24) throw new Error('Set ALERTS_SECRET to the secret of the webhook: whsec_…');
const OLDEST_S = 300;
const KNOWN = 10_000;
let wanted = Number(process.argv[2] ?? Infinity);

/** Whether the headers have the signature of this body, and it is not an old one that somebody sends again. */
function isSigned(headers: IncomingHttpHeaders, body: string): boolean {
  const { 'webhook-id': id, 'webhook-timestamp': time, 'webhook-signature': signatures } = headers;
  if (!(Math.abs(Date.now() / 1000 - Number(time)) < OLDEST_S)) return false;
  const expected = Buffer.from(`v1,${createHmac('sha256', KEY).update(`${id}.${time}.${body}`).digest('base64')}`);
  // There are two while the secret is being replaced.
  return String(signatures)
    .split(' ')
    .some((signature) => {
      const given = Buffer.from(signature);
      return given.length === expected.length && timingSafeEqual(given, expected);
    });
}

interface Flagged {
  data: {
    kind: string;
    environment_id?: string;
    deployment_id?: string;
    policies: { name: string; severity: string }[];
  };
}

function tell({ data }: Flagged): void {
  const names = data.policies.map(({ name, severity }) => `${name} (${severity})`);
  console.log(`${data.kind} of ${data.environment_id ?? data.deployment_id} violates ${names.join(', ')}`);
}

/** Ids of deliveries, the newest: one whose answer was lost comes again. */
const known = new Set<string>();

const server = createServer((request, response) => {
  void text(request).then((body) => {
    const id = String(request.headers['webhook-id']);
    if (!isSigned(request.headers, body)) return response.writeHead(401).end();
    if (!known.has(id)) {
      tell(JSON.parse(body) as Flagged);
      known.add(id);
      if (known.size > KNOWN) known.delete(known.values().next().value!);
      wanted--;
    }
    // Quickly: Weir waits 10 s, and sends again what got no 2xx.
    return response.writeHead(204).end(() => {
      if (wanted <= 0) process.exit();
    });
  });
});
server.listen(Number(process.env.PORT ?? 9000), '127.0.0.1', () => {
  console.log(`Waiting at http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
});
