/** `weir record`: the verdicts of one request as Redis has them. */
import { isUuid, partsOf } from '../../../../shared/ids.js';
import { hotRecord } from '../../../../shared/streams/hot/records.js';
import { type Command, CommandUsageError } from '../../command.js';
import { withInstallation } from '../../installation.js';

export const record: Command = {
  usage: `weir record INTERNAL_ID

Prints the record of the request that an internal id belongs to, as JSON: ids, times, the version of the configuration, and for each
item its status and its verdicts. Items point to policy maps, explanations and metadata by their number in \`fragments\`. A record is in
Redis until the request is archived, and for WEIR_HOT_SECONDS at least. Metadata and notes are a caller's content.`,
  async run({ positionals }, output) {
    const [id = ''] = positionals;
    const parts = positionals.length === 1 && isUuid(id) ? partsOf(id) : undefined;
    if (!parts) throw new CommandUsageError('expected an internal id, such as internal_event_id of an answer');
    return withInstallation(async (redis) => {
      const found = await hotRecord(redis, parts.partition, parts.requestId);
      if (!found)
        throw new Error(`Redis has no record of ${parts.requestId}: it is archived, unfinished, or was never there`);
      const fragments = found.fragments.map((fragment) => JSON.parse(fragment) as unknown);
      output.block(JSON.stringify({ ...found, fragments }, null, 2));
      return 0;
    });
  },
};
