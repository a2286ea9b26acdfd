/** Which messages of a gateway's call are its newest turn, and where its texts stand in them (decisions, Adapters). */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { validateGuardrail } from '#weir/shared/api/validate/guardrail';
import { newestTurn, roleOf } from '#weir/shared/api/validate/guardrail/roles';
import { standingIn } from '#weir/shared/api/validate/guardrail/standing';
import type { CheckInput } from '#weir/shared/api/validate/issues';
import { assertBounded } from '../../../support/effort.ts';

const ROLES = { s: 'system', d: 'developer', u: 'user', a: 'assistant', t: 'tool' } as const;

describe('the newest turn', () => {
  /** Letters of the roles; those in capitals are checked. */
  const rows: [input: 'request' | 'response', expected: string][] = [
    ['request', 'U'],
    ['request', 'sU'],
    ['request', 'sdUU'],
    ['request', 'suaU'],
    ['request', 'suaT'],
    ['request', 'suataTTU'],
    ['request', 'uaSU'],
    ['request', 'USD'],
    ['request', 'S'],
    ['request', 'SD'],
    ['request', 'asU'],
    ['request', 'aS'],
    ['request', 'TsU'],
    ['request', 'suA'],
    ['request', 'A'],
    ['request', 'uaA'],
    ['request', ''],
    ['response', 'su'],
    ['response', 'suA'],
    ['response', 'uAAA'],
    ['response', ''],
  ];
  for (const [input, expected] of rows) {
    it(`of a ${input} is ${expected || 'nothing'} [adapter.litellm-turn]`, () => {
      const roles = [...expected.toLowerCase()].map((letter) => ROLES[letter as keyof typeof ROLES]);
      const turn = newestTurn(roles, input);
      assert.equal(
        [...expected.toLowerCase()].map((letter, i) => (turn[i] ? letter.toUpperCase() : letter)).join(''),
        expected,
      );
    });
  }

  it('knows the roles of libraries, and those of items without one', () => {
    const rows: [message: object, role: string][] = [
      [{ role: 'assistant-2' }, 'assistant'],
      [{ role: 'Assistant' }, 'assistant'],
      [{ role: 'function' }, 'tool'],
      [{ role: 'model' }, 'assistant'],
      [{ role: 'human' }, 'user'],
      [{ role: 'moderator' }, 'user'],
      [{ role: 5 }, 'user'],
      [{}, 'user'],
      [{ type: 'message' }, 'user'],
      [{ type: 'reasoning' }, 'assistant'],
      [{ type: 'function_call' }, 'assistant'],
      [{ type: 'mcp_call', role: null }, 'assistant'],
      [{ type: 'function_call_output' }, 'tool'],
      [{ type: 'computer_call_output' }, 'tool'],
    ];
    for (const [message, role] of rows)
      assert.equal(roleOf(message as Record<string, unknown>), role, JSON.stringify(message));
  });
});

describe('a text of a call', () => {
  const where = (texts: string[], messages: object[]) =>
    standingIn(texts, messages as Record<string, unknown>[], () => true).map(
      (place) => place && `${place.message}.${place.path.join('.')}${place.whole ? '' : ' in part'}`,
    );

  it('stands in a content, a part, or the result of a tool [adapter.litellm-texts]', () => {
    const messages = [
      { content: 'a' },
      {
        content: [
          { type: 'text', text: 'b' },
          { type: 'tool_result', content: 'c' },
        ],
      },
      { content: [{ type: 'tool_result', content: [{ type: 'text', text: 'd' }] }, 'e'] },
      { type: 'function_call_output', output: 'f' },
    ];
    const expected = [
      '0.content',
      '1.content.0.text',
      '1.content.1.content',
      '2.content.0.content.0.text',
      '2.content.1',
      '3.output',
    ];
    assert.deepEqual(where(['a', 'b', 'c', 'd', 'e', 'f', 'g', ''], messages), [...expected, undefined, undefined]);
  });

  it('counts once for each string that it is', () => {
    const twice = [{ content: 'yes' }, { content: 'no' }, { content: 'yes' }];
    assert.deepEqual(where(['yes', 'no', 'yes', 'yes'], twice), ['0.content', '1.content', '2.content', undefined]);
  });

  it('may be a part of a string, behind the one before', () => {
    const joined = [{ content: 'one two\n\nthree' }, { content: 'four' }];
    assert.deepEqual(where(['one', ' two', 'three', 'four'], joined), [
      '0.content in part',
      '0.content in part',
      '0.content in part',
      '1.content',
    ]);
    assert.deepEqual(where(['two', 'three'], joined), [undefined, undefined], 'not in the middle of one');
  });

  it('is found among ten thousand in time', () => {
    const many = Array.from({ length: 10_000 }, (_, i) => `text ${i}`);
    assertBounded(() => {
      assert.ok(
        where(
          many,
          many.map((content) => ({ content })),
        ).every((place) => place?.endsWith('content')),
      );
      where(
        many,
        Array.from({ length: 10_000 }, () => ({ content: 'text' })),
      );
    });
  });
});

