/** What is kept of content where that is kept with marks alone (`retention.content: masked`). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { CONVERSATION } from '#weir/shared/api/checked-messages';
import { sessionConversationOf } from '#weir/shared/api/conversation';
import { viewedItem } from '#weir/shared/api/results/explanation';
import type { PolicyResult, SessionRequest } from '#weir/shared/api/types';
import { compilePlan } from '#weir/shared/policy/compile';
import type { WorkHeader } from '#weir/shared/streams/work';
import type { Draft } from '#weir/workers/evaluator/draft';
import { artifactOutcome } from '#weir/workers/evaluator/kinds/artifact';
import { type EntryBody, readBody } from '#weir/workers/evaluator/kinds/body';
import { eventsOutcome } from '#weir/workers/evaluator/kinds/events/events';
import { sessionOutcome } from '#weir/workers/evaluator/kinds/sessions/session';
import { id, sketch } from '../../../shared/policy/support.ts';
import { entryOf } from '../support.ts';

const CARD = '4111 1111 1111 1111';
const MAIL = 'jane.doe@example.com';
const PLAN = compilePlan(
  sketch({
    policies: [
      { name: 'Data', detect: { pii: { entities: ['CREDIT_CARD', 'EMAIL_ADDRESS'] } } },
      { name: 'Pattern', detect: { regex: { patterns: ['zebra+'] } } },
      { name: 'Both', detect: { all: [{ pii: { entities: ['IP_ADDRESS'] } }, { terms: { list: ['secret word'] } }] } },
    ],
  }),
  1,
);

const event = (fields: object): object => ({
  run_id: 'r',
  event: { event_id: 'e', type: 'tool', name: 'n', ...fields },
});

function eventOf(
  fields: object,
  header: Partial<WorkHeader> = { masked: true },
  plan: typeof PLAN | null = PLAN,
): Draft {
  return eventsOutcome(plan, entryOf('event', event(fields), header), plan ? '' : 'it was given up');
}

function sessionOf(messages: unknown[], header: Partial<WorkHeader> = { masked: true }): Draft {
  const entry = entryOf('session', { external_session_id: 'x', messages }, header);
  return sessionOutcome(PLAN, entry, readBody(entry.body) as EntryBody<SessionRequest>);
}

const said = (content: unknown, role = 'user', more: object = {}): unknown => ({ role, content, ...more });
const contentOf = ({ rows }: Draft): string => rows[0]!.content;

/** What was found, cut out of the text that is kept: by the explanation of the record, or of the row. */
function matched({ rows, items, fragments }: Draft, from: 'record' | 'row'): (string | undefined)[] {
  const { policies } = rows[0]!.verdict;
  const explained = from === 'row' ? rows[0]!.explained : fragments[items[0]!.explained]!;
  const viewed = viewedItem({ policies, explained }, { explain: true, flaggedOnly: true }, { kept: rows[0]!.content });
  const found = Object.values(JSON.parse(viewed.policies) as Record<string, PolicyResult>);
  return found.flatMap(({ evidence = [] }) => evidence.map((one) => one.matched));
}

describe('the content of an event that is masked', () => {
  it('has marks in place of what flagged policies have found, and all else as it was', () => {
    assert.equal(
      contentOf(eventOf({ output: `pay ${CARD} to ${MAIL}, zebra` })),
      'pay [CREDIT_CARD] to [EMAIL_ADDRESS], zebra',
    );
    assert.equal(
      contentOf(eventOf({ output: '10.1.2.3 is of no policy that is flagged' })),
      '10.1.2.3 is of no policy that is flagged',
    );
    assert.deepEqual(
      JSON.parse(contentOf(eventOf({ output: { n: 4111111111111111, [MAIL]: [true, `😀 ${MAIL}`] } }))),
      {
        n: '[CREDIT_CARD]',
        '[EMAIL_ADDRESS]': [true, '😀 [EMAIL_ADDRESS]'],
      },
    );
    assert.equal(contentOf(eventOf({ arguments: `{"card":"${CARD}"}` })), '{"card":"[CREDIT_CARD]"}');
    const plain = eventOf({ output: `pay ${CARD}` }, {});
    assert.equal(contentOf(plain), `pay ${CARD}`);
  });

  it('changes neither verdict nor record but for where finds are in what is kept', () => {
    for (const output of [`a zebraa and ${CARD}`, { a: CARD }, 'nothing']) {
      const [masked, plain] = [eventOf({ output }), eventOf({ output }, {})];
      const bare = ({ items, fragments }: Draft) =>
        items.map(({ explained, policies, ...rest }) => ({ ...rest, policies: fragments[policies] }));
      assert.deepEqual(bare(masked), bare(plain));
      const shown = ({ items, fragments, rows }: Draft) =>
        viewedItem(
          { policies: rows[0]!.verdict.policies, explained: fragments[items[0]!.explained]! },
          { explain: true, flaggedOnly: false, offsets: 'bytes' },
        ).policies;
      assert.equal(shown(masked), shown(plain), 'offsets are those of what was sent');
      assert.ok(!JSON.stringify(masked).includes('4111'));
    }
  });

  it('leads from evidence to the marks, and to what has none', () => {
    const draft = eventOf({ output: `a ${CARD} zebraa, ${MAIL}` });
    for (const from of ['record', 'row'] as const) {
      assert.deepEqual(matched(draft, from), ['[EMAIL_ADDRESS]', '[CREDIT_CARD]', 'zebraa'], from);
    }
    const inJson = eventOf({ output: { a: `${CARD} zebraa` } });
    for (const from of ['record', 'row'] as const) {
      assert.deepEqual(matched(inJson, from), [undefined, undefined], from);
    }
    assert.deepEqual(matched(eventOf({ output: 'a zebraa' }), 'row'), ['zebraa']);
  });

  it('is not there where it cannot be masked, and the note says why', () => {
    const given = eventOf({ output: CARD }, { masked: true }, null);
    assert.deepEqual([contentOf(given), given.items[0]!.status], ['', 'failed']);
    assert.match(
      given.items[0]!.note,
      /its content is not kept, since it cannot be masked: it could not be evaluated$/,
    );
    const media = eventOf({
      output: [{ type: 'image', data: 'iVBORw0KGgoAAAANSUhEUgAAAAgAAAAI', mimeType: 'image/png' }, 'x'],
    });
    assert.deepEqual([contentOf(media), media.items[0]!.status], ['', 'completed']);
    assert.match(media.rows[0]!.note, /cannot be masked: there are images or files in it$/);
  });

  it('of an image is what it says of itself, without its address', () => {
    const content = { kind: 'image', url: 'https://example.com/jane.png', mime_type: 'image/png', name: 'x' };
    const draft = (header: Partial<WorkHeader>) =>
      eventsOutcome(
        PLAN,
        entryOf('event', { run_id: 'r', event: { type: 'artifact', event_id: 'i', content } }, header),
      );
    assert.equal(contentOf(draft({ masked: true })), '{"kind":"image","mime_type":"image/png","name":"x"}');
    assert.ok(contentOf(draft({})).includes('jane.png'));
    const entry = entryOf('artifact', { content }, { masked: true });
    assert.ok(!JSON.stringify(artifactOutcome(PLAN, entry, readBody(entry.body) as never)).includes('jane.png'));
  });
});

