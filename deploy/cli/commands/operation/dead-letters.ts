/** `weir dead-letters list|show|replay`: work entries that failed for good. */
import {
  type DeadLetter,
  listDeadLetters,
  readDeadLetter,
  replayDeadLetter,
} from '../../../../shared/streams/dead-letters.js';
import { type Command, CommandUsageError } from '../../command.js';
import { tellReplay } from '../../configuration/operator.js';
import { partitionsThere, withInstallation } from '../../installation.js';
import { entryAddress } from '../../options.js';

const MOST_LISTED = 100;

function line(letter: DeadLetter): string {
  const { header } = letter;
  const what = header ? `${header.kind} ${header.id} team ${header.team}` : 'header cannot be read';
  return `${letter.partition}/${letter.id}  ${what}  attempts ${letter.attempts}  ${letter.reason}`;
}

export const deadLettersList: Command = {
  usage: `weir dead-letters list

Prints up to ${MOST_LISTED} dead letters of each partition: PARTITION/ID, request, attempts and the reason.`,
  async run({ positionals }, output) {
    if (positionals.length > 0) throw new CommandUsageError('expected no arguments');
    return withInstallation(async (redis) => {
      const { partitions, code } = await partitionsThere(redis, output);
      let count = 0;
      for (const p of partitions) {
        for (const letter of await listDeadLetters(redis, p, MOST_LISTED)) {
          output.out(line(letter));
          count++;
        }
      }
      if (count === 0) output.out('No dead letters.');
      return code;
    });
  },
};

export const deadLettersShow: Command = {
  usage: `weir dead-letters show PARTITION/ID [--body]

  --body    also print the body, which is a caller's content`,
  options: { body: { type: 'boolean' } },
  async run({ positionals, values }, output) {
    const { partition, id } = entryAddress(positionals[0], 'dead-letters');
    return withInstallation(async (redis) => {
      const found = await readDeadLetter(redis, partition, id);
      if (!found) throw new Error(`there is no dead letter ${partition}/${id}`);
      output.out(line(found.letter));
      output.block(JSON.stringify(found.letter.header ?? null, null, 2));
      output.out(`body: ${found.letter.bodyBytes} bytes`);
      if (values.body === true) output.block(found.body.toString());
      return 0;
    });
  },
};

export const deadLettersReplay: Command = {
  usage: `weir dead-letters replay PARTITION/ID

Puts the entry back to work with its old ids and its old place in the order. The new result replaces the stored failure,
also in ClickHouse. The entry is evaluated with the configuration version that it was submitted under, or with the active
one when that version is no longer stored.`,
  async run({ positionals }, output) {
    const { partition, id } = entryAddress(positionals[0], 'dead-letters');
    return withInstallation(async (redis) => {
      await tellReplay(redis, 'dead_letter', `${partition}/${id}`);
      const entry = await replayDeadLetter(redis, partition, id);
      output.out(`Back at work as entry ${entry} of partition ${partition}.`);
      return 0;
    });
  },
};