describe('a session check that is made of a call', () => {
  const made = (body: object): { input: CheckInput; session: { messages: unknown[]; metadata: unknown } } => {
    const result = validateGuardrail(body);
    assert.ok(result.ok, JSON.stringify(result));
    return { input: result.value, session: JSON.parse(result.value.session!) };
  };

  it('has context first, then the turn, then what is beside it, and no metadata of messages', () => {
    const { input, session } = made({
      texts: ['s', 'hi', 'first ', 'second', 'new', 'beside'],
      images: ['https://host.example/old.png', 'AAAA'],
      structured_messages: [
        { role: 'system', content: 's' },
        { role: 'user', content: 'hi', metadata: { user: { id: 'other' } } },
        { role: 'assistant', content: 'first second' },
        {
          role: 'user-2',
          content: [
            { type: 'image_url', image_url: { url: 'AAAA' } },
            { type: 'text', text: 'new' },
            { type: 'odd', x: 1 },
          ],
        },
      ],
    });
    assert.deepEqual(session.messages, [
      { role: 'system', content: 's' },
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'first second' },
      { role: 'assistant', content: 'first ' },
      { role: 'assistant', content: 'second' },
      {
        role: 'user',
        content: [
          { type: 'text', text: '' },
          { type: 'text', text: 'new' },
          { type: 'tool_result', x: 1 },
        ],
      },
      {
        role: 'user',
        content: [
          { type: 'artifact', content: { kind: 'image', url: 'https://host.example/old.png' } },
          { type: 'artifact', content: { kind: 'image', data: 'AAAA' } },
          { type: 'text', text: 'beside' },
        ],
      },
    ]);
    const runs = [
      ['structured_messages', 0, 3],
      ['texts', 2, 2],
      ['structured_messages', 3, 1],
      ['', 0, 1],
    ];
    assert.deepEqual(input.checked, { from: 5, runs });
    assert.deepEqual(
      input.listed!.texts!.map(({ message, path }) => [message, ...path]),
      [
        [0, 'content'],
        [1, 'content'],
        [3, 'content'],
        [4, 'content'],
        [5, 'content', 1, 'text'],
        [6, 'content', 2, 'text'],
      ],
    );
    assert.deepEqual(input.listed!.images, ['images[0]', 'images[1]']);
  });

  it('has the images of the turn, by the names that errors have of them [adapter.litellm-images]', () => {
    const image = (url: string) => ({ type: 'image_url', image_url: { url } });
    const source = { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'BBBB' } };
    const { input, session } = made({
      texts: [],
      images: ['https://host.example/1.png', 'https://host.example/2.png'],
      structured_messages: [
        { role: 'user', content: [image('https://host.example/1.png')] },
        { role: 'assistant', content: 'nice' },
        { role: 'user', content: [image('https://host.example/2.png'), { type: 'tool_result', content: [source] }] },
      ],
    });
    assert.deepEqual(input.listed!.images, ['images[1]', 'structured_messages[2].content[1].content[0]']);
    assert.equal(input.images, 2);
    assert.deepEqual((session.messages.at(-1) as { content: unknown[] }).content, [
      { type: 'artifact', content: { kind: 'image', url: 'https://host.example/2.png' } },
      { type: 'artifact', content: { kind: 'image', data: 'data:image/png;base64,BBBB' } },
    ]);
    assert.equal(input.listed!.allImages, false, 'the first was looked at when it was new');
  });

  it('has the images that tools return, in any shape [adapter.litellm-images]', () => {
    const url = 'https://host.example/a.png';
    const image = { type: 'image_url', image_url: { url } };
    const rows: [message: object, way: string][] = [
      [{ type: 'function_call_output', output: [{ type: 'input_image', image_url: url }] }, 'output[0]'],
      [{ type: 'computer_call_output', output: { type: 'computer_screenshot', image_url: url } }, 'output'],
      [{ role: 'tool', content: image }, 'content'],
      [{ role: 'user', content: [{ type: 'tool_result', content: image }] }, 'content[0].content'],
      [{ role: 'tool', content: [{ type: 'tool-result', result: [image] }] }, 'content[0].result[0]'],
      [
        { role: 'tool', content: [{ type: 'tool-result', output: { type: 'content', value: [[image]] } }] },
        'content[0].output.value[0][0]',
      ],
      [
        { role: 'user', content: [{ type: 'document', source: { type: 'content', content: [image] } }] },
        'content[0].source.content[0]',
      ],
    ];
    for (const [message, way] of rows) {
      const { input } = made({ structured_messages: [message] });
      assert.deepEqual([input.images, input.listed!.images], [1, [`structured_messages[0].${way}`]]);
    }
    const call = { role: 'assistant', content: [{ type: 'tool_use', name: 'f', input: { image_url: url } }] };
    assert.equal(made({ structured_messages: [call] }).input.images, 0);
  });

  it('has what stands beside an image of a part, and roles and types that are no words [adapter.litellm-unread]', () => {
    const url = 'data:image/png;base64,AAAA';
    const word = 'a word';
    const rows: [part: object, made: object][] = [
      [
        { type: 'image_url', image_url: { url } },
        { type: 'text', text: '' },
      ],
      [
        { type: 'image_url', image_url: { url, detail: 'high' }, caption: word },
        { type: 'tool_result', caption: word },
      ],
      [
        { type: 'image_url', image_url: { url, detail: word } },
        { type: 'tool_result', image_url: { detail: word } },
      ],
      [
        { type: 'image_url', image_url: { url, detail: '4111111111111111' } },
        { type: 'tool_result', image_url: { detail: '4111111111111111' } },
      ],
      [
        { type: 'text', text: word, image_url: url },
        { type: 'text', text: word },
      ],
      [
        { type: 'image', source: { type: 'base64', media_type: 'image/png', data: 'AAAA', title: word } },
        { type: 'tool_result', source: { title: word } },
      ],
      [
        { type: 'image', url, content: word },
        { type: 'tool_result', content: word },
      ],
      [
        { type: word, text: 'x' },
        { type: 'tool_result', '': word, text: 'x' },
      ],
    ];
    for (const [part, read] of rows) {
      const { session } = made({ structured_messages: [{ role: word, content: [part] }] });
      assert.deepEqual(session.messages[0], { role: 'user', '': word, content: [read] });
    }
  });

  it('takes any shape of a message, and refuses only what nothing can look at [adapter.litellm-unread]', () => {
    for (const message of [
      {},
      { role: null, content: 1 },
      { content: { a: 'b' } },
      { content: [null, true, ['x'], 'y', {}] },
    ]) {
      const { session } = made({ structured_messages: [message] });
      assert.equal(session.messages.length, 1, JSON.stringify(message));
    }
    const pdf = { type: 'document', source: { type: 'base64', media_type: 'application/pdf', data: 'AAAA' } };
    const rows: [message: object, path: string][] = [
      [{ content: [{ type: 'text', text: 'x' }, pdf] }, 'structured_messages[0].content[1]'],
      [{ content: [{ type: 'tool_result', content: [pdf] }] }, 'structured_messages[0].content[0].content[0]'],
      [{ content: 'x', audio: { data: 'AAAA', format: 'wav', mimeType: 'audio/wav' } }, 'structured_messages[0].audio'],
      [{ content: [{ type: 'image', source: { type: 'file', file_id: 'f' } }] }, 'structured_messages[0].content[0]'],
      [{ type: 'computer_call_output', output: { type: 'computer_screenshot' } }, 'structured_messages[0].output'],
      [{ type: 'function_call_output', output: [pdf] }, 'structured_messages[0].output[0]'],
      [{ type: 'image_generation_call', result: 'AAAA' }, 'structured_messages[0]'],
    ];
    for (const [message, path] of rows) {
      const result = validateGuardrail({ structured_messages: [message] });
      assert.deepEqual(!result.ok && result.issues.map((issue) => [issue.path, issue.code]), [
        [path, 'unsupported_content_part'],
      ]);
      const after = [message, { role: 'assistant', content: '' }, { role: 'user', content: 'hi' }];
      assert.ok(validateGuardrail({ structured_messages: after }).ok, path);
    }
    const text = { type: 'document', source: { type: 'text', media_type: 'text/plain', data: 'said' } };
    assert.match(made({ structured_messages: [{ content: [text] }] }).input.session!, /said/);
  });
});
