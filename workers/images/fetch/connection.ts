/** One connection for one request, to addresses that were checked before and to no other. */
import { isIP, type LookupFunction, type Socket } from 'node:net';
import { buildConnector, Client } from 'undici';
import type { ResolvedAddress } from './address.js';

export interface Answer {
  status: number;
  headers: { one(name: string): string | undefined };
  body: AsyncIterable<Buffer>;
}

export interface Connection {
  /** Sends the one GET. Rejects when there is no answer. */
  get(headers: Record<string, string>): Promise<Answer>;
  /** whether the host was reached (for https: with a certificate that holds) */
  established(): boolean;
  /** Closes it, whatever it does. */
  end(): void;
}

export interface ConnectionOptions {
  addresses: ResolvedAddress[];
  ca: string | undefined;
  signal: AbortSignal;
}

/** Response headers above this are an error. */
const MAX_HEADERS_BYTES = 16 * 1024;

/** The time budget ends everything; undici's own limits only stand behind it. */
const BACKSTOP_MS = 60_000;

export function connect(url: URL, { addresses, ca, signal }: ConnectionOptions): Connection {
  let socket: Socket | undefined;
  let established = false;
  const checked = new Set(addresses.map(({ address }) => address));
  const open = buildConnector({
    lookup: pinned(addresses),
    autoSelectFamily: true,
    maxCachedSessions: 0,
    // Said although they are the defaults: a variable of the environment must not turn certificates off.
    rejectUnauthorized: true,
    timeout: BACKSTOP_MS,
    ...(ca === undefined ? {} : { ca }),
  });
  const client = new Client(url.origin, {
    connect: (target, callback) => {
      if (socket) return callback(new Error('a connection serves one request'), null);
      socket = open(target, (error, opened) => {
        if (error || !opened) return callback(error ?? new Error('not connected'), null);
        // Belt and braces: whatever the layers below made of the address, the peer must be one that was checked.
        if (!isChecked(opened.remoteAddress, checked)) {
          opened.destroy();
          return callback(new Error('connected to an address that was not checked'), null);
        }
        established = true;
        callback(null, opened);
      }) as unknown as Socket;
    },
    pipelining: 1,
    maxHeaderSize: MAX_HEADERS_BYTES,
    headersTimeout: BACKSTOP_MS,
    bodyTimeout: BACKSTOP_MS,
    allowH2: false,
  });
  function end(): void {
    const reason = new Error('the connection was ended');
    client.destroy(reason).catch(() => undefined);
    socket?.destroy(reason);
  }
  // undici looks at a request's signal only once the connection stands; a handshake that hangs would outlive it.
  signal.addEventListener('abort', end, { once: true });
  if (signal.aborted) end();
  return {
    async get(headers) {
      const path = `${url.pathname}${url.search}`;
      const { statusCode, headers: received, body } = await client.request({ method: 'GET', path, headers, signal });
      // Not every answer's body is read; its error then belongs to nobody.
      body.on('error', () => undefined);
      return {
        status: statusCode,
        headers: {
          one: (name) => {
            const value = received[name];
            return Array.isArray(value) ? value.join(', ') : value;
          },
        },
        body: body as AsyncIterable<Buffer>,
      };
    },
    established: () => established,
    end() {
      signal.removeEventListener('abort', end);
      end();
    },
  };
}

/** Answers every look-up with what was checked, so that nothing is resolved a second time. */
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
  // The system may write an address in another notation than the resolver did.
  return [...checked].some((address) => isIP(address) !== 0 && normal(address) === normal(remote));
}

/** One notation of an IP address. */
function normal(address: string): string {
  const host = isIP(address) === 6 ? `[${address}]` : address;
  const url = `http://${host}/`;
  return URL.canParse(url) ? new URL(url).hostname : address;
}
