/** Finds out by each chunk itself whose it is. */
import { createSdkShape } from './ai-sdk-parts.js';
import { readChatChunk } from './chat-chunks.js';
import { readMessageEvent } from './message-events.js';
import { type ChunkTexts, isRecord, nothing, TEXT_PART } from './reading.js';
import { readResponseEvent } from './response-events.js';

/** A reader of the chunks of one stream; undefined for a chunk of an unknown kind. */
export function createChunkReader(): (chunk: unknown) => ChunkTexts | undefined {
  const ofProviders = (chunk: Record<string, unknown>): ChunkTexts | undefined =>
    readChatChunk(chunk) ?? readResponseEvent(chunk) ?? readMessageEvent(chunk);
  const ofSdk = createSdkShape(ofProviders);
  return (chunk) => {
    if (typeof chunk === 'string')
      return { ...nothing(), adds: chunk === '' ? [] : [{ part: TEXT_PART, text: chunk }] };
    return isRecord(chunk) ? (ofProviders(chunk) ?? ofSdk(chunk)) : undefined;
  };
}
