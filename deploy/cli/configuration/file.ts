/** Reads a configuration file for a command, and prints what is wrong with it. */
import { dirname, join } from 'node:path';
import {
  type LoadedConfiguration,
  loadConfiguration,
  problemText,
} from '../../../shared/configuration/configuration.js';
import type { Files } from '../../../shared/configuration/read/fields.js';
import { MAX_CONFIGURATION_LENGTH } from '../../../shared/configuration/read/source.js';
import { cannotRead, type FileError, readFileAtMost, readTextAtMost, textIn } from '../../../shared/files.js';
import { MAX_MODEL_BYTES, readHeader } from '../../../shared/policy/models/format.js';
import { type OwnModel, type OwnModels, prepareModel } from '../../../shared/policy/models/own.js';
import { sha256Of } from '../../../shared/policy/models/packed.js';
import { shippedPacks } from '../../packs.js';
import type { CommandOutput } from '../command.js';

/** A configuration that was read without a problem. */
export type ReadConfiguration = Extract<LoadedConfiguration, { ok: true }> & {
  /** the models of its policies, to compile it with */
  models(): OwnModels;
  /** their files, by SHA-256 */
  modelFiles(): ReadonlyMap<string, Uint8Array>;
};

/** Called before each file is read, with its path. */
type BeforeRead = (file: string) => void;

/** The configuration in a file; undefined after printing what is wrong with it. */
export function readConfigurationFile(
  path: string,
  output: CommandOutput,
  reads: BeforeRead = () => undefined,
): ReadConfiguration | undefined {
  let text: string;
  reads(path);
  try {
    text = readSourceFile(path);
  } catch (error) {
    output.err((error as Error).message);
    return undefined;
  }
  const files = filesBeside(path, reads);
  const loaded = loadConfiguration(text, path, files, shippedPacks);
  if (loaded.ok) return { ...loaded, models: () => prepared(files), modelFiles: files.models };
  for (const problem of loaded.problems) output.err(problemText(problem));
  return undefined;
}

/** The text of a configuration, or of cases. Throws a sentence that names it. */
export function readSourceFile(path: string): string {
  try {
    // The limit is in UTF-16 units. One of them has at most three bytes of UTF-8.
    return readTextAtMost(path, 3 * MAX_CONFIGURATION_LENGTH);
  } catch (error) {
    throw cannotRead(path, error);
  }
}

/** The models that were read, to compile a configuration with. */
export const prepared = ({ models }: Pick<FilesBeside, 'models'>): OwnModels =>
  new Map([...models()].map(([sha256, bytes]): [string, OwnModel] => [sha256, prepareModel(bytes)]));

/** Bytes of a file of terms: 100,000 of usual length, with room. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

export interface FilesBeside extends Files {
  /** by SHA-256: the files of models that were read */
  models(): ReadonlyMap<string, Uint8Array>;
}

/** Reads files from the folder of a configuration. A model is read once, so that what is checked is what is used. */
export function filesBeside(configuration: string, reads: BeforeRead = () => undefined): FilesBeside {
  const folder = dirname(configuration);
  const readBeside = (name: string, most: number): Buffer => {
    const path = join(folder, name);
    reads(path);
    try {
      return readFileAtMost(path, most);
    } catch (error) {
      if ((error as FileError).code !== 'ENOENT') throw error;
      throw new Error(`there is no such file in ${folder}, the folder of the configuration`);
    }
  };
  const models = new Map<string, Uint8Array>();
  const known = new Map<string, ReturnType<Files['model']>>();
  return {
    terms: (name) => textIn(readBeside(name, MAX_FILE_BYTES)),
    model(name) {
      const before = known.get(name);
      if (before) return before;
      const bytes = new Uint8Array(readBeside(name, MAX_MODEL_BYTES));
      const read = { sha256: sha256Of(bytes), labels: readHeader(bytes).labels.map((label) => label.name) };
      models.set(read.sha256, bytes);
      known.set(name, read);
      return read;
    },
    models: () => models,
  };
}
