/** Outcomes of checks with images that were looked at, or could not be. */
import assert from 'node:assert/strict';
import { randomBytes } from 'node:crypto';
import { describe, it } from 'node:test';
import { decodeRecord, type RecordItem } from '#weir/shared/api/results/record';
import type { EventsRequest, SessionRequest } from '#weir/shared/api/types';
import type { Detect } from '#weir/shared/configuration/types';
import { itemId, newRequestId } from '#weir/shared/ids';
import { buildHashIndex, type HashIndex, hashIndex, readHash, words, writeHash } from '#weir/shared/pdq/hash-index';
import { pdqFromHex, pdqToHex, TRANSFORMS } from '#weir/shared/pdq/pdq';
import { compilePlan } from '#weir/shared/policy/compile';
import {
  compileExpression,
  evaluateExpression,
  NO,
  type Truth,
  UNKNOWN,
  YES,
} from '#weir/shared/policy/detect-expression';
import type { Plan } from '#weir/shared/policy/plan';
import { keys } from '#weir/shared/streams/keys';
import type { WorkHeader } from '#weir/shared/streams/work';
import type { Draft, Entry, Gathered } from '#weir/workers/evaluator/draft';
import { forgetUnused, indexesOf } from '#weir/workers/evaluator/images/content';
import { extractImages } from '#weir/workers/evaluator/images/find';
import { artifactOutcome as artifactOf } from '#weir/workers/evaluator/kinds/artifact';
import { type EntryBody, madeBody } from '#weir/workers/evaluator/kinds/body';
import { eventsOutcome as eventsOf } from '#weir/workers/evaluator/kinds/events/events';
import { sessionOutcome as sessionOf } from '#weir/workers/evaluator/kinds/sessions/session';
import { evaluateEntry, failedEntry } from '#weir/workers/evaluator/outcome';
import { failure } from '#weir/workers/images/failure';
import type { GatheredImage } from '#weir/workers/images/pipeline';
import { rowFormatOf } from '#weir/workers/rows/pack-rows';
import { id, type Sketch, sketch } from '../../../shared/policy/support.ts';
import { randomFrom } from '../../../support/images/images.ts';
import { pluck } from '../../../support/pluck.ts';
import { entryOf as plainEntry } from '../support.ts';

/** P0 finds the word `bad` in texts, P1 knows an image by its hash, P2 looks for large images. */
const POLICIES = [
  { detect: { terms: { list: ['bad'] } }, sources: ['text'] },
  { detect: { image_hash: { list: 'known' } }, sources: ['image'] },
  { detect: { image_properties: { min_width: 5000 } } },
];
const planOf = (more: Partial<Sketch> = {}): Plan => compilePlan(sketch({ policies: POLICIES, ...more }), 1);
const plan = planOf();

const hashOf = (byte: number): Uint8Array => new Uint8Array(32).fill(byte);
const known = words(8);
writeHash(hashOf(0x0f), known, 0);
const indexes = new Map([['known', hashIndex(buildHashIndex(known))]]);

const PROPERTIES = {
  kind: 'png',
  width: 640,
  height: 480,
  bytes: 1234,
  animated: false,
  hasGps: false,
  orientation: 1,
};
const UNREAD = { text: null, scores: {}, notes: [] };
/** An image whose hash in orientation `turned` repeats `byte`. */
function image(byte = 0xaa, turned = 0, properties: object = {}): GatheredImage {
  const hashes = TRANSFORMS.map((_, i) => pdqToHex(hashOf(i === turned ? byte : 0x55)));
  const measured = { properties: { ...PROPERTIES, ...properties }, hash: { quality: 90, hashes }, reading: UNREAD };
  return { ok: true, ...measured, fetchMs: 5, decodeMs: 7 } as GatheredImage;
}
const lost = (reason: Parameters<typeof failure>[0]): GatheredImage => ({
  ...failure(reason),
  bytes: 99,
  fetchMs: 1,
  decodeMs: 2,
});

function entryOf(kind: WorkHeader['kind'], images: Gathered['images'], more: Partial<WorkHeader> = {}): Entry {
  const gathered = { references: {}, context: {}, ...(images ? { images } : {}) };
  return { ...plainEntry(kind, '', more), gathered, indexes };
}

const PNG_BYTES = randomBytes(400);
const url = (name: string) => ({ kind: 'image' as const, url: `https://example.org/${name}`, name });
const artifactPart = (name: string) => ({ type: 'artifact', content: url(name), external_artifact_id: name });
const sessionWith = (text: string | null, ...names: string[]): SessionRequest => ({
  external_session_id: 'chat',
  messages: [
    { role: 'user', content: [...(text === null ? [] : [{ type: 'text', text }]), ...names.map(artifactPart)] },
  ],
});

/** The outcome of a request, as if its JSON had been sent. */
const sent =
  <T>(outcome: (of: Plan | null, entry: Entry, body: EntryBody<T>) => Draft) =>
  (of: Plan | null, entry: Entry, request: T): Draft =>
    outcome(of, entry, madeBody(request));
const artifactOutcome = sent(artifactOf);
const eventsOutcome = (of: Plan | null, entry: Entry, request: EventsRequest): Draft =>
  eventsOf(of, { ...entry, body: Buffer.from(JSON.stringify(request)) });
