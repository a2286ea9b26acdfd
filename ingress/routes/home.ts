/**
 * What is at `/`: where to go on. Programs get JSON, browsers a page (`home.html`), which can check a text.
 *
 * The page is the same for everybody: this server never puts a key into it, not even the public one of `npm start`. A person types
 * theirs. It stays in a field of that page, goes to this server alone, and is gone when the page is left. The
 * Content-Security-Policy holds that: it names the hashes of the one script and the one style, so no other code runs, and nothing can
 * be sent elsewhere, nor by the form itself. Where scripts are off the form is not shown, so its native submit, which would put the
 * key into an address, does not exist.
 */
import { hash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ENDPOINTS } from '../../shared/api/endpoints.js';
import { packageRoot, packageVersion } from '../../shared/paths.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { prefersPage } from '../http/headers.js';
import { type CacheableContent, cacheable, sendContent } from '../http/response.js';

/** Source of a Content-Security-Policy for the only element of this name. */
function hashOf(element: 'script' | 'style', page: string): string {
  const [, text] = new RegExp(`<${element}>([\\s\\S]*?)</${element}>`).exec(page)!;
  return `'sha256-${hash('sha256', text!, 'base64')}'`;
}

const policyOf = (page: string): string =>
  [
    "default-src 'none'",
    `script-src ${hashOf('script', page)}`,
    `style-src ${hashOf('style', page)}`,
    "img-src 'self'",
    "connect-src 'self'",
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'none'",
  ].join('; ');

const release = packageVersion();
const vary = 'accept';

const CONSOLE = '<dt><a href="console">Console</a></dt><dd>what was checked, to look into and to judge</dd>\n';

function makePage(console: string): CacheableContent {
  const template = readFileSync(join(packageRoot, 'ingress/routes/home.html'), 'utf8');
  const text = template.replaceAll('{{release}}', release).replace('{{console}}', console);
  return { ...cacheable('text/html; charset=utf-8', text), policy: policyOf(text), vary };
}

function makeLinks(): CacheableContent {
  const { getDocs, getOpenapi, healthz, readyz } = ENDPOINTS;
  const links = { docs: getDocs.path, openapi: getOpenapi.path, healthz: healthz.path, readyz: readyz.path };
  return { ...cacheable('application/json', `${JSON.stringify({ service: 'Weir', release, ...links })}\n`), vary };
}

const pages = { on: makePage(CONSOLE), off: makePage('') };
const links = makeLinks();

function getHome(edge: Edge, exchange: Exchange): void {
  const page = edge.settings.console === 'off' ? pages.off : pages.on;
  sendContent(edge, exchange, prefersPage(exchange.headers) ? page : links);
}

export const homeRoutes = { getHome } satisfies RouteHandlers;
