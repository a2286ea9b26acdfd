/**
 * Streams of models as their interfaces send them: an answer, and a call of a tool, both in pieces. The shapes are those of the interfaces,
 * the words are not.
 */
import { pieces } from './support.ts';

export interface Said {
  text: string;
  /** JSON of an object */
  call: string;
}

export interface RecordedStream {
  chunks(said: Said): unknown[];
  /** what goes to the service, a stream for each part in the order in which they begin */
  sent(said: Said): string[];
}

const both = ({ text, call }: Said): string[] => [text, call];

/** Chat Completions of OpenAI, with the chunk of the usage behind the last choice. */
const chat: RecordedStream = {
  chunks({ text, call }) {
    const common = {
      id: 'chatcmpl-1',
      object: 'chat.completion.chunk',
      created: 1795800000,
      model: 'gpt',
      service_tier: 'default',
    };
    const chunk = (delta: unknown, finish_reason: string | null = null): unknown => ({
      ...common,
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      usage: null,
    });
    const callOf = (made: string, more: object = {}): unknown => ({
      tool_calls: [{ index: 0, ...more, function: { ...('id' in more ? { name: 'book' } : {}), arguments: made } }],
    });
    return [
      chunk({ role: 'assistant', content: '', refusal: null }),
      ...pieces(text).map((content) => chunk({ content })),
      chunk(callOf('', { id: 'call_1', type: 'function' })),
      ...pieces(call).map((made) => chunk(callOf(made))),
      chunk({}, 'tool_calls'),
      { ...common, choices: [], usage: { prompt_tokens: 9, completion_tokens: 12, total_tokens: 21 } },
    ];
  },
  sent: both,
};

/** Two choices side by side, a chunk of each in turn. */
const choices: RecordedStream = {
  chunks({ text, call }) {
    const [first, second] = [pieces(text), pieces(call)];
    const chunk = (index: number, delta: unknown, finish_reason: string | null = null): unknown => ({
      id: 'chatcmpl-2',
      object: 'chat.completion.chunk',
      created: 1795800000,
      model: 'other',
      choices: [{ index, delta, finish_reason }],
    });
    const turns = Array.from({ length: Math.max(first.length, second.length) }, (_, n) => [
      ...(first[n] === undefined ? [] : [chunk(0, { content: first[n] })]),
      // As some send it: a list of parts.
      ...(second[n] === undefined ? [] : [chunk(1, { content: [{ type: 'text', text: second[n] }] })]),
    ]);
    return [...turns.flat(), chunk(0, {}, 'stop'), chunk(1, {}, 'stop')];
  },
  sent: both,
};

/** Responses of OpenAI: each text comes again as a whole when it ends, with its item and with the response. */
const responses: RecordedStream = {
  chunks({ text, call }) {
    let sequence_number = 0;
    const event = (type: string, more: object): unknown => ({
      type: `response.${type}`,
      sequence_number: sequence_number++,
      ...more,
    });
    const part = { type: 'output_text', text, annotations: [] };
    const message = { id: 'msg_1', type: 'message', role: 'assistant', status: 'completed', content: [part] };
    const made = {
      id: 'fc_1',
      type: 'function_call',
      call_id: 'call_1',
      name: 'book',
      status: 'completed',
      arguments: call,
    };
    const ofText = { item_id: 'msg_1', output_index: 0, content_index: 0 };
    const ofCall = { item_id: 'fc_1', output_index: 1 };
    const response = { id: 'resp_1', object: 'response', status: 'in_progress', output: [] };
    return [
      event('created', { response }),
      event('in_progress', { response }),
      event('output_item.added', { output_index: 0, item: { ...message, content: [], status: 'in_progress' } }),
      event('content_part.added', { ...ofText, part: { ...part, text: '' } }),
      ...pieces(text).map((delta) => event('output_text.delta', { ...ofText, delta, logprobs: [] })),
      event('output_text.done', { ...ofText, text, logprobs: [] }),
      event('content_part.done', { ...ofText, part }),
      event('output_item.done', { output_index: 0, item: message }),
      event('output_item.added', { output_index: 1, item: { ...made, arguments: '', status: 'in_progress' } }),
      ...pieces(call).map((delta) => event('function_call_arguments.delta', { ...ofCall, delta })),
      event('function_call_arguments.done', { ...ofCall, name: 'book', arguments: call }),
      event('output_item.done', { output_index: 1, item: made }),
      event('completed', { response: { ...response, status: 'completed', output: [message, made] } }),
    ];
  },
  sent: both,
};

/** The same from a server that sends no pieces, only what is done. */
const responsesAtOnce: RecordedStream = {
  chunks: (said) =>
    responses
      .chunks(said)
      .filter((event) => !/delta|text\.done|arguments\.done/.test((event as { type: string }).type)),
  sent: both,
};