const sessionOutcome = sent(sessionOf);

const policiesOf = ({ fragments }: Draft, { policies }: Pick<RecordItem, 'policies'>) =>
  JSON.parse(fragments[policies]!) as Record<string, { flagged: boolean; flagged_source: string[] }>;
const shapes = (draft: Draft) => draft.items.map(({ type, status, flagged, note }) => [type, status, flagged, note]);

describe('an image by itself', () => {
  const request = { content: url('a'), external_artifact_id: 'mine', external_session_id: 'chat' };

  it('is completed with the verdict of the policies for images', () => {
    const draft = artifactOutcome(plan, entryOf('artifact', { 1: image() }), request);
    assert.deepEqual(shapes(draft), [['artifact', 'completed', false, '']]);
    assert.deepEqual(Object.keys(policiesOf(draft, draft.items[0]!)), [id(1), id(2)]);
    const bad = artifactOutcome(plan, entryOf('artifact', { 1: image(0x0f) }), request);
    assert.deepEqual(shapes(bad), [['artifact', 'completed', true, '']]);
    assert.deepEqual(policiesOf(bad, bad.items[0]!)[id(1)], {
      name: 'P1',
      flagged: true,
      flagged_source: ['image'],
    });
  });

  it('is known turned and mirrored in all eight ways', () => {
    for (const turned of TRANSFORMS.keys()) {
      const draft = artifactOutcome(plan, entryOf('artifact', { 1: image(0x0f, turned) }), request);
      assert.equal(draft.items[0]!.flagged, true, TRANSFORMS[turned]);
    }
  });

  it('is compared with the lists of its own policies, each once and up to their largest distance', () => {
    let searched: [string, number | undefined][] = [];
    const counting = (name: string, index: HashIndex): [string, HashIndex] => [
      name,
      {
        ...index,
        nearestOf: (hashes, maxDistance) => {
          searched.push([name, maxDistance]);
          return index.nearestOf(hashes, maxDistance);
        },
      },
    ];
    const lists = new Map(['known', 'other'].map((name) => counting(name, indexes.get('known')!)));
    const searches = (policies: Sketch['policies'], looked: GatheredImage): [typeof searched, boolean | null] => {
      searched = [];
      const of = planOf({ policies });
      const entry = { ...entryOf('artifact', { 1: looked }), indexes: lists };
      return [searched, artifactOutcome(of, entry, request).items[0]!.flagged];
    };
    const large = { detect: { image_properties: { min_width: 5000 } }, sources: ['image'] };
    const held = (list: string, max_distance = 31) => ({
      detect: { image_hash: { list, max_distance } },
      sources: ['image'],
    });
    assert.deepEqual(searches([large], image(0x0f)), [[], false]);
    assert.deepEqual(searches([large, held('known'), held('known', 3)], image(0x0f)), [[['known', 31]], true]);
    assert.deepEqual(searches([held('known', 2), held('known', 3)], image(0x0f)), [[['known', 3]], true]);
    assert.deepEqual(searches([held('other')], image(0xaa)), [[['other', 31]], false]);
    assert.deepEqual(searches([held('missing')], image(0x0f)), [[], null]);
  });

  it('has the same verdicts, evidence and rows as with an unlimited search', () => {
    const next = randomFrom(21);
    const below = (limit: number) => Math.floor(next() * limit);
    /** The first hash of a list with up to 39 bits turned. */
    const near = (list: Uint32Array): string => {
      const hash = readHash(list, 0);
      for (let flips = below(40); flips > 0; flips--) hash[below(32)]! ^= 1 << below(8);
      return pdqToHex(hash);
    };
    const listOf = (hashes: Uint32Array): HashIndex => hashIndex(buildHashIndex(hashes));
    const [few, many] = [24, 12_000].map((length) => words(length).map(() => next() * 2 ** 32));
    const lists = new Map([
      ['known', listOf(few!)],
      ['large', listOf(many!)],
    ]);
    // A search as far as an index goes.
    const full = new Map<string, HashIndex>();
    for (const [name, index] of lists) full.set(name, { ...index, nearestOf: (hashes) => index.nearestOf(hashes) });
    type HashPolicy = { image_hash: { list: string; max_distance: number; min_quality: number } };
    const held = (): Detect => {
      const image_hash = {
        list: ['known', 'large', 'absent'][below(20) === 0 ? 2 : below(2)]!,
        max_distance: below(32),
        min_quality: below(101),
      };
      return below(6) === 0 ? { not: { image_hash } } : { image_hash };
    };
    const detect = (): Detect => [held(), { any: [held(), held()] }, { all: [held(), held()] }][below(3)]!;
    const found = { flagged: 0, clean: 0, failed: 0 };
    for (let i = 0; i < 200; i++) {
      const policies = Array.from({ length: 1 + below(3) }, () => ({
        detect: detect(),
        sources: ['image'],
      }));
      const of = planOf({ policies, failClosed: below(4) === 0 });
      const looked = image(0xaa) as Extract<GatheredImage, { ok: true }>;
      const turned = below(8);
      const hashes = looked.hash.hashes.map((hash, n) => (n === turned ? near(below(2) ? few! : many!) : hash));
      const quality = below(101);
      const entry = entryOf('artifact', { 1: { ...looked, hash: { quality, hashes } } });
      const [as, expected] = [lists, full].map((each) => artifactOutcome(of, { ...entry, indexes: each }, request));
      assert.deepEqual(as, expected);
      // The same by the parameters of each policy.
      const fires = (asked: HashPolicy['image_hash']): Truth => {
        const list = lists.get(asked.list);
        if (!list) return UNKNOWN;
        const distance = list.nearestOf(hashes.map((hex) => pdqFromHex(hex)!))?.distance ?? Infinity;
        return quality >= asked.min_quality && distance <= asked.max_distance ? YES : NO;
      };
      const map = policiesOf(as!, as!.items[0]!);
      for (const [n, policy] of policies.entries()) {
        const detectors: HashPolicy[] = [];
        const expression = compileExpression(policy.detect, (detector) => detectors.push(detector as HashPolicy) - 1);
        const truth = evaluateExpression(expression, (number) => fires(detectors[number]!.image_hash));
        assert.deepEqual(map[id(n)]?.flagged, truth === UNKNOWN ? undefined : truth === YES, JSON.stringify(policy));
      }
      const { flagged } = as!.items[0]!;
      found[flagged === null ? 'failed' : flagged ? 'flagged' : 'clean']++;
    }
    for (const count of Object.values(found)) assert.ok(count > 10, JSON.stringify(found));
  });

  it('is failed with the reason, and neither clean nor flagged, if it could not be looked at', () => {
    for (const team of [plan, planOf({ failClosed: true })]) {
      for (const reason of ['corrupt', 'unreachable', 'crashed'] as const) {
        const draft = artifactOutcome(team, entryOf('artifact', { 1: lost(reason) }), request);
        assert.deepEqual(shapes(draft), [['artifact', 'failed', null, failure(reason).note]]);
        assert.deepEqual(draft.error, null);
        assert.equal(draft.rows[0]!.image!.bytes, 99);
      }
    }
    const nothing = artifactOutcome(plan, entryOf('artifact', undefined), request);
    assert.deepEqual(shapes(nothing), [['artifact', 'failed', null, 'the image could not be evaluated']]);
  });

  it('is failed when a list cannot be searched, unless another policy flags it', () => {
    const blind = (width: number): Draft =>
      artifactOutcome(plan, { ...entryOf('artifact', { 1: image(0xaa, 0, { width }) }), indexes: new Map() }, request);
    assert.deepEqual(shapes(blind(640)), [['artifact', 'failed', null, '1 policy could not be evaluated']]);
    assert.deepEqual(shapes(blind(6000)), [['artifact', 'completed', true, '1 policy could not be evaluated']]);
    assert.deepEqual(Object.keys(policiesOf(blind(6000), blind(6000).items[0]!)), [id(2)]);
  });

  it('belongs to the session that was found for it, and is found by its ids', () => {
    const session = { internal: itemId(newRequestId(0), 1), external: 'chat' };
    const entry = entryOf('artifact', { 1: image() }, { session });
    const draft = artifactOutcome(plan, entry, request);
    assert.deepEqual(draft.items[0]!.artifact, { external: 'mine', session: session.internal });
    assert.equal(draft.items[0]!.externalSessionId, 'chat');
    assert.deepEqual(
      draft.index,
      [
        keys.artifact('t', 'd', 'mine'),
        keys.sessionArtifacts('t', 'd', 'internal', session.internal),
        keys.sessionArtifacts('t', 'd', 'external', 'chat'),
      ].map((key) => [key, itemId(entry.header.id, 0)]),
    );
    const [row] = draft.rows;
    assert.deepEqual(row!.image, {
      kind: 'png', width: 640, height: 480, bytes: 1234, hash: 'aa'.repeat(32), quality: 90, fetchMs: 5, decodeMs: 7,
      internalSessionId: session.internal,
    }); // biome-ignore format: a table of columns
    assert.deepEqual([row!.name, row!.externalArtifactId, row!.role], ['a', 'mine', 'user']);
  });

  it('keeps nothing of its data in history', () => {
    const content = { kind: 'image' as const, data: 'c2VjcmV0', name: 'a.png' };
    const { rows } = artifactOutcome(plan, entryOf('artifact', { 1: image() }), { content });
    assert.equal(rows[0]!.content, '{"kind":"image","name":"a.png"}');
  });

  it('is the same when it is read from its record', () => {
    const entry = { ...entryOf('artifact', { 1: image(0x0f) }), body: Buffer.from(JSON.stringify(request)) };
    const outcome = evaluateEntry(plan, entry);
    const [item] = decodeRecord(outcome.record).items;
    const read = [item!.artifact, item!.flagged, item!.links];
    assert.deepEqual(read, [{ external: 'mine', session: '' }, true, undefined]);
    assert.equal(outcome.format, '2');
    const [given] = decodeRecord(failedEntry(entry, 'given up').record).items;
    assert.deepEqual([given!.status, given!.flagged, given!.note], ['failed', null, 'given up']);
  });
});

