/** Chunks of Chat Completions, of OpenAI and of the many that speak like it. */
import { addTexts, type ChunkShape, isRecord, nothing, recordsOf } from './reading.js';

/** Choices are texts side by side. Parts of a choice end with its `finish_reason`. */
export const readChatChunk: ChunkShape = (chunk) => {
  if (!Array.isArray(chunk.choices)) return undefined;
  const reading = nothing();
  for (const choice of recordsOf(chunk.choices)) {
    const at = `${Number(choice.index ?? 0)}/`;
    const delta = isRecord(choice.delta) ? choice.delta : {};
    const audio = isRecord(delta.audio) ? delta.audio : {};
    const single = isRecord(delta.function_call) ? delta.function_call : {};
    addTexts(reading, {
      // `text`: of completions without messages.
      [`${at}text/`]: textOfContent(delta.content ?? choice.text),
      [`${at}refusal/`]: delta.refusal,
      [`${at}reasoning/`]: delta.reasoning_content ?? delta.reasoning,
      [`${at}transcript/`]: audio.transcript,
      [`${at}function/`]: single.arguments,
    });
    for (const call of recordsOf(delta.tool_calls)) {
      const made = isRecord(call.function) ? call.function.arguments : isRecord(call.custom) ? call.custom.input : '';
      addTexts(reading, { [`${at}tool/${Number(call.index ?? 0)}/`]: made });
    }
    if (typeof choice.finish_reason === 'string') reading.ends.push(at);
  }
  return reading;
};

/** Some send a list of parts in place of a text. */
const textOfContent = (content: unknown): unknown =>
  Array.isArray(content)
    ? recordsOf(content)
        .map(({ text }) => (typeof text === 'string' ? text : ''))
        .join('')
    : content;
