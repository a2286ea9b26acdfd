/** API keys of backends. They are in the environment or in a file of the worker, and never in a configuration, a log or an error. */
import { open } from 'node:fs/promises';
import type { BackendConfiguration } from '../../shared/configuration/backend.js';

/** Visible ASCII: what a header can carry. */
const KEY = /^[\x21-\x7e]{1,4096}$/;
const MOST_BYTES = 8192;

/** Undefined: the backend needs none; null: it needs one, and there is none that can be used. */
export async function apiKeyOf({
  api_key_env: variable,
  api_key_file: file,
}: Pick<BackendConfiguration, 'api_key_env' | 'api_key_file'>): Promise<string | undefined | null> {
  if (variable === null && file === null) return undefined;
  const text = variable === null ? await beginningOf(file!) : (process.env[variable] ?? '');
  const key = text.trim();
  return KEY.test(key) ? key : null;
}

/** Read anew for each call, so that a key that was replaced takes effect. Empty where the file cannot be read. */
async function beginningOf(file: string): Promise<string> {
  try {
    const handle = await open(file, 'r');
    try {
      const { buffer, bytesRead } = await handle.read(Buffer.alloc(MOST_BYTES), 0, MOST_BYTES, 0);
      return buffer.toString('utf8', 0, bytesRead);
    } finally {
      await handle.close();
    }
  } catch {
    return '';
  }
}
