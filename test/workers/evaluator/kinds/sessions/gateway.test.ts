/** A word anywhere in a gateway's call is found where it is checked, in whatever shape libraries write it, and only there. */
import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { SessionRequest } from '#weir/shared/api/types';
import { validateGuardrail } from '#weir/shared/api/validate/guardrail';
import { compilePlan } from '#weir/shared/policy/compile';
import type { Draft } from '#weir/workers/evaluator/draft';
import { type EntryBody, readBody } from '#weir/workers/evaluator/kinds/body';
import { sessionOutcome } from '#weir/workers/evaluator/kinds/sessions/session';
import { sketch } from '../../../../shared/policy/support.ts';
import { entryOf } from '../../support.ts';

const PLAN = compilePlan(sketch({ policies: [{ name: 'Word', detect: { terms: { list: ['zzword here'] } } }] }), 1);
const WORD = 'zzword here';

function judged(call: object): Draft {
  const result = validateGuardrail(call);
  assert.ok(result.ok, JSON.stringify(result));
  const { session, checked } = result.value;
  const entry = entryOf('session', session!, checked ? { checked } : {});
  return sessionOutcome(PLAN, entry, readBody(entry.body) as EntryBody<SessionRequest>);
}
const finds = (call: object): boolean => judged(call).items[0]!.flagged === true;

/** Messages and items of model APIs and libraries, with a word in each place that has content. */
const MESSAGES: [name: string, message: object][] = [
  ['content', { role: 'user', content: WORD }],
  ['a name', { role: 'user', name: WORD, content: 'hi' }],
  ['a text part', { role: 'user', content: [{ type: 'text', text: WORD }] }],
  ['an unknown member of a part', { role: 'user', content: [{ type: 'text', text: 'x', extra: WORD }] }],
  ['an input_text part', { role: 'user', content: [{ type: 'input_text', text: WORD }] }],
  ['a part without type', { role: 'user', content: [{ text: WORD }] }],
  ['a part of unknown type', { role: 'user', content: [{ type: 'quote', of: { words: [WORD] } }] }],
  ['a string among the parts', { role: 'user', content: [WORD] }],
  ['an object as content', { role: 'user', content: { question: WORD } }],
  ['a result of a tool', { role: 'tool', tool_call_id: 'c', content: WORD }],
  ['the same in parts', { role: 'tool', tool_call_id: 'c', content: [{ type: 'text', text: WORD }] }],
  ['a result of a function', { role: 'function', name: 'f', content: WORD }],
  ['tool_result', { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: WORD }] }],
  [
    'tool_result in blocks',
    { role: 'user', content: [{ type: 'tool_result', tool_use_id: 't', content: [{ type: 'text', text: WORD }] }] },
  ],
  [
    'web_search_tool_result',
    {
      role: 'user',
      content: [{ type: 'web_search_tool_result', content: [{ type: 'web_search_result', title: WORD }] }],
    },
  ],
  ['a document in text', { role: 'user', content: [{ type: 'document', source: { type: 'text', data: WORD } }] }],
  ['toolResult of Bedrock', { role: 'user', content: [{ toolResult: { toolUseId: 't', content: [{ text: WORD }] } }] }],
  [
    'functionResponse of Gemini',
    { role: 'user', content: [{ functionResponse: { name: 'f', response: { a: WORD } } }] },
  ],
  ['function_call_output', { type: 'function_call_output', call_id: 'c', output: WORD }],
  ['the same in parts', { type: 'function_call_output', call_id: 'c', output: [{ type: 'input_text', text: WORD }] }],
  ['custom_tool_call_output', { type: 'custom_tool_call_output', call_id: 'c', output: WORD }],
  ['local_shell_call_output', { type: 'local_shell_call_output', id: 'c', output: JSON.stringify({ stdout: WORD }) }],
  ['computer_call_output', { type: 'computer_call_output', call_id: 'c', output: { type: 'text', text: WORD } }],
  ['a message item', { type: 'message', role: 'user', content: [{ type: 'input_text', text: WORD }] }],
  [
    'tool_calls',
    { role: 'assistant', content: null, tool_calls: [{ id: 'c', function: { name: 'f', arguments: WORD } }] },
  ],
  ['the name of a tool', { role: 'assistant', tool_calls: [{ id: 'c', function: { name: WORD, arguments: '' } }] }],
  ['function_call', { role: 'assistant', content: '', function_call: { name: 'f', arguments: `{"a":"${WORD}"}` } }],
  ['tool_use', { role: 'assistant', content: [{ type: 'tool_use', id: 't', name: 'f', input: { a: WORD } }] }],
  ['a refusal', { role: 'assistant', content: null, refusal: WORD }],
  ['reasoning_content', { role: 'assistant', content: 'x', reasoning_content: WORD }],
  [
    'a thinking block',
    { role: 'assistant', thinking_blocks: [{ type: 'thinking', thinking: WORD, signature: 'c2ln' }] },
  ],
  ['provider_specific_fields', { role: 'assistant', content: 'x', provider_specific_fields: { citations: [WORD] } }],
  ['annotations', { role: 'assistant', content: 'x', annotations: [{ type: 'url_citation', title: WORD }] }],
  ['a function_call item', { type: 'function_call', call_id: 'c', name: 'f', arguments: JSON.stringify({ a: WORD }) }],
  ['a reasoning item', { type: 'reasoning', id: 'r', summary: [{ type: 'summary_text', text: WORD }] }],
  ['an mcp_call item', { type: 'mcp_call', id: 'm', name: 'f', arguments: '{}', output: WORD }],
  ['a message of unknown shape', { said: { by: 'somebody', words: [WORD] } }],
];

describe('a call of a gateway', () => {
  for (const [name, message] of MESSAGES) {
    it(`is looked at in ${name}, where that is in its newest turn [adapter.litellm-turn]`, () => {
      assert.ok(finds({ texts: [''], structured_messages: [message] }), 'alone');
      assert.ok(
        finds({ texts: ['hi'], structured_messages: [{ role: 'user', content: 'hi' }, message] }),
        'behind another',
      );
      const later = [message, { role: 'assistant', content: 'no' }, { role: 'user', content: 'hi' }];
      assert.equal(finds({ texts: ['hi'], structured_messages: later }), false, 'not in an earlier one');
    });
  }

  it('says where in it something was found', () => {
    const messages = [
      { role: 'user', content: 'hi' },
      { role: 'assistant', content: 'yes' },
      {
        role: 'tool',
        content: [
          { type: 'text', text: 'x' },
          { type: 'text', text: WORD },
        ],
      },
      { role: 'user', content: WORD },
    ];
    const { rows } = judged({ texts: ['hi', `by itself: ${WORD}`], structured_messages: messages });
    const paths = [...rows[0]!.explained.matchAll(/"path":"([^"]*)"/g)].map(([, path]) => path);
    assert.deepEqual(paths, [
      '/structured_messages/2/content/1/text',
      '/structured_messages/3/content',
      '/content/0/text',
    ]);
    assert.equal(rows[0]!.content, `x\n${WORD}\n${WORD}\nby itself: ${WORD}`);
  });
});
