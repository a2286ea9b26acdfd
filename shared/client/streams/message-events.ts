/** Events of Anthropic's Messages: blocks, one after the other. */
import { addTexts, type ChunkShape, isRecord, nothing, TEXT_PART, textOfValue } from './reading.js';

const WITHOUT_TEXT = ['message_start', 'ping', 'error'];

/**
 * Blocks of text in a row are one part: an answer with citations is cut into blocks in the middle of its sentences. The part ends where a
 * block of another kind begins, or the message ends.
 */
export const readMessageEvent: ChunkShape = (event) => {
  const reading = nothing();
  const at = `${Number(event.index ?? 0)}/`;
  const block = isRecord(event.content_block) ? event.content_block : {};
  const delta = isRecord(event.delta) ? event.delta : {};
  switch (event.type) {
    case 'content_block_start':
      if (block.type !== 'text') reading.ends.push(TEXT_PART);
      addTexts(reading, { [TEXT_PART]: block.type === 'text' && block.text, [`${at}thinking/`]: block.thinking });
      // The input of a tool comes in pieces, and this is an empty object, unless it came at once.
      if (isRecord(block.input) && Object.keys(block.input).length > 0) {
        addTexts(reading, { [`${at}input/`]: textOfValue(block.input) });
      }
      return reading;
    case 'content_block_delta':
      addTexts(reading, {
        [TEXT_PART]: delta.type === 'text_delta' && delta.text,
        [`${at}input/`]: delta.partial_json,
        [`${at}thinking/`]: delta.thinking,
        [`${at}compaction/`]: delta.type === 'compaction_delta' && delta.content,
      });
      return reading;
    case 'content_block_stop':
      reading.ends.push(at);
      return reading;
    case 'message_delta':
      if (delta.stop_reason) reading.ends.push('');
      return reading;
    case 'message_stop':
      reading.ends.push('');
      return reading;
    default:
      return WITHOUT_TEXT.includes(String(event.type)) ? reading : undefined;
  }
};
