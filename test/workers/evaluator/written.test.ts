/** Content and metadata are checked, kept and given back as they were written; and transcripts as agents send them. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { decodeRecord, type ResultRecord } from '#weir/shared/api/results/record';
import { renderEvent, storedItem } from '#weir/shared/api/results/render';
import type { ArtifactRequest, EventsResponse, SessionRequest } from '#weir/shared/api/types';
import { validateSession } from '#weir/shared/api/validate/validate';
import { itemId, newRequestId } from '#weir/shared/ids';
import { compilePlan } from '#weir/shared/policy/compile';
import type { WorkHeader } from '#weir/shared/streams/work';
import type { Draft } from '#weir/workers/evaluator/draft';
import { artifactOutcome } from '#weir/workers/evaluator/kinds/artifact';
import { type EntryBody, readBody } from '#weir/workers/evaluator/kinds/body';
import { eventsOutcome } from '#weir/workers/evaluator/kinds/events/events';
import { sessionOutcome } from '#weir/workers/evaluator/kinds/sessions/session';
import { evaluateEntry } from '#weir/workers/evaluator/outcome';
import { id, sketch } from '../../shared/policy/support.ts';
import { answerText } from '../../support/api/answer-text.ts';
import { pluck } from '../../support/pluck.ts';
import { entryOf } from './support.ts';

const PLAN = compilePlan(
  sketch({
    policies: [
      { name: 'Term', detect: { terms: { list: ['zzgrößer'] } } },
      { name: 'Card', detect: { pii: { entities: ['CREDIT_CARD'] } } },
      { name: 'Number', detect: { regex: { patterns: ['\\b1e400\\b|12345678901234567890'] } } },
    ],
  }),
  1,
);

const REQUEST = newRequestId(0);

const recordOf = (kind: WorkHeader['kind'], json: string): ResultRecord =>
  decodeRecord(evaluateEntry(PLAN, entryOf(kind, json)).record);
const answerOf = (json: string): EventsResponse => JSON.parse(answerText(recordOf('events', json)));

function batchOf(json: string): Draft {
  const entry = entryOf('events', json, { id: REQUEST });
  return eventsOutcome(PLAN, entry);
}

/** The outcome of one event, given as JSON. */
const eventOf = (event: string): Draft => batchOf(`{"run_id":"r","events":[${event}]}`);

function sessionOf(messages: string, more: string = ''): Draft {
  const json = `{"messages":[${messages}]${more}}`;
  const judged = validateSession(JSON.parse(json));
  assert.deepEqual(judged.ok ? [] : judged.issues, []);
  const entry = entryOf('session', json);
  return sessionOutcome(PLAN, entry, readBody(entry.body) as EntryBody<SessionRequest>);
}

const flaggedBy = ({ rows }: Draft): string[] => rows[0]!.verdict.violations.map(({ name }) => name);
/** The parts of the kept content that the evidence points at. */
const evidence = ({ rows }: Draft): string[] =>
  rows[0]!.verdict.violations.flatMap((one) =>
    one.evidence.map(({ start, end }) => rows[0]!.content.slice(start, end)),
  );

