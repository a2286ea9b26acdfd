/** One call over HTTP, bounded in time by its signal and in size by a limit. Redirects are answers like others: none is followed. */
import { Agent, type IncomingMessage, request } from 'node:http';
import { Agent as SecureAgent, request as secureRequest } from 'node:https';

/** Longest response that is read, in bytes. */
const MAX_RESPONSE = 256 * 1024;

export interface BackendResponse {
  status: number;
  /** undefined: it is longer than {@link MAX_RESPONSE} */
  body: string | undefined;
}

export interface BackendConnections {
  /** Rejects when nothing listens, the connection breaks, or `signal` ends the call. */
  post(body: string, key: string | undefined, signal: AbortSignal): Promise<BackendResponse>;
  close(): void;
}

/** Connections to one address; they are kept open between calls. */
export function connectionsTo(address: string): BackendConnections {
  const url = new URL(address);
  const secure = url.protocol === 'https:';
  const agent = secure ? new SecureAgent({ keepAlive: true }) : new Agent({ keepAlive: true });
  const send = secure ? secureRequest : request;
  return {
    close: () => agent.destroy(),
    post: (body, key, signal) =>
      new Promise((resolve, reject) => {
        const headers = {
          'content-type': 'application/json',
          'content-length': Buffer.byteLength(body),
          accept: 'application/json',
          ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
        };
        const call = send(url, { method: 'POST', agent, headers, signal }, (response) => {
          read(response).then(resolve, reject);
        });
        call.on('error', reject);
        call.end(body);
      }),
  };
}

async function read(response: IncomingMessage): Promise<BackendResponse> {
  const { statusCode: status = 0 } = response;
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of response as AsyncIterable<Buffer>) {
    size += chunk.length;
    // Leaving the loop ends the connection.
    if (size > MAX_RESPONSE) return { status, body: undefined };
    chunks.push(chunk);
  }
  return { status, body: Buffer.concat(chunks).toString('utf8') };
}
