/** The interface for programs and for people. */
import type { Schema } from '../openapi/forms.js';
import { endpoints, inPath, TEXT } from './endpoint.js';

/** Of the addresses that the answer at `/` names. */
const ADDRESS: Schema = { type: 'string', format: 'uri-reference' };

export const docsEndpoints = endpoints({
  getHome: {
    method: 'GET',
    path: '/',
    versions: [],
    scope: null,
    cached: true,
    negotiated: true,
    tag: 'Service',
    summary: 'Find out what is here',
    description:
      'Returns the release and where to go on. A browser gets a page, which can also check a text with a key that is typed into it. The page loads nothing from other hosts.',
    answer: {
      description: 'A page for callers whose `Accept` names `text/html` first; else JSON.',
      types: {
        'application/json': {
          type: 'object',
          required: ['service', 'release', 'docs', 'openapi', 'healthz', 'readyz'],
          properties: {
            service: { type: 'string', const: 'Weir' },
            release: { type: 'string' },
            docs: ADDRESS,
            openapi: ADDRESS,
            healthz: ADDRESS,
            readyz: ADDRESS,
          },
          additionalProperties: false,
        },
        'text/html': TEXT,
      },
    },
  },
  getConsole: {
    method: 'GET',
    path: '/console',
    versions: [],
    scope: null,
    cached: true,
    tag: 'Service',
    summary: 'Look into what was checked in a browser',
    description:
      'Returns a page that shows what a key may see, which a person types into it. The page loads nothing from other hosts. A 404 where the setting `WEIR_CONSOLE` is off.',
    answer: { description: 'The page.', types: { 'text/html': TEXT } },
    errors: ['not_found'],
  },
  getConsoleFile: {
    method: 'GET',
    path: '/console/{file}',
    versions: [],
    scope: null,
    cached: true,
    tag: 'Service',
    summary: 'Get a file of the console',
    description: 'Returns the script or the style sheet that the page loads.',
    parameters: [inPath('file', 'The name of the file.', TEXT, 'console.css')],
    answer: { description: 'The file.', types: { 'text/css': TEXT, 'text/javascript': TEXT } },
    errors: ['not_found'],
  },
  getOpenapi: {
    method: 'GET',
    path: '/openapi.json',
    versions: [],
    scope: null,
    cached: true,
    tag: 'Service',
    summary: 'Get this document',
    description: 'Returns the interface as OpenAPI 3.1.',
    answer: {
      description: 'The document.',
      types: { 'application/json': { type: 'object', additionalProperties: true } },
    },
  },
  getDocs: {
    method: 'GET',
    path: '/docs',
    versions: [],
    scope: null,
    cached: true,
    tag: 'Service',
    summary: 'Read this document in a browser',
    description:
      'Returns a page that shows the interface and can send requests to it. The page loads nothing from other hosts.',
    answer: { description: 'The page.', types: { 'text/html': TEXT } },
  },
  getDocsFile: {
    method: 'GET',
    path: '/docs/{file}',
    versions: [],
    scope: null,
    cached: true,
    tag: 'Service',
    summary: 'Get a file of the page',
    description: 'Returns a script, style sheet or image that the page loads.',
    parameters: [inPath('file', 'The name of the file.', TEXT, 'swagger-ui.css')],
    answer: { description: 'The file.', types: { 'text/css': TEXT, 'text/javascript': TEXT, 'image/png': TEXT } },
    errors: ['not_found'],
  },
});