describe('JSON content', () => {
  it('is flagged in a string as it is as an object, in events of tools, functions and agents [event.json-string]', () => {
    const said = '"{\\"q\\":\\"zzgr\\\\u00f6\\\\u00dfer\\"}"';
    for (const [type, field] of [
      ['tool', 'arguments'],
      ['function', 'output'],
      ['agent', 'state'],
    ]) {
      const asObject = eventOf(`{"type":"${type}","${field}":{"q":"zzgr\\u00f6\\u00dfer"}}`);
      const asString = eventOf(`{"type":"${type}","${field}":${said}}`);
      const within = eventOf(`{"type":"${type}","${field}":{"calls":[{"arguments":${said}}]}}`);
      for (const made of [asObject, asString, within]) assert.deepEqual(flaggedBy(made), ['Term'], type);
      assert.deepEqual(evidence(asString), ['zzgr\\u00f6\\u00dfer']);
    }
  });

  it('is flagged in a string of any event, whole or in part: lines, blocks, with words around it [event.json-string]', () => {
    const json = '{"q":"zzgr\\u00f6\\u00dfer"}';
    const strings = [
      json,
      JSON.stringify(json),
      JSON.stringify(JSON.stringify(json)),
      '"zzgr\\u00f6\\u00dfer"',
      `{"a":1}\n${json}`,
      `data: ${json}\n\n`,
      `Here it is:\n\`\`\`json\n${json}\n\`\`\``,
      json.slice(0, -1),
      `\ufeff${json}`,
      json.replace('}', ',"n":NaN}'),
    ];
    for (const said of strings.map((string) => JSON.stringify(string))) {
      for (const event of [
        `"type":"message","role":"assistant","content":${said}`,
        `"type":"reasoning","content":${said}`,
        `"type":"tool","output":${said}`,
        `"type":"agent","state":{"deep":[${said}]}`,
      ]) {
        assert.deepEqual(flaggedBy(eventOf(`{${event}}`)), ['Term'], event);
      }
    }
    assert.deepEqual(evidence(eventOf(`{"type":"tool","output":${JSON.stringify(`see ${json}`)}}`)), [
      'zzgr\\u00f6\\u00dfer',
    ]);
  });

  it('has its numbers checked, as they are written [event.json-content]', () => {
    assert.deepEqual(flaggedBy(eventOf('{"type":"tool","output":{"card":4111111111111111}}')), ['Card']);
    assert.deepEqual(flaggedBy(eventOf('{"type":"tool","output":"{\\"card\\": 4111111111111111}"}')), ['Card']);
    for (const number of ['1e400', '12345678901234567890']) {
      assert.deepEqual(flaggedBy(eventOf(`{"type":"agent","state":{"n":[${number}]}}`)), ['Number']);
    }
  });

  it('has its numbers checked in their plain form, too [event.plain-number]', () => {
    for (const number of ['4111111111111111e0', '4.111111111111111e15', '4111111111111111.0', '41111111111111110E-1']) {
      for (const said of [`{"card":${number}}`, number, `"{\\"card\\": ${number}}"`]) {
        const event = eventOf(`{"type":"tool","output":${said}}`);
        assert.deepEqual(flaggedBy(event), ['Card'], said);
        if (said.startsWith('"')) assert.equal(evidence(event).at(-1), number, said);
      }
    }
    for (const number of ['4111111111111111e1', '4.111111111111112e15', '41111111111111.11']) {
      assert.deepEqual(flaggedBy(eventOf(`{"type":"tool","output":{"card":${number}}}`)), [], number);
    }
  });

  it('within a string hides nothing behind a second member of the same name, and a note says so [content.duplicate-names]', () => {
    const twice = [
      '{"q":"zzgrößer","q":"fine"}',
      '{"q":"fine","q":"zzgrößer"}',
      '[{"a":{"q":"zzgrößer","\\u0071":"fine"}}]',
    ];
    const note = 'a name stands twice in an object within a string; each of its values was checked';
    for (const said of twice.map((json) => JSON.stringify(json))) {
      const event = eventOf(`{"type":"tool","arguments":${said}}`);
      assert.deepEqual([flaggedBy(event), event.rows[0]!.note, event.items[0]!.note], [['Term'], note, note]);
      const call = `{"id":"c","type":"function","function":{"name":"f","arguments":${said}}}`;
      const session = sessionOf(`{"role":"assistant","content":null,"tool_calls":[${call}]}`);
      assert.deepEqual([flaggedBy(session), session.rows[0]!.note], [['Term'], note]);
    }
    assert.equal(eventOf('{"type":"tool","arguments":"{\\"q\\":[{\\"q\\":1},{\\"q\\":1}]}"}').rows[0]!.note, '');
  });

  it('is kept as it was written, but without space [general.as-written]', () => {
    const { rows } = eventOf('{"type":"tool","output": {"b" : [1.0,  12345678901234567890],\n "1": "a  b\\u00e9"} }');
    assert.equal(rows[0]!.content, '{"b":[1.0,12345678901234567890],"1":"a  b\\u00e9"}');
  });
});

describe('metadata', () => {
  it('of an event name its user, as those of a session do', () => {
    for (const [user, id, email] of [
      ['{"id":"u-1","email":" Ann@Example.ORG "}', 'u-1', 'ann@example.org'],
      ['{"id": 12345678901234567890}', '12345678901234567890', ''],
      [`{"id":"${'x'.repeat(300)}","email":"a@b.c"}`, '', 'a@b.c'],
      ['"ann"', '', ''],
      ['null', '', ''],
    ]) {
      // Large metadata are not remembered.
      for (const more of ['1', JSON.stringify('x'.repeat(3000))]) {
        const [row] = eventOf(`{"type":"tool","output":"x","metadata":{"more":${more}, "user": ${user}}}`).rows;
        assert.deepEqual([row!.userId, row!.userEmail], [id, email], user);
      }
    }
    assert.equal(eventOf('{"type":"tool","output":"x"}').rows[0]!.userId, '');
  });

  it('of an event name the user of later events of its run that name none, within a request', () => {
    const event = (run: string, user?: string): string =>
      `{"type":"tool","output":"x","run_id":"${run}"${user === undefined ? '' : `,"metadata":{"user":${user}}`}}`;
    const sent = [
      event('r'),
      event('r', '{"id":"ann","email":"Ann@example.org"}'),
      event('s'),
      event('r'),
      event('r', '{"id":"bob"}'),
      '{"type":"artifact","run_id":"r","content":{"kind":"image","data":"AAAA"}}',
      event('r', '{"tier":"free"}'),
    ];
    const users = batchOf(`{"events":[${sent}]}`).rows.map(({ userId, userEmail }) => `${userId} ${userEmail}`);
    const ann = 'ann ann@example.org';
    assert.deepEqual(users, [' ', ann, ' ', ann, 'bob ', 'bob ', 'bob ']);
    assert.equal(batchOf(`{"events":[${event('r')},${event('r')}]}`).rows[1]!.userId, '', 'not of another request');
  });

  it('of an image that came by itself name its user', () => {
    const json =
      '{"content":{"kind":"image","data":"AAAA"},"metadata":{"user":{"id": 12345678901234567890,"email":"A@b.c"}}}';
    const entry = entryOf('artifact', json);
    const { rows } = artifactOutcome(PLAN, entry, readBody(entry.body) as EntryBody<ArtifactRequest>);
    assert.deepEqual([rows[0]!.userId, rows[0]!.userEmail], ['12345678901234567890', 'a@b.c']);
  });

  const METADATA = '{ "n": 12345678901234567890, "big":1e400 ,\n"x":{"__proto__":-0.0,"constructor":1.50}}';
  const KEPT = '{"n":12345678901234567890,"big":1e400,"x":{"__proto__":-0.0,"constructor":1.50}}';

  it('of an event is kept and given back as it was written, numbers included [general.as-written]', () => {
    const json = `{"run_id":"r", "events" : [ {"type":"reasoning","content":"x","metadata": ${METADATA} },
      {"type":"reasoning","content":"y"}, {"metadata":${METADATA},"type":"tool","output":{"metadata":{"n":1}}} ]}`;
    for (let time = 0; time < 2; time++) {
      const made = recordOf('events', json);
      const metadata = made.items.map((item) => storedItem(made, item).metadata);
      assert.deepEqual(metadata, [KEPT, '', KEPT]);
      assert.ok(renderEvent(storedItem(made, made.items[0]!), { metadata: true }).endsWith(`"metadata":${KEPT}}`));
    }
    const single = recordOf('event', `{"event":{"type":"reasoning","content":"x","metadata":${METADATA}}}`);
    assert.equal(storedItem(single, single.items[0]!).metadata, KEPT);
  });

  it('is kept as it was written where it is long', () => {
    const long = `{"a":"${'x'.repeat(5000)}", "n":1.0}`;
    assert.equal(eventOf(`{"type":"tool","output":"x","metadata":${long}}`).rows[0]!.metadata, long.replace(', ', ','));
  });

  it('of a session and its last message is kept as it was written, and so is the id of its user', () => {
    const made = sessionOf(
      `{"role":"user","content":"x","metadata":{"user":{"id":12345678901234567890},"latency":1.0}}`,
      ',"metadata":{"session": {"n":1e2}}',
    );
    const { metadata, userId } = made.rows[0]!;
    assert.equal(
      metadata,
      '{"session":{"session":{"n":1e2}},"message":{"user":{"id":12345678901234567890},"latency":1.0}}',
    );
    assert.equal(userId, '12345678901234567890');
    assert.equal(
      sessionOf('{"role":"user","content":"a","metadata":{"user":{"id":1e3}}},{"role":"user","content":"b"}').rows[0]!
        .userId,
      '1e3',
    );
    assert.equal(sessionOf('{"role":"user","content":"a"}', ',"metadata":{"user":{"id":7}}').rows[0]!.userId, '7');
  });
});

