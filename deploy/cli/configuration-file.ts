/** Reads a configuration file for a command, and prints what is wrong with it. */
import { readFileSync, statSync } from 'node:fs';
import {
  type Configuration,
  type Loaded,
  loadConfiguration,
  problemText,
} from '../../shared/configuration/configuration.js';
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
  const loaded = loadConfiguration(text, path);
  if (loaded.ok) return loaded;
  for (const problem of loaded.problems) output.err(problemText(problem));
  return undefined;
}
