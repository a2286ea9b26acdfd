/** `weir openapi`: the API as an OpenAPI document, for client generators and gateways. */
import { makeOpenapi } from '../../../../shared/api/openapi.js';
import { type Command, CommandUsageError } from '../../command.js';

export const openapi: Command = {
  usage: `weir openapi > openapi.json

Prints the document that ingress serves at /openapi.json, indented. It needs neither Redis nor ClickHouse.`,
  run({ positionals }, output) {
    if (positionals.length > 0) throw new CommandUsageError('expected no arguments');
    output.block(JSON.stringify(makeOpenapi(), null, 2));
    return 0;
  },
};