describe('the content of a chat that is masked', () => {
  it('is the text that was checked, with marks', () => {
    assert.equal(contentOf(sessionOf([said('before'), said(`my card: ${CARD}`)])), 'my card: [CREDIT_CARD]');
    const parts = [
      { type: 'text', text: `a ${CARD}` },
      { type: 'text', text: `b ${MAIL} zebra` },
    ];
    const draft = sessionOf([said(parts, 'user', { name: 'Zed' })]);
    assert.equal(contentOf(draft), 'a [CREDIT_CARD]\nb [EMAIL_ADDRESS] zebra\nZed');
    for (const from of ['record', 'row'] as const) {
      assert.deepEqual(matched(draft, from), ['[EMAIL_ADDRESS]', '[CREDIT_CARD]', 'zebra'], from);
    }
    assert.ok(!JSON.stringify(draft).includes(MAIL));
  });

  it('is masked where all that is found is asked for, too', () => {
    const draft = sessionOf([said(`my card: ${CARD}`)], { masked: true, finds: true });
    assert.equal(contentOf(draft), 'my card: [CREDIT_CARD]');
    assert.deepEqual(Object.keys(draft.items[0]!.finds!.of), [id(0)]);
  });
});

describe('what later checks may look back on', () => {
  const later = {
    masked: true,
    contextDepth: 4,
    conversations: [sessionConversationOf('x')],
  } satisfies Partial<WorkHeader>;
  const texts = ({ context }: Draft): string[] => context.flatMap(([, members]) => members.map((one) => one.slice(39)));

  it('are checked messages with their marks: earlier ones that came along are not kept', () => {
    const draft = sessionOf([said(`earlier ${CARD}`), said(`my card: ${CARD}`)], later);
    assert.deepEqual(texts(draft), ['my card: [CREDIT_CARD]\u0000user\u0000']);
    assert.deepEqual(texts(sessionOf([said('earlier'), said('now')], { ...later, masked: undefined })), [
      'earlier\u0000user\u0000',
      'now\u0000user\u0000',
    ]);
    const made = { ...later, checked: { from: 1, runs: [[CONVERSATION, 0, 4]] } } satisfies Partial<WorkHeader>;
    const several = sessionOf(
      [said(`earlier ${CARD}`), said(`one ${CARD}`), said(`two ${MAIL}`, 'assistant'), said('three')],
      made,
    );
    assert.deepEqual(
      texts(several).map((one) => one.split('\u0000')[0]),
      ['one [CREDIT_CARD]', 'three', 'two [EMAIL_ADDRESS]'],
    );
  });

  it('are texts of events with their marks, and none of what could not be masked', () => {
    const events = [
      { type: 'message', role: 'user', content: `a ${CARD}` },
      { type: 'tool', output: { a: 1, b: MAIL } },
      { type: 'tool', output: ['data:image/png;base64,iVBORw0KGgoAAAANSUhEUgAAAAgAAAAI'] },
    ];
    const conversations = [sessionConversationOf('x')];
    const entry = entryOf(
      'events',
      { external_session_id: 'x', events },
      { masked: true, contextDepth: 4, conversations },
    );
    assert.deepEqual(texts(eventsOutcome(PLAN, entry)), ['a [CREDIT_CARD]', 'a\n1\nb\n[EMAIL_ADDRESS]']);
    assert.deepEqual(eventsOutcome(null, entry, 'given up').context, []);
  });
});
