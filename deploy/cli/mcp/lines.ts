/** Lines of a stream, as the stdio transport has them: a message each. */
import type { Readable, Writable } from 'node:stream';

/** A line was longer than what is held of one. */
export class McpLineTooLong extends Error {}

/** Lines without their ends; empty ones are left out. Undefined stands for one that is not UTF-8. Throws a {@link McpLineTooLong}. */
export async function* linesOf(stream: Readable, most: number): AsyncGenerator<string | undefined> {
  let parts: Buffer[] = [];
  let size = 0;
  for await (const chunk of stream as AsyncIterable<Buffer>) {
    let from = 0;
    for (let end = chunk.indexOf(10); end >= 0; end = chunk.indexOf(10, from)) {
      parts.push(chunk.subarray(from, end));
      if (size + end - from > most) throw new McpLineTooLong();
      const line = decoded(Buffer.concat(parts));
      parts = [];
      [size, from] = [0, end + 1];
      if (line !== '') yield line;
    }
    const rest = chunk.subarray(from);
    size += rest.length;
    if (size > most) throw new McpLineTooLong();
    if (rest.length > 0) parts.push(rest);
  }
  const last = decoded(Buffer.concat(parts));
  if (last !== '') yield last;
}

function decoded(line: Buffer): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true, ignoreBOM: true }).decode(line).trim();
  } catch {
    return undefined;
  }
}

/** Writes a text, and waits while the reader is behind. A stream that is closed takes nothing. */
export async function writeText(stream: Writable, text: string): Promise<void> {
  if (text === '' || !stream.writable || stream.write(text)) return;
  await new Promise<void>((resolve) => {
    const end = (): void => {
      stream.off('drain', end).off('close', end);
      resolve();
    };
    stream.on('drain', end).on('close', end);
  });
}

export const writeLine = (stream: Writable, line: string): Promise<void> => writeText(stream, `${line}\n`);
