import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import fc from 'fast-check';
import { guardStream, WeirError, WeirViolation } from '#weir/shared/client/index';
import { until } from '../../../support/wait.ts';
import { CODE, collect, FINDING, pieces, sourceOf, streamService } from './support.ts';

const FINE = 'It is a fine day for a walk by the river, said the heron to the frog.';

describe('a guarded stream', () => {
  const service = streamService();
  // Of its own in each test: one may still be closing its streams.
  let name = '';
  let named = 0;
  beforeEach(() => {
    name = `s${named++}`;
  });
  const guard = <T>(
    source: Parameters<typeof guardStream<T>>[0],
    options: Partial<Parameters<typeof guardStream<T>>[1]> = {},
  ) => guardStream<T>(source, { client: service.client(), deployment_id: 'chat', streamId: name, ...options });
  const kept = (n = 1) => service.streams.get(`${name}-${n}`)!;
  const closed = (n = 1): Promise<void> => until(`stream ${n} is closed`, () => kept(n).final);

  it('hands on all chunks as they came, each when its text is safe, and closes its stream', async () => {
    const chunks = pieces(FINE);
    let shown = 0;
    const guarded = guard(sourceOf(chunks));
    const { chunks: seen, error } = await collect(guarded, (chunk) => {
      shown += chunk.length;
      assert.ok(shown <= kept().safe);
    });
    assert.deepEqual([seen, error], [chunks, undefined]);
    assert.equal(kept().text, FINE);
    assert.deepEqual(
      kept().pieces.map(({ sequence, final }) => [sequence, final]),
      kept().pieces.map((_, n, all) => [n, n === all.length - 1 ? true : undefined]),
    );
    const { stream_id, sequence, delta, final, ...common } = kept().pieces[0]!;
    assert.deepEqual(common, { deployment_id: 'chat', role: 'assistant' });
    assert.deepEqual(
      guarded.answers.map((answer) => [answer.stream_id, answer.flagged, answer.final]),
      [[`${name}-1`, false, true]],
    );
    assert.deepEqual(await guarded.next(), { done: true, value: undefined });
  });

  it('ends with the violation, cancels the source and closes its stream', async () => {
    const source = sourceOf(pieces(`${FINE} ${CODE}. ${FINE}`, [7]), 'waits');
    const guarded = guard(source);
    const { chunks, error } = await collect(guarded);
    assert.ok(error instanceof WeirViolation);
    assert.deepEqual(error.violated, ['Codes']);
    assert.equal(error.message, 'The stream violates "Codes".');
    assert.equal(error.answer.flagged, true);
    assert.ok(FINE.startsWith(chunks.join('').trim()), chunks.join(''));
    await closed();
    assert.equal(source.cancelled, true);
    assert.deepEqual(await guarded.next(), { done: true, value: undefined }, 'it says so once');
  });

  it('never hands on a part of what is flagged, and all of what is not, however texts are cut', async () => {
    const word = fc.constantFrom(CODE, 'CODE-12', 'CODE-', '123456', 'C', 'fine ', '\u{1F600}', ' ', 'DE-1');
    const text = fc.array(word, { maxLength: 12 }).map((words) => words.join(''));
    const cuts = fc.array(fc.integer({ min: 1, max: 9 }), { minLength: 1, maxLength: 8 });
    let count = 0;
    await fc.assert(
      fc.asyncProperty(text, cuts, async (whole, sizes) => {
        const { chunks, error } = await collect(guard(sourceOf(pieces(whole, sizes)), { streamId: `r${count++}` }));
        const found = FINDING.exec(whole);
        assert.equal(error instanceof WeirViolation, found !== null);
        if (found === null) assert.equal(chunks.join(''), whole);
        else assert.ok(chunks.join('').length <= found.index && whole.startsWith(chunks.join('')));
      }),
      { numRuns: 60 },
    );
  });

  it('gathers what comes while a request is under way, and has one at a time', async () => {
    const open = service.shut();
    const source = sourceOf(pieces(FINE, [1]));
    const collected = collect(guard(source));
    await until('all is read', () => source.asked > FINE.length && service.requests.length > 0);
    assert.deepEqual(
      service.requests.map(({ delta }) => delta),
      [FINE[0]],
    );
    open();
    assert.equal((await collected).chunks.length, FINE.length);
    assert.deepEqual([service.busiest, kept().pieces.length], [1, 2]);
  });

  it('reads a source on no further than a limit, and not at all while nobody asks', async () => {
    const open = service.shut();
    const source = sourceOf(Array.from({ length: 5000 }, () => 'word '));
    const guarded = guard(source);
    const first = guarded.next();
    await until('it stops', () => source.asked >= 1000);
    await new Promise(setImmediate);
    assert.equal(source.asked, 1000);
    open();
    assert.equal((await first).value, 'word ');
    await until('the next piece is answered', () => kept().pieces.length > 1);
    assert.ok(source.asked <= 1001);
    const large = sourceOf(Array.from({ length: 5 }, () => 'a'.repeat(40_000)));
    const openAgain = service.shut();
    const other = guard(large, { streamId: 'large' });
    const none = other.next();
    await until('it stops', () => large.asked === 3);
    openAgain();
    await none;
    await Promise.all([guarded.return(), other.return()]);
    assert.ok(service.requests.every(({ delta }) => delta.length <= 64 * 1024));
  });

  it('repeats a piece as it was after an error that passes', async () => {
    service.refusals.push({ status: 503, code: 'overloaded' }, { status: 504, code: 'evaluation_timeout' });
    const { chunks, error } = await collect(guard(sourceOf([FINE])));
    assert.deepEqual([chunks, error], [[FINE], undefined]);
    const [first, second, third] = service.requests;
    assert.deepEqual(second, first);
    assert.deepEqual(third, first);
  });

  it('ends with the error of a service that cannot be asked, or hands on the rest and says so', async () => {
    const client = service.client({ retries: 0 });
    service.refusals.push({ status: 503, code: 'unavailable' });
    const source = sourceOf(pieces(FINE), 'waits');
    const { chunks, error } = await collect(guard(source, { client }));
    assert.ok(error instanceof WeirError && 'code' in error.error && error.error.code === 'unavailable');
    assert.deepEqual([chunks, source.cancelled], [[], true]);

    service.refusals.push({ status: 503, code: 'unavailable' });
    const passing = guard(sourceOf(pieces(FINE)), { client, ifUnavailable: 'pass', streamId: 'open' });
    assert.equal((await collect(passing)).chunks.join(''), FINE);
    assert.equal(passing.unchecked?.type, 'api_error');
    const nobody = service.client({ url: 'http://127.0.0.1:1', retries: 0 });
    const alone = guard(sourceOf(pieces(CODE)), { client: nobody, ifUnavailable: 'pass' });
    assert.deepEqual([(await collect(alone)).chunks.join(''), alone.unchecked?.type], [CODE, 'network_error']);

    service.refusals.push({ status: 401, code: 'invalid_api_key' });
    const wrong = await collect(guard(sourceOf([FINE]), { ifUnavailable: 'pass', streamId: 'wrong' }));
    assert.ok(wrong.error instanceof WeirError);
  });

  it('takes what is not the answer of a stream for an error', async () => {
    const client = service.client({ fetch: async () => new Response('{"flagged":false}') });
    const { error } = await collect(guard(sourceOf([FINE]), { client }));
    assert.ok(error instanceof WeirError && error.error.type === 'protocol_error');
  });

  it('closes its stream and cancels the source when its consumer wants no more', async () => {
    const source = sourceOf(pieces(FINE), 'waits');
    for await (const chunk of guard(source)) {
      assert.equal(chunk, FINE.slice(0, 3));
      break;
    }
    assert.deepEqual([source.cancelled, kept().final], [true, true]);
  });

  it('ends with the reason of its signal, also while it waits for the source', async () => {
    const stop = new AbortController();
    const source = sourceOf(pieces(FINE), 'waits');
    let aborted = false;
    const controller = { abort: () => (aborted = true) };
    let shown = 0;
    const guarded = guard(Object.assign(source, { controller }), { signal: stop.signal });
    const collected = collect(guarded, () => shown++);
    await until('it waits', () => source.asked > pieces(FINE).length && shown > 0);
    stop.abort(new Error('enough'));
    assert.equal(((await collected).error as Error).message, 'enough');
    await closed();
    assert.deepEqual([source.cancelled, aborted], [true, true], 'its request, too, which waits for the model');
    const early = sourceOf([FINE]);
    assert.equal(
      ((await collect(guard(early, { signal: stop.signal, streamId: 'e' }))).error as Error).message,
      'enough',
    );
    assert.deepEqual([early.cancelled, service.streams.has('e-1')], [true, false]);
  });

  it('hands on what was safe before an error of the source', async () => {
    const { chunks, error } = await collect(guard(sourceOf(pieces(FINE), new Error('cut off'))));
    assert.deepEqual([chunks.join(''), (error as Error).message], [FINE, 'cut off']);
    const bad = await collect(guard(sourceOf(pieces(CODE), new Error('cut off')), { streamId: 'b' }));
    assert.ok(bad.error instanceof WeirViolation && bad.chunks.length === 0);
    await closed();
  });

  it('waits for policies that judge later where it is told to', async () => {
    service.delayed = ['p'];
    const text = `${FINE} See you later.`;
    let shown = 0;
    async function* source(): AsyncGenerator<string> {
      yield* pieces(FINE);
      await until('something is shown', () => shown > 0);
      yield ' See you later.';
    }
    const early = await collect(guard(source()), () => shown++);
    assert.ok(early.error instanceof WeirViolation);
    const all = await collect(guard(sourceOf(pieces(text)), { waitFor: 'all', streamId: 'all' }));
    assert.ok(all.error instanceof WeirViolation && all.chunks.length === 0);
    const fine = await collect(guard(sourceOf(pieces(FINE)), { waitFor: 'all', streamId: 'fine' }));
    assert.equal(fine.chunks.join(''), FINE);
  });

  it('sends no half of a character, except at the very end', async () => {
    const chunks = ['Hi \ud83d', '\ude00 and bye \ud83d'];
    assert.deepEqual((await collect(guard(sourceOf(chunks, 'ends')))).chunks, chunks);
    assert.ok(kept().pieces.every(({ delta, final }) => final || !/[\ud800-\udbff]$/.test(delta)));
    assert.equal(kept().pieces[0]?.delta, 'Hi ');
    assert.equal(kept().text, chunks.join(''));
  });

  it('hands on what it does not know in its place, and refuses a source that begins with it', async () => {
    const chunks = ['one ', { kind: 'unknown' }, 'two ', 7, null, 'three'];
    assert.deepEqual((await collect(guard<unknown>(sourceOf(chunks)))).chunks, chunks);
    for (const first of [{ kind: 'unknown' }, new Uint8Array(3), null]) {
      const source = sourceOf<unknown>([first, 'x']);
      const { error } = await collect(guard(source));
      assert.ok(error instanceof TypeError && source.cancelled, String(first));
    }
    const own = sourceOf([{ say: 'fine' }, {}, { say: CODE }, { say: 'more' }]);
    const { chunks: seen, error } = await collect(
      guard(own, { textOf: ({ say }: { say?: string }) => say, streamId: 'o' }),
    );
    assert.ok(error instanceof WeirViolation && seen.length <= 2);
  });

  it('takes streams of the web, and is one', async () => {
    let cancelled: unknown;
    const stream = (text: string): ReadableStream<string> => {
      const chunks = pieces(text);
      return new ReadableStream({
        pull: (controller) => (chunks.length > 0 ? controller.enqueue(chunks.shift()!) : controller.close()),
        cancel(reason) {
          cancelled = reason;
        },
      });
    };
    const seen: string[] = [];
    const output = new WritableStream<string>({
      write(chunk) {
        seen.push(chunk);
      },
    });
    await guard(stream(FINE)).toReadableStream().pipeTo(output);
    assert.equal(seen.join(''), FINE);
    const bad = guard(stream(`${CODE} ${FINE.repeat(100)}`), { streamId: 'b' }).toReadableStream();
    await assert.rejects(bad.getReader().read(), WeirViolation);
    assert.ok(cancelled instanceof WeirViolation);
    const left = guard(stream(FINE), { streamId: 'l' }).toReadableStream();
    const reader = left.getReader();
    await reader.read();
    await reader.cancel();
    await until('it is closed', () => service.streams.get('l-1')!.final);
  });

  it('refuses options that are none', () => {
    for (const wrong of [{ waitFor: 'some' }, { ifUnavailable: 'maybe' }]) {
      assert.throws(() => guard(sourceOf(['x']), wrong as never), TypeError);
    }
  });
});