describe('a session with images', () => {
  it('is flagged by text, by images or by both, and each image has its own verdict', () => {
    const sources = (text: string | null, ...bytes: number[]) => {
      const images = Object.fromEntries(bytes.map((byte, i) => [i + 2, image(byte, 0, { width: 6000 })]));
      const names = bytes.map((_, i) => `image-${i}`);
      const draft = sessionOutcome(plan, entryOf('session', images), sessionWith(text, ...names));
      return { draft, policies: policiesOf(draft, draft.items[0]!) };
    };
    const { draft, policies } = sources('bad words', 0xaa, 0x0f);
    const seen = shapes(draft).map(([type, status, flagged]) => [type, status, flagged]);
    assert.deepEqual(seen, [
      ['session', 'completed', true],
      ['artifact', 'completed', true],
      ['artifact', 'completed', true],
    ]);
    const bySource = [0, 1, 2].map((n) => policies[id(n)]!.flagged_source);
    assert.deepEqual(bySource, [['text'], ['image'], ['image']]);
    assert.deepEqual(policiesOf(draft, draft.items[1]!)[id(1)]!.flagged, false);
    assert.deepEqual(policiesOf(draft, draft.items[2]!)[id(1)]!.flagged, true);
    assert.equal(sources(null, 0xaa).draft.items[0]!.flagged, true, 'an image without a text');
  });

  it('gives its images ids after its own, and finds them by theirs [session.artifact-part]', () => {
    const entry = entryOf('session', { 2: image(), 3: image() });
    const draft = sessionOutcome(plan, entry, sessionWith('fine', 'a', 'b'));
    assert.deepEqual(pluck(draft.items, 'item', 'artifact'), [
      [1, undefined],
      [2, { external: 'a', session: itemId(entry.header.id, 1) }],
      [3, { external: 'b', session: itemId(entry.header.id, 1) }],
    ]);
    const found = draft.index.map(([key]) => key);
    for (const key of [keys.ext('t', 'd', 'chat'), keys.artifact('t', 'd', 'a'), keys.artifact('t', 'd', 'b')]) {
      assert.ok(found.includes(key), key);
    }
    assert.deepEqual(
      found.filter((key) => key.startsWith('arts:')),
      [keys.sessionArtifacts('t', 'd', 'internal', itemId(entry.header.id, 1))],
      'by its own check alone',
    );
    assert.equal(rowFormatOf(draft.rows), '2');
    assert.equal(draft.rows[0]!.image, undefined);
  });

  it('finds its images in each of the shapes of an artifact part, by address and inline [session.artifact-part]', () => {
    const data = PNG_BYTES.toString('base64');
    const content = [
      { type: 'text', text: 'x' },
      { type: 'artifact', content: { kind: 'image', data } },
      { type: 'artifact', artifact: { kind: 'image', data }, external_artifact_id: 'a' },
      { type: 'artifact', kind: 'image', data, name: 'n', external_artifact_id: 'b' },
      { type: 'artifact', kind: 'image', url: 'https://example.org/c' },
    ];
    const request = { messages: [{ role: 'user', content }] };
    const { header } = entryOf('session', undefined);
    const { images, body } = extractImages(plan, header, Buffer.from(JSON.stringify(request)));
    assert.deepEqual(
      images.map((one) => [one.item, 'url' in one ? one.url : 'data' in one && PNG_BYTES.equals(one.data)]),
      [
        [2, true],
        [3, true],
        [4, true],
        [5, 'https://example.org/c'],
      ],
    );
    assert.ok(body && !Buffer.from(body).includes(data), 'nothing else needs the data');
    const sent = JSON.parse(Buffer.from(body).toString()) as SessionRequest;
    const looked = entryOf('session', { 2: image(), 3: image(0x0f), 4: image(), 5: image() });
    const draft = sessionOutcome(plan, looked, sent);
    assert.deepEqual(pluck(draft.items, 'flagged'), [true, false, true, false, false]);
    assert.deepEqual(draft.items[2]!.artifact, { external: 'a', session: itemId(looked.header.id, 1) });
    assert.equal(draft.rows[0]!.content, 'x');
    assert.equal(draft.rows[3]!.name, 'n');
  });

  it('is an error if an image could not be looked at and nothing is flagged: 400 if a retry must fail again', () => {
    const draft = (...images: GatheredImage[]): Draft =>
      sessionOutcome(
        plan,
        entryOf('session', Object.fromEntries(images.map((one, i) => [i + 2, one]))),
        sessionWith('fine', ...images.map((_, i) => `image-${i}`)),
      );
    const mixed = draft(image(), lost('unreachable'), lost('corrupt'));
    assert.deepEqual(mixed.error, {
      status: 400,
      code: 'validation_failed',
      message: `messages[0].content[3]: ${failure('corrupt').note}`,
      param: 'messages[0].content[3]',
    });
    assert.deepEqual(shapes(mixed)[0], [
      'session',
      'failed',
      null,
      '2 policies could not be evaluated; 2 of 3 images could not be looked at',
    ]);
    const images = shapes(mixed)
      .slice(1)
      .map(([, status, flagged, note]) => [status, flagged, note]);
    assert.deepEqual(images, [
      ['completed', false, ''],
      ['failed', null, failure('unreachable').note],
      ['failed', null, failure('corrupt').note],
    ]);
    for (const reason of ['unreachable', 'timeout', 'crashed'] as const) {
      const { error } = draft(lost(reason));
      assert.deepEqual([error?.status, error?.code], [503, 'unavailable'], reason);
      assert.match(error!.message, /^messages\[0\]\.content\[1\]: /);
    }
  });

  it('is an error then even where no policy looks at images', () => {
    const text = planOf({ policies: POLICIES.slice(0, 1) });
    const draft = sessionOutcome(text, entryOf('session', { 2: lost('corrupt') }), sessionWith('fine', 'a'));
    assert.equal(draft.error?.status, 400);
    assert.equal(draft.items[0]!.flagged, null);
  });

  it('is flagged where anything else is flagged, and says what could not be looked at', () => {
    const draft = sessionOutcome(plan, entryOf('session', { 2: lost('corrupt') }), sessionWith('bad', 'a'));
    assert.deepEqual([draft.error, draft.items[0]!.status, draft.items[0]!.flagged], [null, 'completed', true]);
    assert.match(draft.items[0]!.note, /1 of 1 images could not be looked at/);
    assert.deepEqual(Object.keys(policiesOf(draft, draft.items[0]!)), [id(0)]);
  });

  it('is flagged where the team fails closed, but its image is not', () => {
    const closed = planOf({ failClosed: true });
    const draft = sessionOutcome(closed, entryOf('session', { 2: lost('corrupt') }), sessionWith('fine', 'a'));
    assert.deepEqual([draft.error, draft.items[0]!.flagged, draft.items[1]!.flagged], [null, true, null]);
  });

  it('looks at the images of the last message alone, and keeps them out of its text', () => {
    const request = sessionWith('fine', 'a');
    request.messages.unshift({ role: 'user', content: [artifactPart('earlier'), { type: 'text', text: 'before' }] });
    const entry = entryOf('session', { 2: image() });
    const draft = sessionOutcome(plan, entry, request);
    assert.deepEqual(draft.items.length, 2);
    assert.equal(draft.rows[0]!.content, 'fine');
    const body = Buffer.from(JSON.stringify(request));
    assert.deepEqual(extractImages(plan, entry.header, body).images, [{ item: 2, url: 'https://example.org/a' }]);
  });
});

