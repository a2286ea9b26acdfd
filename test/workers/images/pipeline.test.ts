import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { pdqToHex } from '#weir/shared/pdq/pdq';
import { createSlots } from '#weir/shared/slots';
import { createDecoder, type DecodeEvent, type DecoderPool } from '#weir/workers/images/decode/pool';
import type { Rendition } from '#weir/workers/images/decode/types';
import { failure } from '#weir/workers/images/failure';
import { parseAllowList } from '#weir/workers/images/fetch/address';
import { createFetcher } from '#weir/workers/images/fetch/fetch';
import {
  createGatherer,
  type GatheredImage,
  type GathererOptions,
  type ImageSource,
} from '#weir/workers/images/pipeline';
import type { ImageReading, ReadingPlan, WantedReadings } from '#weir/workers/images/read/readers';
import { scene } from '../../support/images/images.ts';
import { pixelsOf } from '../../support/images/pictures.ts';
import { type Origin, startOrigin } from '../../support/network/origin.ts';
import { pluck } from '../../support/pluck.ts';
import { until } from '../../support/wait.ts';

type Options = Partial<GathererOptions> & { fetches?: { total: number; perHost: number; waiting: number } };

const UNREAD: ImageReading = { text: null, scores: {}, notes: [] };
const never = new AbortController().signal;
const inMs = (fetch: number, decode = fetch + 20_000, place = decode) => ({
  fetchedBy: performance.now() + fetch,
  placedBy: performance.now() + place,
  decodedBy: performance.now() + decode,
});

