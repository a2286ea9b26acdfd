/** What a session check has beside its verdict where its caller asks for it: scores, content that is not kept, a session to join. */
import assert from 'node:assert/strict';
import { it } from 'node:test';
import { NAMELESS_SESSION, ownConversation, sessionConversationOf } from '#weir/shared/api/conversation';
import { decodeRecord } from '#weir/shared/api/results/record';
import { writeRecord } from '#weir/shared/api/results/write-record';
import type { SessionRequest } from '#weir/shared/api/types';
import { compilePlan } from '#weir/shared/policy/compile';
import { Paused } from '#weir/shared/policy/engine/long-scans';
import { probeOf, thresholdOf } from '#weir/shared/policy/models/shipped';
import { keys } from '#weir/shared/streams/keys';
import type { WorkHeader } from '#weir/shared/streams/work';
import { NAMELESS_SECONDS } from '#weir/workers/evaluator/gather/context';
import { type EntryBody, readBody } from '#weir/workers/evaluator/kinds/body';
import {
  beginSession,
  draftOfSession,
  evaluateSessionCheck,
  sessionOutcome,
} from '#weir/workers/evaluator/kinds/sessions/session';
import { record } from '../../../../ingress/support.ts';
import { sketch } from '../../../../shared/policy/support.ts';
import { entryOf } from '../../support.ts';

const PLAN = compilePlan(sketch({ policies: [{ name: 'Word', detect: { terms: { list: ['zzword here'] } } }] }), 1);
const RUDE = 'You are a stupid worthless idiot.';

/** The check of a text with more in its header. */
function begun(content: string, header: Partial<WorkHeader>) {
  const entry = entryOf('session', { external_session_id: 'e', messages: [{ role: 'user', content }] }, header);
  return { entry, body: readBody(entry.body) as EntryBody<SessionRequest> };
}
function scoresOf(content: string, scores: WorkHeader['scores']) {
  const { entry, body } = begun(content, scores ? { scores } : {});
  return sessionOutcome(PLAN, entry, body).items[0]!.scores;
}
const scoreOf = (label: string, text: string): number =>
  Math.round(probeOf(label, label).look(text)!.score * 1e4) / 1e4;

it('has the scores of its text, as detectors have them, where they are asked for', () => {
  assert.equal(scoresOf(RUDE, undefined), undefined);
  assert.deepEqual(scoresOf(RUDE, { labels: ['toxicity', 'injection', 'nothing known'] }), [
    {
      start: 0,
      end: RUDE.length,
      of: {
        toxicity: { score: scoreOf('toxicity', RUDE), least: thresholdOf('toxicity') },
        injection: { score: scoreOf('injection', RUDE), least: thresholdOf('injection') },
      },
    },
  ]);
  assert.deepEqual(scoresOf(RUDE, { labels: [] }), [{ start: 0, end: RUDE.length, of: {} }]);
  assert.deepEqual(scoresOf('', { labels: ['hate'] })![0]!.of, { hate: { score: 0, least: thresholdOf('hate') } });
});

it('has those of sentences too, which are the whole text together and bounded in number', () => {
  const text = `Good morning to all of you 😀. ${RUDE} The weather is fine today.`;
  const [whole, ...sentences] = scoresOf(text, { labels: ['toxicity'], sentences: true })!;
  assert.deepEqual([whole!.start, whole!.end], [0, text.length]);
  assert.equal(sentences.map(({ start, end }) => text.slice(start, end)).join(''), text);
  assert.equal(sentences.length, 3);
  for (const { start, end, of } of sentences) {
    assert.deepEqual(of.toxicity, {
      score: scoreOf('toxicity', text.slice(start, end)),
      least: thresholdOf('toxicity'),
    });
  }
  assert.equal(scoresOf(RUDE, { labels: ['toxicity'], sentences: true })!.length, 1, 'one sentence is the whole');
  const many = 'This is a sentence of its own. '.repeat(500);
  const all = scoresOf(many, { labels: ['hate'], sentences: true })!;
  assert.deepEqual([all.length, all.at(-1)!.end], [201, many.length]);
});

it('says which language is not known', () => {
  const danish = 'Jeg ved ikke hvad klokken er, men jeg tror at vi skal spise nu, og det er jeg meget glad for.';
  assert.deepEqual(scoresOf(danish, { labels: ['toxicity'] })![0]!.of.toxicity, { foreign: 'Danish' });
});

