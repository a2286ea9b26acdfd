/** Long texts are scanned in sections. What is found is what a scan at once finds. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { compilePlan } from '#weir/shared/policy/compile';
import { buildEngine, type Engine } from '#weir/shared/policy/engine/engine';
import { forget, newScans, Paused, rewind } from '#weir/shared/policy/engine/long-scans';
import type { Interest, PlaceLook } from '#weir/shared/policy/engine/probes/probe';
import { sectionsOf } from '#weir/shared/policy/engine/sections';
import { evaluateSession, evaluateText } from '#weir/shared/policy/evaluate';
import type { Plan } from '#weir/shared/policy/plan';
import type { Verdict } from '#weir/shared/policy/types';
import { SCOPE, sketch } from '../support.ts';
import { seeded } from '../work/generators.ts';
import { AT_ONCE, EVERYTHING, encoded, inSections, longText, pem, saidIn, tagged } from './long-texts.ts';

const policies = EVERYTHING.map((detect) => ({ detect }));
const planOf = (all: readonly object[], sizes: ReturnType<typeof inSections>): Plan =>
  compilePlan(sketch({ policies: [...all] as Record<string, unknown>[] }), 1, undefined, sizes);
const whole = planOf(policies, AT_ONCE);
const SECTION = 1000;
const parted = planOf(policies, inSections(SECTION));

describe('sections of a text', () => {
  const sizes = { longest: 0, section: 100, before: 10, behind: 20 };

  it('are all of it, one behind the other, each with what stands around it', () => {
    const text = 'word '.repeat(200);
    const sections = sectionsOf(text, 0, sizes);
    assert.ok(sections.length > 5);
    assert.deepEqual([sections[0]!.first, sections.at(-1)!.end], [0, text.length]);
    for (const [i, { first, end, from, to }] of sections.entries()) {
      if (i > 0) assert.equal(first, sections[i - 1]!.end);
      assert.deepEqual([from, to], [Math.max(0, first - 10), Math.min(text.length, end + 20)]);
      assert.ok(end === text.length || text[end - 1] === ' ');
    }
  });

  it('begin in reach of what is looked for', () => {
    assert.equal(sectionsOf('x'.repeat(1000), 900, sizes)[0]!.first, 880);
  });

  it('never part the halves of a character, nor one from its marks', () => {
    const random = seeded(1);
    for (const piece of ['\ud83d\ude00', 'e\u0301\u0302', '\ud83d\udc68\u200d\ud83d\udc69', '\u0e01\u0e34\u0e49']) {
      for (let shift = 0; shift < piece.length; shift++) {
        const text = 'x'.repeat(shift) + piece.repeat(100 + random(50));
        for (const { first, from, to } of sectionsOf(text, 0, sizes)) {
          for (const cut of [first, from, to]) {
            assert.doesNotMatch(text.slice(cut), /^[\udc00-\udfff\p{M}\u200d]/u, `${JSON.stringify(piece)} at ${cut}`);
          }
        }
      }
    }
  });
});

describe('a long text', () => {
  it('says the same in sections as at once, with its marks', () => {
    const random = seeded(Number(process.env.SECTIONS_SEED ?? 11));
    const plans = [SECTION, 3000, 20_000].map((section) => planOf(policies, inSections(section)));
    for (let n = 0; n < 6; n++) {
      const text = longText(random, n < 5 ? 12_000 : 110_000);
      const plan = plans[n % plans.length]!;
      const said = (of: Plan): object => saidIn(evaluateText(of, SCOPE, text, { redact: true }));
      assert.deepEqual(said(plan), said(whole), `text ${n}`);
    }
  });

  it('says the same behind earlier texts', () => {
    const random = seeded(12);
    const looking = EVERYTHING.map((detect) => {
      const [[name, parameters]] = Object.entries(detect) as [[string, object]];
      return { detect: { [name]: { ...parameters, context: 3 } } };
    });
    const [once, parts] = [planOf(looking, AT_ONCE), planOf(looking, inSections(SECTION))];
    for (let n = 0; n < 3; n++) {
      const context = [longText(random, 5000), 'a zebra'];
      const text = `crossing 4111 1111${n} ${longText(random, n % 2 === 0 ? 300 : 6000)}`;
      const said = (plan: Plan): object =>
        saidIn(evaluateSession(plan, SCOPE, { direction: 'input', text, redact: true }, context));
      assert.deepEqual(said(parts), said(once), `text ${n}`);
    }
  });

  it('has patterns that begin in an earlier text, however far before', () => {
    const detect = { regex: { patterns: ['qstart.*qend', '[0-9]{3}.*[A-Z]{3}'], flags: 's', context: 1 } };
    for (const between of ['word ', 'слово ']) {
      const context = [`qstart 123 ${between.repeat(9000)}`];
      const said = [AT_ONCE, inSections(SECTION)].map((sizes) =>
        saidIn(evaluateSession(planOf([{ detect }], sizes), SCOPE, { direction: 'input', text: 'ABC qend' }, context)),
      );
      assert.deepEqual(said[1], said[0]);
      assert.match(JSON.stringify(said), /regex:0.*regex:1/);
    }
  });

  it('says the same where it stops after each step and goes on', () => {
    const text = longText(seeded(13), 30_000);
    const scans = newScans({ hasEnded: () => true });
    let pauses = 0;
    const goOn = (): Verdict | undefined => {
      rewind(scans);
      try {
        return evaluateText(parted, SCOPE, text, { redact: true, scans });
      } catch (error) {
        assert.ok(error instanceof Paused);
        pauses++;
        return undefined;
      }
    };
    let verdict = goOn();
    while (!verdict) verdict = goOn();
    assert.ok(pauses > 20, `${pauses} pauses`);
    assert.deepEqual(verdict, evaluateText(parted, SCOPE, text, { redact: true }));
    forget(scans);
    assert.equal(goOn(), undefined);
  });
});

describe('a find across the edge of a section', () => {
  const random = seeded(3);
  const FINDS: readonly [name: string, detect: object, text: string][] = [
    ['a term', { terms: { list: ['zebra crossing'] } }, 'zebra   crossing'],
    ['a disguised term', { terms: { list: ['zebra'], views: ['squashed'] } }, 'z.e.b.r.a'],
    ['a term in compatible forms', { terms: { list: ['zebra'] } }, 'ｚｅｂｒａ\u0301'],
    ['a card', { pii: { entities: ['CREDIT_CARD'] } }, '4111 1111 1111 1111'],
    ['an address', { pii: { entities: ['EMAIL_ADDRESS'] } }, 'some.one@example.org'],
    ['a private key', { secrets: { rules: ['private-key'] } }, pem(random, 4)],
    ['a long private key', { secrets: { rules: ['private-key'] } }, pem(random, 240)],
    ['a password', { secrets: {} }, 'password = "hG7k!pQ2x9Lw"'],
    ['a value before its kind', { secrets: { rules: ['kubernetes-secret'] } }, `\ndata:\n  key: ${encoded('kX9!pQ2x9LwZr4')}\nkind: Secret\n---`],
    ['a pattern', { regex: { patterns: ['q+z'] } }, `${'q'.repeat(40)}z`],
    ['hidden text', { terms: { list: ['zebra'] } }, tagged('a zebra')],
    ['encoded text', { terms: { list: ['zebra'], views: ['folded', 'decoded'] } }, encoded('one zebra and more')],
  ]; // biome-ignore format: a line each

  for (const [name, detect, find] of FINDS) {
    it(`is found once: ${name}`, () => {
      const [once, parts] = [AT_ONCE, inSections(SECTION)].map((sizes) => planOf([{ detect }], sizes));
      const edge = SECTION * (2 + Math.ceil(find.length / SECTION));
      const step = Math.max(1, Math.floor(find.length / 6));
      for (let shift = 0; shift <= find.length; shift += step) {
        const text = `${'~'.repeat(edge - shift)}${find}${'~'.repeat(9000)}`;
        const [expected, made] = [once!, parts!].map((plan) => evaluateText(plan, SCOPE, text, { redact: true }));
        assert.deepEqual(saidIn(made!), saidIn(expected!), `${shift} before the edge`);
        assert.equal(made!.violations[0]?.evidence.length, 1, `${shift} before the edge`);
      }
    });
  }
});

describe('what a long text holds', () => {
  it('is looked at however long it is', () => {
    const hidden = tagged(`${'word '.repeat(3000)}zebra crossing`);
    const { violations } = evaluateText(parted, SCOPE, `text ${hidden} text`);
    const [evidence] = violations[0]!.evidence;
    assert.deepEqual([evidence!.view, evidence!.start, evidence!.end], ['hidden', 5, 5 + hidden.length]);
  });
});

const compiledEngine = (section: number): Engine =>
  planOf([{ detect: { terms: { list: ['zebra'] } } }], inSections(section)).teams.get('t')!.engine;

describe('finds in a long text', () => {
  const one = planOf([{ detect: { terms: { list: ['zebra'] } } }], inSections(SECTION));

  it('are kept up to the limit for all of it', () => {
    const { violations } = evaluateText(one, SCOPE, 'a zebra and '.repeat(2000));
    assert.deepEqual(violations[0]!.evidence.map(({ start }) => start), [0, 1, 2, 3, 4, 5, 6, 7].map((n) => 2 + 12 * n)); // biome-ignore format: short
  });

  it('are more than are kept where all sections together have more', () => {
    const engine = compiledEngine(20_000);
    const finds = engine.scan('zebra '.repeat(41_000), engine.wanted([0]), 0, { all: true })!;
    assert.deepEqual([finds.over, finds.evidence.get(0)!.length], [true, 40_008]);
  });
});

describe('a detector that breaks in one section', () => {
  const at = (literal: string, look: PlaceLook): Interest => ({
    key: literal,
    probe: () => ({ kind: 'place', label: literal, views: ['raw'], literals: [literal], look }),
  });
  const find: PlaceLook = (_, start) => ({ start, end: start + 3, score: 1 });
  const breaks: PlaceLook = () => {
    throw new Error('broken');
  };

  it('could not run, and what others find counts', () => {
    const engine = buildEngine([[at('boom', breaks)], [at('one', find)]], inSections(SECTION));
    const text = `${'x '.repeat(4000)}boom ${'x '.repeat(4000)}one`;
    const finds = engine.scan(text, engine.wanted([0, 1]), 0)!;
    assert.deepEqual([...finds.failed], [0]);
    assert.deepEqual([...finds.evidence.keys()], [1]);
  });

  it('has what it found before', () => {
    const engine = buildEngine([[at('one', find), at('boom', breaks)]], inSections(SECTION));
    const finds = engine.scan(`one ${'x '.repeat(4000)}boom ${'x '.repeat(4000)}one`, engine.wanted([0]), 0)!;
    assert.deepEqual([...finds.failed], [0]);
    assert.deepEqual(
      finds.evidence.get(0)!.map(({ start }) => start),
      [0],
    );
  });

  it('is not taken for one that has found nothing where its scan is asked for again', () => {
    const engine = buildEngine([[]], inSections(SECTION));
    const wanted = { ...engine.wanted([0]), get sweeps(): never { throw new Error('a bug'); } }; // biome-ignore format: short
    const scans = newScans({ hasEnded: () => false });
    for (let n = 0; n < 2; n++) {
      rewind(scans);
      assert.throws(() => engine.scan('x '.repeat(4000), wanted, 0, { scans }), /a bug/);
    }
  });
});
