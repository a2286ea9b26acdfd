/** What a webhook is told while nodes of Redis fail: of each flagged check at least once, and again only under the same id. */

import type { Sent } from '../../support/installation/load.ts';
import { startOrigin } from '../../support/network/origin.ts';
import { until } from '../../support/wait.ts';

export interface HookReceiver {
  url: string;
  /** of the workers */
  env: Record<string, string>;
  /** Waits until it was told of all that was answered as flagged. Returns of how many it was not. */
  untold(sent: readonly Sent[]): Promise<number>;
  close(): Promise<void>;
}

export async function startReceiver(): Promise<HookReceiver> {
  const told = new Set<string>();
  const origin = await startOrigin((request, response) => {
    let body = '';
    request.on('data', (chunk) => {
      body += chunk;
    });
    request.on('end', () => {
      const { data } = JSON.parse(body) as { data: Record<string, unknown> };
      for (const [name, value] of Object.entries(data)) if (/^internal_.*_id$/.test(name)) told.add(String(value));
      response.writeHead(204).end();
    });
  });
  return {
    url: `http://127.0.0.1:${origin.port}/told`,
    env: {
      TEST_HOOK_SECRET: `whsec_${Buffer.alloc(24, 7).toString('base64')}`,
      WEIR_FETCH_ALLOW: `127.0.0.1:${origin.port}`,
    },
    async untold(sent) {
      const flagged = sent.flatMap(({ status, verdicts }) =>
        status === 200 ? verdicts.filter((one) => one.flagged === true) : [],
      );
      const left = (): number => flagged.filter(({ id }) => !told.has(id)).length;
      await until('the webhook is told of all that is flagged', () => left() === 0).catch(() => undefined);
      return left();
    },
    close: origin.close,
  };
}