it('scores a long text in slices as at once', () => {
  const text = `${'The weather is fine today, said the clerk. '.repeat(20_000)}${RUDE}`;
  const asked = { labels: ['toxicity', 'hate'] };
  const { entry, body } = begun(text, { scores: asked });
  const check = beginSession(PLAN, entry, body, '');
  let pauses = 0;
  for (;;) {
    try {
      evaluateSessionCheck(check, { end: 0, left: 0, hasEnded: () => true });
      break;
    } catch (error) {
      if (!(error instanceof Paused)) throw error;
      pauses++;
    }
  }
  assert.ok(pauses > 10, `${pauses}`);
  assert.deepEqual(draftOfSession(check).items[0]!.scores, scoresOf(text, asked));
});

it('keeps its scores in its record', () => {
  const { entry, body } = begun(RUDE, { scores: { labels: ['toxicity'] } });
  const { items, fragments } = sessionOutcome(PLAN, entry, body);
  const read = decodeRecord(Buffer.from(writeRecord(record({ kind: 'session', items, fragments }))));
  assert.deepEqual(read.items[0]!.scores, items[0]!.scores);
});

it('leaves nothing for later checks, and a note, where its caller wants nothing to be kept [adapter.perspective-unkept]', () => {
  const later = { contextDepth: 4, conversations: [sessionConversationOf('e')] };
  const kept = begun('a text', later);
  const { context, items } = sessionOutcome(PLAN, kept.entry, kept.body);
  assert.equal(context.length, 1);
  assert.equal(items[0]!.note, '');
  const unkept = begun('a text', { ...later, unkept: 'asked' });
  const draft = sessionOutcome(PLAN, unkept.entry, unkept.body);
  assert.deepEqual(draft.context, []);
  assert.match(draft.items[0]!.note, /its content is not kept, as its caller asked/);
});

it('leaves what it says to checks that join it, for a shorter time where nobody has named the session [session.joins]', () => {
  const { entry, body } = begun('a text', { contextDepth: 4 });
  const own = ownConversation(NAMELESS_SESSION, entry.header.id)!;
  for (const [conversation, seconds] of [
    [own, NAMELESS_SECONDS],
    [sessionConversationOf('e'), undefined],
  ] as const) {
    entry.header.conversations = [conversation];
    const { context } = sessionOutcome(PLAN, entry, body);
    assert.equal(context.length, 1);
    assert.equal(context[0]![0], keys.context(entry.header.team, entry.header.scope, conversation));
    assert.equal(context[0]![2], seconds);
  }
});

/** What a check of `content` has found in a plan of `policies`. */
function findsOf(policies: Record<string, unknown>[], content: string, asked = true) {
  const plan = compilePlan(sketch({ policies }), 1);
  const { entry, body } = begun(content, asked ? { finds: true } : {});
  const [item] = sessionOutcome(plan, entry, body).items;
  return item!;
}

it('has all that violated policies have found where that is asked for, with scores', () => {
  const cards = {
    name: 'Cards',
    detect: { any: [{ pii: { entities: ['CREDIT_CARD'] } }, { terms: { list: ['zz'] } }] },
  };
  const unmet = { name: 'Both', detect: { all: [{ terms: { list: ['zz'] } }, { terms: { list: ['never'] } }] } };
  const card = '4111 1111 1111 1111';
  const text = Array.from({ length: 300 }, (_, i) => (i % 2 === 0 ? card : 'zz')).join('; ');
  assert.equal(findsOf([cards], text, false).finds, undefined);
  const { finds, flagged } = findsOf([cards, unmet], text);
  assert.equal(flagged, true);
  const [of, ...others] = Object.values(finds!.of);
  assert.deepEqual(others, [], 'the other policy is not violated');
  const told = Object.entries(of!).map(([detector, numbers]) => {
    const parts = new Set<string>();
    for (let i = 0; i < numbers.length; i += 3) parts.add(text.slice(numbers[i], numbers[i + 1]));
    return [detector, numbers.length / 3, [...parts]];
  });
  assert.deepEqual(told.sort(), [
    ['pii:CREDIT_CARD', 150, [card]],
    ['terms', 150, ['zz']],
  ]);
  assert.deepEqual(findsOf([cards], 'nothing').finds, { of: {} });
  assert.deepEqual(findsOf([cards], 'zz '.repeat(10_001)).finds, { of: {}, over: true }, 'more than are kept');
  const made = record({ kind: 'session', items: [findsOf([cards], `é ${card}`)] });
  assert.deepEqual(decodeRecord(writeRecord(made)).items[0]!.finds, made.items[0]!.finds);
});

it('says that a policy was left out for the language', () => {
  const hate = { name: 'Hate', detect: { classifier: { label: 'hate' } } };
  const { finds } = findsOf([hate], 'Ég vil fá að vita hvað klukkan er núna á Íslandi í dag');
  assert.deepEqual(finds, { of: {}, foreign: true });
});