describe('what a message of a chat has beside its content', () => {
  it('is named in the note of an event, unless it says that there is nothing [event.beside-content]', () => {
    const noteOf = (more: string): string =>
      eventOf(`{"type":"message","role":"assistant","content":"x",${more}}`).items[0]!.note;
    const calls = '"tool_calls":[{"function":{"name":"f","arguments":"{}"}}]';
    assert.equal(noteOf(calls), 'tool_calls beside the content was not looked at');
    assert.equal(noteOf(`${calls},"images":["A"]`), 'tool_calls, images beside the content were not looked at');
    for (const name of [
      'function_call',
      'reasoning_content',
      'refusal',
      'audio',
      'parts',
      'text',
      'attachments',
      'image_url',
      'toolInvocations',
      'additional_kwargs',
      'invalid_tool_calls',
      'citations',
      'annotations',
      'reasoning_text',
      'executed_tools',
      'provider_specific_fields',
      'args',
      'result',
      'response',
      'tool_input',
      'tool_output',
      'prompt',
      'completion',
      'context',
      'search_results',
      'error',
      'structuredContent',
    ]) {
      assert.equal(noteOf(`"${name}":"x"`), `${name} beside the content was not looked at`);
    }
    assert.equal(
      noteOf('"tool_calls":[],"refusal":null,"images":[],"text":"","custom":"x","additional_kwargs":{},"error":false'),
      '',
    );
  });

  it('is named in the note of an image that has more than its fields [event.beside-content]', () => {
    const noteOf = (more: string): string =>
      eventOf(`{"type":"artifact","content":{"kind":"image","url":"https://x.example/a","name":"a b"${more}}}`)
        .items[0]!.note;
    const none = noteOf('');
    assert.equal(noteOf(',"id":"a-1","caption":"","alt":null'), none);
    const told = 'content.caption, content.meta, a member of content beside the image were not looked at';
    assert.equal(noteOf(',"caption":"x","meta":{"a":"b"},"4111 1111":1'), `${none}; ${told}`);
  });

  it('is named in the note of a session where nobody can read it, and it is the last message that has it [event.beside-content] [session.unread]', () => {
    const noteOf = (messages: string): string => sessionOf(messages).items[0]!.note;
    const part = '{"type":"text","text":"x","image_url":{"url":"http://x"},"files":["AAAA"]}';
    const said = `{"role":"user","content":[{"type":"text","text":"y","attachments":["AAAA"]},${part}],"images":["A"]}`;
    assert.equal(
      noteOf(said),
      '1 image within the content was not looked at: content[1]; content[0].attachments, images beside the content were not looked at',
    );
    assert.equal(noteOf('{"role":"user","content":"x","images":["A"]}'), 'images beside the content was not looked at');
    for (const [more, told] of [
      ['"audio":{"id":"a","data":"UklGRg=="}', 'audio beside the content was not looked at'],
      ['"audio":{"id":"a"}', 'audio beside the content was not looked at'],
      ['"audio":{"id":"a","data":"UklGRg==","transcript":"hi"}', ''],
      ['"video":{"data":"AAAA"}', 'video beside the content was not looked at'],
      [
        '"toolInvocations":[{"result":{"blob":"JVBERi0="}}]',
        '1 file within the content was not looked at: toolInvocations[0].result',
      ],
      ['"resource":{"uri":"file:///a","blob":"JVBERi0="}', '1 file within the content was not looked at: resource'],
      ['"extra":{"4111 1111":[{"type":"image","data":"AAAA"}]}', '1 image within the content was not looked at: extra'],
      ['"toolInvocations":[{"args":{}}],"additional_kwargs":{},"images":[],"audio":null', ''],
    ]) {
      assert.equal(noteOf(`{"role":"assistant","content":"x",${more}}`), told, more);
    }
    assert.equal(noteOf(`${said},{"role":"user","content":"x"}`), '');
  });

  it('is not part of the text where it is the data of an image or a file, of any length', () => {
    const long = 'QUJD'.repeat(400_000);
    const made = sessionOf(
      `{"role":"user","content":[{"type":"tool_result","content":[{"type":"text","text":"zzgrößer"},{"type":"image","source":{"type":"base64","media_type":"image/png","data":"${long}"}}]}],"images":["${long}"],"experimental_attachments":[{"name":"a b","contentType":"image/png","url":"data:image/png;base64,${long}"}]}`,
    );
    assert.deepEqual(flaggedBy(made), ['Term']);
    assert.ok(made.rows[0]!.content.length < 500, String(made.rows[0]!.content.length));
    assert.match(made.rows[0]!.content, /a b/);
    const told = 'content[0].content[1], experimental_attachments[0].url; images beside the content was not looked at';
    assert.equal(made.items[0]!.note, `2 images within the content were not looked at: ${told}`);
  });
});

