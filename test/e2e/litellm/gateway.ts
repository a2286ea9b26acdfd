/**
 * Calls as a LiteLLM proxy makes them: what it takes from a request or an answer of a model API, in which order, and what it does with what it
 * is given back (`litellm/llms/…/guardrail_translation/handler.py` and `generic_guardrail_api.py` of version 1.8x).
 */
import assert from 'node:assert/strict';
import type { System } from '../system.ts';

type Fields = Record<string, unknown>;

export interface Chat {
  messages: Fields[];
  tools?: Fields[];
  /** Whose call it is, and in which conversation. */
  who?: Who;
}

export interface Who {
  end_user_id?: string;
  user_id?: string;
  user_email?: string;
  team_id?: string;
  session?: string;
  call?: string;
}

/** What a caller of the proxy gets: the request or the answer as it goes on, or why it does not. */
export type Passed = { refused: string } | { messages: Fields[] };

export interface Gateway {
  /** Before the model is called (`pre_call`). */
  chat(chat: Chat): Promise<Passed>;
  /** Its answer (`post_call`). */
  answer(message: Fields, who?: Who): Promise<Passed>;
  /** What is sent as it is, such as texts of `/v1/embeddings`. */
  ask(body: Fields): Promise<Fields>;
}

export function gateway(system: () => System, key: string): Gateway {
  async function ask(body: Fields): Promise<Fields> {
    const answer = await system().post('/beta/litellm_basic_guardrail_api', body, {
      headers: { authorization: '', 'x-api-key': key },
    });
    assert.equal(answer.status, 200, answer.text);
    return answer.json;
  }
  return {
    ask,
    async chat({ messages, tools, who }) {
      const taken = takenFrom(messages);
      const said = await ask({
        ...about(who),
        input_type: 'request',
        texts: taken.texts,
        images: taken.images.length > 0 ? taken.images : null,
        tools: tools ?? null,
        tool_calls: taken.calls.length > 0 ? taken.calls : null,
        structured_messages: messages,
      });
      return passed(said, messages, taken);
    },
    async answer(message, who) {
      const taken = takenFrom([message]);
      const said = await ask({
        ...about(who),
        input_type: 'response',
        texts: taken.texts,
        images: null,
        tools: null,
        tool_calls: taken.calls.length > 0 ? taken.calls : null,
        structured_messages: null,
      });
      return passed(said, [message], taken);
    },
  };
}

function about({ session, call, ...who }: Who = {}): Fields {
  return {
    request_data: Object.fromEntries(Object.entries(who).map(([name, value]) => [`user_api_key_${name}`, value])),
    litellm_call_id: call ?? null,
    litellm_trace_id: session ?? null,
    litellm_version: '1.83.0',
    model: 'gpt-4o',
    request_headers: { 'content-type': 'application/json', authorization: '[present]' },
    additional_provider_specific_params: {},
  };
}

interface Taken {
  texts: string[];
  /** of each text: its message, and its part; null: its content is the text */
  places: [message: number, part: number | null][];
  images: string[];
  calls: unknown[];
}

function takenFrom(messages: readonly Fields[]): Taken {
  const taken: Taken = { texts: [], places: [], images: [], calls: [] };
  for (const [i, { content, tool_calls }] of messages.entries()) {
    if (typeof content === 'string') {
      taken.texts.push(content);
      taken.places.push([i, null]);
    } else if (Array.isArray(content)) {
      for (const [j, part] of (content as Fields[]).entries()) {
        if (part.text != null) {
          taken.texts.push(part.text as string);
          taken.places.push([i, j]);
        }
        if (part.type === 'image_url') taken.images.push((part.image_url as { url: string }).url);
      }
    }
    if (Array.isArray(tool_calls)) taken.calls.push(...tool_calls);
  }
  return taken;
}

/** Texts go back to where they were taken from, by their order. */
function passed(said: Fields, messages: readonly Fields[], { places }: Taken): Passed {
  if (said.action === 'BLOCKED') return { refused: said.blocked_reason as string };
  const changed = structuredClone(messages) as Fields[];
  if (said.action === 'NONE') return { messages: changed };
  const texts = said.texts as string[];
  assert.equal(texts.length, places.length, 'LiteLLM refuses a request whose texts do not match');
  for (const [i, [message, part]] of places.entries()) {
    if (part === null) changed[message]!.content = texts[i];
    else (changed[message]!.content as Fields[])[part]!.text = texts[i];
  }
  return { messages: changed };
}
