import { dirname, resolve } from 'node:path';
import { LIMITS } from '../../../../shared/api/limits.js';
import { type Configuration, problemText } from '../../../../shared/configuration/configuration.js';
import { cannotRead, readFileAtMost } from '../../../../shared/files.js';
import type { Case } from '../../../../workers/evaluator/cases/cases.js';
import { type Command, type CommandOutput, CommandUsageError, writeAsked } from '../../command.js';
import { type ReadConfiguration, readConfigurationFile, readSourceFile } from '../../configuration/file.js';
import type { CaseResult, FileResult } from '../../policy-tests/report.js';
import { createReads, type WatchedReads, watch } from '../../policy-tests/watch.js';

const MAX_FILES = 100;

/** Tests of policies. What evaluates them is loaded when the command runs, so that no other command pays for it. */
export const test: Command = {
  usage: `weir test CONFIG TESTS… [options]

  CONFIG         configuration file
  TESTS          files of cases: what is checked, and which policies are expected to be flagged

  --name TEXT    only cases whose name contains TEXT
  --junit FILE   also write the results as JUnit XML
  --watch        run again when one of the files changes; Ctrl-C ends it

A file of cases:

  cases:
  - name: A card number is payment data
    text: my card is 4111 1111 1111 1111
    expect: {policies: [Payment data]}
  - name: An order number is not
    text: order 4111 1111 1111 1112
    expect: {flagged: false}

A case has one of text, event, session and image (the name of a file). It is checked in the environment or the deployment
that it names, else in that of "defaults", else in the only one of its team. "expect" has

  policies   these are flagged, and no others
  shadow     these are flagged in the shadow (mode: shadow), and no others; without it such policies are not looked at
  allowed    beside policies or shadow: these may be flagged as well; "any": all others may
  forbidden  these are not flagged, nor in the shadow
  flagged    whether any live policy is flagged

Policies are named by name or by id. A case also fails where a policy could not be evaluated.

Exit codes: 0 all pass, 1 one failed or a file is wrong. A wrong file is told with line and column.`,
  options: { name: { type: 'string' }, junit: { type: 'string' }, watch: { type: 'boolean' } },
  async run({ positionals, values }, output) {
    const [config, ...tests] = positionals;
    if (config === undefined || tests.length === 0)
      throw new CommandUsageError('expected CONFIG and at least one TESTS');
    if (tests.length > MAX_FILES) throw new CommandUsageError(`expected at most ${MAX_FILES} files of cases`);
    const asked: TestArguments = { config, tests: [...new Set(tests)] };
    if (typeof values.name === 'string') asked.name = values.name;
    if (typeof values.junit === 'string') asked.junit = values.junit;
    if (values.watch !== true) return await runOnce(asked, output, createReads());
    return await runAlways(asked, output);
  },
};

interface TestArguments {
  config: string;
  tests: readonly string[];
  /** part of the names of cases; absent: all cases */
  name?: string;
  junit?: string;
}

async function runAlways(asked: TestArguments, output: CommandOutput): Promise<number> {
  const ending = new AbortController();
  const end = (): void => ending.abort();
  process.on('SIGINT', end).on('SIGTERM', end);
  try {
    return await watch(async (reads) => {
      const code = await runOnce(asked, output, reads);
      output.err('watching; Ctrl-C ends it');
      return code;
    }, ending.signal);
  } finally {
    process.off('SIGINT', end).off('SIGTERM', end);
  }
}

/** Returns the exit code. */
async function runOnce(asked: TestArguments, output: CommandOutput, reads: WatchedReads): Promise<number> {
  const read = readConfigurationFile(asked.config, output, reads.note);
  for (const file of asked.tests) reads.note(file);
  if (!read) return 1;
  const { configuration } = read;
  const files = await readFiles(asked, { configuration, output, reads });
  if (!files) return 1;
  const results = await evaluated(files, read);
  const { linesOf, summaryOf } = await import('../../policy-tests/report.js');
  for (const result of results) for (const line of linesOf(result, configuration)) output.out(line);
  output.out(summaryOf(results));
  if (asked.junit !== undefined) {
    const { junitOf } = await import('../../policy-tests/junit.js');
    writeAsked(asked.junit, junitOf(results, configuration));
  }
  return results.some((file) => file.results.some(({ differences }) => differences.length > 0)) ? 1 : 0;
}

interface FileOfCases {
  file: string;
  cases: readonly Case[];
}

/** The cases of all files that are asked for; undefined after printing what is wrong with a file. */
async function readFiles(
  { tests, name }: TestArguments,
  { configuration, output, reads }: { configuration: Configuration; output: CommandOutput; reads: WatchedReads },
): Promise<FileOfCases[] | undefined> {
  const { readCases } = await import('../../../../workers/evaluator/cases/cases.js');
  const files: FileOfCases[] = [];
  let right = true;
  for (const file of tests) {
    try {
      const text = readSourceFile(file);
      const readBytes = (image: string): Buffer => {
        const path = resolve(dirname(file), image);
        reads.note(path);
        return readImage(path);
      };
      const read = readCases(text, { file, configuration, readBytes });
      if (read.ok) files.push({ file, cases: read.cases.filter((each) => each.name.includes(name ?? '')) });
      else for (const problem of read.problems) output.err(problemText(problem));
      right &&= read.ok;
    } catch (error) {
      output.err((error as Error).message);
      right = false;
    }
  }
  if (!right) return undefined;
  if (files.some(({ cases }) => cases.length > 0)) return files;
  output.err(`no case has a name that contains "${name ?? ''}"`);
  return undefined;
}

function readImage(path: string): Buffer {
  try {
    return readFileAtMost(path, LIMITS.imageBytes);
  } catch (error) {
    throw cannotRead(path, error);
  }
}

async function evaluated(files: readonly FileOfCases[], read: ReadConfiguration): Promise<FileResult[]> {
  const { createEvaluator } = await import('../../policy-tests/evaluate.js');
  const { differencesOf } = await import('../../../../workers/evaluator/cases/judge.js');
  const evaluator = createEvaluator(read.configuration, read.models());
  try {
    const all: FileResult[] = [];
    for (const { file, cases } of files) {
      const results: CaseResult[] = [];
      for (const of of cases) {
        const began = performance.now();
        const found = await evaluator.evaluate(of);
        const ms = performance.now() - began;
        results.push({ of, found, differences: differencesOf(of.expected, found), ms });
      }
      all.push({ file, results });
    }
    return all;
  } finally {
    await evaluator.close();
  }
}