/** Each of these says the term in a place of its own. */
const SAID_IN = ((said: string): [role: string, message: string][] => [
  // OpenAI
  [
    'assistant',
    `"content":"ok","annotations":[{"type":"url_citation","url_citation":{"title":${said},"url":"https://x.example","start_index":0}}]`,
  ],
  ['user', `"content":"ok","name":${said}`],
  ['user', `"content":[{"type":"text","text":"x","extra":${said}}]`],
  ['user', `"content":[{"type":"text","text":"x","extra":{"a":{"b":[${said}]}}}]`],
  ['user', `"content":[{"type":"input_text","text":"x","annotations":[{"quote":${said}}]}]`],
  ['user', '"content":[{"type":"text","text":"x","zzgrößer":1}]'],
  ['user', '"content":"x","zzgr\\u00f6\\u00dfer":true'.replaceAll('\\\\', '\\')],
  ['assistant', `"content":null,"audio":{"id":"a","transcript":"x","title":${said}}`],
  [
    'assistant',
    `"content":null,"tool_calls":[{"id":${said},"type":"function","function":{"name":"f","arguments":"{}"}}]`,
  ],
  ['assistant', `"content":"x","id":${said}`],
  ['assistant', `"content":"x","type":{"a":${said}}`],
  // Anthropic
  [
    'assistant',
    `"content":[{"type":"text","text":"ok","citations":[{"type":"char_location","cited_text":${said},"document_index":0}]}]`,
  ],
  ['assistant', `"content":[{"type":"server_tool_use","id":"s","name":"web_search","input":{"query":${said}}}]`],
  [
    'user',
    `"content":[{"type":"web_search_tool_result","tool_use_id":"s","content":[{"type":"web_search_result","title":${said},"encrypted_content":"A"}]}]`,
  ],
  [
    'user',
    `"content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"document","source":{"type":"text","data":${said}}}]}]`,
  ],
  [
    'user',
    `"content":[{"type":"document","title":"a","source":{"type":"text","media_type":"text/plain","data":${said}}}]`,
  ],
  ['user', `"content":[{"type":"search_result","title":"a","source":"b","content":[{"type":"text","text":${said}}]}]`],
  // Azure, Groq, DeepSeek, OpenRouter
  ['assistant', `"content":"ok","context":{"citations":[{"content":${said},"filepath":"a"}],"intent":"[]"}`],
  ['assistant', `"content":"ok","executed_tools":[{"index":0,"type":"search","arguments":"{}","output":${said}}]`],
  ['assistant', `"content":"ok","reasoning_text":${said}`],
  ['assistant', `"content":"ok","provider_specific_fields":{"citations":[[{"cited_text":${said}}]]}`],
  // LangChain, Vercel, Gemini, LlamaIndex, Bedrock
  [
    'assistant',
    `"content":"","additional_kwargs":{"tool_calls":[{"id":"1","type":"function","function":{"name":"pay","arguments":"{\\"q\\":\\"zzgr\\\\u00f6\\\\u00dfer\\"}"}}]}`,
  ],
  ['assistant', `"content":"","invalid_tool_calls":[{"name":"f","args":${said},"error":"e"}]`],
  [
    'assistant',
    `"content":"","toolInvocations":[{"state":"result","toolCallId":"c","toolName":"f","args":{},"result":{"a":${said}}}]`,
  ],
  ['user', `"content":"","parts":[{"type":"tool-invocation","toolInvocation":{"args":${said}}}]`],
  ['user', `"content":"","parts":[{"functionResponse":{"name":"f","response":{"output":${said}}}}]`],
  ['user', `"content":"","blocks":[{"block_type":"text","text":${said}}]`],
  ['user', `"content":"","output":[{"toolResult":{"toolUseId":"t","content":[{"json":{"a":${said}}}]}}]`],
  // beside an image
  [
    'user',
    `"content":[{"type":"text","text":"x"},{"type":"artifact","content":{"kind":"image","caption":${said},"data":null,"url":"https://x.example/a"}}]`,
  ],
  [
    'user',
    `"content":[{"type":"text","text":"x"},{"type":"artifact","artifact":{"kind":"image","meta":{"a":[${said}]},"url":"https://x.example/a"}}]`,
  ],
  [
    'user',
    `"content":[{"type":"text","text":"x"},{"type":"artifact","caption":${said},"content":{"kind":"image","data":null,"url":"https://x.example/a"}}]`,
  ],
])('"look: zzgrößer"');

