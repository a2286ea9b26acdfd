import { configurationSchema } from '../../../../shared/configuration/configuration.js';
import { type Command, CommandUsageError } from '../../command.js';

/** Prints the JSON Schema of configurations, for editors. */
export const schema: Command = {
  usage: `weir schema

Prints the JSON Schema (draft 07) of a configuration file. Editors with the YAML language server complete and check a file whose
first line names it:

  weir schema > weir.schema.json
  # yaml-language-server: $schema=weir.schema.json

It knows fields and values. What one entry says of another, such as names and teams, is checked by weir check-config alone.`,
  run({ positionals }, output) {
    if (positionals.length > 0) throw new CommandUsageError('expected no arguments');
    output.block(JSON.stringify(configurationSchema(), null, 2));
    return 0;
  },
};
