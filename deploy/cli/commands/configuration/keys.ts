import { createKey, hashKey } from '../../../../shared/configuration/api-keys.js';
import { type Command, CommandUsageError } from '../../command.js';

/** 1,000 a second: high enough for normal use, and a stop for a client that is out of control. */
const RATE = 60_000;

/** Makes an API key. The key is not stored, only printed. */
export const keysCreate: Command = {
  usage: `weir keys create [--id ID] [--team TEAM]

  --id ID        id of the entry (default: new-key)
  --team TEAM    team of the entry (default: none is named, which means the only one)

Prints the key once, and the YAML to put under "keys:". Only the SHA-256 of a key is ever stored. The entry has a rate of
${RATE} requests a minute; change it, or remove it for no limit. In a file that names no environments and no
deployments, the key may use "default" of both.

To replace a key, add the new entry, move the callers over, then set expires_at on the old entry.`,
  options: { id: { type: 'string' }, team: { type: 'string' } },
  run({ positionals, values }, output) {
    if (positionals.length > 0) throw new CommandUsageError('expected no arguments but --id and --team');
    const id = typeof values.id === 'string' ? values.id : 'new-key';
    const team = typeof values.team === 'string' ? values.team : undefined;
    for (const [name, value] of Object.entries({ id, team })) {
      if (value !== undefined && !/^[A-Za-z0-9._:-]{1,128}$/.test(value)) {
        throw new CommandUsageError(`--${name}: expected 1 to 128 letters, digits, ".", "_", ":" or "-"`);
      }
    }
    const key = createKey();
    output.out('# The key, shown only now:');
    output.out(key);
    output.out('');
    output.out('# Its entry under "keys:"; list the deployments and environments that it may use.');
    output.out(`- id: ${JSON.stringify(id)}`);
    if (team !== undefined) output.out(`  team: ${JSON.stringify(team)}`);
    output.out(`  sha256: ${hashKey(key)}`);
    output.out('  deployments: []');
    output.out('  environments: []');
    output.out('  scopes: [check, read, risk]');
    output.out(`  rate: {requests_per_minute: ${RATE}}`);
    return 0;
  },
};