describe('a message of a chat', () => {
  it('has every member with text in it checked, wherever a library puts it [session.everything]', () => {
    for (const [role, members] of SAID_IN) {
      const made = sessionOf(`{"role":"${role}",${members}}`);
      assert.deepEqual(flaggedBy(made), ['Term'], members);
    }
    const number = sessionOf('{"role":"user","content":"x","extra":12345678901234567890}');
    assert.deepEqual(flaggedBy(number), ['Number'], 'as it was written');
  });

  it('is read content first, then what else its parts have, then what else it has [session.everything]', () => {
    const made = sessionOf(
      '{"name":"N","extra":{"a":{"b":1}},"role":"assistant","content":[{"note":"P","type":"text","text":"A"},{"type":"text","text":"B"},{"type":"tool_use","id":"c","name":"f","input":{}}],"tool_calls":[{"id":"c","name":"T"}]}',
    );
    assert.equal(made.rows[0]!.content, 'A\nB\nf\nP\nN\nb\n1\nT');
  });

  it('has content in what only has the name of an id, and in the metadata of its parts [session.no-content]', () => {
    const said = '{"a":1,"b":"zzgrößer"}';
    for (const member of [
      ...['state', 'status', 'id', 'signature'].map((name) => `"content":"x","${name}":{"a":"zzword"}`),
      `"content":[{"type":"text","text":"x","metadata":${said}}]`,
      `"content":"x","documents":[{"page_content":"y","metadata":${said}}]`,
    ]) {
      const { content } = sessionOf(`{"role":"user",${member}}`).rows[0]!;
      assert.match(content, /zzword|zzgrößer/, member);
    }
  });

  it('has no content in the tokens of a text and their numbers [session.no-content]', () => {
    const part = (token: string): string =>
      `{"role":"assistant","content":[{"type":"output_text","text":"x","logprobs":[{"token":${token},"logprob":-0.3172530512,"bytes":[32,104],"top_logprobs":[]}]}]}`;
    for (const token of ['" hello"', '"\\n"', '"größer"']) assert.equal(sessionOf(part(token)).rows[0]!.content, 'x');
    assert.match(sessionOf(part('"a zzgrößer"')).rows[0]!.content, /zzgrößer/);
  });

  it('has no content in ids, kinds, times, counts and metadata that look like it [session.no-content]', () => {
    const made = sessionOf(
      '{"id":"msg_1","type":"message","role":"assistant-2","status":"completed","object":"chat.completion","content":"x","index":0,"model":"m-1","created":1764186478,"usage":{"prompt_tokens":12},"logprobs":null,"metadata":{"a":"zzgrößer"},"tool_calls":[],"refusal":null,"prefix":true,"cache_control":{"type":"ephemeral"},"thinking_blocks":[{"type":"thinking","thinking":"y","signature":"ErUBCkYIARgCIkA/+="}]}',
    );
    assert.equal(made.rows[0]!.content, 'x\ny');
    assert.deepEqual([flaggedBy(made), made.items[0]!.note], [[], '']);
  });
});

