/** `weir openapi`: the interface as a document, for generators of clients and for gateways. */
import { makeOpenapi } from '../../../shared/api/openapi.js';
import { type Command, UsageError } from '../command.js';

export const openapi: Command = {
  name: 'openapi',
  summary: 'prints the OpenAPI 3.1 document of the HTTP interface',
  usage: `weir openapi > openapi.json

Prints the same document that ingress serves at /openapi.json, indented. Needs neither Redis nor ClickHouse.`,
  options: {},
  run({ positionals }, output) {
    if (positionals.length > 0) throw new UsageError('expected no arguments');
    output.out(JSON.stringify(makeOpenapi(), null, 2));
    return 0;
  },
};