/** Messages of Anthropic: thinking, an answer whose citations cut it into blocks, and the use of a tool. */
const messages: RecordedStream = {
  chunks({ text, call }) {
    const block = (index: number, content_block: object, deltas: object[]): unknown[] => [
      { type: 'content_block_start', index, content_block },
      ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
      { type: 'content_block_stop', index },
    ];
    const half = Math.ceil(text.length / 2);
    const textOf = (words: string): object[] => pieces(words).map((text) => ({ type: 'text_delta', text }));
    const citation = {
      type: 'char_location',
      cited_text: 'of a document',
      document_index: 0,
      start_char_index: 0,
      end_char_index: 13,
    };
    const message = {
      id: 'msg_1',
      type: 'message',
      role: 'assistant',
      model: 'claude',
      content: [],
      stop_reason: null,
    };
    return [
      { type: 'message_start', message: { ...message, usage: { input_tokens: 9, output_tokens: 1 } } },
      { type: 'ping' },
      ...block(0, { type: 'thinking', thinking: '', signature: '' }, [
        { type: 'thinking_delta', thinking: 'They want a table.' },
        { type: 'signature_delta', signature: 'c2lnbmVk' },
      ]),
      ...block(1, { type: 'text', text: '' }, textOf(text.slice(0, half))),
      ...block(2, { type: 'text', text: '', citations: [] }, [
        { type: 'citations_delta', citation },
        ...textOf(text.slice(half)),
      ]),
      ...block(3, { type: 'tool_use', id: 'toolu_1', name: 'book', input: {} }, [
        { type: 'input_json_delta', partial_json: '' },
        ...pieces(call).map((partial_json) => ({ type: 'input_json_delta', partial_json })),
      ]),
      { type: 'message_delta', delta: { stop_reason: 'tool_use', stop_sequence: null }, usage: { output_tokens: 20 } },
      { type: 'message_stop' },
    ];
  },
  sent: ({ text, call }) => ['They want a table.', text, call],
};

/** `fullStream` of the AI SDK, in two steps, with the result of a tool between them. */
const fullStream: RecordedStream = {
  chunks({ text, call }) {
    const toolCallId = 'call_1';
    const input: unknown = JSON.parse(call);
    const usage = { inputTokens: 9, outputTokens: 12, totalTokens: 21 };
    return [
      { type: 'start' },
      { type: 'start-step', request: {}, warnings: [] },
      { type: 'reasoning-start', id: 'r' },
      { type: 'reasoning-delta', id: 'r', text: 'They want a table.' },
      { type: 'reasoning-end', id: 'r' },
      { type: 'tool-input-start', id: toolCallId, toolName: 'book' },
      ...pieces(call).map((delta) => ({ type: 'tool-input-delta', id: toolCallId, delta })),
      { type: 'tool-input-end', id: toolCallId },
      { type: 'tool-call', toolCallId, toolName: 'book', input },
      { type: 'tool-result', toolCallId, toolName: 'book', input, output: { booked: true } },
      {
        type: 'finish-step',
        finishReason: 'tool-calls',
        usage,
        response: { id: 'a', timestamp: new Date(0), modelId: 'm' },
      },
      { type: 'start-step', request: {}, warnings: [] },
      { type: 'text-start', id: 't' },
      ...pieces(text).map((piece) => ({ type: 'text-delta', id: 't', text: piece })),
      { type: 'text-end', id: 't' },
      { type: 'finish-step', finishReason: 'stop', usage, response: { id: 'b', timestamp: new Date(0), modelId: 'm' } },
      { type: 'finish', finishReason: 'stop', totalUsage: usage },
    ];
  },
  sent: ({ text, call }) => ['They want a table.', call, text],
};

/** The stream that the AI SDK sends to its user interfaces. Here two texts come at the same time, as merged streams do. */
const uiMessages: RecordedStream = {
  chunks({ text, call }) {
    const toolCallId = 'call_1';
    return [
      { type: 'start', messageId: 'm1' },
      { type: 'data-weather', id: 'w', data: { degrees: 21 } },
      { type: 'start-step' },
      { type: 'text-start', id: '0' },
      { type: 'text-start', id: '1' },
      ...pieces(text).flatMap((delta) => ['0', '1'].map((id) => ({ type: 'text-delta', id, delta }))),
      { type: 'text-end', id: '0' },
      { type: 'text-end', id: '1' },
      { type: 'source-url', sourceId: 's', url: 'https://example.org' },
      { type: 'tool-input-start', toolCallId, toolName: 'book' },
      ...pieces(call).map((inputTextDelta) => ({ type: 'tool-input-delta', toolCallId, inputTextDelta })),
      { type: 'tool-input-available', toolCallId, toolName: 'book', input: JSON.parse(call) as unknown },
      { type: 'tool-output-available', toolCallId, output: { booked: true } },
      { type: 'finish-step' },
      { type: 'finish', messageMetadata: {} },
    ];
  },
  sent: ({ text, call }) => [text, text, call],
};

/** Parts of a language model of the AI SDK, with what its interface sent before each, and a call that comes at once. */
const modelParts: RecordedStream = {
  chunks({ text, call }) {
    const raw = chat.chunks({ text, call: '' }).filter((chunk) => /"content":"[^"]/.test(JSON.stringify(chunk)));
    return [
      { type: 'stream-start', warnings: [] },
      { type: 'response-metadata', id: 'r', modelId: 'm' },
      { type: 'text-start', id: '1' },
      ...pieces(text).flatMap((delta, n) => [
        { type: 'raw', rawValue: raw[n] },
        { type: 'text-delta', id: '1', delta },
      ]),
      { type: 'text-end', id: '1' },
      { type: 'tool-call', toolCallId: 'c', toolName: 'book', input: call },
      { type: 'finish', finishReason: 'tool-calls', usage: {} },
    ];
  },
  sent: ({ text, call }) => [text, text, call],
};

export const RECORDED: Readonly<Record<string, RecordedStream>> = {
  'Chat Completions': chat,
  'Chat Completions with two choices': choices,
  Responses: responses,
  'Responses without pieces': responsesAtOnce,
  'Messages of Anthropic': messages,
  'fullStream of the AI SDK': fullStream,
  'UI messages of the AI SDK': uiMessages,
  'models of the AI SDK': modelParts,
};
