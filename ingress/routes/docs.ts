/**
 * The interface for programs (`/openapi.json`) and for people (`/docs`, Swagger UI from the installed package). The page loads from
 * its own origin only, which its Content-Security-Policy enforces. Its paths are relative, so it also works below a prefix of a
 * proxy.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ApiError } from '../../shared/api/errors.js';
import { openapiText } from '../../shared/api/openapi.js';
import type { Edge, Exchange, RouteHandlers } from '../http/exchange.js';
import { type CacheableContent, cacheable, sendContent } from '../http/response.js';

// In the dialog "Authorize" each field takes the focus as it appears, so the last one, `x-api-key`, ends up with it. A key typed there
// would be refused by all endpoints but one. So the first field, for the Bearer key, gets the focus back.
const SCRIPT = `const focusFirst = () => ({
  wrapComponents: {
    auths: (Original, { React }) =>
      class extends React.Component {
        componentDidMount() {
          document.querySelector('.auth-container input')?.focus();
        }
        render() {
          return React.createElement(Original, this.props);
        }
      },
  },
});
SwaggerUIBundle({
  url: 'openapi.json',
  dom_id: '#docs',
  presets: [SwaggerUIBundle.presets.apis],
  plugins: [focusFirst],
  layout: 'BaseLayout',
  deepLinking: true,
  displayRequestDuration: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  validatorUrl: null,
});
`;

const PAGE = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Weir</title>
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
<link rel="stylesheet" href="docs/swagger-ui.css">
</head>
<body>
<div id="docs"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`;

// Swagger UI sets styles on elements and draws its icons from data URIs. Scripts come from files alone.
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self' 'unsafe-inline'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
].join('; ');

/** Files of the package that the page loads. No other is ever read. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const page: CacheableContent = { ...cacheable('text/html; charset=utf-8', PAGE), policy: POLICY };
/** By name: read when first asked for, then kept (2 MB in all). */
const files = new Map<string, CacheableContent>([['start.js', cacheable('text/javascript; charset=utf-8', SCRIPT)]]);
let document: CacheableContent | undefined;

function getOpenapi(edge: Edge, exchange: Exchange): void {
  document ??= cacheable('application/json', openapiText());
  sendContent(edge, exchange, document);
}

function getDocs(edge: Edge, exchange: Exchange): void {
  sendContent(edge, exchange, page);
}

async function getDocsFile(edge: Edge, exchange: Exchange): Promise<void> {
  const name = exchange.id;
  let file = files.get(name);
  if (file === undefined) {
    const type = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (type === undefined) throw new ApiError('not_found', 'There is no such file.');
    file = cacheable(type, await readFile(join(folder, name)));
    files.set(name, file);
  }
  sendContent(edge, exchange, file);
}

export const docsRoutes = { getOpenapi, getDocs, getDocsFile } satisfies RouteHandlers;
