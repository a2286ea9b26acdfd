/** Commands that destroy, fetch and run, carry secrets away or take rights: of shells, PowerShell, cmd and SQL, read as their programs do. */
import { type Cursor, choiceOf, isAbsent, listOrWord } from '../../configuration/read/fields.js';
import type { Interest } from '../engine/probes/probe.js';
import { readLines } from './commands/lines.js';
import { COMMAND_KINDS, type CommandKind } from './commands/rule.js';
import type { Detector } from './detector.js';
import { CONTEXT_HELP, parametersAt, readContext } from './parameters.js';

export interface CommandsParameters {
  kinds: readonly CommandKind[];
  context: number;
}

const CHOICES = ['all', ...COMMAND_KINDS] as const;

export const commands: Detector<CommandsParameters> = {
  help: 'commands of shells, PowerShell, cmd and SQL that would do harm where they are run',
  parameters: {
    kinds: `all, or of ${COMMAND_KINDS.join(', ')} [all]`,
    context: CONTEXT_HELP,
  },
  read,
  text: { interests },
};

function read(cursor: Cursor): CommandsParameters | undefined {
  const fields = parametersAt(isAbsent(cursor) ? { ...cursor, value: {} } : cursor, commands);
  if (!fields) return undefined;
  const given = fields.get('kinds');
  const named = listOrWord(given, 'all', CHOICES.length, (item) => choiceOf(item, CHOICES)) ?? (['all'] as const);
  const kinds =
    named.length === 0 || named.includes('all') ? COMMAND_KINDS : COMMAND_KINDS.filter((kind) => named.includes(kind));
  return { kinds, context: readContext(fields) };
}

function interests({ kinds }: CommandsParameters): Interest[] {
  const labels = new Set(kinds.map((kind) => `commands:${kind}`));
  return [
    {
      key: 'commands',
      probe: () => ({
        kind: 'sweep',
        label: 'commands',
        views: ['raw'],
        lookFor: () => (text, take) => {
          readLines(text, (kind, start, end) => take({ start, end, score: 1, label: `commands:${kind}` }));
        },
      }),
      accepts: ({ label }) => label !== undefined && labels.has(label),
    },
  ];
}
