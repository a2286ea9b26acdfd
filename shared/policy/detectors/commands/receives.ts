/** Commands that say what another machine sends them, besides those that fetch an address. */
import { nameOf } from './options.js';
import type { ShellCommand } from './words.js';

/** A connection of bash that is a file. */
export const SOCKET = /^\/dev\/(?:tcp|udp)\//;

export function receives({ words, redirects }: ShellCommand): boolean {
  if (redirects.some(({ op, target }) => op.startsWith('<') && SOCKET.test(target.text))) return true;
  const at = /^(?:sudo|timeout)$/.test(words[0]?.text ?? '') ? 1 : 0;
  const name = nameOf(words[at]?.text ?? '');
  if (/^(?:nc|ncat|netcat|telnet)$/.test(name)) return true;
  const said = words.slice(at + 1, at + 12).map(({ text }) => text);
  switch (name) {
    case 'openssl':
      return said[0] === 's_client';
    case 'socat':
      return said.some((arg) => /^(?:tcp|udp|openssl|ssl)\d?[:-]/i.test(arg));
    case 'dig':
    case 'nslookup':
    case 'host':
      return said.some((arg) => /^(?:-t(?:ype)?=?)?txt$/i.test(arg));
    default:
      return false;
  }
}
