import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { compilePlan } from '#weir/shared/policy/compile';
import { evaluateArtifact, evaluateImageEvent, evaluateSession, evaluateText } from '#weir/shared/policy/evaluate';
import type { ImageContent, Search } from '#weir/shared/policy/types';
import { evaluateSessionImages } from '../../support/session-images.ts';
import { event, id, SCOPE, type Sketch, sketch } from './support.ts';

/** A list whose nearest hash is so far away; it answers as an index does. */
const at =
  (distance: number): Search =>
  (maxDistance) =>
    distance <= maxDistance ? distance : null;

const IMAGE: ImageContent = {
  kind: 'jpeg',
  width: 640,
  height: 480,
  bytes: 50_000,
  animated: false,
  hasGps: false,
  quality: 90,
  lists: new Map([
    ['known', at(12)],
    ['other', at(32)],
  ]),
  text: 'nothing to see',
  scores: { shapes: { square: 0.7 } },
};

const planOf = (all: Sketch) => compilePlan(sketch(all), 1);

/** What one policy, alone, says of an image. */
function says(detect: unknown, image: Partial<ImageContent> = {}): boolean | 'could not run' {
  const plan = planOf({ policies: [{ detect }] });
  const verdict = evaluateArtifact(plan, SCOPE, 'input', { ...IMAGE, ...image });
  if (verdict.notEvaluated > 0) return 'could not run';
  return verdict.flagged;
}

describe('image_hash', () => {
  test('fires up to its distance, and not on what is no neighbour', () => {
    assert.equal(says({ image_hash: { list: 'known' } }), true);
    assert.equal(says({ image_hash: { list: 'known', max_distance: 12 } }), true);
    assert.equal(says({ image_hash: { list: 'known', max_distance: 11 } }), false);
    assert.equal(says({ image_hash: { list: 'other' } }), false);
  });

  test('does not compare featureless images', () => {
    assert.equal(says({ image_hash: { list: 'known' } }, { quality: 50 }), true);
    assert.equal(says({ image_hash: { list: 'known' } }, { quality: 49 }), false);
    assert.equal(says({ image_hash: { list: 'known', min_quality: 91 } }), false);
  });

  test('has a list searched once, no further than the policies for the image ask, and not where its quality rules them out', () => {
    const searched = (quality: number | null, ...asked: Record<string, unknown>[]): [string, number][] => {
      const searches: [string, number][] = [];
      const lists = new Map<string, Search>();
      for (const [name, search] of IMAGE.lists) {
        lists.set(name, (maxDistance) => {
          searches.push([name, maxDistance]);
          return search(maxDistance);
        });
      }
      const policies = asked.map(({ direction, ...image_hash }) => ({ detect: { image_hash }, direction }));
      evaluateArtifact(planOf({ policies }), SCOPE, 'input', { ...IMAGE, quality, lists });
      return searches;
    };
    const near = { list: 'known', max_distance: 4, direction: 'any' };
    const nearer = { list: 'known', max_distance: 2, direction: 'any' };
    const picky = { list: 'known', min_quality: 80, direction: 'input' };
    assert.deepEqual(searched(90, { list: 'known', direction: 'any' }), [['known', 31]]);
    assert.deepEqual(searched(90, nearer, near, nearer), [['known', 4]]);
    assert.deepEqual(searched(90, near, picky), [['known', 31]]);
    assert.deepEqual(searched(79, near, picky), [['known', 4]], 'one takes no image of this quality');
    assert.deepEqual(searched(49, near, picky), [], 'none does');
    assert.deepEqual(searched(null, { ...near, min_quality: 0 }), [], 'there is no hash');
    assert.deepEqual(searched(90, near, { ...picky, direction: 'output' }), [['known', 4]], 'one is for the output');
    assert.deepEqual(searched(90, near, { ...nearer, list: 'other' }), [
      ['known', 4],
      ['other', 2],
    ]);
    assert.deepEqual(searched(90, { ...near, max_distance: 0 }, { ...near, list: 'absent' }), [['known', 0]]);
  });

  test('could not run without its list or without a hash', () => {
    assert.equal(says({ image_hash: { list: 'absent' } }), 'could not run');
    assert.equal(says({ image_hash: { list: 'absent' } }, { quality: 0 }), 'could not run');
    assert.equal(says({ image_hash: { list: 'known' } }, { quality: null }), 'could not run');
    assert.equal(says({ image_hash: { list: 'constructor' } }), 'could not run');
  });
});

