/** The guard of the client against a whole installation: found in a stream is found in the whole, and nothing of it is handed on before. */
import assert from 'node:assert/strict';
import { before, describe, it } from 'node:test';
import fc from 'fast-check';
import { type Client, createClient, guardStream, unwrap, WeirViolation } from '#weir/shared/client/index';
import { RECORDED } from '../../shared/client/streams/recorded.ts';
import { collect, pieces, sourceOf } from '../../shared/client/streams/support.ts';
import { CARD, KEY } from '../configuration.ts';
import type { System } from '../system.ts';

/** Of fragments that together are a card or an address, or only look like one. */
const WORDS = [
  CARD,
  '4111 1111',
  '1111 1111',
  ' ',
  '-',
  'ann@example.org',
  'ann@',
  'example.org',
  'It is fine. ',
  '\u{1F600}',
  'so, ',
  '0',
];
const SAMPLES = Number(process.env.GUARD_SAMPLES ?? 20);
/** Of a longer piece the next one comes before its answer, so that the guard gathers them. */
const ALONE = 6;

export function guardedStreams(started: () => System): void {
  describe('a guarded stream and a service', () => {
    let weir: Client;
    let asked = 0;
    let answered = (): void => {};
    before(() => {
      weir = createClient({
        url: started().stack.url,
        apiKey: KEY.acme,
        async fetch(...request) {
          asked++;
          try {
            return await fetch(...request);
          } finally {
            asked--;
            answered();
          }
        },
      });
    });

    /** Pieces that come when the one before is answered, where that is short. */
    async function* slowly(texts: string[]): AsyncGenerator<string> {
      for (const [n, text] of texts.entries()) {
        if (n > 0 && texts[n - 1]!.length < ALONE && asked > 0) {
          await new Promise<void>((resolve) => {
            answered = resolve;
          });
        }
        yield text;
      }
    }

    /** Where the first find of a policy begins in `text` as a whole; undefined: nowhere. */
    async function firstFind(text: string): Promise<number | undefined> {
      const messages = [{ role: 'assistant', content: text }];
      const { flagged, policies } = unwrap(
        await weir.checkSession({ deployment_id: 'chat', messages }, { explain: true }),
      );
      const finds = Object.values(policies).flatMap(({ evidence = [] }) => evidence.map(({ start }) => start));
      assert.equal(flagged, finds.length > 0);
      return finds.length === 0 ? undefined : Math.min(...finds);
    }

    it('hand on nothing of what the whole is flagged for, and all of what is not, however texts are cut', async () => {
      const text = fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 10 }).map((words) => words.join(''));
      const cuts = fc.array(fc.integer({ min: 2, max: 16 }), { minLength: 1, maxLength: 6 });
      let violations = 0;
      await fc.assert(
        fc.asyncProperty(text, cuts, async (whole, sizes) => {
          const find = await firstFind(whole);
          const source = slowly(pieces(whole, sizes));
          const { chunks, error } = await collect(guardStream(source, { client: weir, deployment_id: 'chat' }));
          const seen = chunks.join('');
          if (find === undefined) assert.deepEqual([seen, error], [whole, undefined]);
          else {
            assert.ok(error instanceof WeirViolation);
            assert.ok(seen.length <= find && whole.startsWith(seen), `${seen.length} units of ${find}`);
            violations++;
          }
        }),
        { numRuns: SAMPLES },
      );
      assert.ok(violations > 0 && violations < SAMPLES);
    });

    for (const [kind, { chunks }] of Object.entries(RECORDED)) {
      it(`hand on ${kind} as they are, or hold them back from a violation`, async () => {
        const options = { client: weir, environment_id: 'prod' };
        const fine = chunks({ text: 'A table is free at eight.', call: '{"seats": 2}' });
        const guarded = guardStream(sourceOf(fine), options);
        assert.deepEqual(await collect(guarded), { chunks: fine, error: undefined });
        assert.ok(guarded.answers.every(({ final, internal_event_id }) => final && internal_event_id !== undefined));
        const bad = chunks({ text: 'A table is free at eight.', call: `{"seats": 2, "card": "${CARD}"}` });
        const { chunks: seen, error } = await collect(guardStream(sourceOf(bad), options));
        assert.ok(error instanceof WeirViolation);
        assert.deepEqual(error.violated, ['Cards']);
        assert.doesNotMatch(JSON.stringify(seen), /4111 1/);
      });
    }
  });
}