describe('artifact events', () => {
  const batch = (...contents: unknown[]) => ({
    run_id: 'r',
    events: contents.map((content, i) =>
      typeof content === 'string'
        ? ({ type: 'reasoning', event_id: `e${i}`, content } as const)
        : ({ type: 'artifact', event_id: `e${i}`, content, external_artifact_id: 'mine' } as const),
    ),
  });

  it('have verdicts of their own, like the texts of their batch [event.external-artifact]', () => {
    const draft = eventsOutcome(
      plan,
      entryOf('events', { 1: image(0x0f), 3: image() }),
      batch(url('a'), 'bad', url('b')),
    );
    assert.deepEqual(shapes(draft), [
      ['artifact', 'completed', true, ''],
      ['reasoning', 'completed', true, ''],
      ['artifact', 'completed', false, ''],
    ]);
    assert.deepEqual(Object.keys(policiesOf(draft, draft.items[1]!)), [id(0)]);
    assert.deepEqual(draft.rows[0]!.externalArtifactId, 'mine');
    assert.equal(draft.rows[0]!.content, JSON.stringify({ kind: 'image', url: 'https://example.org/a', name: 'a' }));
    const inRuns = draft.index.every(([key]) => key.startsWith('run:'));
    assert.ok(inRuns, 'such an event is not found as an artifact');
  });

  it('fail by themselves, with the reason, and the texts do not [3.event-failed-image] [6.6]', () => {
    const draft = eventsOutcome(plan, entryOf('events', { 1: lost('too_large') }), batch(url('bad'), 'fine'));
    // P0 would find the word in the address.
    assert.deepEqual(shapes(draft), [
      ['artifact', 'failed', false, failure('too_large').note],
      ['reasoning', 'completed', false, ''],
    ]);
    const closed = planOf({ failClosed: true });
    const flagged = eventsOutcome(closed, entryOf('events', { 1: lost('too_large') }), batch(url('a')));
    assert.deepEqual(shapes(flagged), [['artifact', 'failed', true, failure('too_large').note]]);
  });

  it('have the policies for their image in the map, flagged, where it failed and the team fails closed [failure.fail_closed]', () => {
    const entry = entryOf('events', { 1: lost('corrupt') });
    const [closed, open] = [planOf({ failClosed: true }), plan].map((of) => eventsOutcome(of, entry, batch(url('a'))));
    const map = policiesOf(closed!, closed!.items[0]!) as Record<string, { flagged: boolean }>;
    const flags = Object.entries(map).map(([policy, { flagged }]) => [policy, flagged]);
    assert.deepEqual(flags, [
      [id(1), true],
      [id(2), true],
    ]);
    assert.deepEqual(policiesOf(open!, open!.items[0]!), {});
    const [row] = closed!.rows;
    assert.deepEqual([row!.status, row!.flagged, row!.note], ['failed', true, failure('corrupt').note]);
    assert.deepEqual(pluck(row!.verdict.violations, 'id', 'sources'), [
      [id(1), ['image']],
      [id(2), ['image']],
    ]);
    const conditions = [{ id: 'c', name: 'C', when: 'false', policies: [id(1)] }];
    const unmatched = eventsOutcome(planOf({ failClosed: true, conditions }), entry, batch(url('a')));
    assert.deepEqual(policiesOf(unmatched, unmatched.items[0]!), {});
    assert.deepEqual(shapes(unmatched), [['artifact', 'failed', true, failure('corrupt').note]]);
  });

  it('add no text to their conversation', () => {
    const conversations = ['r:r'];
    const entry = entryOf('events', { 1: image() }, { conversations, contextDepth: 5 });
    const draft = eventsOutcome(plan, entry, batch(url('a'), 'fine'));
    const [[, members]] = draft.context as [[string, string[]]];
    const texts = members.map((member) => member.slice(39));
    assert.deepEqual(texts, ['fine']);
  });
});

