/** One connection for one request, to addresses that were checked before and to no others. */
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector, Client, type Dispatcher } from 'undici';
import type { ResolvedAddress } from './address.js';

export interface FetchResponse {
  status: number;
  headers: { one(name: string): string | undefined };
  body: AsyncIterable<Buffer>;
}

export interface FetchConnection {
  /** Sends the one request: a GET, with `body` a POST. Rejects when there is no answer. */
  send(headers: Record<string, string>, body?: string): Promise<FetchResponse>;
  /** whether the host was reached (for https: with a certificate that holds) */
  established(): boolean;
  /** Closes it, whatever it is doing. */
  end(): void;
}

export interface ConnectionOptions {
  addresses: ResolvedAddress[];
  ca: string | undefined;
  signal: AbortSignal;
}

/** Response headers above this are an error. */
const MAX_HEADERS_BYTES = 16 * 1024;

/** The time budget of a fetch ends everything. These limits of undici are a safety net behind it. */
const BACKSTOP_MS = 60_000;

export function connect(url: URL, { addresses, ca, signal }: ConnectionOptions): FetchConnection {
  const { open, established, destroy } = pinnedSocket(addresses, ca);
  const client = new Client(url.origin, {
    connect: open,
    pipelining: 1,
    maxHeaderSize: MAX_HEADERS_BYTES,
    headersTimeout: BACKSTOP_MS,
    bodyTimeout: BACKSTOP_MS,
    allowH2: false,
  });
  function end(): void {
    const reason = new Error('the connection was ended');
    client.destroy(reason).catch(() => undefined);
    destroy(reason);
  }
  // undici looks at the signal of a request only once it is connected. A handshake that hangs would go on after the signal.
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return {
    async send(headers, body) {
      const path = `${url.pathname}${url.search}`;
      const method = body === undefined ? 'GET' : 'POST';
      return answerOf(await client.request({ method, path, headers, body: body ?? null, signal }));
    },
    established,
    end() {
      signal.removeEventListener('abort', end);
      end();
    },
  };
}

/** Opens one socket, to one of `addresses`. */
function pinnedSocket(addresses: ResolvedAddress[], ca: string | undefined) {
  const checked = new Set(addresses.map(({ address }) => address));
  let socket: Socket | undefined;
  let established = false;
  const openTo = buildConnector({
    lookup: pinned(addresses),
    autoSelectFamily: true,
    maxCachedSessions: 0,
    // Set although it is the default: a variable of the environment must not turn certificates off.
    rejectUnauthorized: true,
    timeout: BACKSTOP_MS,
    ...(ca === undefined ? {} : { ca }),
  });
  const open: buildConnector.connector = (target, callback) => {
    if (socket) return callback(new Error('a connection serves one request'), null);
    socket = openTo(target, (error, opened) => {
      if (error || !opened) return callback(error ?? new Error('not connected'), null);
      // A second check: whatever the layers below made of the address, the peer must be one that was checked.
      if (!isChecked(opened.remoteAddress, checked)) {
        opened.destroy();
        return callback(new Error('connected to an address that was not checked'), null);
      }
      established = true;
      callback(null, opened);
    }) as unknown as Socket;
  };
  return { open, established: () => established, destroy: (reason: Error) => void socket?.destroy(reason) };
}

function answerOf({ statusCode, headers, body }: Dispatcher.ResponseData): FetchResponse {
  // Not every body is read. An error of one that is not would be uncaught.
  body.on('error', () => undefined);
  return {
    status: statusCode,
    headers: {
      one(name) {
        const value = headers[name];
        return Array.isArray(value) ? value.join(', ') : value;
      },
    },
    body: body as AsyncIterable<Buffer>,
  };
}

/** Answers every look-up with the checked addresses, so that no name is resolved a second time. */
function pinned(addresses: ResolvedAddress[]): LookupFunction {
  return (_host, options, callback) => {
    const first = addresses[0];
    if (!first) return callback(new Error('no address'), '', 4);
    if (options.all) return callback(null, addresses);
    callback(null, first.address, first.family);
  };
}

function isChecked(remote: string | undefined, checked: ReadonlySet<string>): boolean {
  if (remote === undefined) return false;
  if (checked.has(remote)) return true;
  // The system may write an address in another notation than the resolver.
  return [...checked].some((address) => isIP(address) !== 0 && normal(address) === normal(remote));
}

/** One notation of an IP address. */
function normal(address: string): string {
  const host = isIP(address) === 6 ? `[${address}]` : address;
  const url = `http://${host}/`;
  return URL.canParse(url) ? new URL(url).hostname : address;
}
