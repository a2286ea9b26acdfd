import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { createKey, hashKey } from '../../../../shared/configuration/api-keys.js';
import { shippedPacks } from '../../../packs.js';
import { ask } from '../../ask.js';
import { type Arguments, type Command, CommandUsageError, cannotWrite, optionsOf, writeAsked } from '../../command.js';
import { firstFiles } from '../../configuration/first.js';
import { textOption } from '../../options.js';

const NAME = 'Unreleased products';
const WORDS = 'project heron';
const MAX_WORDS = 1000;

/** Writes a first configuration, and tests of it that pass. */
export const init: Command = {
  usage: `weir init [FOLDER] [options]

  --name NAME      name of the first policy (default: ${NAME})
  --words LIST     words or phrases that it flags, separated by commas (default: ${WORDS})
  --packs LIST     packs that are used, separated by commas (default: none): ${shippedPacks.names().join(', ')}
  --force          replace files that are there

Writes weir.yaml and tests.yaml into FOLDER (default: this one), which is made if it is not there, and makes an API key, which is
shown only now. On a terminal, and without options, it asks for the three first. "weir test weir.yaml tests.yaml" passes.`,
  options: optionsOf({ texts: 'name words packs', flags: 'force' }),
  async run(given, output) {
    const [folder = '.', ...rest] = given.positionals;
    if (rest.length > 0) throw new CommandUsageError('expected one FOLDER at most');
    const [configuration, tests] = ['weir.yaml', 'tests.yaml'].map((name) => join(folder, name)) as [string, string];
    if (given.values.force !== true) refuseThere([configuration, tests]);
    const { name, words, packs } = await answers(given);
    const key = createKey();
    const files = firstFiles({ name, words, packs, sha256: hashKey(key) });
    try {
      mkdirSync(folder, { recursive: true });
    } catch (error) {
      throw cannotWrite(folder, error);
    }
    writeAsked(configuration, files.configuration);
    writeAsked(tests, files.tests);
    output.out(`Wrote ${configuration} and ${tests}.`);
    output.out('');
    output.out('The API key that the file admits, shown only now:');
    output.out(key);
    output.out('');
    output.out('Next:');
    output.out(`  weir test ${configuration} ${tests}`);
    output.out(`  weir apply ${configuration}`);
    return 0;
  },
};

function refuseThere(files: readonly string[]): void {
  const there = files.filter((file) => existsSync(file));
  if (there.length === 0) return;
  throw new CommandUsageError(
    `${there.join(' and ')} ${there.length === 1 ? 'is' : 'are'} there already; --force replaces`,
  );
}

interface FirstAnswers {
  name: string;
  words: string[];
  packs: string[];
}

async function answers(given: Arguments): Promise<FirstAnswers> {
  const names = ['name', 'words', 'packs'] as const;
  const options = names.map((name) => textOption(given, name));
  const asking = options.every((option) => option === undefined) && process.stdin.isTTY && process.stdout.isTTY;
  const [name, words, packs] = asking
    ? await ask(
        [
          { text: 'Name of the first policy', fallback: NAME },
          { text: 'Words or phrases that it flags, separated by commas', fallback: WORDS },
          { text: `Packs, separated by commas, or nothing (${shippedPacks.names().join(', ')})` },
        ],
        { input: process.stdin, output: process.stdout },
      )
    : [options[0] ?? NAME, options[1] ?? WORDS, options[2] ?? ''];
  const list = partsOf(words!);
  if (list.length === 0 || list.length > MAX_WORDS) {
    throw new CommandUsageError(`--words: expected 1 to ${MAX_WORDS} words or phrases`);
  }
  return { name: name!, words: list, packs: partsOf(packs!) };
}

const partsOf = (list: string): string[] => [
  ...new Set(
    list
      .split(',')
      .map((part) => part.trim())
      .filter((part) => part !== ''),
  ),
];