describe('image_properties', () => {
  const properties = (given: Record<string, unknown>, image: Partial<ImageContent> = {}) =>
    says({ image_properties: given }, image);

  test('fires when everything that is given holds', () => {
    assert.equal(properties({ kinds: ['jpeg', 'png'], min_width: 640, max_height: 480 }), true);
    assert.equal(properties({ kinds: ['png'], min_width: 640 }), false);
    assert.equal(properties({ min_width: 641 }), false);
    assert.equal(properties({ max_width: 639 }), false);
    assert.equal(properties({ min_height: 481 }), false);
    assert.equal(properties({ max_height: 479 }), false);
    assert.equal(properties({ min_bytes: 50_001 }), false);
    assert.equal(properties({ max_bytes: 49_999 }), false);
    assert.equal(properties({ min_bytes: 50_000, max_bytes: 50_000 }), true);
  });

  test('tells animated and located images', () => {
    assert.equal(properties({ animated: true }), false);
    assert.equal(properties({ animated: true }, { animated: true }), true);
    assert.equal(properties({ has_gps: true }, { hasGps: true }), true);
    assert.equal(properties({ has_gps: false }), true);
  });
});

describe('image_text', () => {
  const detect = {
    image_text: { detect: { any: [{ terms: { list: ['wanted'] } }, { pii: { entities: ['EMAIL_ADDRESS'] } }] } },
  };

  test('judges the text that was read', () => {
    assert.equal(says(detect, { text: 'most WANTED' }), true);
    assert.equal(says(detect, { text: 'write to a@example.org' }), true);
    assert.equal(says(detect), false);
    assert.equal(says({ image_text: { detect: { not: { terms: { list: ['wanted'] } } } } }), true);
  });

  test('could not run where nothing reads text', () => {
    assert.equal(says(detect, { text: null }), 'could not run');
  });

  test('its evidence is of the image', () => {
    const plan = planOf({ policies: [{ detect }] });
    const [violation] = evaluateArtifact(plan, SCOPE, 'input', { ...IMAGE, text: 'most wanted' }).violations;
    assert.deepEqual(violation?.sources, ['image']);
    const [evidence] = violation!.evidence;
    assert.equal(evidence?.detector, 'image_text:terms');
    assert.equal(evidence?.source, 'image');
    assert.deepEqual([evidence?.start, evidence?.end], [5, 11]);
  });

  test('a text beside the image is not its text', () => {
    const plan = planOf({ policies: [{ detect }] });
    assert.equal(evaluateSession(plan, SCOPE, { direction: 'input', text: 'most wanted' }).flagged, false);
    assert.equal(evaluateText(plan, SCOPE, 'most wanted').flagged, false);
  });
});

describe('onnx', () => {
  test('fires from its threshold on', () => {
    assert.equal(says({ onnx: { model: 'shapes', label: 'square', threshold: 0.7 } }), true);
    assert.equal(says({ onnx: { model: 'shapes', label: 'square', threshold: 0.71 } }), false);
  });

  test('could not run without its model or label', () => {
    assert.equal(says({ onnx: { model: 'absent', label: 'square' } }), 'could not run');
    assert.equal(says({ onnx: { model: 'shapes', label: 'round' } }), 'could not run');
  });
});

