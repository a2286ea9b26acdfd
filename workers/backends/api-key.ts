/** API keys of backends. They are in the environment or in a file of the worker, and never in a configuration, a log or an error. */
import type { BackendConfiguration } from '../../shared/configuration/backend.js';
import { readTextAtMost } from '../../shared/files.js';

/** Visible ASCII: what a header can carry. */
const KEY = /^[\x21-\x7e]{1,4096}$/;
const MOST_BYTES = 8192;

/** Undefined: the backend needs none; null: it needs one, and there is none that can be used. */
export function apiKeyOf({
  api_key_env: variable,
  api_key_file: file,
}: Pick<BackendConfiguration, 'api_key_env' | 'api_key_file'>): string | undefined | null {
  if (variable === null && file === null) return undefined;
  const text = variable === null ? textOf(file!) : (process.env[variable] ?? '');
  const key = text.trim();
  return KEY.test(key) ? key : null;
}

/** Read anew for each call, so that a key that was replaced takes effect. Empty where the file cannot be read. */
function textOf(file: string): string {
  try {
    return readTextAtMost(file, MOST_BYTES);
  } catch {
    return '';
  }
}
