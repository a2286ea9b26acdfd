/** Streams of server-sent events on their way from a server to its client, event by event and in their order. */
import type { IncomingMessage, ServerResponse } from 'node:http';
import { createParser, type EventSourceMessage } from 'eventsource-parser';
import type { McpGuard, McpSession } from './guard.js';
import { writeText } from './lines.js';
import { type McpId, readMessages, STOPPED, writeError } from './message.js';
import { joined } from './stdio.js';

export interface McpEventsLimit {
  /** of an event */
  mostBytes: number;
  /** requests that this stream answers: an error ends it when it breaks */
  ids: readonly McpId[];
}

export interface McpEventsWay {
  response: IncomingMessage;
  to: ServerResponse;
  guard: McpGuard;
  session: McpSession;
  /** what the proxy itself answers, as the first event */
  reply?: string;
  /** Sends the server an answer. */
  tell(reply: string): void;
  note(line: string): void;
}

type Heard = EventSourceMessage | 'sign of life' | { retry: number };

/** Reads no further than what is handed on. Ends with the stream, or when the client is gone. */
export async function passEvents(way: McpEventsWay, { mostBytes, ids }: McpEventsLimit): Promise<void> {
  const { response, to, reply, note } = way;
  const heard: Heard[] = [];
  let isTooLarge = false;
  const parser = createParser({
    onEvent: (event) => heard.push(event),
    onComment: () => heard.push('sign of life'),
    onRetry: (retry) => heard.push({ retry }),
    onError: ({ type }) => {
      isTooLarge ||= type === 'max-buffer-size-exceeded';
    },
    maxBufferSize: mostBytes,
  });
  const open = new Set<McpId>(ids);
  const decoder = new TextDecoder('utf-8', { fatal: true });
  if (reply !== undefined) await writeText(to, eventOf({ data: reply }));
  try {
    for await (const chunk of response as AsyncIterable<Buffer>) {
      parser.feed(decoder.decode(chunk, { stream: true }));
      for (const each of heard.splice(0)) {
        // One that came in a single piece was never held.
        isTooLarge ||= typeof each === 'object' && 'data' in each && each.data.length > mostBytes;
        if (isTooLarge) break;
        await writeText(to, await checked(each, way, open));
      }
      if (isTooLarge || to.destroyed) break;
    }
  } catch {
    note('a stream of the server broke');
  }
  if (isTooLarge) {
    note(`ended: an event has more than ${mostBytes} bytes`);
    const error = { code: STOPPED, message: 'A message of the server is too large.' };
    for (const id of open) await writeText(to, eventOf({ data: writeError(id, error) }));
  }
  response.destroy();
  to.end();
}

async function checked(each: Heard, way: McpEventsWay, open: Set<McpId>): Promise<string> {
  // What a comment says is for nobody.
  if (each === 'sign of life') return ':\n\n';
  if ('retry' in each) return `retry: ${each.retry}\n\n`;
  // An event that only has an id: where a client may resume.
  if (each.data === '') return eventOf(each);
  // Clients know messages alone.
  if (each.event !== undefined && each.event !== 'message') return '';
  const read = readMessages(each.data);
  if ('error' in read) {
    way.note(`dropped: an event of the server: ${String(read.error.message)}`);
    if (read.id === null) return '';
    open.delete(read.id);
    return eventOf({
      ...each,
      data: writeError(read.id, { code: STOPPED, message: 'The answer of the server cannot be read.' }),
    });
  }
  const outcomes = await Promise.all(read.units.map((unit) => way.guard.inspect(unit, 'server', way.session)));
  for (const { message } of read.units)
    if (message.kind === 'response' && message.id !== null) open.delete(message.id!);
  const { pass, reply } = joined(outcomes, read.isBatch);
  if (reply !== undefined) way.tell(reply);
  return pass === undefined ? '' : eventOf({ ...each, data: pass });
}

/** An id that is none is left out. */
function eventOf({ id, event, data }: EventSourceMessage): string {
  const head = [
    ...(id !== undefined && /^[\x21-\x7e]{0,512}$/.test(id) ? [`id: ${id}`] : []),
    ...(event === 'message' ? ['event: message'] : []),
  ];
  return `${[...head, ...data.split(/\r\n|\r|\n/).map((line) => `data: ${line}`)].join('\n')}\n\n`;
}