describe('images within other content', () => {
  const toldOf = (event: string): string => eventOf(event).items[0]!.note;
  /** without the paths */
  const noteOf = (event: string): string => toldOf(event).replace(/: .*/, '');

  it('are named in the note by the path that leads to them [event.images-within]', () => {
    const image = '{"type":"image","data":"AAAA"}';
    const file = '{"type":"resource","resource":{"uri":"file:///a","blob":"AAAA"}}';
    for (const [field, value, path] of [
      ['output', image, 'output'],
      ['output', `[${image}]`, 'output[0]'],
      ['output', `{"content":[{"a":1},${file}]}`, 'output.content[1].resource'],
      ['arguments', JSON.stringify(`{"a":${image}}`), 'arguments.a'],
      ['arguments', `{"4111 1111":${image}}`, 'arguments'],
    ]) {
      const told = toldOf(`{"type":"tool","${field}":${value}}`);
      assert.equal(told.split(' was not looked at: ')[1], path, told);
    }
  });

  it('of tools are counted in the note, however they are nested [event.images-within]', () => {
    const image = '{"type":"image","data":"AAAA","mimeType":"image/png"}';
    const one = '1 image within the content was not looked at';
    for (const output of [
      `[{"type":"text","text":"x"},${image}]`,
      `{"content":{"deep":[${image}]}}`,
      '{"type":"image_url","image_url":{"url":"data:image/png;base64,AAAA"}}',
      '{"image_url":"data:image/png;base64,AAAA"}',
      '{"inlineData":{"mimeType":"image/webp","data":"AAAA"}}',
      '{"type":"image","source":{"type":"base64","media_type":"image/png","data":"AAAA"}}',
      '"data:image/png;base64,AAAA"',
      JSON.stringify(`[${image}]`),
      JSON.stringify(`{"deep":${JSON.stringify(image)}}`),
      '{"type":"artifact","content":{"kind":"image","data":"AAAA"}}',
      '{"image":{"format":"png","source":{"bytes":"AAAA"}}}',
      '{"image":{"url":"https://example.com/a"}}',
      '{"image_url":{"url":"https://example.com/a"}}',
      '{"type":"computer_screenshot","image_url":"https://example.com/a"}',
      '{"type":"image_generation_call","result":"AAAA"}',
      '{"mimeType":"IMAGE/PNG","data":"AAAA"}',
    ]) {
      assert.equal(noteOf(`{"type":"tool","output":${output}}`), one, output);
    }
    const more = `{"type":"tool","output":[${image},${image},{"a":"![](data:image/gif;base64,A)"}]}`;
    assert.equal(noteOf(more), '3 images within the content were not looked at');
  });

  it('are counted in JSON that stands in lines or among words [event.images-within]', () => {
    const part = '{"type":"image_url","image_url":{"url":"https://example.com/a"}}';
    for (const said of [`${part}\n{"a":1}`, `Here: ${part}`, JSON.stringify(JSON.stringify([part]))]) {
      const inText = noteOf(`{"type":"tool","output":${JSON.stringify(said)}}`);
      assert.equal(inText, '1 image within the content was not looked at');
    }
  });

  it('are counted beside recordings and documents, which nobody looks at either [event.images-within]', () => {
    for (const part of [
      '{"type":"input_audio","input_audio":{"data":"AAAA","format":"wav"}}',
      '{"type":"file","file":{"file_data":"data:application/pdf;base64,AAAA","filename":"a.pdf"}}',
      '{"type":"file","file":{"file_id":"f"}}',
      '{"type":"document","source":{"type":"base64","media_type":"application/pdf","data":"AAAA"}}',
      '{"type":"video_url","video_url":{"url":"https://example.com/a"}}',
      '{"document":{"format":"pdf","source":{"bytes":"AAAA"}}}',
      '{"inlineData":{"mimeType":"audio/mp3","data":"AAAA"}}',
      '{"type":"audio","data":"AAAA","mimeType":"audio/wav"}',
      '{"type":"resource","resource":{"uri":"file:///x","mimeType":"application/pdf","blob":"AAAA"}}',
      '{"type":"resource","resource":{"uri":"file:///x","blob":"AAAA"}}',
      '{"file":{"file_id":"f"}}',
      '{"video":{"url":"https://example.com/a"}}',
    ]) {
      const one = '1 file within the content was not looked at';
      assert.equal(noteOf(`{"type":"tool","output":[${part}]}`), one, part);
      assert.equal(noteOf(`{"type":"message","role":"user","content":[${part}]}`), one, part);
      assert.equal(noteOf(`{"type":"tool","output":${JSON.stringify(part)}}`), one, part);
      const result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[${part}]}]}`;
      const told = sessionOf(result).items[0]!.note;
      assert.ok(told.startsWith(`${one}: content[0].content[0]`), `${part}: ${told}`);
    }
    const both = '[{"type":"image","data":"A"},{"type":"audio","data":"A"},{"a":"data:video/mp4;base64,AAAA"}]';
    const inList = noteOf(`{"type":"tool","output":${both}}`);
    assert.equal(inList, '1 image and 2 files within the content were not looked at');
    const audio = noteOf('{"type":"reasoning","content":"data:audio/mp3;base64,AAAA"}');
    assert.equal(audio, '1 file within the content was not looked at');
  });

  it('are known by how their bytes begin, too [event.images-within]', () => {
    const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAAB';
    const pdf = 'JVBERi0xLjQKJcOkw7zDtsOfCjIgMCBvYmo=';
    for (const [value, note] of [
      [`{"screenshot":"${png}"}`, '1 image within the content was not looked at: output.screenshot'],
      [
        JSON.stringify(`{"a":[{"b64_json":"${png}"}]}`),
        '1 image within the content was not looked at: output.a[0].b64_json',
      ],
      [`"${png}"`, '1 image within the content was not looked at: output'],
      ['["\\/9j\\/4AAQSkZJRgABAQEASABIAAD"]', '1 image within the content was not looked at: output[0]'],
      ['{"a":"UklGRiQAAABXQVZFZm10IBAAAAABAAEA"}', '1 file within the content was not looked at: output.a'],
      [
        `{"attachment":{"filename":"a","content":"${pdf}"}}`,
        '1 file within the content was not looked at: output.attachment.content',
      ],
      [`{"a":"${png} ${png}","b":"iVBORw0KGgo","c":"/9j/etc/passwd is a path"}`, ''],
    ]) {
      assert.equal(toldOf(`{"type":"tool","output":${value}}`), note);
    }
    const said = sessionOf(`{"role":"tool","content":"x","shot":{"png":"${png}"}}`).items[0]!.note;
    assert.equal(said, '1 image within the content was not looked at: shot.png');
  });

  it('are not found where there are none', () => {
    for (const output of [
      '{"parameters":{"properties":{"image_url":{"type":"string","description":"of an image or a file"}}}}',
      '{"type":"file","path":"a.txt"}',
      '{"type":"document","source":{"type":"text","media_type":"text/plain","data":"a"}}',
      '{"mimeType":"application/json","data":"{}"}',
      '{"type":"document","title":"a"}',
      '{"uri":"file:///a.md","mimeType":"text/markdown","text":"a"}',
      '{"type":"text","text":"an image"}',
      '"image"',
      '{"image":"x"}',
      '{"image":{"width":2},"image_url":""}',
      '{"type":"artifact"}',
      '"[image]"',
    ])
      assert.equal(noteOf(`{"type":"tool","output":${output}}`), '', output);
  });

  it('leave the text checked and the event completed', () => {
    const made = eventOf('{"type":"tool","output":[{"type":"image","data":"A"},{"text":"zzgrößer"}]}');
    assert.deepEqual([flaggedBy(made), made.items[0]!.status], [['Term'], 'completed']);
  });
});

describe('transcripts of agents', () => {
  const call = (said: string): string =>
    `{"id":"c1","type":"function","function":{"name":"search","arguments":${JSON.stringify(said)}}}`;

  it('have calls of tools beside null, empty or absent content, anywhere [session.tool-calls]', () => {
    for (const content of ['"content":null,', '"content":"",', '']) {
      const calls = `{"role":"assistant",${content}"tool_calls":[${call('{"q":"zzgr\\u00f6\\u00dfer"}')}]}`;
      const last = sessionOf(`{"role":"user","content":"hi"},${calls}`);
      assert.deepEqual(flaggedBy(last), ['Term'], content);
      assert.deepEqual(evidence(last), ['zzgr\\u00f6\\u00dfer']);
      assert.equal(last.rows[0]!.content, 'search\n{"q":"zzgr\\u00f6\\u00dfer"}');
      const earlier = sessionOf(`${calls},{"role":"tool","tool_call_id":"c1","content":[{"type":"text","text":"ok"}]}`);
      assert.deepEqual(flaggedBy(earlier), []);
    }
  });

  it('are read in every shape that models give their calls [session.tool-calls]', () => {
    const said = '"zzgrößer"';
    const shapes = [
      `"tool_calls":[{"function":{"name":${said},"arguments":"{}"}}]`,
      `"tool_calls":[{"type":"custom","custom":{"name":"x","input":${said}}}]`,
      `"tool_calls":[{"name":"x","args":{"deep":[${said}]},"id":"c"}]`,
      `"function_call":{"name":"x","arguments":"{\\"q\\":\\"zzgr\\\\u00f6\\\\u00dfer\\"}"}`,
      `"content":[{"type":"tool_use","id":"t","name":"x","input":{"q":${said}}}]`,
      `"content":[{"type":"text","text":"ok"},{"type":"tool-call","toolName":"x","args":{"q":${said}}}]`,
      `"content":[{"type":"thinking","thinking":${said},"signature":"s"}]`,
      `"content":[{"type":"refusal","refusal":${said}}]`,
      `"content":null,"refusal":${said}`,
    ];
    for (const shape of shapes)
      assert.deepEqual(flaggedBy(sessionOf(`{"role":"assistant",${shape}}`)), ['Term'], shape);
    const result = `{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":[{"type":"text","text":${said}}]}]}`;
    assert.deepEqual(flaggedBy(sessionOf(result)), ['Term']);
    const number = '{"role":"assistant","tool_calls":[{"name":"pay","args":{"n":12345678901234567890}}]}';
    assert.deepEqual(flaggedBy(sessionOf(number)), ['Number']);
  });

  it('have the JSON that a tool answers checked as what it says, too, in a text and in parts [session.tool-calls]', () => {
    const said = '"{\\"q\\":\\"zzgr\\\\u00f6\\\\u00dfer\\"}"';
    for (const content of [said, `[{"type":"text","text":${said}}]`]) {
      const made = sessionOf(`{"role":"tool","tool_call_id":"c1","content":${content}}`);
      assert.deepEqual(flaggedBy(made), ['Term']);
      assert.deepEqual(evidence(made), ['zzgr\\u00f6\\u00dfer']);
      assert.deepEqual(flaggedBy(sessionOf(`{"role":"user","content":${content}}`)), ['Term']);
    }
    assert.deepEqual(sessionOf('{"role":"tool","content":""}').rows[0]!.content, '');
  });

  it('have thoughts and transcripts of what was said aloud in their text [session.spoken]', () => {
    const said = '"zzgr\\u00f6\\u00dfer"';
    for (const member of [
      `"reasoning_content":${said}`,
      `"reasoning":${said}`,
      `"reasoning_details":[{"type":"reasoning.text","text":${said}}]`,
      `"thinking":${said}`,
      `"thinking_blocks":[{"type":"thinking","thinking":${said},"signature":"s"}]`,
      `"audio":{"id":"a","data":"UklGR","transcript":${said}}`,
      `"parts":[{"type":"text","text":${said}}]`,
    ]) {
      for (const content of ['"content":"ok",', '"content":null,', '']) {
        const made = sessionOf(`{"role":"assistant",${content}${member}}`);
        assert.deepEqual(flaggedBy(made), ['Term'], content + member);
      }
    }
    assert.equal(sessionOf('{"role":"assistant","content":"a","audio":{"data":"UklGR"}}').rows[0]!.content, 'a');
  });

  it('have no ids and kinds of calls in their text', () => {
    const made = sessionOf(`{"role":"assistant","content":"Let me see","tool_calls":[${call('{"a":1}')}]}`);
    assert.equal(made.rows[0]!.content, 'Let me see\nsearch\n{"a":1}');
  });

  it('say how many images within calls and text nobody looked at', () => {
    const made = sessionOf('{"role":"assistant","tool_calls":[{"name":"x","args":{"url":"data:image/png;base64,A"}}]}');
    assert.equal(made.items[0]!.note, '1 image within the content was not looked at: tool_calls[0].args.url');
    assert.match(sessionOf('{"role":"user","content":"![](data:image/png;base64,A)"}').items[0]!.note, /^1 image/);
    assert.equal(sessionOf('{"role":"user","content":"an image"}').items[0]!.note, '');
  });
});

