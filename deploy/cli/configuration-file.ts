/** Reads a configuration file for a command, and prints what is wrong with it. */
import { readFileSync, statSync } from 'node:fs';
import { dirname, join } from 'node:path';
import {
  type Configuration,
  type Loaded,
  loadConfiguration,
  problemText,
} from '../../shared/configuration/configuration.js';
import type { ReadFile } from '../../shared/configuration/fields.js';
import { MAX_CONFIGURATION_LENGTH } from '../../shared/configuration/source.js';
import type { Output } from './command.js';

/** The configuration in a file; undefined after printing what is wrong with it. */
export function readConfigurationFile(path: string, output: Output): Configuration | undefined {
  return loadConfigurationFile(path, output)?.configuration;
}

/** The same as `readConfigurationFile`, with warnings. */
export function loadConfigurationFile(path: string, output: Output): Extract<Loaded, { ok: true }> | undefined {
  let text: string;
  try {
    const { size } = statSync(path);
    // The limit is in UTF-16 units. One of them has at most three bytes of UTF-8.
    if (size > 3 * MAX_CONFIGURATION_LENGTH) throw new Error(`the file has ${size} bytes, more than is read`);
    text = readFileSync(path, 'utf8');
  } catch (error) {
    output.err(`${path}: cannot be read: ${(error as Error).message}`);
    return undefined;
  }
  const loaded = loadConfiguration(text, path, filesBeside(path));
  if (loaded.ok) return loaded;
  for (const problem of loaded.problems) output.err(problemText(problem));
  return undefined;
}

/** Bytes of a file of terms: 100,000 of usual length, with room. */
const MAX_FILE_BYTES = 8 * 1024 * 1024;

/** Reads files of terms from the folder of a configuration. */
export function filesBeside(configuration: string): ReadFile {
  const folder = dirname(configuration);
  return (name) => {
    const path = join(folder, name);
    let size: number;
    try {
      size = statSync(path).size;
    } catch {
      throw new Error(`there is no such file in ${folder}, the folder of the configuration`);
    }
    if (size > MAX_FILE_BYTES) throw new Error(`the file has ${size} bytes; at most ${MAX_FILE_BYTES} are read`);
    return readFileSync(path, 'utf8');
  };
}
