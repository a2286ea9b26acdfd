/** The interface for programs and for people. */
import { endpoints, inPath, TEXT } from './endpoint.js';

export const docsEndpoints = endpoints({
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