describe('gathering images', () => {
  let decoder: DecoderPool;
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
      readers: { plan: () => ({ renditions: [], read: async () => UNREAD }) },
      places: createSlots({ total: 2, perHost: 1, waiting: 64 }),
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

  it('looks at images inline and by URL, and reports those that failed', async () => {
    const outcomes: string[] = [];
    const sources: ImageSource[] = [
      { item: 1, data: Uint8Array.from(image) },
      { item: 4, url: at(good) },
      { item: 5, url: at(good, '/none') },
      { item: 6, failed: 'data' },
      { item: 7, url: 'no url' },
      { item: 9, data: Buffer.from('hello') },
    ];
    const found = await gatherer({ observe: (outcome) => outcomes.push(outcome) }).gather(
      'acme',
      sources,
      inMs(10_000),
      never,
    );
    assert.deepEqual(Object.keys(found), ['1', '4', '5', '6', '7', '9']);
    const inline = lookedAt(found[1]);
    const measured = [inline.properties.kind, inline.properties.width, inline.properties.bytes];
    assert.deepEqual(measured, ['png', 64, image.length]);
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

  it('gives the hash that the published algorithm gives for the same pixels', async () => {
    const { pdq } = await import('#weir/shared/pdq/pdq');
    const found = await gatherer().gather('acme', [{ item: 1, data: image }], inMs(10_000), never);
    const expected = pdq(await pixelsOf(image));
    const hashed = [lookedAt(found[1]).hash.hashes[0], lookedAt(found[1]).hash.quality];
    assert.deepEqual(hashed, [pdqToHex(expected.hash), expected.quality]);
  });

  it('gives up a host that hangs when its time is up, and makes no others wait for it', async () => {
    const one = gatherer({ fetches: { total: 8, perHost: 2, waiting: 64 } });
    const hanging = Array.from({ length: 12 }, (_, item) => ({ item, url: at(silent, `/${item}`) }));
    let done = false;
    const stuck = one.gather('acme', hanging, inMs(2000), never).finally(() => {
      done = true;
    });
    await until('some hang', () => silent.requests.length >= 2);
    lookedAt((await one.gather('acme', [{ item: 1, url: at(good) }], inMs(10_000), never))[1]);
    assert.equal(done, false, 'the others still hang');
    const failures = Object.values(await stuck).map(failed);
    const reasons = new Set(failures.map(({ reason }) => reason));
    const late = [reasons.has('timeout'), reasons.has('fetch_late'), reasons.has('fetch_busy')];
    assert.deepEqual(late, [true, true, false]);
    assert.ok(failures.every(({ fault }) => fault !== 'caller'));
  });

  it('leaves fetches to other teams, however many hosts of one team hang, even of the same hosts', async (t) => {
    const hosts = await Promise.all(
      Array.from({ length: 6 }, () =>
        startOrigin((request, response) => {
          if (request.url === '/a.png') response.end(image);
        }),
      ),
    );
    t.after(() => Promise.all(hosts.map((host) => host.close())));
    const allow = parseAllowList(hosts.map(({ port }) => `127.0.0.1:${port}`).join());
    const slots = { total: 8, perHost: 2, waiting: 64 };
    const fetcher = createFetcher({ allow, version: '1', slots });
    const room = createSlots({ total: 12, perHost: 3, waiting: 64, spare: true });
    const one = gatherer({ fetcher, room });
    const stop = new AbortController();
    const hanging = hosts.flatMap((host) =>
      [1, 2, 3, 4].map((n) => ({ item: host.port * 10 + n, url: at(host, '/') })),
    );
    // The first team has four of eight slots, the second two.
    const stuck: Promise<unknown>[] = [];
    let hung = 0;
    for (const [team, most] of [['first', 4] as const, ['second', 6] as const]) {
      stuck.push(one.gather(team, hanging, inMs(600_000), stop.signal).finally(() => hung++));
      await until('they hang', () => hosts.flatMap(({ requests }) => requests).length === most);
    }
    const sources = hosts.map((host, item) => ({ item, url: at(host) }));
    for (const found of Object.values(await one.gather('third', sources, inMs(60_000), never))) lookedAt(found);
    assert.equal(hung, 0, 'those of the others still hang');
    stop.abort();
    await Promise.all(stuck);
  });

  it('waits while fetches are busy, and fetches then', async () => {
    const one = gatherer({ fetches: { total: 1, perHost: 1, waiting: 0 } });
    const sources = Array.from({ length: 4 }, (_, item) => ({ item, url: at(good) }));
    const found = await one.gather('acme', sources, inMs(15_000), never);
    for (const each of Object.values(found)) lookedAt(each);
  });

  it('decodes again when the decoder crashed, a few times', async () => {
    let tries = 0;
    const breaking = (failures: number): DecoderPool => ({
      ...decoder,
      decode: async (bytes, options) => (++tries <= failures ? failure('crashed') : decoder.decode(bytes, options)),
    });
    const sources = [{ item: 1, data: image }];
    lookedAt((await gatherer({ decoder: breaking(2) }).gather('acme', sources, inMs(10_000), never))[1]);
    assert.equal(tries, 3);
    tries = 0;
    const gone = failed((await gatherer({ decoder: breaking(5) }).gather('acme', sources, inMs(10_000), never))[1]);
    assert.deepEqual([gone.reason, gone.fault, tries], ['crashed', 'service', 3]);
  });

  it('lets images wait for the decoder in order of arrival, each asked for once', async (t) => {
    const events: DecodeEvent[] = [];
    const one = createDecoder({ workers: 1, observe: (event) => events.push(event) });
    t.after(() => one.close());
    const { gather } = gatherer({ decoder: one });
    const order: number[] = [];
    const sources = Array.from({ length: 40 }, (_, item) => item);
    await Promise.all(
      sources.map(async (item) => {
        lookedAt((await gather('acme', [{ item, data: image }], inMs(60_000), new AbortController().signal))[item]);
        order.push(item);
      }),
    );
    assert.deepEqual(order, sources);
    const outcomes = pluck(events, 'outcome');
    assert.deepEqual(
      outcomes,
      sources.map(() => 'decoded'),
    );
  });

  it('gives up an image whose turn does not come in time', async () => {
    const full: DecoderPool = {
      ...decoder,
      decode: (_, { signal }) =>
        new Promise((resolve) => signal!.addEventListener('abort', () => resolve(failure('cancelled')))),
    };
    const found = await gatherer({ decoder: full }).gather('acme', [{ item: 1, data: image }], inMs(0, 300), never);
    assert.deepEqual([failed(found[1]).reason, failed(found[1]).fault], ['cancelled', 'service']);
  });

  it('says so, without a fetch, when no time is left', async () => {
    const before = good.requests.length;
    const found = await gatherer().gather('acme', [{ item: 1, url: at(good) }], inMs(-1), never);
    assert.deepEqual([failed(found[1]).reason, good.requests.length], ['fetch_late', before]);
  });

  describe('that are read', () => {
    const gray: Rendition = { width: 16, height: 16, kind: 'gray', fit: 'fill' };
    const wanted: WantedReadings = { text: true, models: [] };
    const readBy = (read: ReadingPlan['read']): GathererOptions['readers'] => ({
      plan: (of) => ({ renditions: of.text ? [gray] : [], read }),
    });
    const until8s = () => inMs(8000, 8000);

    it('gives what was read from the pixels asked for, and the hash, from one decode', async () => {
      let decodes = 0;
      const counting: DecoderPool = { ...decoder, decode: (...of) => decoder.decode(...of).finally(() => decodes++) };
      const readers = readBy(async ([pixels], signal) => {
        assert.deepEqual([pixels!.width, pixels!.channels, signal?.aborted], [16, 1, false]);
        return { text: 'hello', scores: {}, notes: [] };
      });
      const sources: ImageSource[] = [
        { item: 1, data: Uint8Array.from(image), wanted },
        { item: 2, url: at(good), wanted },
        { item: 3, data: Uint8Array.from(image) },
      ];
      const found = await gatherer({ decoder: counting, readers }).gather('acme', sources, until8s(), never);
      const texts = [1, 2, 3].map((item) => lookedAt(found[item]).reading.text);
      assert.deepEqual(texts, ['hello', 'hello', null]);
      assert.equal(lookedAt(found[1]).hash.hashes.length, 8);
      assert.equal(decodes, 3);
    });

    it('gives up reading when the time is up, and keeps properties and hash', async () => {
      const readers = readBy(
        (_, signal) => new Promise((resolve) => signal!.addEventListener('abort', () => resolve(UNREAD))),
      );
      const time = inMs(6000, 6000);
      const found = await gatherer({ readers }).gather('acme', [{ item: 1, data: image, wanted }], time, never);
      assert.ok(performance.now() >= time.decodedBy - 1);
      assert.deepEqual(lookedAt(found[1]).reading, UNREAD);
      assert.equal(lookedAt(found[1]).hash.hashes.length, 8);
    });

    it('keeps properties and hash when renditions cost too much, and says so', async () => {
      const dear: DecoderPool = {
        ...decoder,
        decode: async (bytes, options) => {
          const result = await decoder.decode(bytes, options);
          return result.ok ? { ...result, pixels: [], unmade: failure('decode_timeout') } : result;
        },
      };
      const readers = readBy(() => assert.fail('there is nothing to read'));
      const found = await gatherer({ decoder: dear, readers }).gather(
        'acme',
        [{ item: 1, data: image, wanted }],
        until8s(),
        never,
      );
      const { hash, reading } = lookedAt(found[1]);
      assert.deepEqual([hash.hashes.length, reading.text, reading.scores], [8, null, {}]);
      assert.match(reading.notes.join(), /^The image could not be read: decoding it .* too long/);
    });

    it('decodes again when the decoder crashed after the hash, and keeps at least the hash', async () => {
      let tries = 0;
      const breaking = (crashes: number): DecoderPool => ({
        ...decoder,
        decode: async (bytes, options) => {
          const result = await decoder.decode(bytes, options);
          return result.ok && ++tries <= crashes ? { ...result, pixels: [], unmade: failure('crashed') } : result;
        },
      });
      const readers = readBy(async () => ({ text: 'hello', scores: {}, notes: [] }));
      const read = async (crashes: number) => {
        tries = 0;
        const one = gatherer({ decoder: breaking(crashes), readers });
        return lookedAt((await one.gather('acme', [{ item: 1, data: image, wanted }], until8s(), never))[1]);
      };
      assert.deepEqual([(await read(2)).reading.text, tries], ['hello', 3]);
      const { reading, hash } = await read(5);
      assert.deepEqual([reading.text, hash.hashes.length, tries], [null, 8, 3]);
    });

    it('keeps the hash when decoding again fails', async () => {
      let tries = 0;
      const breaking: DecoderPool = {
        ...decoder,
        decode: async (bytes, options) => {
          if (++tries > 1) return failure('decode_busy');
          const result = await decoder.decode(bytes, options);
          return result.ok ? { ...result, pixels: [], unmade: failure('crashed') } : result;
        },
      };
      const readers = readBy(async () => ({ text: 'hello', scores: {}, notes: [] }));
      const one = gatherer({ decoder: breaking, readers });
      const { reading, hash } = lookedAt(
        (await one.gather('acme', [{ item: 1, data: image, wanted }], until8s(), never))[1],
      );
      assert.deepEqual([reading.text, hash.hashes.length, tries], [null, 8, 2]);
    });

    it('holds the pixels of a few at a time, and decodes without reading when no slot is free in time', async () => {
      let [reading, most, unplaced] = [0, 0, 0];
      const readers = readBy(async (_, signal) => {
        most = Math.max(most, ++reading);
        await new Promise((resolve) => signal!.addEventListener('abort', resolve));
        reading--;
        return { text: 'late', scores: {}, notes: [] };
      });
      const places = createSlots({ total: 2, perHost: 1, waiting: 64 });
      const sources = [1, 2, 3, 4].map((item) => ({ item, data: Uint8Array.from(image), wanted }));
      const options = { readers, places, unplaced: () => void unplaced++ };
      const found = await gatherer(options).gather('acme', sources, inMs(8000, 6000, 300), never);
      const texts = sources.map(({ item }) => lookedAt(found[item]).reading.text);
      assert.deepEqual(texts.filter((text) => text === null).length, 3);
      const notes = sources.flatMap(({ item }) => lookedAt(found[item]).reading.notes);
      assert.deepEqual([notes.length, /too many images are waiting/.test(notes[0]!)], [3, true]);
      assert.deepEqual([most, unplaced, places.counts().taken], [1, 3, 0]);
    });

    it('gives slots to teams in turn, however many images of another team wait', async () => {
      const places = createSlots({ total: 1, perHost: 1, waiting: 64 });
      const leave = await places.take('', never);
      const order: string[] = [];
      const of = (team: string, count: number) => {
        const readers = readBy(async () => {
          order.push(team);
          return UNREAD;
        });
        const sources = Array.from({ length: count }, (_, item) => ({ item, data: Uint8Array.from(image), wanted }));
        return gatherer({ places, readers }).gather(team, sources, inMs(60_000, 60_000), never);
      };
      const all = [of('many', 10), of('few', 2)];
      await until('all wait', () => places.counts().waiting === 12);
      leave!();
      await Promise.all(all);
      assert.deepEqual(order.slice(0, 5), ['many', 'few', 'many', 'few', 'many']);
    });

    it('waits for no slot when nothing can be read', async () => {
      const places = createSlots({ total: 1, perHost: 1, waiting: 0 });
      const leave = await places.take('', never);
      const found = await gatherer({ places }).gather('acme', [{ item: 1, data: image, wanted }], until8s(), never);
      assert.deepEqual(lookedAt(found[1]).reading, UNREAD);
      leave!();
    });

    it('gives the slot back when an image cannot be decoded', async () => {
      const places = createSlots({ total: 1, perHost: 1, waiting: 8 });
      const readers = readBy(async () => UNREAD);
      const sources = [{ item: 1, data: Buffer.from('hello'), wanted }];
      const found = await gatherer({ readers, places }).gather('acme', sources, until8s(), never);
      assert.equal(failed(found[1]).reason, 'not_an_image');
      assert.equal(places.counts().taken, 0);
    });
  });

  it('ends when it is told to', async () => {
    const ending = new AbortController();
    const stuck = gatherer().gather('acme', [{ item: 1, url: at(silent, '/end') }], inMs(60_000), ending.signal);
    await until('it hangs', () => silent.requests.some(({ url }) => url === '/end'));
    ending.abort();
    assert.equal(failed((await stuck)[1]).ok, false);
  });
});
