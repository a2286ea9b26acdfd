import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pdqToHex } from '#weir/shared/policy/detectors/pdq';
import { parseAllowList } from '#weir/workers/media/address';
import { createDecoder, type Decoder } from '#weir/workers/media/decode';
import { failure } from '#weir/workers/media/failure';
import { createFetcher } from '#weir/workers/media/fetch';
import { createGatherer, type GatheredImage, type GathererOptions, type ImageSource } from '#weir/workers/media/gather';
import { createSlots } from '#weir/workers/media/slots';
import { scene } from '../../support/images.ts';
import { type Origin, startOrigin } from '../../support/origin.ts';
import { pixelsOf } from '../../support/pictures.ts';
import { until } from '../../support/wait.ts';

type Options = Partial<GathererOptions> & { fetches?: { total: number; perHost: number; waiting: number } };

const never = new AbortController().signal;
const inMs = (fetch: number, decode = fetch + 20_000) => ({
  fetchedBy: performance.now() + fetch,
  decodedBy: performance.now() + decode,
});

describe('gathering images', () => {
  let decoder: Decoder;
  let image: Buffer;
  let good: Origin;
  let silent: Origin;
  before(async () => {
    decoder = createDecoder({ workers: 1 });
    image = await scene(64, 48).png().toBuffer();
    good = await startOrigin((request, response) => {
      if (request.url === '/a.png') response.end(image);
      else response.writeHead(404).end();
    });
    silent = await startOrigin(() => undefined);
  });
  after(() => Promise.all([decoder.close(), good.close(), silent.close()]));

  const at = (origin: Origin, path = '/a.png'): string => `http://127.0.0.1:${origin.port}${path}`;
  const allowed = () => parseAllowList(`127.0.0.1:${good.port},127.0.0.1:${silent.port}`);

  function gatherer({ fetches, ...options }: Options = {}) {
    const slots = fetches ?? { total: 8, perHost: 4, waiting: 64 };
    return createGatherer({
      fetcher: createFetcher({ allow: allowed(), version: '1', slots }),
      decoder,
      room: createSlots({ total: 16, perHost: 8, waiting: 64 }),
      decodeTries: 3,
      ...options,
    });
  }

  function lookedAt(found: GatheredImage | undefined): Extract<GatheredImage, { ok: true }> {
    assert.ok(found?.ok, JSON.stringify(found));
    return found;
  }
  function failed(found: GatheredImage | undefined): Extract<GatheredImage, { ok: false }> {
    assert.ok(found?.ok === false, JSON.stringify(found));
    return found;
  }

  it('looks at each image where it is: inline, by URL, or not at all', async () => {
    const outcomes: string[] = [];
    const sources: ImageSource[] = [
      { item: 1, data: Uint8Array.from(image) },
      { item: 4, url: at(good) },
      { item: 5, url: at(good, '/none') },
      { item: 6, failed: 'data' },
      { item: 7, url: 'no url' },
      { item: 9, data: Buffer.from('hello') },
    ];
    const found = await gatherer({ observe: (outcome) => outcomes.push(outcome) }).gather(sources, inMs(10_000), never);
    assert.deepEqual(Object.keys(found), ['1', '4', '5', '6', '7', '9']);
    const inline = lookedAt(found[1]);
    assert.deepEqual(
      [inline.properties.kind, inline.properties.width, inline.properties.bytes],
      ['png', 64, image.length],
    );
    assert.equal(inline.fetchMs, 0);
    const fetched = lookedAt(found[4]);
    assert.deepEqual(fetched.hash, inline.hash);
    assert.equal(fetched.hash.hashes.length, 8);
    const reasons = [5, 6, 7, 9].map((item) => failed(found[item]).reason);
    assert.deepEqual(reasons, ['status_4xx', 'data', 'url', 'not_an_image']);
    assert.equal(failed(found[9]).bytes, 5);
    assert.equal(failed(found[5]).note, failure('status_4xx').note);
    assert.deepEqual([...outcomes].sort(), ['data', 'looked_at', 'looked_at', 'not_an_image', 'status_4xx', 'url']);
  });

  it('hashes what the published algorithm makes of the same pixels', async () => {
    const { pdq } = await import('#weir/shared/policy/detectors/pdq');
    const found = await gatherer().gather([{ item: 1, data: image }], inMs(10_000), never);
    const expected = pdq(await pixelsOf(image));
    assert.deepEqual(
      [lookedAt(found[1]).hash.hashes[0], lookedAt(found[1]).hash.quality],
      [pdqToHex(expected.hash), expected.quality],
    );
  });

  it('gives up a host that hangs when its time is up, and keeps nobody else waiting for it', async () => {
    const one = gatherer({ fetches: { total: 8, perHost: 2, waiting: 64 } });
    const hanging = Array.from({ length: 12 }, (_, item) => ({ item, url: at(silent, `/${item}`) }));
    let done = false;
    const stuck = one.gather(hanging, inMs(2000), never).finally(() => {
      done = true;
    });
    await until('some hang', () => silent.requests.length >= 2);
    lookedAt((await one.gather([{ item: 1, url: at(good) }], inMs(10_000), never))[1]);
    assert.equal(done, false, 'the others still hang');
    const failures = Object.values(await stuck).map(failed);
    assert.ok(failures.some(({ reason }) => reason === 'timeout'));
    assert.ok(failures.every(({ fault }) => fault !== 'caller'));
  });

  it('waits while fetches are busy, and fetches then', async () => {
    const one = gatherer({ fetches: { total: 1, perHost: 1, waiting: 0 } });
    const sources = Array.from({ length: 4 }, (_, item) => ({ item, url: at(good) }));
    const found = await one.gather(sources, inMs(15_000), never);
    for (const each of Object.values(found)) lookedAt(each);
  });

  it('decodes again when the decoder crashed, a few times', async () => {
    let tries = 0;
    const breaking = (failures: number): Decoder => ({
      ...decoder,
      decode: async (bytes, options) => (++tries <= failures ? failure('crashed') : decoder.decode(bytes, options)),
    });
    const sources = [{ item: 1, data: image }];
    lookedAt((await gatherer({ decoder: breaking(2) }).gather(sources, inMs(10_000), never))[1]);
    assert.equal(tries, 3);
    tries = 0;
    const gone = failed((await gatherer({ decoder: breaking(5) }).gather(sources, inMs(10_000), never))[1]);
    assert.deepEqual([gone.reason, gone.fault, tries], ['crashed', 'service', 3]);
  });

  it('waits for a decoder that is busy, until its time is up', async () => {
    const full: Decoder = { ...decoder, decode: async () => failure('decode_busy') };
    const found = await gatherer({ decoder: full }).gather([{ item: 1, data: image }], inMs(0, 300), never);
    assert.deepEqual(failed(found[1]).fault, 'service');
  });

  it('has no time left: says so, without a fetch', async () => {
    const before = good.requests.length;
    const found = await gatherer().gather([{ item: 1, url: at(good) }], inMs(-1), never);
    assert.deepEqual([failed(found[1]).reason, good.requests.length], ['fetch_busy', before]);
  });

  it('ends when it is told to', async () => {
    const ending = new AbortController();
    const stuck = gatherer().gather([{ item: 1, url: at(silent, '/end') }], inMs(60_000), ending.signal);
    await until('it hangs', () => silent.requests.some(({ url }) => url === '/end'));
    ending.abort();
    assert.equal(failed((await stuck)[1]).ok, false);
  });
});
