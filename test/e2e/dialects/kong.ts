/** What the configuration of `docs/dialects/kong.md` makes Kong send. Its functions are Lua, which is not run here. */
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { packageRoot } from '#weir/shared/paths';
import { CARD } from '../configuration.ts';
import type { System } from '../system.ts';
import type { DialectKeys } from './configuration.ts';

interface KongRequest {
  url: string;
  headers: Record<string, string>;
  body: Record<string, string>;
}

export function kongTests(system: () => System, keys: DialectKeys): void {
  describe("Kong's AI Custom Guardrail", () => {
    const page = readFileSync(join(packageRoot, 'docs/dialects/kong.md'), 'utf8');
    const { plugins } = parse(/```yaml\n(.*?)```/s.exec(page)![1]!) as {
      plugins: { config: { request: KongRequest } }[];
    };
    const { url, headers, body } = plugins[0]!.config.request;
    const filled = (of: Record<string, string>, values: Record<string, string>): Record<string, string> =>
      Object.fromEntries(Object.entries(of).map(([name, text]) => [name, values[text] ?? text]));

    it('gets a verdict on the text of each side, and no clean one where it cannot be checked', async () => {
      const ask = (key: keyof DialectKeys, content: string, role: string) =>
        system().post(new URL(url).pathname, filled(body, { '$(content)': content, '$(weir_role)': role }), {
          headers: {
            authorization: '',
            'service-version': '',
            ...filled(headers, { '$(conf.params.api_key)': keys[key] }),
          },
        });
      for (const role of ['user', 'assistant']) {
        assert.equal((await ask('open', 'Good morning.', role)).json.results[0].flagged, false);
        assert.equal((await ask('open', `mine is ${CARD}`, role)).json.results[0].flagged, true);
      }
      assert.equal((await ask('dead', 'some advice', 'user')).json.results, undefined);
    });
  });
}
