/**
 * The interface for programs (`/openapi.json`) and for people (`/docs`): Swagger UI from the installed package. A page
 * that is made here loads from its own origin only, and its policy says so to the browser. Paths are relative, so that
 * it also works below a prefix of a proxy.
 */
import { hash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { ApiError } from '../../shared/api/errors.js';
import { openapiText } from '../../shared/api/openapi.js';
import type { Edge, Exchange } from '../http/exchange.js';
import { type Content, sendContent } from '../http/response.js';

// Asked for again each time, and nearly always answered 304: what is shown is never older than the server.
const REVALIDATED = 'no-cache';

function content(type: string, from: string | Buffer): Content {
  const body = Buffer.from(from);
  const etag = `"${hash('sha256', body, 'base64url').slice(0, 27)}"`;
  return { type, body, etag, cacheControl: REVALIDATED };
}

// Each field of the dialog "Authorize" takes the focus as it appears, so the last has it: a key that is typed at once would
// go to `x-api-key`, which all endpoints but one refuse. The first one, for the Bearer key, gets it back.
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

// Swagger UI sets styles on elements and draws its icons from data URIs; scripts come from files alone.
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

/** Files of the package that the page loads; no other is ever read. */
const FILES: Readonly<Record<string, string>> = {
  'swagger-ui-bundle.js': 'text/javascript; charset=utf-8',
  'swagger-ui.css': 'text/css; charset=utf-8',
  'favicon-32x32.png': 'image/png',
};

const folder = dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'));
const page: Content = { ...content('text/html; charset=utf-8', PAGE), policy: POLICY };
/** By name: read when first asked for, then kept (2 MB in all). */
const files = new Map<string, Content>([['start.js', content('text/javascript; charset=utf-8', SCRIPT)]]);
let document: Content | undefined;

export function getOpenapi(edge: Edge, exchange: Exchange): void {
  document ??= content('application/json', openapiText());
  sendContent(edge, exchange, document);
}

export function getDocs(edge: Edge, exchange: Exchange): void {
  sendContent(edge, exchange, page);
}

export async function getDocsFile(edge: Edge, exchange: Exchange): Promise<void> {
  const name = exchange.id;
  let file = files.get(name);
  if (file === undefined) {
    const type = Object.hasOwn(FILES, name) ? FILES[name] : undefined;
    if (type === undefined) throw new ApiError('not_found', 'There is no such file.');
    file = content(type, await readFile(join(folder, name)));
    files.set(name, file);
  }
  sendContent(edge, exchange, file);
}