describe('images and policies', () => {
  const policies = [
    { detect: { image_properties: { kinds: ['jpeg'] } }, sources: ['image'] },
    { detect: { terms: { list: ['bad'] } } },
    { detect: { any: [{ terms: { list: ['bad'] } }, { image_hash: { list: 'known' } }] } },
    { detect: { image_properties: { kinds: ['jpeg'] } }, direction: 'output' },
    { detect: { image_properties: { kinds: ['jpeg'] } }, sources: ['text'] },
    { detect: { image_properties: { kinds: ['jpeg'] } }, events: ['artifact.image'] },
    { detect: { image_properties: { kinds: ['jpeg'] } }, events: ['message'] },
  ];
  const plan = planOf({ policies });

  test('an artifact has every policy in the map that is for its direction and looks at images [1.1.artifact] [artifact.policies]', () => {
    const verdict = evaluateArtifact(plan, SCOPE, 'input', IMAGE);
    const map = JSON.parse(verdict.policies) as Record<string, { flagged: boolean; flagged_source: string[] }>;
    // `events` plays no part here; terms cannot look at an image, and a policy for text alone does not.
    assert.deepEqual(Object.keys(map), [0, 2, 5, 6].map(id));
    for (const each of Object.values(map))
      assert.deepEqual(each, { ...each, flagged: true, flagged_source: ['image'] });
    assert.ok(!verdict.evaluated.includes(id(4)));
  });

  test('an artifact event is judged by policies that are for images and for such events [event.selector-image] [6.3.artifact]', () => {
    const content = event('', { type: 'artifact', field: 'content', role: '' });
    const map = JSON.parse(evaluateImageEvent(plan, SCOPE, content, IMAGE).policies) as Record<
      string,
      { flagged: boolean }
    >;
    assert.deepEqual(Object.keys(map), [0, 2, 3, 5].map(id));
    assert.equal(map[id(0)]!.flagged, true);
  });

  test('a session says by which sources it is flagged [2.1.image] [config.detect-image]', () => {
    const session = (text: string | null, images: (ImageContent | null)[], more: Partial<Sketch> = {}) =>
      evaluateSessionImages(planOf({ policies, ...more }), SCOPE, { direction: 'input', text, images });
    const both = session('bad', [IMAGE]).session;
    const map = JSON.parse(both.policies) as Record<string, { flagged_source: string[] }>;
    assert.deepEqual(map[id(0)]!.flagged_source, ['image']);
    assert.deepEqual(map[id(1)]!.flagged_source, ['text']);
    assert.deepEqual(map[id(2)]!.flagged_source, ['text', 'image']);
    assert.deepEqual(Object.keys(map), [0, 1, 2, 5, 6].map(id), 'P4 is for texts, where its detector cannot look');
    const clean = session('good', [{ ...IMAGE, kind: 'png', lists: new Map([['known', at(32)]]) }]);
    assert.equal(clean.session.flagged, false);
    assert.equal(clean.session.notEvaluated, 0);
    const flags = clean.artifacts.map((each) => each?.flagged);
    assert.deepEqual(flags, [false]);
    assert.deepEqual(clean.session.evaluated, [0, 1, 2, 5, 6].map(id));
  });

  test('a session with an image nobody could look at omits what looks at images, unless something else flags it', () => {
    const { session, artifacts } = evaluateSessionImages(plan, SCOPE, {
      direction: 'input',
      text: 'bad',
      images: [null],
    });
    assert.deepEqual(artifacts, [null]);
    const map = JSON.parse(session.policies) as Record<string, { flagged: boolean }>;
    // P1 and P2 are flagged by the text whatever the image.
    assert.deepEqual(Object.keys(map), [1, 2].map(id));
    assert.equal(session.notEvaluated, 3);
    assert.match(session.note, /^3 policies could not be evaluated$/);
    const closed = evaluateSessionImages(planOf({ policies, failClosed: true }), SCOPE, {
      direction: 'input',
      text: 'good',
      images: [null],
    }).session;
    assert.equal(closed.flagged, true);
    const entries = JSON.parse(closed.policies) as Record<string, { flagged_source: string[] }>;
    assert.deepEqual(entries[id(0)]!.flagged_source, ['image']);
  });

  test('a message without text is not judged as the empty text', () => {
    const absent = planOf({ policies: [{ detect: { not: { terms: { list: ['please'] } } }, sources: ['text'] }] });
    const judge = (text: string | null) =>
      evaluateSessionImages(absent, SCOPE, { direction: 'input', text, images: [IMAGE] }).session;
    assert.equal(judge(null).flagged, false);
    assert.deepEqual(judge(null).evaluated, []);
    assert.equal(judge('').flagged, true);
  });
});
