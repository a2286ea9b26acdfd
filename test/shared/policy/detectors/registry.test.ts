import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePlan, interestsOf } from '#weir/shared/policy/compile';
import { type Detector, sourcesOf } from '#weir/shared/policy/detectors/detector';
import {
  DETECTOR_NAMES,
  DETECTORS,
  type DetectorParameters,
  detectorHelp,
  detectorOf,
} from '#weir/shared/policy/detectors/registry';
import { sketch } from '../support.ts';

/** What nobody can leave out of the parameters. */
const LEAST: Record<string, object> = {
  terms: { list: ['x'] },
  regex: { patterns: ['x'] },
  pii: { entities: ['US_SSN'] },
  classifier: { label: 'toxicity' },
  image_hash: { list: 'known' },
  image_properties: { animated: true },
  image_text: { detect: { secrets: {} } },
  onnx: { model: 'm', label: 'l' },
  llm: { backend: 'guard', flagged_content: 'bad', allowed_content: 'good' },
};

describe('the registry of detectors', () => {
  for (const name of DETECTOR_NAMES) {
    const detector: Detector<object> = DETECTORS[name];
    const { policies } = sketch({ policies: [{ detect: { [name]: LEAST[name] ?? {} } }] });
    const { parameters } = detectorOf(policies[0]!.detect as DetectorParameters);

    it(`has help for ${name} and for each of its parameters, and no others`, () => {
      assert.deepEqual(Object.keys(detector.parameters).sort(), Object.keys(parameters).sort());
      for (const help of [detector.help, ...Object.values(detector.parameters as Record<string, string>)])
        assert.match(help, /^\w[\s\S]*[^.]$/);
    });

    it(`has what ${name} looks at, and how`, () => {
      const sources = sourcesOf(detector, parameters);
      assert.ok(sources.length > 0);
      assert.ok(sources.every((source) => sourcesOf(detector).includes(source)));
      const interests = interestsOf(policies[0]!.detect as DetectorParameters);
      const asks = sources.includes('text') && detector.text?.question !== undefined;
      assert.equal(interests.length > 0, sources.includes('text') && !asks);
      assert.equal(typeof detector.image?.(parameters).look, sources.includes('image') ? 'function' : 'undefined');
      assert.equal('context' in parameters, sources.includes('text') && !asks);
      const plan = compilePlan(sketch({ policies: [{ detect: { [name]: LEAST[name] ?? {} } }] }), 1);
      assert.equal(plan.teams.get('t')!.images.has(0), sources.includes('image'));
      assert.equal(plan.teams.get('t')!.questions.has(0), asks);
    });
  }

  it('has no detector with the word of a connective', () => {
    for (const word of ['any', 'all', 'not', 'escalate']) assert.ok(!Object.hasOwn(DETECTORS, word), word);
  });

  it('is what check-config --help shows', () => {
    for (const name of DETECTOR_NAMES) assert.match(detectorHelp(), new RegExp(`^ {2}${name}: \\w`, 'm'));
  });
});