describe('an image that was looked at and not read', () => {
  const readText = { image_text: { detect: { terms: { list: ['bad'] } } } };
  const POLICY = { detect: readText, sources: ['image'] };
  const LATE = 'The text of the image could not be read in time.';
  const unread = { ...image(), reading: { text: null, scores: {}, notes: [LATE] } } as GatheredImage;
  const readAs = (text: string) => ({ ...image(), reading: { text, scores: {}, notes: [] } }) as GatheredImage;
  const judged = (of: Plan, looked: GatheredImage): [string, boolean | null, string][] => {
    const session = sessionOutcome(of, entryOf('session', { 2: looked }), sessionWith(null, 'a')).items[0]!;
    const artifact = artifactOutcome(of, entryOf('artifact', { 1: looked }), { content: url('a') }).items[0]!;
    const events = { run_id: 'r', events: [{ type: 'artifact' as const, event_id: 'e', content: url('a') }] };
    const event = eventsOutcome(of, entryOf('events', { 1: looked }), events).items[0]!;
    return [session, artifact, event].map(({ status, flagged, note }) => [status, flagged, note]);
  };

  it('is not evaluated, with the reason, and neither clean nor flagged', () => {
    const of = planOf({ policies: [POLICY] });
    const note = `1 policy could not be evaluated; ${LATE}`;
    assert.deepEqual(judged(of, unread), [
      ['failed', null, note],
      ['failed', null, note],
      ['failed', false, note],
    ]);
    const { error } = sessionOutcome(of, entryOf('session', { 2: unread }), sessionWith(null, 'a'));
    assert.deepEqual(error, { status: 503, code: 'unavailable', message: note });
  });

  it('is evaluated when it was read, whether it has text or none', () => {
    const of = planOf({ policies: [POLICY] });
    for (const [text, flagged] of [
      ['so bad', true],
      ['', false],
    ] as const) {
      assert.deepEqual(judged(of, readAs(text)), Array(3).fill(['completed', flagged, '']));
    }
  });

  it('is flagged by policies that need no reading, and has no reason where every policy was evaluated', () => {
    const small = { image_properties: { max_width: 1000 } };
    const beside = planOf({ policies: [POLICY, { detect: small, sources: ['image'] }] });
    const note = `1 policy could not be evaluated; ${LATE}`;
    assert.deepEqual(judged(beside, unread), Array(3).fill(['completed', true, note]));
    const either = planOf({ policies: [{ detect: { any: [readText, small] }, sources: ['image'] }] });
    assert.deepEqual(judged(either, unread), Array(3).fill(['completed', true, '']));
  });

  it('is flagged where the team fails closed, but as an artifact neither flagged nor clean [failure.fail_closed]', () => {
    const closed = planOf({ policies: [POLICY], failClosed: true });
    const why = `1 policy could not be evaluated and is flagged, as the team fails closed; ${LATE}`;
    const [session, artifact, event] = judged(closed, unread);
    const said = [session, event].map((one) => one!.slice(1));
    assert.deepEqual(said, [
      [true, why],
      [true, why],
    ]);
    const note = `1 policy could not be evaluated; ${LATE}`;
    assert.deepEqual(artifact, ['failed', null, note]);
    const part = sessionOutcome(closed, entryOf('session', { 2: unread }), sessionWith(null, 'a')).items[1]!;
    assert.deepEqual([part.status, part.flagged, part.note], ['failed', null, note]);
  });
});

