/**
 * The console, a page for people (`deploy/console`, which the build puts together). It is the same for everybody: a person types a key, which
 * stays in the memory of the page. Its Content-Security-Policy lets it run its own script and talk to this server alone.
 */
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { ApiError } from '../../shared/api/errors.js';
import { packageRoot } from '../../shared/paths.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { type CacheableContent, cacheable, sendContent } from '../http/response.js';

const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  'img-src data:',
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

const PAGE = 'index.html';
/** Files of the page. No other is ever read. */
const TYPES: Readonly<Record<string, string>> = {
  [PAGE]: 'text/html; charset=utf-8',
  'console.js': 'text/javascript; charset=utf-8',
  'console.css': 'text/css; charset=utf-8',
};

const folder = join(packageRoot, 'dist', 'console');
/** By name: read when first asked for, then kept. */
const files = new Map<string, CacheableContent>();

async function sendFile(edge: Edge, exchange: Exchange, name: string): Promise<void> {
  const type = Object.hasOwn(TYPES, name) ? TYPES[name] : undefined;
  if (edge.settings.console === 'off' || type === undefined) throw new ApiError('not_found', 'There is no such file.');
  let file = files.get(name);
  if (file === undefined) {
    file = { ...cacheable(type, await readFile(join(folder, name))), ...(name === PAGE ? { policy: POLICY } : {}) };
    files.set(name, file);
  }
  sendContent(edge, exchange, file);
}

const getConsole = (edge: Edge, exchange: Exchange): Promise<void> => sendFile(edge, exchange, PAGE);
const getConsoleFile = (edge: Edge, exchange: Exchange): Promise<void> =>
  sendFile(edge, exchange, exchange.id === PAGE ? '' : exchange.id);

export const consoleRoutes = { getConsole, getConsoleFile } satisfies RouteHandlers;
