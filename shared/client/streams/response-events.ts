/** Events of OpenAI's Responses: pieces of texts, each text as a whole at its end, and all of them once more with the item and the response. */
import { addTexts, type ChunkShape, type ChunkTexts, isRecord, nothing, recordsOf } from './reading.js';

/** Members that hold the whole text in an event that ends a part. */
const WHOLE = ['text', 'refusal', 'arguments', 'input', 'code'];
const END_OF_RESPONSE = ['response.completed', 'response.incomplete', 'response.failed'];

export const readResponseEvent: ChunkShape = (event) => {
  const { type } = event;
  if (typeof type !== 'string' || !type.startsWith('response.')) return undefined;
  const reading = nothing();
  if (END_OF_RESPONSE.includes(type)) {
    const response = isRecord(event.response) ? event.response : {};
    for (const [index, item] of recordsOf(response.output).entries()) addItem(reading, `${index}/`, item);
    reading.ends.push('');
    return reading;
  }
  const at = `${Number(event.output_index ?? 0)}/`;
  if (type === 'response.output_item.done') {
    if (isRecord(event.item)) addItem(reading, at, event.item);
    reading.ends.push(at);
    return reading;
  }
  const [, kind = '', what] = /^response\.(.+)\.(delta|done)$/.exec(type) ?? [];
  const part = `${at}${kind}/${Number(event.content_index ?? event.summary_index ?? 0)}/`;
  // `response.audio.delta` has sound.
  if (what === 'delta' && kind !== 'audio') addTexts(reading, { [part]: event.delta });
  if (what === 'done') {
    for (const name of WHOLE) addWhole(reading, part, event[name]);
    reading.ends.push(part);
    if (isRecord(event.part)) addPart(reading, at, event);
  }
  return reading;
};

function addWhole({ wholes }: ChunkTexts, part: string, text: unknown): void {
  if (typeof text === 'string') wholes.push({ part, text, exact: true });
}

/** The text of a finished part of an item. */
function addPart(reading: ChunkTexts, at: string, event: Record<string, unknown>): void {
  const { part, content_index, summary_index } = event as { part: Record<string, unknown>; [name: string]: unknown };
  const index = Number(content_index ?? summary_index ?? 0);
  const kind = part.type === 'summary_text' ? 'reasoning_summary_text' : String(part.type);
  addWhole(reading, `${at}${kind}/${index}/`, part.text ?? part.refusal);
  reading.ends.push(`${at}${kind}/${index}/`);
}

/** The texts of a finished item, as the parts that their pieces belong to. */
function addItem(reading: ChunkTexts, at: string, item: Record<string, unknown>): void {
  const calls = {
    function_call: ['function_call_arguments', item.arguments],
    custom_tool_call: ['custom_tool_call_input', item.input],
    mcp_call: ['mcp_call_arguments', item.arguments],
    code_interpreter_call: ['code_interpreter_call_code', item.code],
  } as const;
  const [kind, made] = calls[item.type as keyof typeof calls] ?? [];
  if (kind !== undefined) addWhole(reading, `${at}${kind}/0/`, made);
  const ofReasoning = item.type === 'reasoning';
  for (const [index, { text, refusal }] of recordsOf(item.content).entries()) {
    addWhole(reading, `${at}${ofReasoning ? 'reasoning_text' : 'output_text'}/${index}/`, text);
    addWhole(reading, `${at}refusal/${index}/`, refusal);
  }
  for (const [index, { text }] of recordsOf(item.summary).entries()) {
    addWhole(reading, `${at}reasoning_summary_text/${index}/`, text);
  }
}
