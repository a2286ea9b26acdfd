/** A keep-alive connection that sends any bytes and takes one answer for each. */
import net from 'node:net';

export interface RawAnswer {
  status: number;
  headers: Record<string, string>;
  text: string;
}

export interface Connection {
  /** The answer to `bytes`; undefined when the server ended the connection without one. Rejects after `limitMs`. */
  send(bytes: Buffer, head: boolean): Promise<RawAnswer | undefined>;
  close(): void;
}

/** Longer than the server waits for the rest of a request that has none. */
const LIMIT_MS = 120_000;

export function openConnection(port: number): Connection {
  let socket: net.Socket | undefined;
  let received = Buffer.alloc(0);
  let settle: (() => void) | undefined;

  function open(): net.Socket {
    received = Buffer.alloc(0);
    const fresh = net.connect(port, '127.0.0.1');
    fresh.setNoDelay(true);
    fresh.on('data', (data) => {
      received = received.length === 0 ? data : Buffer.concat([received, data]);
      settle?.();
    });
    fresh.on('error', () => undefined);
    fresh.on('close', () => {
      if (socket === fresh) socket = undefined;
      settle?.();
    });
    return fresh;
  }

  function drop(): void {
    socket?.destroy();
    socket = undefined;
  }

  return {
    send(bytes, head) {
      socket ??= open();
      const used = socket;
      return new Promise((resolve, reject) => {
        const timer = setTimeout(() => {
          settle = undefined;
          drop();
          reject(new Error(`no answer and no end within ${LIMIT_MS} ms`));
        }, LIMIT_MS);
        settle = () => {
          const ended = socket !== used;
          const found = takeAnswer(received, head, ended);
          if (!found && !ended) return;
          clearTimeout(timer);
          settle = undefined;
          received = found ? received.subarray(found.length) : Buffer.alloc(0);
          // Whatever follows an answer belongs to no request of ours.
          if (received.length > 0 || found?.answer.headers.connection === 'close') drop();
          resolve(found?.answer);
        };
        used.write(bytes);
      });
    },
    close: drop,
  };
}

function takeAnswer(bytes: Buffer, head: boolean, ended: boolean): { answer: RawAnswer; length: number } | undefined {
  const end = bytes.indexOf('\r\n\r\n');
  if (end < 0) return undefined;
  const [first = '', ...lines] = bytes.toString('latin1', 0, end).split('\r\n');
  const status = Number(first.split(' ')[1]);
  if (status === 100) {
    const rest = takeAnswer(bytes.subarray(end + 4), head, ended);
    return rest && { answer: rest.answer, length: rest.length + end + 4 };
  }
  const headers: Record<string, string> = {};
  for (const line of lines) {
    const colon = line.indexOf(':');
    headers[line.slice(0, colon).toLowerCase()] = line.slice(colon + 1).trim();
  }
  // What is no HTTP is refused without a length, up to the end of the connection.
  if (headers['content-length'] === undefined && !ended) return undefined;
  const size = head ? 0 : Number(headers['content-length'] ?? bytes.length - end - 4);
  if (bytes.length < end + 4 + size) return undefined;
  return { answer: { status, headers, text: bytes.toString('utf8', end + 4, end + 4 + size) }, length: end + 4 + size };
}