describe('an event in a short form', () => {
  const outcomeOf = (events: object[]): unknown => {
    const { items, rows } = batchOf(JSON.stringify({ run_id: 'r', events }));
    return { items, rows: rows.map((row) => ({ ...row, verdict: undefined })) };
  };

  it('is kept, linked and judged as if it were sent in full [event.short-references] [event.role-postfix]', () => {
    const first = { type: 'message', role: 'user', event_id: 'm1', content: 'x' };
    const full = { type: 'message', role: 'assistant', event_id: 'm2', content: 'zzgrößer' };
    const made = outcomeOf([
      first,
      {
        ...full,
        parent: { event_id: 'm1' },
        links: [{ event_id: 'm1' }, { event_id: 'm1', relation: 'answers' }, { event_id: 'n' }],
      },
    ]);
    const short = {
      ...full,
      role: 'assistant-2',
      parent: 'm1',
      links: ['m1', { event_id: 'm1', relation: 'answers' }, 'n'],
    };
    assert.deepEqual(outcomeOf([first, short]), made);
    // One that both readers take, the one by bytes and the other.
    const entry = entryOf('events', { run_id: 'r', events: [first, { ...short, role: 'assistant' }] });
    const other = { ...entry, body: Buffer.from(`\n${entry.body}`) };
    const [one, two] = [entry, other].map((each) => evaluateEntry(PLAN, each));
    assert.deepEqual(one, two);
    const links = decodeRecord(one!.record).items[1]!.links!;
    assert.deepEqual(pluck(links, 'kind', 'relation', 'eventId', 'target'), [
      ['parent', '', 'm1', itemId(entry.header.id, 1)],
      ['link', 'caused_by', 'm1', itemId(entry.header.id, 1)],
      ['link', 'answers', 'm1', itemId(entry.header.id, 1)],
      ['link', 'caused_by', 'n', undefined],
    ]);
  });

  it('has the role that conditions and directions see [event.role-postfix]', () => {
    const plan = compilePlan(
      sketch({
        policies: [
          { name: 'Input', direction: 'input', detect: { terms: { list: ['x'] } } },
          { name: 'Output', direction: 'output', detect: { terms: { list: ['x'] } } },
        ],
        conditions: [{ id: 'a', name: 'A', when: 'event.role in ["user", "assistant"]', policies: [id(0), id(1)] }],
      }),
      1,
    );
    for (const [role, name] of [
      ['user-2', 'Input'],
      ['assistant-x', 'Output'],
    ]) {
      const entry = entryOf('events', { run_id: 'r', events: [{ type: 'message', role, content: 'x' }] });
      assert.deepEqual(flaggedBy(eventsOutcome(plan, entry)), [name]);
    }
  });

  it('has its number or boolean checked and kept as it is written [event.scalar-content]', () => {
    for (const field of ['output', 'arguments']) {
      for (const [written, flagged] of [
        ['4111111111111111', ['Card']],
        ['1e400', ['Number']],
        ['12345678901234567890', ['Number']],
        ['0', []],
        ['false', []],
      ] as const) {
        const made = eventOf(`{"type":"function","${field}": ${written} ,"event_id":"e"}`);
        assert.deepEqual([flaggedBy(made), made.rows[0]!.content, made.rows[0]!.field], [flagged, written, field]);
        assert.deepEqual([made.items[0]!.status, made.items[0]!.note], ['completed', '']);
      }
    }
    const yes = compilePlan(sketch({ policies: [{ name: 'Yes', detect: { terms: { list: ['true'] } } }] }), 1);
    const entry = entryOf('event', '{"run_id":"r","event":{"type":"tool","output":true}}');
    assert.deepEqual(flaggedBy(eventsOutcome(yes, entry)), ['Yes']);
  });
});

