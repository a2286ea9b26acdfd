import { problemsIn, problemText } from '../../../../shared/configuration/configuration.js';
import { readSource } from '../../../../shared/configuration/read/source.js';
import { type Command, type CommandOutput, CommandUsageError, optionsOf, writeAsked } from '../../command.js';
import { readSourceFile } from '../../configuration/file.js';
import { formatted, NotFormatted } from '../../configuration/format.js';

const MAX_FILES = 1000;

/** Formats configurations, and files of cases, in place. */
export const fmt: Command = {
  usage: `weir fmt FILE… [--check]

  --check    write nothing; the exit code is 1 if a file is not formatted

Formats YAML or JSON in place: two spaces for each level, items below their key in its column, lines of at most 120 characters
where that is possible. Comments, quotes, the order of keys and what the file means stay as they are. Prints the files that
change. A file that does not parse, or that would lose a comment, is told and stays as it is; the exit code is 1.`,
  options: optionsOf({ flags: 'check' }),
  run({ positionals, values }, output) {
    if (positionals.length === 0) throw new CommandUsageError('expected at least one FILE');
    if (positionals.length > MAX_FILES) throw new CommandUsageError(`expected at most ${MAX_FILES} files`);
    const check = values.check === true;
    const outcomes = positionals.map((file) => formatFile(file, check, output));
    return outcomes.includes('wrong') || (check && outcomes.includes('changed')) ? 1 : 0;
  },
};

function formatFile(file: string, check: boolean, output: CommandOutput): 'same' | 'changed' | 'wrong' {
  try {
    const text = readSourceFile(file);
    const source = readSource(text);
    if (source.errors.length > 0) {
      for (const problem of problemsIn(file, source, [])) output.err(problemText(problem));
      return 'wrong';
    }
    const made = formatted(text);
    if (made === text) return 'same';
    if (!check) writeAsked(file, made);
    output.out(check ? `${file}: is not formatted` : `${file}: formatted`);
    return 'changed';
  } catch (error) {
    const { message } = error as Error;
    output.err(error instanceof NotFormatted ? `${file}: is left as it is: ${message}` : message);
    return 'wrong';
  }
}
