/**
 * The health check of the images: exit code 0 where the process makes progress (`/healthz` on its metrics port), else 1 and what is
 * wrong. An image has no curl. The settings are those of the container.
 */
import { get } from 'node:http';

const LIMIT_MS = 2500;
const host = process.env.WEIR_METRICS_HOST?.trim() || '127.0.0.1';
const port = process.env.WEIR_METRICS_PORT?.trim() || '9464';
/** An address that stands for all of them is asked on loopback. */
const address = { '0.0.0.0': '127.0.0.1', '::': '::1' }[host] ?? host;

const fail = (why) => {
  console.error(why);
  process.exit(1);
};

const request = get({ host: address, port, path: '/healthz', timeout: LIMIT_MS }, (response) => {
  if (response.statusCode !== 200) fail(`/healthz answers ${response.statusCode}`);
  process.exit(0);
});
request.on('timeout', () => fail(`no answer within ${LIMIT_MS} ms`));
request.on('error', (error) => fail(error.message));