describe('a batch', () => {
  it('says how many of its events failed [batch.failed]', () => {
    const image = '{"type":"artifact","event_id":"a","content":{"kind":"image","data":"AAAA"}}';
    const { failed, flagged } = answerOf(`{"run_id":"r","events":[${image},{"type":"reasoning","content":"x"}]}`);
    assert.deepEqual([failed, flagged], [1, false]);
    assert.equal(answerOf('{"run_id":"r","events":[{"type":"reasoning","content":"x"}]}').failed, 0);
    const reference = '{"type":"artifact","event_id":"a"}';
    const both = answerOf(
      `{"run_id":"r","events":[${image},${reference},${reference},{"type":"reasoning","event_id":"a"}]}`,
    );
    assert.equal(both.failed, 3);
    assert.deepEqual(pluck(both.order, 'status'), [['failed'], ['referenced'], ['referenced'], ['not_found']].flat());
  });

  it('keeps the parent and links of a reference out, and says so [event.reference-links]', () => {
    const events = [
      '{"type":"reasoning","event_id":"e","content":"x"}',
      '{"type":"reasoning","event_id":"e","parent":{"event_id":"e"}}',
      '{"type":"reasoning","event_id":"f","links":[{"event_id":"e"}]}',
      '{"type":"reasoning","event_id":"e","links":[]}',
    ];
    const { items } = recordOf('events', `{"run_id":"r","events":[${events.join()}]}`);
    const told = 'parent and links are kept out of a reference';
    assert.deepEqual(pluck(items, 'note', 'links'), [
      ['', undefined],
      [told, undefined],
      [`no such event; ${told}`, undefined],
      ['', undefined],
    ]);
  });
});