describe('images found in a body', () => {
  const find = (kind: WorkHeader['kind'], body: unknown) =>
    extractImages(plan, entryOf(kind, undefined).header, Buffer.from(JSON.stringify(body)));

  it('are those of artifact events with content, by their item', () => {
    const events = [
      { type: 'message', role: 'user', content: { kind: 'image', url: 'https://example.org/no' } },
      { type: 'artifact', event_id: 'reference' },
      { type: 'artifact', content: url('a') },
    ];
    assert.deepEqual(find('events', { events }).images, [{ item: 3, url: 'https://example.org/a' }]);
    assert.deepEqual(find('event', { event: events[2] }).images, [{ item: 1, url: 'https://example.org/a' }]);
  });

  it('have memory of their own, so that it can move', () => {
    const content = { kind: 'image', data: Buffer.from('some bytes').toString('base64') };
    const [found] = find('artifact', { content }).images;
    assert.ok(found && 'data' in found);
    assert.deepEqual(Buffer.from(found.data).toString(), 'some bytes');
    assert.equal(found.data.byteLength, found.data.buffer.byteLength);
  });

  it('lose their data in the body that is evaluated, if that is most of it', () => {
    const data = Buffer.from('some bytes of an image'.repeat(20)).toString('base64');
    const inline = { kind: 'image', data, mime_type: 'image/png', name: 'n' };
    const named = { ...inline, data: null };
    const lightOf = (kind: WorkHeader['kind'], body: unknown): unknown => {
      const { body: light, images } = find(kind, body);
      assert.ok(light && images.length === 1 && 'data' in images[0]!);
      assert.equal(light.byteLength, light.buffer.byteLength, 'in memory of its own, to be moved');
      const entry = entryOf(kind, { 1: image(0x0f), 2: image() });
      const whole = Buffer.from(JSON.stringify(body));
      assert.deepEqual(evaluateEntry(plan, { ...entry, body: light }), evaluateEntry(plan, { ...entry, body: whole }));
      return JSON.parse(Buffer.from(light).toString());
    };
    const same = (value: unknown): unknown => JSON.parse(JSON.stringify(value));
    const metadata = {
      data: data.slice(0, 9),
      ['__proto__']: 1,
      lone: '\ud800',
      small: 5e-324,
      '2': 1,
      '1': [1.1, null],
    };
    const artifact = { metadata, external_artifact_id: 'x' };
    assert.deepEqual(lightOf('artifact', { content: inline, ...artifact }), same({ content: named, ...artifact }));
    const text = { type: 'message', role: 'user', content: { kind: 'image', data: 'aaaa' } };
    const events = (content: unknown) => ({ events: [text, { type: 'artifact', content }] });
    assert.deepEqual(lightOf('events', events(inline)), same(events(named)));
    const session = (content: unknown) => ({ messages: [{ role: 'user', content: [{ type: 'artifact', content }] }] });
    assert.deepEqual(lightOf('session', session(inline)), same(session(named)));
    // Not worth it: an image by address, and one that is a small part of the body.
    assert.equal(find('artifact', { content: url('a'), metadata }).body, undefined);
    const small = find('artifact', { content: inline, metadata: { long: 'x'.repeat(2 * data.length) } }).body;
    assert.equal(small, undefined);
  });

  it('are cut out of a body that stays as it was written otherwise, numbers and doubled names included', () => {
    const data = Buffer.from('some bytes of an image'.repeat(20)).toString('base64');
    const rest = '"metadata" : {"n":[1e400, -0.0,123456789012345678901234567890],"n":1.0}';
    const text = `{"content":{"data":"x","kind":"image","data": "${data}"}, ${rest}}`;
    const { body } = extractImages(plan, entryOf('artifact', undefined).header, Buffer.from(text));
    assert.equal(Buffer.from(body!).toString(), `{"content":{"data":null,"kind":"image","data": null}, ${rest}}`);
  });

  it('are cut out of a large body in the same way, with other long strings, escapes and what is not ASCII in it', () => {
    const bytes = Buffer.from('an image??>'.repeat(20_000));
    const data = bytes.toString('base64');
    assert.ok(data.includes('/'));
    const part = (text: string) => `{"type":"artifact","content":{"kind":"image","data":${text}}}`;
    const written = (...images: string[]) => {
      const words = '{"type":"text","text":"déjà vu \\" \\\\'.concat('x'.repeat(40_000), '"}');
      return `{"metadata":{"data":"${'é'.repeat(40_000)}"},"messages":[{"role":"user","content":[${words},${images.map(part)},${words}]}]}`;
    };
    const escaped = `"${data.replaceAll('/', '\\/')}"`;
    const { header } = entryOf('session', undefined);
    const { images, body } = extractImages(plan, header, Buffer.from(written(`"${data}"`, escaped, `"${data}!"`)));
    assert.equal(Buffer.from(body!).toString(), written('null', 'null', 'null'));
    assert.deepEqual(
      images.map((one) => ('data' in one ? bytes.equals(one.data) : 'failed' in one && one.failed)),
      [true, true, 'data'],
    );
    const twice = `{"content":{"data":"${data}","data":"aGk="}}`;
    const one = extractImages(plan, entryOf('artifact', undefined).header, Buffer.from(twice));
    assert.deepEqual(one.images, [{ item: 1, data: Uint8Array.from(Buffer.from('hi')) }]);
    assert.equal(Buffer.from(one.body!).toString(), '{"content":{"data":null,"data":null}}');
    // What a second member of that name replaces was validated by nobody.
    const replaced = `{"content":{"data":{"n":["${data}","x"]},"data":"${data}"},"metadata":{"n":"${'x'.repeat(60_000)}"}}`;
    const last = extractImages(plan, entryOf('artifact', undefined).header, Buffer.from(replaced));
    assert.ok(last.images.length === 1 && 'data' in last.images[0]! && bytes.equals(last.images[0].data));
    const light = replaced.replace(/"data":{.*},"metadata"/, '"data":null,"data":null},"metadata"');
    assert.equal(Buffer.from(last.body!).toString(), light);
    for (const broken of [`{"content":{"data":"${data}`, `{"content":{"data":"${data}"]}`, `"${data}`]) {
      assert.throws(
        () => extractImages(plan, entryOf('artifact', undefined).header, Buffer.from(broken)),
        /not valid JSON/,
      );
    }
  });

  it('have an address that is read whole, though all of it is escapes', () => {
    const address = `https://example.org/${'é'.repeat(8192 - 20)}`;
    const escaped = [...address].map((one) => `\\u${one.charCodeAt(0).toString(16).padStart(4, '0')}`).join('');
    const body = Buffer.from(`{"content":{"kind":"image","url":"${escaped}"}}`);
    const { images } = extractImages(plan, entryOf('artifact', undefined).header, body);
    assert.ok(images.length === 1 && 'url' in images[0]! && images[0].url === address);
  });

  it('fail at once if they are not base64', () => {
    const broken = find('artifact', { content: { kind: 'image', data: 'no base64!' } });
    assert.deepEqual(broken.images, [{ item: 1, failed: 'data' }]);
  });

  it('come with the lists that policies compare them with', () => {
    assert.deepEqual(find('artifact', { content: url('a') }).lists, ['known']);
    const none = extractImages(
      planOf({ policies: POLICIES.slice(0, 1) }),
      entryOf('artifact', undefined).header,
      Buffer.from(JSON.stringify({ content: url('a') })),
    );
    assert.deepEqual(none.lists, []);
  });

  describe('and what is read from them', () => {
    const readText = { image_text: { detect: { terms: { list: ['bad'] } } } };
    const scored = (model: string) => ({ onnx: { model, label: 'x', threshold: 0.5 } });
    const reading = planOf({
      policies: [
        { detect: { any: [readText, scored('a')] }, sources: ['image'], direction: 'input' },
        { detect: scored('b'), sources: ['image'], direction: 'output' },
        { detect: { all: [scored('c'), scored('a')] }, sources: ['text'] },
        { detect: scored('d'), sources: ['image'], events: ['message'] },
      ],
    });
    const wantedIn = (kind: WorkHeader['kind'], body: unknown, by = reading) => {
      const { header } = entryOf(kind, undefined);
      return extractImages(by, header, Buffer.from(JSON.stringify(body))).images.map(({ wanted }) => wanted);
    };
    const [input, output] = [
      { text: true, models: ['a', 'd'] },
      { text: false, models: ['b', 'd'] },
    ];

    it('is what the policies for it ask for, by the direction of its message and the policies it is restricted to', () => {
      assert.deepEqual(wantedIn('artifact', { content: url('a') }), [input]);
      assert.deepEqual(wantedIn('artifact', { content: url('a'), role: 'assistant' }), [output]);
      const one = { content: url('a'), role: 'assistant', policies: [id(1)] };
      assert.deepEqual(wantedIn('artifact', one), [{ text: false, models: ['b'] }]);
      assert.deepEqual(wantedIn('session', sessionWith('fine', 'a', 'b')), [input, input]);
      const said = sessionWith('fine', 'a');
      said.messages[0]!.role = 'assistant-2';
      assert.deepEqual(wantedIn('session', said), [output]);
    });

    it('is what those policies ask for that conditions and selectors choose for the event', () => {
      const event = (level: number) => ({ type: 'artifact', content: url('a'), metadata: { level } });
      assert.deepEqual(wantedIn('event', { event: event(1) }), [{ text: true, models: ['a', 'b'] }]);
      const policies = [{ detect: readText }, { detect: scored('a') }];
      const conditions = [3, 5].map((least, n) => {
        return { id: `c${n}`, name: 'Level', when: `metadata.level >= ${least}`, policies: [id(n)] };
      });
      const levels = planOf({ policies, conditions });
      assert.deepEqual(wantedIn('events', { events: [1, 3, 5].map(event) }, levels), [
        undefined,
        { text: true, models: [] },
        { text: true, models: ['a'] },
      ]);
    });

    it('is nothing where no policy asks for anything, or the plan does not know the scope', () => {
      assert.deepEqual(find('artifact', { content: url('a') }).images[0]!.wanted, undefined);
      const header = { ...entryOf('artifact', undefined).header, scope: 'gone' };
      const gone = extractImages(reading, header, Buffer.from(JSON.stringify({ content: url('a') })));
      assert.deepEqual(gone, { images: [{ item: 1, url: 'https://example.org/a' }], lists: [] });
    });
  });
});

describe('lists on a thread', () => {
  it('are kept while they are used, and forgotten an hour after the last use', () => {
    const list = { name: 'known', generation: 1, data: buildHashIndex(known) };
    const first = indexesOf([list]).get('known');
    forgetUnused(performance.now() + 3_500_000);
    assert.equal(indexesOf([list]).get('known'), first);
    forgetUnused(performance.now() + 3_700_000);
    assert.notEqual(indexesOf([list]).get('known'), first);
  });
});
