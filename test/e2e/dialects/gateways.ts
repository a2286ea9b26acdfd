/** Gateways, each asking as it does. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { GATEWAYS } from '../../ingress/dialects/gateways.ts';
import { CARD } from '../configuration.ts';
import type { Answer, System } from '../system.ts';
import type { DialectKeys } from './configuration.ts';

export function gatewayTests(system: () => System, keys: DialectKeys): void {
  for (const { name, path, prompt, clean, refused, marked } of GATEWAYS) {
    const ask = (key: keyof DialectKeys, messages: unknown, headers = {}): Promise<Answer> =>
      system().post(path, prompt(messages), {
        headers: { authorization: '', 'x-api-key': keys[key], 'service-version': '', ...headers },
      });
    const user = (content: unknown) => ({ role: 'user', content });
    /** The policies that are not violated are told by one of them alone. */
    const isClean = ({ json }: Answer): boolean =>
      name === 'nemo' ? json.status === 'success' : isDeepStrictEqual(json, clean);
    const assertRefused = ({ status, json, text }: Answer): void => {
      if (name === 'envoy') assert.deepEqual([status, json.error.code], [403, 'content_refused'], text);
      else if (name === 'nemo')
        assert.deepEqual([json.status, json.rails_status['Payment data'].status], ['blocked', 'blocked']);
      else assert.deepEqual(json, refused('The content violates: Payment data.', ['Payment data']));
    };

    describe(`calls of ${name}`, () => {
      it('are refused where a policy is violated in the newest turn, and go on otherwise', async () => {
        assert.ok(isClean(await ask('open', [user('Good morning.')])));
        const paid = [user(`mine is ${CARD}`)];
        assertRefused(await ask('open', paid));
        const later = [...paid, { role: 'assistant', content: 'No.' }, user('Good morning.')];
        assert.ok(isClean(await ask('open', later)), 'it was judged when it was new');
        const call = { role: 'assistant', content: null, tool_calls: [{ function: { name: 'pay', arguments: CARD } }] };
        assertRefused(await ask('open', [user('x'), call]));
      });

      it('get no clean answer where a policy could not look', async () => {
        for (const [key, headers, code] of [
          ['dead', {}, 'unavailable'],
          ['silent', { prefer: 'wait=1' }, 'evaluation_timeout'],
        ] as const) {
          const answer = await ask(key, [user('some advice')], headers);
          assert.ok(!isClean(answer));
          assert.equal(answer.json.error.code, code);
        }
        const image = { type: 'image_url', image_url: { url: 'data:image/png;base64,AAAA' } };
        const answer = await ask('open', [user([image])]);
        assert.ok(!isClean(answer), 'an image that is none');
      });

      if (!marked) return;
      it('go on with marks where the policies redact, in earlier turns too', async () => {
        const mail = 'write to jane.roe@example.com';
        const messages = [user(mail), { role: 'assistant', content: mail }, user('Thank you.')];
        const told = messages.map((one, i) => (i < 2 ? { ...one, content: 'write to [EMAIL_ADDRESS]' } : one));
        assert.deepEqual((await ask('masking', messages)).json, marked(told));
        const both = [user(`${mail} ${CARD}`)];
        assert.equal(JSON.stringify((await ask('masking', both)).json).includes('violates'), true);
      });
    });
  }
}
